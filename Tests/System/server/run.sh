#!/usr/bin/env bash
# The server as its clients see it: conformance to openapi.json, a fuzzer of requests, clients that
# misbehave, a reverse proxy and a browser. Installs what they need. VQ=… takes a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/../../.."
.ci/install chromium chromium-driver nginx-light curl openssl python3-venv gcc libc6-dev
python=.build/server-tests/bin/python
if [ ! -x "$python" ]; then python3 -m venv .build/server-tests; fi
"$python" -m pip install --quiet --disable-pip-version-check -r Tests/System/server/requirements.txt

if [ -z "${VQ:-}" ]; then
  VQ=$(docs/deploy/build.sh)
fi
folder=$(mktemp -d)
trap 'kill "$server" 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
server=
picture=Samples/queries/q06-oats.jpg
index=$folder/shop.vq
"$VQ" index Samples/shop/catalogue.jsonl --index "$index" --link 'product=https://shop.example/p/{id}' 2> /dev/null
"$VQ" key "$folder/keys.txt" --name reader > "$folder/reader"
"$VQ" key "$folder/keys.txt" --name writer --role write > "$folder/writer"
start() {
  if [ -n "$server" ]; then kill "$server" && wait "$server" || true; fi
  mkfifo "$folder/address"
  "$VQ" serve --index "$index" --port 0 "$@" > "$folder/address" 2> "$folder/log" &
  server=$!
  read -r address < "$folder/address"
  rm "$folder/address"
  address=${address%/}
}

echo "== conformance to openapi.json"
start --app-id ABCDE12345.example.shop
"$python" Tests/System/server/conformance.py "$address" Samples > "$folder/conformance" || { grep FAIL "$folder/conformance"; exit 1; }
grep ' checks, ' "$folder/conformance"
echo "== the page in a browser"
# A picture of one thing: of two that are shown, the surer one is first.
python3 Tests/System/server/browser.py "$address/" Samples/queries/q08-lantern.jpg .build/screenshots --expect 'Storm lantern' --id lantern
echo "== the reports in a browser"
python3 Tests/System/server/reports.py "$VQ" .build/screenshots
echo "== schemathesis"
"$(dirname "$python")/schemathesis" --config-file Tests/System/server/schemathesis.toml run "$address/openapi.json" \
  --max-examples 60 --phases examples,coverage,fuzzing > "$folder/schemathesis" || { sed -n '/= FAILURES =/,/= WARNINGS =/p' "$folder/schemathesis" | cut -c1-300; exit 1; }
grep -A1 'Test cases:' "$folder/schemathesis"
echo "== conformance with keys"
start --keys "$folder/keys.txt"
"$python" Tests/System/server/conformance.py "$address" Samples --key "$(cat "$folder/reader")" --write-key "$(cat "$folder/writer")" \
  > "$folder/conformance" || { grep FAIL "$folder/conformance"; exit 1; }
grep ' checks, ' "$folder/conformance"
echo "== the page of the shop's people in a browser"
# An index of its own: the tests before have asked for many labels that nothing has.
index=$folder/people.vq
"$VQ" index Samples/shop/catalogue.jsonl --index "$index" 2> /dev/null
start --keys "$folder/keys.txt" --numbers
python3 Tests/System/server/browser.py "$address/" Samples/queries/q08-lantern.jpg .build/screenshots --expect 'Storm lantern' --id lantern \
  --key "$(cat "$folder/writer")"
kill "$server" && wait "$server"
server=
echo "== traces"
"$python" Tests/System/server/traces.py "$VQ" "$index" "$picture"
echo "== behind nginx"
Tests/System/server/nginx.sh "$VQ" "$index" "$picture"
echo "== clients that misbehave"
python3 Tests/System/server/clients.py "$VQ" Samples/shop/catalogue.jsonl "$picture"
echo "== clients that attack"
python3 Tests/System/server/attack.py "$VQ" Samples/shop/catalogue.jsonl "$picture"
echo "== the worst picture for each step"
# The limit is three times that of a quiet machine: beside other work, the same loops take up to twice the processor time.
python3 Tests/System/server/worst.py "$VQ" --limit 75
echo "== libraries that crash"
python3 Tests/System/server/isolation.py "$VQ" Samples/shop/catalogue.jsonl "$picture"
echo "== changes of entities, and kills"
python3 Tests/System/server/updates.py "$VQ" Samples/shop/images --kills 4
echo "== damaged tokens, signatures and indexes, and more kills"
Tests/System/server/hostile.py "$VQ" Samples --tokens 200 --signatures 1500 --flips 41 --kills 10
