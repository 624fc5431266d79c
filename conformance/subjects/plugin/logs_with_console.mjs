#!/usr/bin/env node
// Says with console.log that it is there.
import { Plugin } from "./plugin.mjs";

console.log("ready");
new Plugin().run();
