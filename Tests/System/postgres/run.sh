#!/usr/bin/env bash
# Catalogues in PostgreSQL, with real servers that this script starts and stops: run.sh [SCENARIO…]. VQ=… takes a program that is
# built already. Without PostgreSQL's programs it says so and does nothing; `.ci/install postgresql pgbouncer openssl` installs them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
bin=$(ls -d /usr/lib/postgresql/*/bin 2> /dev/null | sort -V | tail -1 || true)
if [ -z "$bin" ]; then bin=$(dirname "$(command -v initdb || true)"); fi
if [ ! -x "$bin/initdb" ]; then
  echo "SKIPPED: PostgreSQL is not installed (apt-get install postgresql pgbouncer)"
  exit 0
fi
if [ -z "${VQ:-}" ]; then
  VQ=$(docs/deploy/build.sh)
fi
python3 Tests/System/postgres/postgres.py "$VQ" "$bin" Samples "$@"
