#!/usr/bin/env bash
# Checks a program's defences against memory errors and foreign libraries: hardening.sh PROGRAM
# PROGRAM lies where it was built, since what the C targets call is read from their objects beside it: Swift's libraries
# have checked calls of their own. One line a check; exit code 1 if one fails. Needs readelf (binutils).
set -euo pipefail
[ $# -eq 1 ] && [ -f "$1" ] || { echo "usage: hardening.sh PROGRAM, for example \"\$(docs/deploy/build.sh)\"" >&2; exit 2; }
header=$(readelf --wide --file-header "$1")
segments=$(readelf --wide --program-headers "$1")
dynamic=$(readelf --wide --dynamic "$1")
symbols=$(readelf --wide --dyn-syms "$1")
calls=$(find "$(dirname "$1")/" -path '*/C[A-Z]*.build/*.c.o' -exec readelf --wide --symbols {} + | awk '$7 == "UND" { print $8 }')
failed=0
check() { # TEXT, then a command that succeeds if it holds
  local text=$1
  shift
  if "$@" > /dev/null; then echo "ok    $text"; else echo "FAIL  $text"; failed=1; fi
}
in_text() { grep -E -- "$2" <<< "$1"; }
not_in_text() { ! grep -E -- "$2" <<< "$1"; }
check "it is loaded at a random address (PIE)" in_text "$header" 'Type: +DYN'
check "no memory is both written and executed" not_in_text "$segments" '(LOAD|GNU_STACK) .* RWE '
check "its relocations become read-only (RELRO)" in_text "$segments" 'GNU_RELRO'
check "all functions are bound before it starts (-z now)" in_text "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
check "libraries come from the system's folders only" not_in_text "$dynamic" 'RPATH|RUNPATH'
check "stack frames are guarded" in_text "$symbols" '__stack_chk_fail'
check "the C targets check lengths of buffers (_FORTIFY_SOURCE)" in_text "$calls" '^__snprintf_chk$'
check "no call in them goes without" not_in_text "$calls" '^(v?s?n?printf|str(n?cpy|n?cat)|longjmp)$'
exit "$failed"
