#!/usr/bin/env bash
# Compiles the source that 'vq codegen app-intents' writes, together with the rest of the sample client.
#
# usage: VQ=.build/debug/vq codegen.sh   (after swift build --package-path Samples/AppClient)
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
"$vq" index "$folder/feed.jsonl" --index "$folder/shop.vq" --public 'class,Country of origin,weight,name,2nd,note,isNew,none' -q 2> /dev/null
"$vq" codegen app-intents --index "$folder/shop.vq" > "$folder/ShopEntities.swift" 2> "$folder/warnings.txt"
grep -q "'none' is left out" "$folder/warnings.txt"
for text in 'enum ProductClass: String, AppEnum' 'case used_B_\|case usedB = "used \\"B\\""' 'var countryOfOrigin: ProductCountryOfOrigin?' \
  'var weight: Double?' 'var name2: String?' 'struct StoreEntity: IndexedEntity'; do
  grep -q "$text" "$folder/ShopEntities.swift" || { echo "codegen: no '$text'" >&2; exit 1; }
done
modules=$(swift build --package-path Samples/AppClient --show-bin-path)/Modules
sources=$(ls Samples/AppClient/Sources/AppClient/*.swift | grep -vE '/(Product|Store)Entity.swift$')
# shellcheck disable=SC2086
swiftc -emit-sil -wmo -o /dev/null -swift-version 6 -warnings-as-errors -parse-as-library -module-name AppClient \
  -D APP_INTENTS_STAND_IN -I "$modules" "$folder/ShopEntities.swift" $sources
Samples/AppClient/check-intents "$folder"
echo "the generated source compiles: $(wc -l < "$folder/ShopEntities.swift") lines"
