#!/usr/bin/env bash
# The files of Packaging/kubernetes, and the calculation of what a service needs: VQ=PROGRAM run.sh. Needs PostgreSQL's programs.
set -euo pipefail
cd "$(dirname "$0")/../../.."
.ci/install python3-venv postgresql
python=.build/deploy-tests/bin/python
if [ ! -x "$python" ]; then python3 -m venv .build/deploy-tests; fi
"$python" -m pip install --quiet --disable-pip-version-check -r Tests/System/deploy/requirements.txt
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
"$python" Tests/System/deploy/kubernetes.py "$VQ" "$bin" Samples/shop

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$VQ" index Samples/shop/catalogue.jsonl --index "$folder/shop.vq" --quiet
asked=(--vq "$VQ" --index "$folder/shop.vq" --photos Samples/queries --rate 5 --seconds 1)
Packaging/capacity.py "${asked[@]}" --images 34 | tee "$folder/capacity"
grep -q -- '--threads [1-9]' "$folder/capacity"
if Packaging/capacity.py "${asked[@]}" --images 100000 > "$folder/small" 2>&1; then echo "FAIL: 34 images tell nothing about 100 000"; exit 1; fi
grep -q 'index a part of the feed' "$folder/small"
