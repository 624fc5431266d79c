#!/usr/bin/env python3
"""Prints a banner to stdout when it starts."""
from plugin import Plugin

print("my plugin 1.0 is ready", flush=True)
Plugin().run()
