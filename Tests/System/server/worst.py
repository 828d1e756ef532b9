#!/usr/bin/env python3
"""Searches with pictures that are each the worst for one step, and measures how late the step would notice a deadline.

usage: worst.py VQ [--only NAME[,NAME…]] [--limit MS] [--keep FOLDER]

The figure is the longest block of work: the processor time of a thread between two looks at the clock (`vq match --profile` with a deadline). It does
not depend on what else the machine does, as the time by a clock on the wall would. No block may take more than --limit (25) milliseconds.
Loaded libraries run in processes of their own, as they do in a server, which ends them at the deadline.
"""
import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

MOST_BYTES = 32_000_000
# Random data of a JPEG grow by a 256th, and have headers.
SCAN_BYTES = MOST_BYTES - 400_000
# Little CMS opens the profile of a printer in one call.
EXCEPTED = {"jpeg-inks": 150}


# PNG

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, rows, depth=8, color=0, interlaced=0, level=6, before=b""):
    """Returns a PNG of rows that begin with their filter."""
    stream = zlib.compressobj(level)
    data = bytearray()
    for row in rows:
        data += stream.compress(row)
    data += stream.flush()
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", bytes(data)) + chunk(b"IEND", b""))


def gray(side, value):
    return png(side, side, (b"\0" + bytes(value(x, y) for x in range(side)) for y in range(side)))


