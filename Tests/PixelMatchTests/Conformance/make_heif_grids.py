#!/usr/bin/env python3
"""Writes loaded/grid-*.heic and loaded/grid-*.avif: images that are made of tiles, as phones write them.

usage: make_heif_grids.py        needs Debian's libheif-examples (heif-enc) and libavif-bin (avifenc)

Tiles are of one color each, from PALETTE in turn, and encoded by heif-enc or avifenc. The grids of HEIC and most of
AVIF are put together here, box by box (ISO/IEC 23008-12, 6.6.2.3); `grid-avifenc.avif` is from `avifenc --grid`. Like an
iPhone's, `grid-phone.heic` has 8 x 6 tiles of 512 pixels for 12 megapixels, a thumbnail, an auxiliary image that is a
grid, Exif, and is turned. `grid-cropped` crops its last tiles; `grid-wasteful.heic` has far more tiles than its canvas shows,
and `grid-canvas.heic` a canvas that is larger than its properties say: both are to be refused. `grid-tone-mapped.heic` is as a photo of iOS 18: it has a
tone map too, to which the gain map, the thumbnail and Exif refer.
"""
import os
import struct
import subprocess
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = f"{HERE}/loaded"
PALETTE = [(200, 40, 40), (40, 160, 60), (40, 70, 190), (220, 190, 60), (150, 60, 170), (90, 180, 190)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def flat_png(path, side, color):
    rows = (b"\0" + bytes(color) * side) * side
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def boxes(data):
    place = 0
    while place + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        yield kind, data[place + 8:place + size]
        place += size


def find(data, *path):
    for kind in path:
        data = next(content for name, content in boxes(data) if name == kind)
        data = data[4:] if kind == b"meta" else data
    return data


class Tiles:
    """The encoded tiles of one side, and the property that configures their decoder."""

    def __init__(self, kind, side, folder):
        self.kind, self.side, self.data = kind, side, []
        self.item = b"hvc1" if kind == "heic" else b"av01"
        for number, color in enumerate(PALETTE):
            source, target = f"{folder}/{number}.png", f"{folder}/{number}.{kind}"
            flat_png(source, side, color)
            command = ["heif-enc", "-q", "60", "-o", target, source] if kind == "heic" else [
                "avifenc", "-s", "6", "--min", "10", "--max", "20", "-y", "420", source, target]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(target, "rb") as file:
                whole = file.read()
            self.config = find(whole, b"meta", b"iprp", b"ipco", b"hvcC" if kind == "heic" else b"av1C")
            self.data.append(find(whole, b"mdat"))


def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I", 8 + len(content)) + kind + content


def full(kind, version, *parts):
    return box(kind, struct.pack(">I", version << 24), *parts)


def grid_data(columns, rows, width, height):
    return struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, width, height)


