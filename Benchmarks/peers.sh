#!/usr/bin/env bash
# Measures the time of a query beside public tools on the same catalogue, and keeps the figures in runs/.
#   Benchmarks/peers.sh TASK_DIR [OPTION…]     options as of peers.py; needs python3 with venv; peers come from PyPI into .build/peers
set -euo pipefail
task=$(cd "${1:?usage: peers.sh TASK_DIR}" && pwd)
here="$(cd "$(dirname "$0")" && pwd)"
peers="$here/.build/peers"
if ! [ -x "$peers/bin/python" ]; then python3 -m venv "$peers"; fi
"$peers/bin/pip" install --quiet numpy Pillow imagehash pdqhash faiss-cpu opencv-contrib-python-headless
if [ -z "${VQ:-}" ]; then
  VQ=$("$here/../docs/deploy/build.sh")
fi
exec "$here/record.py" "peers-$(basename "$task")" "$peers/bin/python" "$here/peers.py" "$VQ" "$task" "${@:2}"
