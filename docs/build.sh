#!/usr/bin/env bash
# Makes the documentation of the libraries as a web site in .build/docs; warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
graphs=$PWD/.build/graphs
mkdir -p .build/docs "$graphs/all"
# Apart from other builds, which know nothing of the graphs.
swift build --scratch-path .build/documentation --target VisualQuery -Xswiftc -emit-symbol-graph \
  -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs/all" -Xswiftc -symbol-graph-minimum-access-level -Xswiftc public
for module in PixelMatch VisualQuery; do
  rm -rf "${graphs:?}/$module"
  mkdir -p "$graphs/$module"
  cp "$graphs/all/$module"*.symbols.json "$graphs/$module/"
  docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-path ".build/docs/$module" --warnings-as-errors
done
echo "the documentation is in .build/docs"
