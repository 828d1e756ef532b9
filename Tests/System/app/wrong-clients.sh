#!/usr/bin/env bash
# Compiles small wrong clients with the stand-ins for Apple's modules, and expects the errors that Xcode would give.
# A stand-in that accepts what Apple refuses would let a client through that does not compile in any app.
#
# usage: wrong-clients.sh   (after swift build --package-path Samples/AppClient; APP_CLIENT_BUILD names another scratch path)
set -euo pipefail
cd "$(dirname "$0")"
top=$(git rev-parse --show-toplevel)
scratch=${APP_CLIENT_BUILD:-$top/Samples/AppClient/.build}
modules=$(swift build --package-path "$top/Samples/AppClient" --scratch-path "$scratch" --show-bin-path)/Modules
check=$top/Samples/AppClient/check-intents
failures=0

compile() { swiftc -emit-sil -o /dev/null -swift-version 6 -warnings-as-errors -parse-as-library -I "$modules" "$1" 2>&1; }

fail() {
  echo "wrong-clients: $1" >&2
  failures=$((failures + 1))
}

compile right.swift || fail "right.swift is refused"
"$check" "$top/Samples/AppClient/Sources" || fail "check-intents refuses the sample client"
for file in wrong/*.swift; do
  expected=$(sed -n '1s|^// expect: ||p' "$file")
  [ -n "$expected" ] || fail "$file does not say what to expect"
  folder=$(mktemp -d)
  cp "$file" "$folder"
  output=$(compile "$file" || true; "$check" "$folder" 2>&1 || true)
  rm -r "$folder"
  grep -qF -- "$expected" <<< "$output" || fail "$file: expected '$expected', got: ${output:-no error}"
done
[ $failures -eq 0 ] && echo "$(ls wrong | wc -l) wrong clients are refused, and the right one is not"
