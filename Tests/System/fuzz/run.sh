#!/usr/bin/env bash
# Coverage-guided fuzzing of everything that reads bytes from outside: run.sh [SECONDS [TARGET…]].
# Runs each target for SECONDS (60), two at a time, and prints a line for each. Ends with 1 if a target
# crashes, breaks a property, takes longer than 10 s or more than 2 GB for one input; the line names that input.
# FUZZ_JOBS=N runs N targets at a time; FUZZ_PROGRAM=FILE takes a program that is built already.
# FUZZ_CONFIGURATION=debug builds in half the time, runs fewer inputs, and also checks assertions.
set -euo pipefail
cd "$(dirname "$0")/../../.."
seconds=${1:-60}
shift || true
folder=.build/fuzz/run
if [ -z "${FUZZ_PROGRAM:-}" ]; then
  configuration=${FUZZ_CONFIGURATION:-release}
  # PixelMatch is optimized in both, as in Tests/run.sh.
  VQ_OPTIMIZE=1 swift build --package-path Tests/System/fuzz/Fuzzers --scratch-path .build/fuzz -c "$configuration" \
    --disable-index-store --sanitize address --sanitize fuzzer -Xcc -O2 \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing >&2
  FUZZ_PROGRAM=.build/fuzz/$configuration/Fuzzers
fi
mkdir -p "$folder/findings" "$folder/logs"
cp "$FUZZ_PROGRAM" "$folder/Fuzzers"
"$folder/Fuzzers" seeds "$folder/seeds"
cp Tests/PixelMatchTests/Conformance/pictures/*.jpg "$folder/seeds/jpeg/"
cp Tests/PixelMatchTests/Conformance/pictures/*.png "$folder/seeds/png/"
cp Tests/PixelMatchTests/Conformance/loaded/*.webp "$folder/seeds/webp/"
cp Tests/PixelMatchTests/Conformance/loaded/*.gif "$folder/seeds/gif/"
cp Tests/PixelMatchTests/Conformance/loaded/*.{avif,heic} "$folder/seeds/heif/"

# The program knows its target by the name that it is called by. Traps are findings that need no backtrace of Swift's.
fuzz() {
  local name=$1 limit=$2 seconds=$3 folder=$4 log=$4/logs/$1 started result=0
  started=$folder/logs/$name.started
  touch "$started"
  ln -sf Fuzzers "$folder/$name"
  mkdir -p "$folder/corpus/$name"
  local words=()
  if [ -s "$folder/seeds/$name.dict" ]; then words=(-dict="$folder/seeds/$name.dict"); fi
  LSAN_OPTIONS=suppressions=Tests/System/fuzz/leaks.supp SWIFT_BACKTRACE=enable=no "$folder/$name" "${words[@]}" \
    -max_total_time="$seconds" -max_len="$limit" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$folder/findings/$name-" \
    "$folder/corpus/$name" "$folder/seeds/$name" > "$log" 2>&1 || result=1
  local runs coverage
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
  printf '%-10s %12s runs %7s edges' "$name" "${runs:--}" "${coverage:--}"
  if [ "$result" -eq 0 ]; then echo "  no finding"; return; fi
  local found
  found=$(find "$folder/findings" -name "$name-*" -newer "$started" | head -1)
  echo "  FINDING: $folder/$name ${found:-(no input written)}; log: $log"
  return 1
}
export -f fuzz
if [ $# -eq 0 ]; then set -- $("$folder/Fuzzers" list | cut -d' ' -f1); fi
for name; do
  "$folder/Fuzzers" list | grep "^$name " || { echo "run.sh: '$name' is not a target" >&2; exit 2; }
done | xargs -P "${FUZZ_JOBS:-2}" -L 1 bash -c 'fuzz "$3" "$4" "$1" "$2"' fuzz "$seconds" "$folder"
