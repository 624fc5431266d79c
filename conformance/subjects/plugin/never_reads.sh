#!/bin/sh
# Starts and then waits for something that never comes.
exec sleep 600
