#!/bin/bash -eu
# Every target that has seeds; `serde_value` has none and is only a yardstick.

cd "$SRC/nightcrow/fuzz"
cargo fuzz build -O

for seeds in seeds/*/; do
    target=$(basename "$seeds")
    cp "target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    zip -jqr "$OUT/${target}_seed_corpus.zip" "$seeds" "crashes/$target" -x '*.gitkeep'
    cp dictionary.dict "$OUT/$target.dict"
    cp "$target.options" "$OUT/"
done
