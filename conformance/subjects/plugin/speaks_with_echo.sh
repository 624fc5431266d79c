#!/bin/sh
# Writes with echo, which in some shells resolves escapes; this is what it then does.
while read -r line; do
  case $line in
  *pane_opened*)
    token=${line#*'"token":"'}
    token=${token%%'"'*}
    printf '%b\n' '{"cmd":"send_input","v":3,"token":"'"$token"'","generation":1,"data":"\r"}'
    ;;
  *shutdown*) exit ;;
  esac
done
