#!/usr/bin/env bash
# All tests, after installing what they need. Arguments go to swift test.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/install
exec swift test "$@"
