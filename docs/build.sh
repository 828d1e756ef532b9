#!/usr/bin/env bash
# Makes the documentation of the libraries as a web site in .build/docs; warnings are errors.
# build.sh [FOLDER]: FOLDER has a build of these sources, such as .build/release. Without it, they are built.
set -euo pipefail
cd "$(dirname "$0")/.."
built=${1:-}
if [ -z "$built" ]; then
  # Apart from builds with other options, which would have to be made anew.
  options=(--scratch-path .build/documentation)
  swift build "${options[@]}" --target VisualQuery
  built=$(swift build "${options[@]}" --show-bin-path)
fi
[ -e "$built/Modules/VisualQuery.swiftmodule" ] || { echo "build.sh: '$built' has no build of the libraries" >&2; exit 1; }
maps=()
for map in Sources/{,Libraries/}*/{,include/}module.modulemap "$built"/*.build/module.modulemap; do
  if [ -f "$map" ]; then maps+=(-Xcc "-fmodule-map-file=$map"); fi
done
target=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
mkdir -p .build/docs
# What VisualQuery hands on is documented as its own.
floors=$(grep -rhoE '^@_exported public import \w+' Sources/VisualQuery | awk '{ print $4 }' | sort -u | paste -sd,)
for module in PixelMatch Reading VisualQuery; do
  graphs=.build/graphs/$module
  rm -rf "$graphs"
  mkdir -p "$graphs"
  swift symbolgraph-extract -module-name "$module" -I "$built/Modules" "${maps[@]}" -target "$target" \
    -minimum-access-level public -experimental-allowed-reexported-modules="$floors" -output-dir "$graphs"
  docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-path ".build/docs/$module" --warnings-as-errors
done
echo "the documentation is in .build/docs"
