#!/usr/bin/env python3
"""Writes images whose decoding is expensive for their size, to measure `vq`. None is in the repository.

usage: make_hostile_pictures.py FOLDER        needs Debian's libjpeg-turbo-progs (cjpeg) for the JPEG

  flat100mp_gray1_interlaced.png   10000 x 10000 pixels of one bit, interlaced
  flat100mp_rgba16_interlaced.png  the same with eight bytes per pixel
  flat100mp_rgba16.png             the same, not interlaced
  hdr_1048576x95.png               the longest accepted rows
  arith_12mp.jpg                   4000 x 3000 pixels, noisy, arithmetic-coded
  arith_flat_24mp.jpg              6000 x 4000 pixels in a few kilobytes, arithmetic-coded
"""
import os
import random
import struct
import subprocess
import sys
import zlib

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def flat_png(path, width, height, depth, color, channels, interlaced):
    """Returns a PNG of zeros."""
    passes = ADAM7 if interlaced else ((0, 0, 1, 1),)
    stream = zlib.compressobj(9)
    data = bytearray()
    for x, y, dx, dy in passes:
        columns, rows = (width - x + dx - 1) // dx, (height - y + dy - 1) // dy
        row = bytes(1 + (columns * depth * channels + 7) // 8)
        for _ in range(rows if columns else 0):
            data += stream.compress(row)
    data += stream.flush()
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", bytes(data)) + chunk(b"IEND", b""))


def arithmetic_jpeg(path, width, height, pixels, quality):
    """Writes rows of gray levels as a JPEG, with cjpeg."""
    header = b"P5\n%d %d\n255\n" % (width, height)
    coded = subprocess.run(
        ["cjpeg", "-arithmetic", "-quality", str(quality)], input=header + pixels, check=True, capture_output=True)
    with open(path, "wb") as file:
        file.write(coded.stdout)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    side = 10_000
    flat_png(f"{folder}/flat100mp_gray1_interlaced.png", side, side, 1, 0, 1, True)
    flat_png(f"{folder}/flat100mp_rgba16_interlaced.png", side, side, 16, 6, 4, True)
    flat_png(f"{folder}/flat100mp_rgba16.png", side, side, 16, 6, 4, False)
    flat_png(f"{folder}/hdr_1048576x95.png", 1 << 20, 95, 8, 0, 1, False)
    noise = random.Random(7).randbytes(4000 * 3000)
    arithmetic_jpeg(f"{folder}/arith_12mp.jpg", 4000, 3000, bytes(64 + (byte >> 1) for byte in noise), 75)
    arithmetic_jpeg(f"{folder}/arith_flat_24mp.jpg", 6000, 4000, bytes(6000 * 4000), 75)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
