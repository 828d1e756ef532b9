#!/usr/bin/env python3
"""Writes pictures/profile-* and profiles.tsv: small images in other color spaces, and their sRGB pixels.

usage: make_profile_pictures.py        needs Pillow with Little CMS

A line of profiles.tsv: file, width, height, then RGBA pixels as base64, converted to sRGB by Pillow's Little CMS from
the pixels that Pillow decodes (relative colorimetric; black point compensation for inks). The profiles are made here.
"""
import base64
import io
import os
import struct
import zlib

import numpy as np
from PIL import Image, ImageCms

HERE = os.path.dirname(os.path.abspath(__file__))
W, H = 37, 23
y, x = np.mgrid[0:H, 0:W]
RGB = np.stack([x * 255 // (W - 1), y * 255 // (H - 1), (x * 7 + y * 11) % 256], axis=2).astype(np.uint8)
SMOOTH = np.stack([x * 255 // (W - 1), y * 255 // (H - 1), 255 - (x + y) * 4], axis=2).astype(np.uint8)


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def xyz(color):
    return b"XYZ \0\0\0\0" + b"".join(map(fixed, color))


def curve(exponent):
    return b"curv\0\0\0\0" + struct.pack(">IHH", 1, round(exponent * 256), 0)


SRGB_CURVE = b"para\0\0\0\0\0\3\0\0" + b"".join(map(fixed, (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)))


def profile(name, space, connection, tags):
    tags = [(b"desc", b"desc\0\0\0\0" + struct.pack(">I", len(name) + 1) + name.encode() + bytes(79))] + tags
    tags.insert(1, (b"wtpt", xyz((0.9642, 1, 0.8249))))
    table, data, start = struct.pack(">I", len(tags)), b"", 132 + 12 * len(tags)
    for tag, content in tags:
        table += tag + struct.pack(">II", start + len(data), len(content))
        data += content + bytes(-len(content) % 4)
    head = struct.pack(">I", start + len(data)) + bytes(4) + b"\x02\x40\0\0mntr" + space + connection + bytes(12) + b"acsp"
    return head + bytes(28) + b"".join(map(fixed, (0.9642, 1, 0.8249))) + bytes(48) + table + data


def matrix(name, colors, trc):
    tags = [(c + b"XYZ", xyz(v)) for c, v in zip((b"r", b"g", b"b"), colors)]
    return profile(name, b"RGB ", b"XYZ ", tags + [(c + b"TRC", trc) for c in (b"r", b"g", b"b")])


SRGB = matrix(
    "sRGB", [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410]], SRGB_CURVE
)
P3 = matrix(
    "Display P3", [[0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]], SRGB_CURVE
)
ADOBE = matrix(
    "Adobe RGB (1998)", [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]],
    curve(563 / 256),
)
PROPHOTO = matrix(
    "ProPhoto RGB", [[0.79767, 0.28804, 0], [0.13519, 0.71188, 0], [0.03134, 0.00009, 0.82491]], curve(1.8)
)
GRAY = profile("Gray 1.8", b"GRAY", b"XYZ ", [(b"kTRC", curve(1.8))])


def table(channels, colors):
    identity = bytes(range(256))
    head = b"mft1\0\0\0\0" + bytes((channels, 3, 2, 0)) + b"".join(fixed(v) for v in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    return head + identity * channels + colors + identity * 3


LAB = [(100, 0, 0), (89, -5, 93), (48, 74, -3), (47, 68, 48), (55, -37, -50), (50, -65, 27), (24, 17, -46), (23, 0, 0)]
INKS = profile("Print", b"CMYK", b"Lab ", [
    (b"A2B0", table(4, b"".join(bytes((round(l * 2.55), a + 128, b + 128, round(8 * 2.55), 128, 128)) for l, a, b in LAB)))
])
SWAPPED = profile("Swapped", b"RGB ", b"Lab ", [
    (b"A2B0", table(3, b"".join(bytes((round(30 * n + 20), 60 + 20 * n, 200 - 20 * n)) for n in range(8))[:24]))
])

LINES = []


def converted(image, icc, flags=0):
    return ImageCms.profileToProfile(
        image, io.BytesIO(icc), io.BytesIO(SRGB), renderingIntent=1, outputMode="RGB", flags=flags
    )


def write(name, data, image, icc, flags=0):
    with open(f"{HERE}/pictures/{name}", "wb") as file:
        file.write(data)
    expected = converted(image, icc, flags).convert("RGBA").tobytes()
    LINES.append("\t".join((name, str(W), str(H), base64.b64encode(expected).decode())))


def jpeg(name, image, icc, flags=0):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=92, icc_profile=icc)
    write(name, out.getvalue(), Image.open(io.BytesIO(out.getvalue())), icc, flags)


def png(name, chunks, icc):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", W, H, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + row.tobytes() for row in RGB), 9)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunk(*c) for c in chunks)
    write(name, data + chunk(b"IDAT", rows) + chunk(b"IEND", b""), Image.fromarray(RGB), icc)


smooth = Image.fromarray(SMOOTH)
jpeg("profile-p3.jpg", smooth, P3)
jpeg("profile-adobe-rgb.jpg", smooth, ADOBE)
jpeg("profile-prophoto.jpg", smooth, PROPHOTO)
jpeg("profile-table.jpg", smooth, SWAPPED)
jpeg("profile-gray.jpg", smooth.convert("L"), GRAY)
jpeg("profile-inks.jpg", smooth.convert("CMYK"), INKS, ImageCms.Flags.BLACKPOINTCOMPENSATION)
png("profile-p3.png", [(b"iCCP", b"p\0\0" + zlib.compress(P3, 9))], P3)
png("profile-cicp.png", [(b"cICP", bytes((12, 13, 0, 1))), (b"iCCP", b"p\0\0" + zlib.compress(ADOBE, 9))], P3)
png(
    "profile-chrm.png",
    [
        (b"gAMA", struct.pack(">I", round(1e5 * 256 / 563))),
        (b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000)),
    ],
    ADOBE,
)
with open(f"{HERE}/profiles.tsv", "w") as file:
    file.write("\n".join(LINES) + "\n")
