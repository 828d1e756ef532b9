#!/usr/bin/env bash
# Compiles the source that 'vq codegen app-intents' writes, together with the rest of the sample client.
#
# usage: VQ=.build/debug/vq codegen.sh   (after swift build --package-path Samples/AppClient; APP_CLIENT_BUILD names another
#                                         scratch path)
set -euo pipefail
vq=$(realpath "$VQ")
cd "$(git -C "$(dirname "$0")" rev-parse --show-toplevel)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - > "$folder/feed.jsonl" << 'FEED'
import json
for number in range(12):
    print(json.dumps({
        "type": "product", "id": f"p{number}", "title": f"Thing {number}", "class": ["new", "used \"B\""][number % 2],
        "Country of origin": ["DE", "FR", "2 %"][number % 3], "weight": number * 1.5, "name": f"Own {number}", "2nd": "yes",
        "note": f"note \\(number) {number}", "isNew": number % 2 == 0,
    }))
print(json.dumps({"type": "store", "id": "north", "title": "North", "note": "a"}))
FEED
"$vq" index "$folder/feed.jsonl" --index "$folder/shop.vq" --link 'product=https://shop.example/p/{id}?a="1"' --public 'class,Country of origin,weight,name,2nd,note,isNew,none' -q 2> /dev/null
"$vq" codegen app-intents --index "$folder/shop.vq" > "$folder/ShopEntities.swift" 2> "$folder/warnings.txt"
grep -q "'none' is left out" "$folder/warnings.txt"
for text in 'enum ProductClass: String, AppEnum' 'case used_B_\|case usedB = "used \\"B\\""' 'var countryOfOrigin: ProductCountryOfOrigin?' \
  'var weight: Double?' 'var name2: String?' 'struct StoreEntity: IndexedEntity' \
  'static var urlRepresentation: URLRepresentation { "https://shop.example/p/\\(.id)'; do
  grep -q "$text" "$folder/ShopEntities.swift" || { echo "codegen: no '$text'" >&2; exit 1; }
done
Tests/System/app/xcode-targets.sh "$folder/ShopEntities.swift"
Samples/AppClient/check-intents "$folder"
# A shop without fields of its own has the entities of the sample.
printf '%s\n' '{"type":"product","id":"a","title":"A"}' '{"type":"store","id":"b","title":"B"}' > "$folder/plain.jsonl"
"$vq" index "$folder/plain.jsonl" --index "$folder/plain.vq" --link 'product=https://shop.example/p/{id}' \
  --link 'store=https://shop.example/stores/{id}' -q 2> /dev/null
"$vq" codegen app-intents --index "$folder/plain.vq" > "$folder/PlainEntities.txt"
Tests/System/app/same-entities.py "$folder/PlainEntities.txt" Samples/AppClient/Sources/AppClient/{Product,Store}Entity.swift
echo "the generated source compiles: $(wc -l < "$folder/ShopEntities.swift") lines"
