#!/usr/bin/env bash
# A live server under everything at once for some minutes: soak.sh [MINUTES]. VQ=… takes a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/../../.."
if [ -z "${VQ:-}" ]; then
  VQ=$(docs/deploy/build.sh)
fi
exec python3 Tests/System/server/soak.py "$VQ" Samples "${1:-1}"
