#!/usr/bin/env python3
"""Is honest itself, but leaves a process behind that left its process group and holds its stdout."""
import subprocess

from plugin import Plugin

subprocess.Popen(["sleep", "600"], start_new_session=True)
Plugin().run()
