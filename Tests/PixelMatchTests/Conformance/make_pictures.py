#!/usr/bin/env python3
"""Writes pictures/ and pictures.tsv: small images of every kind, and their pixels according to another decoder.

usage: make_pictures.py        needs Pillow, and Debian's libjpeg-turbo-progs (cjpeg, jpegtran) and libpng

A line of pictures.tsv: file, width, height, then Pillow's RGBA pixels, flattened on white
as PNG's specification says (round(c·a + 255·(1 − a))), as base64. PNG kinds that Pillow
cannot write are written here chunk by chunk.
"""
import base64
import io
import os
import struct
import subprocess
import zlib

import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = f"{HERE}/pictures"
W, H = 37, 23
os.makedirs(OUT, exist_ok=True)

y, x = np.mgrid[0:H, 0:W]
RGB = np.stack([x * 255 // (W - 1), y * 255 // (H - 1), (x * 7 + y * 11) % 256], axis=2).astype(np.uint8)
GREY = ((x * 5 + y * 3) % 256).astype(np.uint8)
ALPHA = (255 - (x * 255 // (W - 1))).astype(np.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(name, depth, color, rows, extra=b"", interlace=0):
    """Writes a PNG of rows of packed bytes with filter 0, or of seven passes of them."""
    header = struct.pack(">IIBBBBB", W, H, depth, color, 0, 0, interlace)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    with open(f"{OUT}/{name}", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def packed(values, depth):
    bits = np.unpackbits(values.astype(np.uint8)[..., None], axis=2)[..., 8 - depth :]
    return [np.packbits(row.reshape(-1)).tobytes() for row in bits]


def adam7(samples, depth, pixel_bytes):
    rows = []
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        part = samples[y0::dy, x0::dx]
        if part.size:
            rows += [row.tobytes() for row in part] if pixel_bytes else packed(part, depth)
    return rows


for depth in (1, 2, 4, 8):
    png(f"grey{depth}.png", depth, 0, packed(GREY >> (8 - depth), depth))
    palette = b"".join(bytes(((37 * i) % 256, (91 * i) % 256, (i * 53) % 256)) for i in range(1 << depth))
    png(f"palette{depth}.png", depth, 3, packed(GREY >> (8 - depth), depth), chunk(b"PLTE", palette))
GREY16 = (GREY.astype(np.uint16) * 257 + x * 3).clip(0, 65535).astype(">u2")
RGB16 = (RGB.astype(np.uint16) * 257).astype(">u2")
png("grey16.png", 16, 0, [row.tobytes() for row in GREY16])
png("rgb8.png", 8, 2, [row.tobytes() for row in RGB])
png("rgb16.png", 16, 2, [row.tobytes() for row in RGB16])
png("greyalpha8.png", 8, 4, [row.tobytes() for row in np.dstack([GREY, ALPHA])])
png("greyalpha16.png", 16, 4, [(np.dstack([GREY, ALPHA]).astype(np.uint16) * 257).astype(">u2")[i].tobytes() for i in range(H)])
png("rgba8.png", 8, 6, [row.tobytes() for row in np.dstack([RGB, ALPHA])])
png("rgba16.png", 16, 6, [(np.dstack([RGB, ALPHA]).astype(np.uint16) * 257).astype(">u2")[i].tobytes() for i in range(H)])
palette = bytes(range(256)) * 3
png("palette-trns.png", 8, 3, packed(GREY, 8), chunk(b"PLTE", palette) + chunk(b"tRNS", bytes(255 - i for i in range(256))))
png("grey-trns.png", 8, 0, packed(GREY, 8), chunk(b"tRNS", struct.pack(">H", int(GREY[3, 4]))))
png("rgb-trns.png", 8, 2, [row.tobytes() for row in RGB], chunk(b"tRNS", struct.pack(">HHH", *map(int, RGB[5, 6]))))
png("rgb8-interlaced.png", 8, 2, adam7(RGB, 8, True), interlace=1)
png("grey1-interlaced.png", 1, 0, adam7(GREY >> 7, 1, False), interlace=1)
png("rgba8-interlaced.png", 8, 6, adam7(np.dstack([RGB, ALPHA]), 8, True), interlace=1)
exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
png("rgb8-exif6.png", 8, 2, [row.tobytes() for row in RGB], chunk(b"eXIf", exif))

SMOOTH = Image.fromarray(np.stack([120 + 80 * np.sin(x / 9), 90 + y * 5, 200 - x * 3], axis=2).clip(0, 255).astype(np.uint8))


def jpeg(name, image, **options):
    image.save(f"{OUT}/{name}", "JPEG", quality=88, **options)


def tool(name, *command, source=None):
    data = open(source, "rb").read() if source else None
    if data is None:
        buffer = io.BytesIO()
        SMOOTH.save(buffer, "PPM")
        data = buffer.getvalue()
    open(f"{OUT}/{name}", "wb").write(subprocess.run(command, input=data, check=True, capture_output=True).stdout)


jpeg("baseline-420.jpg", SMOOTH)
jpeg("baseline-444.jpg", SMOOTH, subsampling=0)
jpeg("baseline-422.jpg", SMOOTH, subsampling=1)
jpeg("grey.jpg", SMOOTH.convert("L"))
jpeg("progressive.jpg", SMOOTH, progressive=True)
jpeg("progressive-grey.jpg", SMOOTH.convert("L"), progressive=True)
tool("rgb.jpg", "cjpeg", "-rgb", "-quality", "88")
tool("restart.jpg", "cjpeg", "-restart", "1B", "-quality", "88")
tool("arithmetic.jpg", "cjpeg", "-arithmetic", "-quality", "88")
tool("restart-progressive.jpg", "cjpeg", "-restart", "2B", "-progressive", "-quality", "88")
jpeg("cmyk-adobe.jpg", SMOOTH.convert("CMYK"))
for orientation in range(1, 9):
    data = Image.Exif()
    data[0x0112] = orientation
    jpeg(f"exif{orientation}.jpg", SMOOTH, exif=data)


def marker_changed(source, name, transform=None):
    """Sets the transform byte of the Adobe marker, or removes the whole marker."""
    data = open(f"{OUT}/{source}", "rb").read()
    place = data.index(b"\xff\xee")
    length = struct.unpack(">H", data[place + 2 : place + 4])[0]
    if transform is None:
        data = data[:place] + data[place + 2 + length :]
    else:
        end = place + 2 + length
        data = data[: end - 1] + bytes([transform]) + data[end:]
    open(f"{OUT}/{name}", "wb").write(data)


marker_changed("cmyk-adobe.jpg", "cmyk-plain.jpg")
marker_changed("cmyk-adobe.jpg", "ycck-adobe.jpg", 2)


def inks(name):
    """Multiplies the light by the light that black transmits. Pillow treats every file as Adobe's, which are inverted."""
    image = Image.open(f"{OUT}/{name}")
    values = np.asarray(image).astype(np.int32)
    light = values if name == "cmyk-plain.jpg" else 255 - values
    return (light[..., :3] * light[..., 3:] + 127) // 255


with open(f"{HERE}/pictures.tsv", "w") as table:
    for name in sorted(os.listdir(OUT)):
        image = Image.open(f"{OUT}/{name}")
        if image.mode == "CMYK":
            pixels = inks(name)
        elif name.endswith("16.png"):
            # Pillow reads some 16-bit kinds as 32-bit integers: compute them from the samples.
            # libpng's scaling (png_set_scale_16) is round(v · 255 / 65535).
            scaled = {"grey16.png": GREY16, "rgb16.png": RGB16}.get(name)
            if scaled is not None:
                eight = (scaled.astype(np.int64) * 255 + 32767) // 65535
                pixels = eight if eight.ndim == 3 else np.repeat(eight[..., None], 3, axis=2)
            else:
                color = GREY[..., None].repeat(3, axis=2) if name.startswith("grey") else RGB
                pixels = (color.astype(int) * ALPHA[..., None] + 255 * (255 - ALPHA[..., None].astype(int)) + 127) // 255
        else:
            rgba = np.asarray(image.convert("RGBA")).astype(int)
            pixels = (rgba[..., :3] * rgba[..., 3:] + 255 * (255 - rgba[..., 3:]) + 127) // 255
        orientation = image.getexif().get(0x0112, 1)
        turn = {2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1], 5: lambda a: a.swapaxes(0, 1),
                6: lambda a: a[::-1].swapaxes(0, 1), 7: lambda a: a[::-1, ::-1].swapaxes(0, 1), 8: lambda a: a[:, ::-1].swapaxes(0, 1)}
        pixels = turn.get(orientation, lambda a: a)(pixels).astype(np.uint8)
        rgba = np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])
        print(name, rgba.shape[1], rgba.shape[0], base64.b64encode(rgba.tobytes()).decode(), sep="\t", file=table)

# Larger images, for reduction, truncation and cancellation; their pixels are not written.
v, u = np.mgrid[0:640, 0:1024]
large = np.stack([128 + 100 * np.sin(u / 60), 128 + 90 * np.cos(v / 45 + u / 200), (u + v) % 230], axis=2)
large = Image.fromarray(large.clip(0, 255).astype(np.uint8))
large.save(f"{HERE}/large.jpg", quality=60)
large.save(f"{HERE}/large-progressive.jpg", quality=50, progressive=True)
large.quantize(24, dither=Image.Dither.NONE).save(f"{HERE}/large.png", optimize=True)
