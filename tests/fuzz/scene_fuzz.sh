#!/bin/sh
# Fuzzes the scene parser: tests/fuzz/scene_fuzz.sh [SECONDS] [BUILD_DIR]. Needs clang with libFuzzer.
# New inputs go to BUILD_DIR/corpus; a crash leaves its input in BUILD_DIR and exits non-zero.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-60}
build=${2:-/tmp/talus-scene-fuzz}
mkdir -p "$build/corpus"
for source in "$root"/src/scene/*.cpp "$root/src/core/error.cpp" "$root/tests/fuzz/scene_fuzz.cpp"; do
  object="$build/$(basename "$source").o"
  # Rebuilt when the source or any header of the folder is newer.
  if [ ! -e "$object" ] || [ -n "$(find "$source" "$root/src/scene" "$root/tests/fuzz" \
      -newer "$object" \( -path "$source" -o -name '*.h' \))" ]; then
    clang++ -std=c++20 -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
      -fno-sanitize-recover=undefined -DFMT_HEADER_ONLY -I"$root/src" -c "$source" -o "$object"
  fi
done
clang++ -fsanitize=fuzzer,address,undefined "$build"/*.o -o "$build/scene_fuzz"
cd "$build"
exec ./scene_fuzz -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
  -dict="$root/tests/fuzz/scene.dict" corpus "$root/tests/fuzz/corpus/scene"
