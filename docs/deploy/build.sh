#!/usr/bin/env bash
# Builds the program that is installed and prints its path: build.sh [OPTION OF SWIFT BUILD]...
#
# Swift's libraries are linked in and no folder of this machine is searched for others, all functions are bound before
# the program starts. `Tests/System/binary/hardening.sh "$(docs/deploy/build.sh)"` checks that. `vq --version` names the
# commit, from VQ_COMMIT if it is set (for a build without git), otherwise from git; "-dirty" is changes beyond it.
set -euo pipefail
cd "$(dirname "$0")/../.."
VQ_COMMIT=${VQ_COMMIT:-$(git describe --always --abbrev=12 --exclude '*' --dirty 2> /dev/null || true)}
export VQ_COMMIT
options=(-c release --product vq --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now "$@")
swift build "${options[@]}" >&2
echo "$(swift build "${options[@]}" --show-bin-path)/vq"
