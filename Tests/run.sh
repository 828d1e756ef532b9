#!/usr/bin/env bash
# Runs all tests after installing what they need. Arguments go to swift test, and leave out the packages for apps.
set -euo pipefail
cd "$(dirname "$0")/.."
# The last ones are loaded if they are there; without them, the tests of their formats are left out.
.ci/install libwebp7 libheif1 libgif7 libzbar0
# The code on pixels is optimized in debug builds, too, since the tests spend most of their time in it: the kernels in C,
# and PixelMatch (Package.swift).
export VQ_OPTIMIZE=1
swift test -Xcc -O2 "$@"
if [ $# -eq 0 ]; then
  for package in Clients/Swift Samples/AppClient; do
    # A package with the flags of VQ_OPTIMIZE cannot be a dependency.
    VQ=$PWD/.build/debug/vq env -u VQ_OPTIMIZE swift test --package-path $package
  done
fi