def write(name, tiles, columns, rows, size, turn=0, canvas=None, like_a_phone=False, is_tone_mapped=False):
    width, height = size
    count = columns * rows
    # Items: the tiles, the grid, and what a phone adds. Each: type, data in mdat or idat, properties, flags.
    items = [(tiles.item, tiles.data[i % len(PALETTE)], False, [1, 2], 1) for i in range(count)]
    properties = [full(b"ispe", 0, struct.pack(">II", tiles.side, tiles.side)),
                  box(b"hvcC" if tiles.kind == "heic" else b"av1C", tiles.config),
                  full(b"ispe", 0, struct.pack(">II", width, height)),
                  full(b"pixi", 0, bytes([3, 8, 8, 8]))]
    shown = [3, 4]
    if turn:
        properties.append(box(b"irot", bytes([turn])))
        shown.append(len(properties))
    items.append((b"grid", grid_data(columns, rows, *(canvas or size)), True, shown, 0))
    primary = len(items)
    references = [box(b"dimg", struct.pack(">HH", primary, count), *(struct.pack(">H", i + 1) for i in range(count)))]
    if like_a_phone:
        items.append((tiles.item, tiles.data[0], False, [1, 2], 1))
        thumbnail = len(items)
        # A gain map of a quarter of the size: 4 x 3 tiles of its own.
        gains = [len(items) + 1 + i for i in range(12)]
        items += [(tiles.item, tiles.data[1], False, [1, 2], 1)] * 12
        properties += [full(b"ispe", 0, struct.pack(">II", width // 2, height // 2)),
                       full(b"auxC", 0, b"urn:com:apple:photo:2020:aux:hdrgainmap\0")]
        items.append((b"grid", grid_data(4, 3, width // 2, height // 2), True,
                      [len(properties) - 1, len(properties)], 1))
        references.append(box(b"dimg", struct.pack(">HH", len(items), 12), *(struct.pack(">H", i) for i in gains)))
        gain = len(items)
        shown_images = [primary]
        if is_tone_mapped:
            items.append((b"tmap", bytes(62), True, [3], 0))
            shown_images.append(len(items))
            references.append(box(b"dimg", struct.pack(">HHHH", len(items), 2, primary, gain)))
        targets = struct.pack(">H", len(shown_images)) + b"".join(struct.pack(">H", i) for i in shown_images)
        references.append(box(b"thmb", struct.pack(">H", thumbnail), targets))
        references.append(box(b"auxl", struct.pack(">H", gain), targets))
        items.append((b"Exif", b"\0\0\0\6Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0", False, [], 1))
        references.append(box(b"cdsc", struct.pack(">HHH", len(items), 1, shown_images[-1])))
    entries = [full(b"infe", 2, struct.pack(">HH4s", i + 1, 0, item[0]), b"\0") for i, item in enumerate(items)]
    entries = [e[:11] + bytes([items[i][4]]) + e[12:] for i, e in enumerate(entries)]
    associations = [struct.pack(">HB", i + 1, len(item[3])) + bytes(item[3]) for i, item in enumerate(items)
                    if item[3]]
    # Equal data is stored once.
    stored, idat, mdat = {}, b"", b""
    for _, data, is_idat, _, _ in items:
        if (data, is_idat) in stored:
            continue
        stored[data, is_idat] = len(idat if is_idat else mdat)
        idat, mdat = (idat + data, mdat) if is_idat else (idat, mdat + data)
    brand = b"heic" if tiles.kind == "heic" else b"avif"
    ftyp = box(b"ftyp", brand, struct.pack(">I", 0), b"mif1", brand, *([b"miaf"] if brand == b"avif" else []))

    def meta(start):
        locations = b"".join(
            struct.pack(">HHHHII", i + 1, int(item[2]), 0, 1,
                        stored[item[1], item[2]] + (0 if item[2] else start), len(item[1]))
            for i, item in enumerate(items))
        return full(
            b"meta", 0, full(b"hdlr", 0, struct.pack(">I4s", 0, b"pict"), bytes(13)),
            full(b"pitm", 0, struct.pack(">H", primary)),
            full(b"iloc", 1, struct.pack(">HH", 0x4400, len(items)), locations),
            full(b"iinf", 0, struct.pack(">H", len(items)), *entries),
            full(b"iref", 0, *references),
            box(b"iprp", box(b"ipco", *properties),
                full(b"ipma", 0, struct.pack(">I", len(associations)), *associations)),
            box(b"idat", idat))

    with open(f"{OUT}/{name}", "wb") as file:
        file.write(ftyp + meta(len(ftyp) + len(meta(0)) + 8) + box(b"mdat", mdat))


with tempfile.TemporaryDirectory() as folder:
    for kind in ("heic", "avif"):
        small = Tiles(kind, 64, folder)
        write(f"grid-square.{kind}", small, 2, 2, (128, 128))
        write(f"grid-wide.{kind}", small, 3, 2, (192, 128))
        write(f"grid-cropped.{kind}", small, 3, 2, (150, 101))
        write(f"grid-turned.{kind}", small, 3, 2, (192, 128), turn=1)
        write(f"grid-turned-cropped.{kind}", small, 2, 3, (110, 160), turn=3)
        if kind == "heic":
            write("grid-wasteful.heic", small, 8, 8, (100, 100))
            write("grid-canvas.heic", small, 2, 2, (128, 128), canvas=(60000, 60000))
            write("grid-tone-mapped.heic", small, 3, 2, (192, 128), turn=1, like_a_phone=True, is_tone_mapped=True)
            write("grid-phone.heic", Tiles(kind, 512, folder), 8, 6, (4032, 3024), turn=3, like_a_phone=True)
    small = Tiles("avif", 64, folder)
    subprocess.run(["avifenc", "-s", "6", "--min", "10", "--max", "20", "-y", "420", "--grid", "3x2", "--irot", "1"]
                   + [f"{folder}/{number}.png" for number in range(6)] + [f"{OUT}/grid-avifenc.avif"],
                   check=True, stdout=subprocess.DEVNULL)
