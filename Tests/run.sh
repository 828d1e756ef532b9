#!/usr/bin/env bash
# Runs all tests after installing what they need. Arguments go to swift test, and leave out the app's client.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/install
swift test "$@"
if [ $# -eq 0 ]; then VQ=$PWD/.build/debug/vq swift test --package-path Samples/AppClient; fi
