#!/usr/bin/env bash
# Makes the small index of a release, with the program of that release: make.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp ../../../../../Samples/shop/images/mug-red.jpg "$work/mug.jpg"
cat > "$work/feed.jsonl" <<'FEED'
{"type":"product","id":"mug","title":"Camp mug","description":"Enamel, made in one piece.","labels":["mug","tea cup"],"images":["mug.jpg"],"url":"https://shop.example/p/mug","price":{"amount":"14.90","currency":"EUR"}}
{"type":"store","id":"harbour","title":"Harbour","labels":["outdoor shop"],"geo":{"latitude":53.54,"longitude":9.99},"stock":["mug"]}
FEED
"$program" index "$work/feed.jsonl" --index "$work/shop.vq"
version() { "$program" --version | sed -n "s/^$1: version \([0-9]*\).*/\1/p"; }
name=index-$(version index)-$(version signatures).tar.gz
rm -f "$work/shop.vq/writer.lock"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$work" -cf - shop.vq | gzip -9n > "$name"
ls -l "$name"
