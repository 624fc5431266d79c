#!/usr/bin/env node
// Says with console.log that it is there.
import "../../examples/node/nudge.mjs";

console.log("nudge is ready");
