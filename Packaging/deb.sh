#!/usr/bin/env bash
# Builds the Debian package and prints its path: deb.sh [PROGRAM]
# PROGRAM is what docs/deploy/build.sh printed; without it, it is built. The dependencies are those that the program is
# linked with, by the names of the system that it was built on, which is the one to install it on. Needs dpkg-dev.
set -euo pipefail
top=$(realpath "$(dirname "$0")/..")
program=$(realpath "${1:-$("$top/docs/deploy/build.sh")}")
# 1.0.0-rc.1 comes before 1.0.0, which Debian writes with a tilde.
version=$("$top/Packaging/version" | tr - '~')
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
umask 022
mkdir -p "$root"/{DEBIAN,usr/bin,usr/lib/tmpfiles.d,lib/systemd/system,etc/default,usr/share/doc/vq/examples}
install "$program" "$root/usr/bin/vq"
strip "$root/usr/bin/vq"
"$top/Packaging/share.sh" "$program" "$root/usr"
install -m 644 "$top"/Packaging/{vq.service,vq-index.service,vq-index.timer} "$root/lib/systemd/system"
install -m 644 "$top/Packaging/vq.default" "$root/etc/default/vq"
install -m 644 "$top/Packaging/vq-index.default" "$root/etc/default/vq-index"
install -m 644 "$top/Packaging/vq.tmpfiles" "$root/usr/lib/tmpfiles.d/vq.conf"
install -m 644 "$top/Packaging/debian/copyright" "$top/SECURITY.md" "$root/usr/share/doc/vq"
gzip -9nc "$top/CHANGELOG.md" > "$root/usr/share/doc/vq/changelog.gz"
install -m 644 "$top/docs/deploy/nginx.conf" "$root/usr/share/doc/vq/examples/nginx.conf"
install -m 755 "$top"/Packaging/{models.sh,capacity.py} "$root/usr/share/doc/vq/examples"
cp -r "$top/Packaging/monitoring" "$root/usr/share/doc/vq/examples/monitoring"
chmod -R u=rwX,go=rX "$root/usr/share/doc/vq/examples/monitoring"

# dpkg-shlibdeps reads a source package, of which only the names matter here.
mkdir "$work/debian"
printf 'Source: vq\n\nPackage: vq\nArchitecture: any\n' > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/vq" 2> "$work/warnings") || { cat "$work/warnings" >&2; exit 1; }
depends=${depends#shlibs:Depends=}
cat > "$root/DEBIAN/control" <<CONTROL
Package: vq
Version: $version
Architecture: $architecture
Maintainer: VisualQuery maintainers <maintainers@visualquery.example>
Section: web
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends, passwd
Recommends: ca-certificates, libcurl4, libgif7, libheif1, libwebp7
Suggests: libonnxruntime1.21, libpq5, libzbar0, nginx
Description: find a shop's own products and stores in an image
 VisualQuery answers what of a shop's catalogue is in an image: a short ranked
 list of products and stores, each with a link that opens it. This package has
 the command vq, a service for systemd, and a timer that renews its index.
 .
 Recommended libraries read more formats of images (WebP, AVIF, HEIC, GIF) and
 fetch images from servers; libpq5 shares an index in PostgreSQL; libzbar0
 reads bar codes and QR codes. With libonnxruntime1.21 and the models that
 /usr/share/doc/vq/examples/models.sh fetches, text in images is read.
CONTROL
printf '%s\n' /etc/default/vq /etc/default/vq-index > "$root/DEBIAN/conffiles"
install -m 755 "$top"/Packaging/debian/{postinst,prerm,postrm} "$root/DEBIAN"
(cd "$root" && find etc lib usr -type f -exec md5sum {} + | sort -k2 > DEBIAN/md5sums)
package=$top/.build/packages/vq_${version}_$architecture.deb
mkdir -p "$(dirname "$package")"
dpkg-deb -Zzstd --root-owner-group --build "$root" "$package" >&2
(cd "$top" && Packaging/sbom.py "$package") > "${package%.deb}.spdx.json"
echo "$package"
