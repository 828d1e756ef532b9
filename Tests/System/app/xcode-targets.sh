#!/usr/bin/env bash
# Compiles the sample client as targets of Xcode would: with all settings of the template of Xcode 26, and without the main actor
# as default isolation and approachable concurrency; in the modes of Swift 5 and 6; and for the simulator, which has no module
# VisualIntelligence.
#
# usage: xcode-targets.sh [SOURCE…]   (after swift build --package-path Samples/AppClient; APP_CLIENT_BUILD names another
#                                      scratch path). SOURCE replaces ProductEntity.swift and StoreEntity.swift.
set -euo pipefail
top=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
scratch=${APP_CLIENT_BUILD:-$top/Samples/AppClient/.build}
modules=$(swift build --package-path "$top/Samples/AppClient" --scratch-path "$scratch" --show-bin-path)/Modules
simulator=$(mktemp -d)
trap 'rm -rf "$simulator"' EXIT
cp "$modules"/*.swiftmodule "$simulator"
# Nor does this one have the product PixelMatch, which apps may leave out.
rm "$simulator"/{VisualIntelligence,AppClient,PixelMatch}.swiftmodule
kernels=()
for module in CKernels CMapping; do kernels+=(-Xcc "-fmodule-map-file=$top/Sources/$module/include/module.modulemap"); done

sources=("$@")
for file in "$top"/Samples/AppClient/Sources/AppClient/*.swift; do
  [[ $# -gt 0 && $file =~ /(Product|Store)Entity.swift$ ]] || sources+=("$file")
done
# The settings of the template, with the flags that they become. In the mode of Swift 6, three features of approachable concurrency
# are the language's own.
# SWIFT_UPCOMING_FEATURE_MEMBER_IMPORT_VISIBILITY, in all targets: code that compiles with it compiles without it.
imports=(-enable-upcoming-feature MemberImportVisibility)
# SWIFT_DEFAULT_ACTOR_ISOLATION and SWIFT_APPROACHABLE_CONCURRENCY.
main_actor=(-default-isolation MainActor -enable-upcoming-feature NonisolatedNonsendingByDefault
  -enable-upcoming-feature InferIsolatedConformances)
five=(-enable-upcoming-feature DisableOutwardActorInference -enable-upcoming-feature GlobalActorIsolatedTypesUsability
  -enable-upcoming-feature InferSendableFromCaptures)

# compile MODULES FLAG…
compile() {
  swiftc -emit-sil -wmo -o /dev/null -warnings-as-errors -parse-as-library -module-name AppClient -package-name appclient \
    -D APP_INTENTS_STAND_IN "${imports[@]}" "${kernels[@]}" -I "$1" "${@:2}" "${sources[@]}"
}

count=0
for folder in "$modules" "$simulator"; do
  compile "$folder" -swift-version 6
  compile "$folder" -swift-version 6 "${main_actor[@]}"
  compile "$folder" -swift-version 5
  compile "$folder" -swift-version 5 "${main_actor[@]}" "${five[@]}"
  count=$((count + 4))
done
echo "the sample client compiles in $count kinds of targets"
