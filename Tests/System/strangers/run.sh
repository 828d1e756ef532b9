#!/usr/bin/env bash
# A client that a stranger makes of openapi.json: two generators for Python and one for TypeScript take the document as it is, all
# that they write can be imported or compiled, and each client asks with an image, puts an entity, lists, and gives feedback.
#
# usage: VQ=PROGRAM run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."
.ci/install python3-venv default-jre-headless node-typescript
python=$PWD/.build/strangers/bin/python
pip=("$python" -m pip install --quiet --disable-pip-version-check)
if [ ! -x "$python" ]; then python3 -m venv .build/strangers; fi
"${pip[@]}" -r Tests/System/strangers/requirements.txt
"${pip[@]}" --no-deps --require-hashes -r Tests/System/strangers/generators.txt

folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" || true; fi; wait; rm -rf "$folder"' EXIT
"$VQ" help --schemas "$folder" > "$folder/printed"
document=$folder/openapi.json

# generate NAME OPTION…
generate() {
  JAVA_OPTS=-XX:TieredStopAtLevel=1 "$(dirname "$python")/openapi-generator-cli" generate -i "$document" -g "$1" -o "$folder/$1" \
    --global-property models,apis,supportingFiles,modelDocs=false,apiDocs=false,modelTests=false,apiTests=false \
    > "$folder/$1.log" 2>&1 || { grep -m 5 -E 'ERROR|Exception|Error:' "$folder/$1.log"; echo "FAIL: no client in $1"; exit 1; }
  # The other warnings are of reserved words, which the generator renames, and of its own state.
  if grep -E 'ERROR|not supported' "$folder/$1.log"; then echo "FAIL: the client in $1 is not whole"; exit 1; fi
}
generate python
generate typescript-fetch
# Without ruff, which only formats.
echo '{"post_hooks": []}' > "$folder/settings.json"
"$(dirname "$python")/openapi-python-client" generate --path "$document" --output-path "$folder/python/attrs_client" --meta none \
  --config "$folder/settings.json" > "$folder/attrs.log" 2>&1 || { tail -5 "$folder/attrs.log"; exit 1; }
# It knows neither images nor JSON Lines: these two answers are bytes, and it leaves the import out.
expected=$'WARNING parsing GET /v1/entities/{type}/{id}/thumbnail within entities.\nWARNING parsing POST /v1/entities:import within entities. Endpoint will not be generated.
WARNING parsing GET /v1/feedback/queries within feedback.'
diff <(echo "$expected") <(grep WARNING "$folder/attrs.log") || { echo "FAIL: openapi-python-client leaves something out"; exit 1; }

"$python" Tests/System/strangers/imports.py "$folder/python" openapi_client attrs_client
# The compiler of Debian is older than what `strict` needs of narrowing.
tsc --strictNullChecks --target es2020 --lib es2020,dom --module commonjs --moduleResolution node --outDir "$folder/javascript" \
  "$folder/typescript-fetch/index.ts"
echo "three clients are generated, imported and compiled"

index=$folder/shop.vq
"$VQ" index Samples/shop/catalogue.jsonl --index "$index" > "$folder/indexed" 2>&1
"$VQ" key "$folder/keys.txt" --name stranger --role write > "$folder/key"
mkfifo "$folder/address"
"$VQ" serve --index "$index" --port 0 --keys "$folder/keys.txt" > "$folder/address" 2> "$folder/log" &
server=$!
read -r address < "$folder/address"
asked=("${address%/}" "$(cat "$folder/key")" Samples/queries/q06-oats.jpg)
PYTHONPATH=$folder/python "$python" Tests/System/strangers/openapi_generator.py "${asked[@]}"
PYTHONPATH=$folder/python "$python" Tests/System/strangers/openapi_python_client.py "${asked[@]}"
node Tests/System/strangers/typescript.cjs "$folder/javascript" "${asked[@]}"
echo "three clients match, put, list and give feedback"
