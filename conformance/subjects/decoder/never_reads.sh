#!/bin/sh
# Never reads its stdin.
read -r _
exec sleep 60
