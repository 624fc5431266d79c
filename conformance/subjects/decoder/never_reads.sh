#!/bin/sh
# Never reads its stdin.
exec sleep 60
