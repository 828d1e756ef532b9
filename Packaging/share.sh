#!/usr/bin/env bash
# Puts what every package has beside the program under a prefix, from the program itself: share.sh PROGRAM PREFIX
# Manual pages, and completions of bash, zsh and fish.
set -euo pipefail
program=$(realpath "$1") share=$2/share
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$program" help --man "$share/man/man1" > /dev/null
gzip -9n "$share"/man/man1/*.1
"$program" completions bash > "$share/bash-completion/completions/vq"
"$program" completions zsh > "$share/zsh/vendor-completions/_vq"
"$program" completions fish > "$share/fish/vendor_completions.d/vq.fish"
