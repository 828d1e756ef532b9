#!/usr/bin/env bash
# Measures the library against its peers and prints the table that the README quotes.
#   Benchmarks/run.sh [ROUNDS]         needs python3 with venv; peers come from PyPI into .build/peers
set -euo pipefail
cd "$(dirname "$0")"
if ! [ -x .build/peers/bin/python ]; then
  python3 -m venv .build/peers
  .build/peers/bin/pip install --quiet numpy Pillow imagehash faiss-cpu
fi
swift build -c release --product vq-bench >&2
exec .build/peers/bin/python run.py "${1:-9}"