def repeated(side, tile):
    """Returns a gray PNG of a square tile, side by side."""
    size = len(tile)
    lines = [b"\0" + (bytes(row) * (side // size + 1))[:side] for row in tile]
    return png(side, side, (lines[y % size] for y in range(side)))


def finder(module, ring=lambda column, row: min(column, row, 8 - column, 8 - row)):
    """Returns a finder pattern of a QR code with a light border."""
    def dark(x, y):
        column, row = x // module, y // module
        return 1 <= column < 8 and 1 <= row < 8 and ring(column, row) != 2
    return [[0 if dark(x, y) else 255 for x in range(9 * module)] for y in range(9 * module)]


def noise(side, channels=1, seed=1):
    data = random.Random(seed)
    return png(side, side, (b"\0" + data.randbytes(side * channels) for _ in range(side)), color={1: 0, 3: 2}[channels], level=1)


def stripes(side, x_step, y_step):
    return gray(side, lambda x, y: 255 * ((x * x_step + y * y_step) // 4 % 2))


def text(side):
    """Returns lines of blocks that look like letters."""
    data = random.Random(3)
    glyphs = [[[data.random() < .55 for _ in range(5)] for _ in range(8)] for _ in range(40)]
    lines = [[data.randrange(40) for _ in range(side // 6 + 1)] for _ in range(side // 12 + 1)]

    def value(x, y):
        column, row = x % 6, y % 12
        return 0 if column < 5 and row < 8 and glyphs[lines[y // 12][x // 6]][row][column] else 255
    return gray(side, value)


def page(side, tiles):
    """Returns noisy tiles on a plain page."""
    data = random.Random(4)
    size = side // tiles
    return gray(side, lambda x, y: data.randrange(256) if size // 10 < x % size and size // 10 < y % size else 255)


def wide_png():
    """Returns a PNG with the longest rows that are accepted."""
    row = b"\4" + bytes(2 << 20)
    return png(1 << 18, 380, (row for _ in range(380)), depth=16, color=6, level=1)


def deep_png(interlaced):
    """Returns 32 MB of noise, 16 bits a channel."""
    data = random.Random(5)
    side = 1980
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)) if interlaced else ((0, 0, 1, 1),)

    def rows():
        for x, y, across, down in passes:
            columns = (side - x + across - 1) // across
            for _ in range((side - y + down - 1) // down):
                yield b"\4" + data.randbytes(8 * columns)
    return png(side, side, rows(), depth=16, color=6, interlaced=int(interlaced), level=1)


def chunks_png():
    """Returns a PNG of 8 × 8 pixels in millions of chunks, nearly all of them empty."""
    whole = gray(8, lambda x, y: 0)
    place = whole.index(b"IDAT") - 4
    empty = chunk(b"IDAT", b"")
    return whole[:place] + empty * ((MOST_BYTES - len(whole)) // len(empty)) + whole[place:]


# JPEG

def segment(code, data):
    return b"\xff" + bytes([code]) + struct.pack(">H", len(data) + 2) + data


def jpeg(width, height, components=3, progressive=False, scans=1, size=SCAN_BYTES, before=b"", between=b""):
    """Returns a JPEG whose data are random: nearly all codes have eight bits, and most are coefficients."""
    data = random.Random(6)
    coefficients = bytes([0x01, 0x02, 0x11, 0x03] * 63 + [0x00, 0xF0, 0x21])
    tables = b"".join(
        bytes([kind << 4]) + bytes([0] * 7 + [len(values)] + [0] * 8) + values
        for kind, values in ((0, bytes(index % 6 for index in range(255))), (1, coefficients)))
    quantization = segment(0xDB, b"\0" + bytes([8] * 64))
    frame = struct.pack(">BHHB", 8, height, width, components) + b"".join(
        bytes([index + 1, 0x11, 0]) for index in range(components))
    head = b"\xff\xd8" + before + quantization + segment(0xC2 if progressive else 0xC0, frame) + segment(0xC4, tables)

    def scan(parts, first, last, high, low, count):
        body = data.randbytes(count).replace(b"\xff", b"\xff\0")
        return segment(0xDA, bytes([len(parts)]) + b"".join(bytes([part, 0]) for part in parts)
                       + bytes([first, last, high << 4 | low])) + body
    everything = list(range(1, components + 1))
    if not progressive:
        return head + between + scan(everything, 0, 63, 0, 0, size) + b"\xff\xd9"
    body = scan(everything, 0, 0, 0, 0, size // (scans + 1))
    for index in range(scans):
        body += between + scan([1], 1, 63, 0, 0, size // (scans + 1))
    return head + body + b"\xff\xd9"


def cmyk_profile():
    """Returns a profile of a printer whose table has 17 steps an ink."""
    entries = [(x * 257) for x in range(256)]
    table = struct.pack(">256H", *entries)
    data = random.Random(7)
    lut = (b"mft2\0\0\0\0" + bytes([4, 3, 17, 0]) + struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 65536)
           + struct.pack(">HH", 256, 256) + table * 4 + data.randbytes(2 * 3 * 17 ** 4) + table * 3)
    white = b"XYZ \0\0\0\0" + struct.pack(">3i", 63190, 65536, 54061)
    tags, body, place = [(b"A2B0", lut), (b"A2B1", lut), (b"wtpt", white)], b"", 128 + 4 + 3 * 12
    table = struct.pack(">I", 3)
    for name, content in tags:
        table += name + struct.pack(">II", place + len(body), len(content))
        body += content + bytes(-len(content) % 4)
    size = 128 + len(table) + len(body)
    head = (struct.pack(">I", size) + b"\0\0\0\0" + struct.pack(">I", 0x02400000) + b"prtrCMYKLab " + bytes(12) + b"acsp" + bytes(28)
            + struct.pack(">3i", 63190, 65536, 54061))
    return head.ljust(128, b"\0") + table + body


def inked_jpeg():
    """Returns a CMYK JPEG with a profile in parts."""
    profile, parts = cmyk_profile(), b""
    count = (len(profile) + 65_499) // 65_500
    for index in range(count):
        parts += segment(0xE2, b"ICC_PROFILE\0" + bytes([index + 1, count]) + profile[65_500 * index:65_500 * (index + 1)])
    return jpeg(1000, 1000, components=4, size=3_000_000, before=segment(0xEE, b"Adobe\0\x64\0\0\0\0\0") + parts)


PICTURES = {
    "finders-1": lambda: repeated(2048, finder(1)),
    "finders-2": lambda: repeated(2048, finder(2)),
    "finders-4": lambda: repeated(2048, finder(4)),
    "finders-24": lambda: repeated(2048, finder(24)),
    # Neither diagonal has the pattern.
    "crosses": lambda: repeated(2048, finder(2, lambda column, row: 2 if 2 in (min(column, 8 - column), min(row, 8 - row)) else 1)),
    "dashes": lambda: gray(2048, lambda x, y: 0 if x % 3 < 2 and y % 3 < 2 else 255),
    "stripes": lambda: stripes(2048, 1, 0),
    "slanted": lambda: stripes(2048, 1, 1),
    "checks": lambda: gray(2048, lambda x, y: 255 * ((x // 2 + y // 2) % 2)),
    "noise": lambda: noise(2048),
    "noise-color": lambda: noise(1024, 3),
    "text": lambda: text(1600),
    "page-4": lambda: page(1024, 4),
    "page-16": lambda: page(1024, 16),
    "plain": lambda: gray(1024, lambda x, y: 200),
    "png-wide": wide_png,
    "png-deep": lambda: deep_png(False),
    "png-interlaced": lambda: deep_png(True),
    "png-chunks": chunks_png,
    "jpeg-32mb": lambda: jpeg(8000, 12_000),
    "jpeg-wide": lambda: jpeg(65_500, 1500),
    "jpeg-progressive": lambda: jpeg(6000, 8000, progressive=True, scans=8),
    "jpeg-segments": lambda: jpeg(64, 64, size=4096, before=segment(0xFE, b"") * (MOST_BYTES // 4 - 4096)),
    "jpeg-between": lambda: jpeg(64, 64, progressive=True, scans=1, size=4096, between=segment(0xFE, b"") * (MOST_BYTES // 4 - 4096)),
    "jpeg-inks": inked_jpeg,
}


def shop(folder, vq):
    """Makes the index: thousands of equal pictures, and hundreds that only look alike to a hash."""
    os.makedirs(f"{folder}/images")
    equal = open(f"{SAMPLES}/shop/images/mug-red.jpg", "rb").read()
    with open(f"{folder}/images/equal.jpg", "wb") as file:
        file.write(equal)
    rows = []
    for index in range(3000):
        rows.append({"type": "product", "id": f"equal-{index}", "title": f"Equal {index}", "images": ["images/equal.jpg"], "labels": ["equal"]})
    for index in range(400):
        name = f"images/plain-{index}.png"
        with open(f"{folder}/{name}", "wb") as file:
            file.write(gray(64, lambda x, y: 255 * (x > 8 + index % 40) * (y > 8 + index // 40)))
        rows.append({"type": "product", "id": f"plain-{index}", "title": f"Plain {index}", "images": [name]})
    with open(f"{folder}/catalogue.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    subprocess.run([vq, "index", f"{folder}/catalogue.jsonl", "--index", f"{folder}/worst.vq", "--quiet"], check=True, capture_output=True)


def blocks(vq, index, picture):
    """Returns the exit code, and the longest block of each step in milliseconds."""
    run = subprocess.run([vq, "match", "--index", index, "--json", "--profile", "--tolerant", "--isolate", "on",
                          "--deadline", "600000", picture],
                         capture_output=True, text=True)
    found = {}
    for line in run.stderr.splitlines():
        row = re.match(r"(\w+) +([\d.]+) +\d+ % +([\d.]+)", line)
        if row:
            found[row[1]] = float(row[3])
    return run.returncode, found, run.stdout + run.stderr


SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=25)
    parser.add_argument("--keep", help="a folder for the pictures and the index, which are made once")
    options = parser.parse_args()
    vq = os.path.abspath(options.vq)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        if not os.path.exists(f"{folder}/worst.vq"):
            shop(folder, vq)
        wanted = [name for name in options.only.split(",") if name]
        pictures = {name: None for name in PICTURES} | {"equal": f"{folder}/images/equal.jpg", "alike": f"{folder}/images/plain-200.png"}
        late, worst = [], {}
        for name, path in pictures.items():
            if wanted and name not in wanted:
                continue
            if path is None:
                path = f"{folder}/{name}.picture"
                if not os.path.exists(path):
                    with open(path, "wb") as file:
                        file.write(PICTURES[name]())
            size = os.path.getsize(path)
            assert size <= MOST_BYTES, f"{name} has {size} bytes"
            code, found, output = blocks(vq, f"{folder}/worst.vq", path)
            for step, block in found.items():
                worst[step] = max(worst.get(step, (0, "")), (block, name))
            longest = max(found, key=found.get, default=None)
            if longest is None:
                print(f"{name}: no figures, exit code {code}: {output[-300:].strip()}")
                late.append(name)
                continue
            print(f"{name}: {size:,} bytes, {found[longest]:.1f} ms in {longest}"
                  + ("" if code in (0, 1) else f", exit code {code}: {output[-200:].strip()}"), flush=True)
            if found[longest] > max(options.limit, EXCEPTED.get(name, 0)):
                late.append(name)
        print("the longest block of each step:")
        for step, (block, name) in worst.items():
            print(f"  {step}: {block:.1f} ms ({name})")
        if late:
            sys.exit(f"no figures, or blocks of more than {options.limit:g} ms: {', '.join(late)}")


if __name__ == "__main__":
    main()
