#!/usr/bin/env bash
# Serves the sample shop: builds vq, indexes the shop, and answers at http://127.0.0.1:8080/ until Ctrl-C.
# Arguments go to 'vq serve'.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/install
vq=$(docs/deploy/build.sh)
index=.build/shop.vq
"$vq" index Samples/shop/catalogue.jsonl --index "$index" >&2
echo "Open the address below and drop Samples/queries/q06-oats.jpg on the page." >&2
exec "$vq" serve --index "$index" "$@"
