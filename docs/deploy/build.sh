#!/usr/bin/env bash
# Builds the program that is installed and prints its path: build.sh [OPTION OF SWIFT BUILD]...
#
# Swift's libraries are linked in and no folder of this machine is searched for others, all functions are bound before
# the program starts. `Tests/System/binary/hardening.sh "$(docs/deploy/build.sh)"` checks that.
set -euo pipefail
cd "$(dirname "$0")/../.."
options=(-c release --product vq --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now "$@")
swift build "${options[@]}" >&2
echo "$(swift build "${options[@]}" --show-bin-path)/vq"
