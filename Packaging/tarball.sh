#!/usr/bin/env bash
# Builds an archive that needs no package of the system, and prints its path: tarball.sh [OPTION OF SWIFT BUILD]...
#
# Swift, libjpeg, libpng, zlib, expat, nettle, SQLite and the C++ library are linked in. Debian has no static Little CMS,
# so that library lies beside the program, which looks for it there. The C library stays the system's, of the version that
# this machine has or a newer one: what is loaded when first needed (libcurl, libpq, libwebp, libheif, giflib) cannot be
# loaded by a program without it. These five are used if the system has them.
set -euo pipefail
top=$(realpath "$(dirname "$0")/..")
static=$top/.build/static-libraries
rm -rf "$static"
mkdir -p "$static" "$top/.build/packages"
for library in jpeg png z expat nettle sqlite3 stdc++; do
  file=$(gcc -print-file-name="lib$library.a")
  [ -f "$file" ] || { echo "lib$library.a is not installed; run .ci/install" >&2; exit 1; }
  ln -s "$(realpath "$file")" "$static/lib$library.a"
done
# A folder with only archives comes before the system's, where the shared libraries would be preferred.
program=$("$top/docs/deploy/build.sh" -Xlinker "-L$static" -Xlinker -rpath -Xlinker '$ORIGIN/../lib/vq' "$@")
name=vq-$("$top/Packaging/version")-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
umask 022
mkdir -p "$root"/{bin,lib/vq,share/doc/vq/licenses}
install "$program" "$root/bin/vq"
strip "$root/bin/vq"
beside=$(ldd "$program" | awk '$1 == "liblcms2.so.2" { print $3 }')
install -m 644 "$beside" "$root/lib/vq/liblcms2.so.2"
strays=$(ldd "$root/bin/vq" | awk '{ print $1 }' | grep -vE '^(linux-vdso|lib(c|m|dl|pthread|gcc_s|lcms2)\.so|/lib.*/ld-linux)' || true)
[ -z "$strays" ] || { echo "the program needs these libraries of this machine: $strays" >&2; exit 1; }
"$top/Packaging/share.sh" "$program" "$root"
install -m 644 "$top/LICENSE" "$top/CHANGELOG.md" "$top/SECURITY.md" "$root/share/doc/vq"
for package in libjpeg62-turbo libpng16-16 zlib1g libexpat1 libnettle8 libsqlite3-0 liblcms2-2 libstdc++6; do
  [ ! -f "/usr/share/doc/$package/copyright" ] \
    || install -m 644 "/usr/share/doc/$package/copyright" "$root/share/doc/vq/licenses/$package"
done
libc=$(ldd --version | sed -n '1s/.* //p')
cat > "$root/README" <<README
vq $("$top/Packaging/version") for Linux on $(uname -m), with the C library (glibc) $libc or newer.

Unpack it anywhere and run bin/vq; or copy bin, lib and share to /usr/local.
bin/vq finds lib/vq beside bin. Manual pages: man -l share/man/man1/vq.1.gz

Linked in, so that security updates of the system do not reach them: libjpeg-turbo, libpng, zlib, expat, nettle
(LGPL 3, or GPL 2), SQLite, and the libraries of Swift and C++. Little CMS is in lib/vq. Their licenses are in
share/doc/vq/licenses. To link with another version, build from the source: Packaging/tarball.sh.

Used if the system has them: libcurl (images from servers), libpq (PostgreSQL), libwebp, libheif, giflib.
README
archive=$top/.build/packages/$name.tar.gz
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$work" -czf "$archive" "$name"
echo "$archive"
