#!/usr/bin/env bash
# The main job on the sample shop: builds vq, indexes the shop and finds what a photo shows.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/install
program=$(docs/deploy/build.sh)
PATH="$(dirname "$program"):$PATH"
index=.build/shop.vq
rm -rf "$index"
vq index Samples/shop/catalogue.jsonl --index "$index" >&2
find=(vq match Samples/queries/q06-oats.jpg --labels box --index "$index")
echo "\$ ${find[*]}"
"${find[@]}"
