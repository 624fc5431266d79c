#!/bin/sh
# Proves that every oracle finds its kind of bug: builds each planted bug (src/planted.rs) and fuzzes
# from the committed seeds until the oracle panics. Fails if one takes longer than 60 seconds.
# Leak detection is off: a bug that hoards memory is the oracle's to find, not the sanitizer's.
set -u
cd "$(dirname "$0")"

limit=60
missed=0
built=target/$(rustc +nightly -vV | sed -n 's/^host: //p')/release

# plant BUG TARGET
plant() {
    PLANTED=$1 cargo +nightly fuzz build "$2" 2>/dev/null || { echo "$1 does not build"; exit 2; }
    found=$(mktemp -d)
    start=$(date +%s)
    "$built/$2" -max_total_time=$limit -max_len=70000 -detect_leaks=0 -dict=dictionary.dict \
        -artifact_prefix="$found/" "$found" "seeds/$2" >"$found/log" 2>&1
    seconds=$(($(date +%s) - start))
    if grep -q 'panicked at src/' "$found/log"; then
        verdict="found in $seconds s: $(grep -A1 -m1 'panicked at src/' "$found/log" | tail -n1)"
    else
        verdict=MISSED
        missed=$((missed + 1))
    fi
    printf '%-16s %-20s %.100s\n' "$1" "$2" "$verdict" | tr -cd ' -~\n'
    rm -r "$found"
}

plant lossy_escape decode_command
plant raw_line_feed decode_event
plant cr_at_chunk_end framer
plant tail_is_a_line framer
plant hoards framer
plant u32_wraps decode_vs_schema
plant last_wins decode_vs_reference
plant keeps_backslash round_trip

exit "$missed"
