#!/usr/bin/env bash
# The element for pages of shops: VQ=PROGRAM run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."
.ci/install chromium chromium-driver python3-venv node-typescript
python=.build/web-tests/bin/python
if [ ! -x "$python" ]; then python3 -m venv .build/web-tests; fi
"$python" -m pip install --quiet --disable-pip-version-check --no-deps -r Tests/System/web/requirements.txt
axe=$("$python" -c 'import axe_core_python, pathlib; print(pathlib.Path(axe_core_python.__file__).parent / "axe.min.js")')
size=$(gzip -9c Clients/Web/visual-query-search.js | wc -c)
[ "$size" -le 20480 ] || { echo "FAIL: $size bytes compressed"; exit 1; }
tsc --noEmit --strict --target es2020 --lib es2020,dom Clients/Web/visual-query-search.d.ts
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$VQ" index Samples/shop/catalogue.jsonl --index "$folder/shop.vq" --link 'product=https://shop.example/p/{id}' --quiet
mkdir -p .build/screenshots
python3 Tests/System/web/web.py "$VQ" "$folder/shop.vq" "$axe" .build/screenshots
echo "the element has $size bytes compressed"
