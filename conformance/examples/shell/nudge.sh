#!/bin/sh
# A small honest plugin: it presses Enter where a program waits for it, and starts a program that ended
# once again. A shell, awk and mktemp; a place to start from. It cannot hear signals from inside panes, as
# its sisters in other languages do: nothing here listens at a socket.
#
# The traps of this one:
# * `read` takes a byte per system call, so awk reads. mawk reads a pipe in blocks unless it is called
#   interactive; others do not know that option.
# * awk, sed and grep write in blocks: fflush() after each line. The shell's own printf does not, but
#   `echo` may turn the \r of a JSON string into a raw CR.
# * Neither can write without waiting, and a host that does not read must not keep us from reading. So
#   a second process writes, and counts in a file what it has written: what is under way is bounded.
# * awk counts bytes only in the C locale, and holds a line of any length before it can be refused.

folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
mkfifo "$folder/queue" || exit

write_lines() {
  written=0
  while IFS= read -r line; do
    printf '%s\n' "$line" || exit # nobody reads any more
    written=$((written + 1))
    echo "$written" >"$folder/written"
  done
}
write_lines <"$folder/queue" &
writer=$!

case $(awk -W version 2>/dev/null </dev/null) in
mawk*) set -- -W interactive ;;
*) set -- ;;
esac

LC_ALL=C awk "$@" -v written="$folder/written" '
BEGIN {
  MAX_LINE = 65536 # bytes, without the terminator
  MAX_WAITING = 100 # lines; together they must fit into a pipe
  PHRASE = "press enter to continue"
  KEPT = 200 # characters of the last text of a pane: a phrase may come in two events
  for (i = 32; i < 127; i++) ascii[sprintf("%04x", i)] = sprintf("%c", i)
  note("info", "nudge has started")
}

# --- what goes out ---

function waiting(    count) {
  if ((getline count <written) > 0) taken = count
  close(written)
  return sent - taken
}

# What does not fit is dropped, as if the host had refused it.
function say(kind, members) {
  if (waiting() >= MAX_WAITING) return
  sent++
  print "{\"cmd\":\"" kind "\",\"v\":3," members "}"
  fflush()
}

function note(level, message) {
  say("log", "\"level\":\"" level "\",\"message\":\"" message "\"")
}

# The newest generation: a command about an older process would be refused.
function pane(token) {
  return "\"token\":\"" token "\",\"generation\":" generation[token]
}

function status(token, state) {
  say("status", pane(token) ",\"state\":\"" state "\",\"detail\":null,\"deadline_epoch\":null,\"attempt\":0")
}

# --- what comes in ---

# Only what is ASCII; no name and no phrase holds anything else.
function unescaped(text,    result, key) {
  while (match(text, /\\(u....|.)/)) {
    key = tolower(substr(text, RSTART + 2, RLENGTH - 2))
    if (RLENGTH == 2) key = substr(text, RSTART + 1, 1)
    else key = key in ascii ? ascii[key] : "?"
    result = result substr(text, 1, RSTART - 1) key
    text = substr(text, RSTART + RLENGTH)
  }
  return result text
}

# Whether this is an object: from the inside out each value is replaced by a V, until one is left.
function is_object(outline) {
  gsub(/"[^"]*"/, "\"", outline)
  if (outline !~ /^[ \t\r]*[{]/ || outline ~ /V/) return 0
  gsub(/-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/, "V", outline)
  gsub(/[ \t\r]/, "", outline)
  while (gsub(/[[](["V](,["V])*)?[]]|[{](":["V](,":["V])*)?[}]/, "V", outline)) continue
  return outline == "V"
}

# Puts the members of an object into `member`: texts begin with a quote, all else is as it is spelled.
function parse(line,    plain, part, count, i, at, depth, name, value) {
  split("", member)
  # Without escapes, each quote begins or ends a string; and all stays in its place.
  plain = line
  gsub(/\\./, "..", plain)
  count = split(plain, part, "\"")
  if (!is_object(plain)) return 0
  for (i = at = 1; i < count; i++) {
    if (i % 2) depth += gsub(/[[{]/, "&", part[i]) - gsub(/[]}]/, "&", part[i])
    else if (depth == 1 && part[i + 1] ~ /^[ \t\r]*:/) {
      name = unescaped(substr(line, at, length(part[i])))
      if (name in member) return 0
      value = part[i + 1]
      gsub(/^[ \t\r]*:[ \t\r]*|[ \t\r]*[,}].*$/, "", value)
      if (value == "")
        value = "\"" substr(line, at + length(part[i]) + length(part[i + 1]) + 2, length(part[i + 2]))
      member[name] = value
    }
    at += length(part[i]) + 1
  }
  return 1
}

function end_of(text, size) {
  return substr(text, length(text) - size + 1)
}

function text_of(name) {
  return substr(member[name], 1, 1) == "\"" ? unescaped(substr(member[name], 2)) : ""
}

substr($0, length($0)) == "\r" { $0 = substr($0, 1, length($0) - 1) } # part of CR LF
length($0) > MAX_LINE { note("warn", "the host sent an over-long line"); next }
/^[ \t\r]*$/ { next }
!parse($0) { note("warn", "the host sent a line that is no event"); next }
# The same words may mean something else in another version: never act on them.
member["v"] != "3" { note("warn", "the host sent another version, this plugin speaks 3"); next }

{ event = text_of("event"); token = text_of("token"); number = member["generation"] }
event == "shutdown" { told_to_end = 1; exit }
token !~ /^[A-Za-z0-9_-]+$/ || length(token) > 128 || number !~ /^[1-9][0-9]*$/ { next }

event == "pane_opened" {
  generation[token] = number
  can_relaunch[token] = member["command"] ~ /^"/
  is_live[token] = 1
  text[token] = ""
  status(token, "watching")
}
# About a process that was replaced, or a pane that is not ours.
!(token in generation) || generation[token] != number { next }

event == "pane_output" {
  text[token] = end_of(text[token] tolower(unescaped(end_of(member["text"], 6 * KEPT))), KEPT)
}
event == "pane_idle" && is_live[token] && index(text[token], PHRASE) {
  text[token] = ""
  say("send_input", pane(token) ",\"data\":\"\\r\"")
}
# A person took over: whatever we had in mind is off.
event == "user_input" { text[token] = "" }
event == "pane_exited" {
  is_live[token] = 0
  status(token, "exited")
  if (can_relaunch[token] && !(token in was_relaunched)) {
    was_relaunched[token] = 1
    say("relaunch", pane(token) ",\"resume_args\":[]")
  }
}
event == "pane_closed" {
  delete generation[token]
  delete can_relaunch[token]
  delete was_relaunched[token]
  delete is_live[token]
  delete text[token]
}

# After shutdown what still waits is dropped. At the end of stdin the last lines may take a second: a
# host waits for two.
END { if (!told_to_end && waiting() > 0) system("sleep 1") }
' >"$folder/queue"

kill "$writer" 2>/dev/null
exit 0
