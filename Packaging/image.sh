#!/usr/bin/env bash
# Builds an OCI image from a Debian package, and prints the path of its archive: image.sh [PACKAGE]
# Without PACKAGE, it is built. Needs buildah. With BASE=mmdebstrap the base is made from Debian's packages instead of being
# taken from a registry (needs mmdebstrap); otherwise BASE is the name of an image. With MODELS=DIR, a folder that models.sh has filled,
# the image reads text and codes, too, and its name ends with -text.
set -euo pipefail
top=$(realpath "$(dirname "$0")/..")
package=$(realpath "${1:-$("$top/Packaging/deb.sh")}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$package" "$work"
base=${BASE:-docker.io/library/debian:bookworm-slim}
if [ "$base" = mmdebstrap ]; then
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  base=localhost/vq-base
  mmdebstrap --variant=minbase --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    "$suite" "$work/base.tar" >&2
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/base.tar" / >&2
  buildah commit --quiet --rm "$container" "$base" >&2
  rm "$work/base.tar"
fi
variant=()
suffix=
if [ -n "${MODELS:-}" ]; then
  cp -r "$(realpath "$MODELS")" "$work/models"
  chmod -R a+rX "$work/models"
  variant=(--target text)
  suffix=-text
fi
name=vq:$("$top/Packaging/version")$suffix
buildah build --quiet "${variant[@]}" --label "org.opencontainers.image.version=$("$top/Packaging/version")" \
  --label "org.opencontainers.image.revision=$(git -C "$top" rev-parse HEAD)" --build-arg "BASE=$base" --tag "$name" --file "$top/Packaging/Containerfile" "$work" >&2
archive=$top/.build/packages/vq-$("$top/Packaging/version")-$(uname -m)$suffix.oci.tar
mkdir -p "$(dirname "$archive")"
rm -f "$archive"
buildah push --quiet "$name" "oci-archive:$archive:$name" >&2
echo "$archive"
