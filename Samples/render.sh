#!/usr/bin/env bash
# Renders the sample shop's pictures and query photos that are missing; -f renders all.
#   Samples/render.sh [-f]        needs povray, imagemagick (Debian)
set -euo pipefail
cd "$(dirname "$0")/scenes"
[ "${1:-}" = -f ] && force=1 || force=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p ../shop/images ../queries

# picture SCENE TARGET WIDTH HEIGHT QUALITY [OPTION…]
picture() {
  local scene=$1 target=$2 width=$3 height=$4 quality=$5
  shift 5
  if [ "$force" = 0 ] && [ -e "$target" ]; then return; fi
  echo "$target" >&2
  povray "+I$scene" "+O$work/out.png" "+W$width" "+H$height" +A0.15 -D +L. "$@" > "$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  convert "$work/out.png" -quality "$quality" "$target"
}

item=0
for name in $(grep -o '"[a-z-]*"' names.inc | tr -d '"'); do
  suffix=jpg
  [ "$name" = candle ] && suffix=png
  picture product.pov "../shop/images/$name.$suffix" 560 560 90 "Declare=Item=$item"
  item=$((item + 1))
done
picture product.pov ../shop/images/mug-red-2.jpg 560 560 90 Declare=Item=0 Declare=Yaw=24
picture product.pov ../shop/images/lantern-2.jpg 560 560 90 Declare=Item=20 Declare=Yaw=-20
item=0
for name in harbour pavilion market alpine; do
  picture store.pov "../shop/images/store-$name.jpg" 720 540 90 "Declare=Item=$item"
  item=$((item + 1))
done

item=0
for name in q01-mug q02-lamp q03-bottle q04-tote q05-sneaker q06-oats q07-kettle q10-plant; do
  picture room.pov "../queries/$name.jpg" 1000 750 85 "Declare=Item=$item"
  item=$((item + 1))
done
picture store.pov ../queries/q09-harbour.jpg 1000 750 85 Declare=Item=0 Declare=Dusk=1 Declare=Side=-3
# A screenshot of the shop's own page, with its bars around the picture.
if [ "$force" = 1 ] || ! [ -e ../queries/q08-lantern.jpg ]; then
  convert -size 750x900 xc:white \( ../shop/images/lantern.jpg -resize 690x690 \) \
    -geometry +30+96 -composite -fill '#202124' -draw 'rectangle 0,0 750,64' \
    -fill '#0a7aff' -draw 'roundrectangle 30,812 720,876 20,20' -quality 80 ../queries/q08-lantern.jpg
fi
