#!/bin/sh
# Makes a status of each pane_opened, with a tool that writes in blocks.
exec sed -n 's/.*"pane_opened","v":3,"token":"\([^"]*\)","generation":\([0-9]*\).*/{"cmd":"status","v":3,"token":"\1","generation":\2,"state":"watching","attempt":0}/p'
