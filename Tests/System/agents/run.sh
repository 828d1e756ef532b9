#!/usr/bin/env bash
# The tools for agents, with the reference client of their protocol: VQ=PROGRAM run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."
.ci/install python3-venv
python=.build/agent-tests/bin/python
if [ ! -x "$python" ]; then python3 -m venv .build/agent-tests; fi
"$python" -m pip install --quiet --disable-pip-version-check -r Tests/System/agents/requirements.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$VQ" index Samples/shop/catalogue.jsonl --index "$folder/shop.vq" --quiet
"$python" Tests/System/agents/agents.py "$VQ" "$folder/shop.vq" Samples
