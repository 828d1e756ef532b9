#!/usr/bin/env bash
# Makes the documentation of the libraries as a web site in .build/docs; warnings are errors.
set -euo pipefail
cd "$(dirname "$0")/.."
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members > /dev/null
graphs=$(dirname "$(find .build/ -name VisualQuery.symbols.json -path '*symbolgraph*' | head -1)")
mkdir -p .build/docs
for module in PixelMatch VisualQuery; do
  rm -rf ".build/graphs/$module"
  mkdir -p ".build/graphs/$module"
  cp "$graphs/$module"*.symbols.json ".build/graphs/$module/"
  docc convert "Sources/$module/$module.docc" --additional-symbol-graph-dir ".build/graphs/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --output-path ".build/docs/$module" --warnings-as-errors
done
echo "the documentation is in .build/docs"
