#!/usr/bin/env bash
# Measures the recall of public tools and of vq on the same tasks.
#   Benchmarks/quality/peers.sh TASK_DIR…     needs python3 with venv; peers come from PyPI into .build/peers
# A TASK_DIR holds catalogue.jsonl and queries.jsonl as 'vq index' and 'vq eval' read them.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
peers="$here/../.build/peers"
if ! [ -x "$peers/bin/python" ]; then python3 -m venv "$peers"; fi
"$peers/bin/pip" install --quiet numpy Pillow imagehash pdqhash opencv-contrib-python-headless
exec "$peers/bin/python" "$here/peers.py" "$("$here/../../docs/deploy/build.sh")" "$@"
