#!/usr/bin/env bash
# Installs packages into clean roots of this system's release and runs the demo there: smoke.sh PACKAGE...
# A PACKAGE is a .deb, a .tar.gz of tarball.sh, or an .oci.tar of image.sh. Needs root, mmdebstrap, and buildah for images.
set -euo pipefail
top=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
# Swift reads the arguments of a program from /proc.
mounted=()
trap 'for place in "${mounted[@]}"; do umount "$place"; done; rm -rf --one-file-system "$work"' EXIT
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
expected=$("$top/.ci/readme" output demo)
demo() { # Runs vq by the given words in front; the shop is at /shop.
  "$@" index /shop/shop/catalogue.jsonl --index /tmp/shop.vq > "$work/index.txt"
  { echo '$ vq match Samples/queries/q06-oats.jpg --labels box --index .build/shop.vq'
    "$@" match /shop/queries/q06-oats.jpg --labels box --index /tmp/shop.vq; } > "$work/demo.txt"
  diff -u <(echo "$expected") "$work/demo.txt"
  "$@" --version | head -2
}
samples() { mkdir -p "$1/shop"; cp -r "$top/Samples/shop" "$top/Samples/queries" "$1/shop"; chmod -R a+rX "$1/shop"; }
clean_root() { # A variant of mmdebstrap, and a folder
  mmdebstrap --quiet --variant="$1" "$suite" "$2" >&2
  samples "$2"
  mount -t proc proc "$2/proc"
  mounted+=("$2/proc")
}

deb() {
  local root=$work/deb
  clean_root minbase "$root"
  cp "$1" "$root/tmp/vq.deb"
  chroot "$root" apt-get update -qq
  chroot "$root" apt-get install -y -qq --no-install-recommends /tmp/vq.deb > "$work/install.txt" 2>&1 \
    || { cat "$work/install.txt" >&2; exit 1; }
  demo chroot --userspec=vq:www-data "$root" /usr/bin/env HOME=/tmp vq
  [ "$(chroot "$root" stat -c %U /var/lib/vq)" = vq ]
  [ -f "$root/etc/default/vq" ] && [ -f "$root/lib/systemd/system/vq.service" ] && [ -f "$root/lib/systemd/system/vq-index.timer" ]
  chroot "$root" bash -c '. /usr/share/bash-completion/completions/vq'
  [ -f "$root/usr/share/man/man1/vq-match.1.gz" ]
  chroot "$root" dpkg --purge vq > /dev/null
  [ -z "$(find "$root" -path "$root/proc" -prune -o \( -name 'vq' -o -name 'vq.*' -o -name 'vq-*' \) -not -path '*/tmp/*' -print)" ] # nothing is left
}
tarball() {
  local root=$work/tarball
  clean_root essential "$root"
  mkdir -p "$root/opt"
  tar -xzf "$1" -C "$root/opt"
  demo chroot "$root" "/opt/$(basename "$1" .tar.gz)/bin/vq"
}
image() {
  local container
  container=$(buildah from "oci-archive:$1")
  samples "$work/image"
  demo buildah run --isolation "${ISOLATION:-chroot}" -v "$work/image/shop:/shop:ro" "$container" -- vq
  buildah rm "$container" > /dev/null
}
[ $# -gt 0 ] || { echo "usage: smoke.sh PACKAGE..." >&2; exit 2; }
for package in "$@"; do
  echo "== $(basename "$package")"
  case $package in
    *.deb) deb "$package" ;;
    *.oci.tar) image "$package" ;;
    *.tar.gz) tarball "$package" ;;
    *) echo "'$package' is not a package; expected .deb, .tar.gz or .oci.tar" >&2; exit 2 ;;
  esac
done
