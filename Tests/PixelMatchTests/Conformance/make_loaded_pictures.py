#!/usr/bin/env python3
"""Writes loaded/, loaded.tsv and large.*: small WebP, AVIF, HEIC and GIF images, and their pixels according to another decoder.

usage: make_loaded_pictures.py        needs Pillow and pillow-heif, which have their own copies of the codecs

A line of loaded.tsv: file, width, height, the largest difference that another version of the codec may have, then RGBA
pixels as base64: those that Pillow decodes, upright, flattened on white, converted to sRGB from Display P3 if the name
says so.
"""
import base64
import io
import os

import numpy as np
import pillow_heif
from PIL import Image, ImageCms, ImageOps

pillow_heif.register_heif_opener()
HERE = os.path.dirname(os.path.abspath(__file__))
OUT = f"{HERE}/loaded"
W, H = 37, 23
os.makedirs(OUT, exist_ok=True)
y, x = np.mgrid[0:H, 0:W]
RGB = Image.fromarray(np.stack([x * 255 // (W - 1), y * 255 // (H - 1), 255 - (x + y) * 4], axis=2).astype(np.uint8))
ALPHA = RGB.copy()
ALPHA.putalpha(Image.fromarray((255 - (x * 250 // (W - 1))).astype(np.uint8)))
P3 = Image.open(f"{HERE}/pictures/profile-p3.jpg").info["icc_profile"]
TURNED = Image.Exif()
TURNED[0x0112] = 6


def save(name, image, **options):
    image.save(f"{OUT}/{name}", **options)


save("lossy.webp", RGB, quality=80)
save("lossless.webp", RGB, lossless=True)
save("alpha.webp", ALPHA, quality=80)
save("alpha-lossless.webp", ALPHA, lossless=True)
save("turned.webp", RGB, quality=80, exif=TURNED)
save("p3.webp", RGB, lossless=True, icc_profile=P3)
save("animated.webp", ALPHA, save_all=True, append_images=[ALPHA.rotate(180)], duration=100, quality=80)
FEW = RGB.quantize(200)
save("plain.gif", FEW, interlace=False)
save("interlaced.gif", FEW, interlace=True)
save("transparent.gif", RGB.quantize(20), transparency=3)
save("animated.gif", FEW, save_all=True, append_images=[FEW.rotate(180)], duration=100)
save("plain.avif", RGB, quality=80)
save("alpha.avif", ALPHA, quality=80)
save("turned.avif", RGB, quality=80, exif=TURNED)
# Without subsampled colors, which versions of libheif interpolate in different ways.
save("p3.avif", RGB, quality=90, subsampling="4:4:4", icc_profile=P3)
save("p3-code-points.avif", RGB, quality=90, subsampling="4:4:4")
save("plain.heic", RGB, quality=80)
save("alpha.heic", ALPHA, quality=80)
save("p3.heic", RGB, quality=90, icc_profile=P3)
deep = (np.asarray(RGB).astype(np.uint16) * 257).tobytes()
pillow_heif.encode("RGB;16", RGB.size, deep, f"{OUT}/deep.heic", quality=80)
LARGE = Image.open(f"{HERE}/large.png").convert("RGB")
for kind in ("webp", "avif", "heic"):
    LARGE.save(f"{HERE}/large.{kind}", quality=30)
LARGE.quantize(32).save(f"{HERE}/large.gif")
# Color spaces that are no profile are three numbers of ITU-T H.273; 12 stands for the primaries of Display P3.
data = open(f"{OUT}/p3-code-points.avif", "rb").read()
place = data.index(b"nclx")
open(f"{OUT}/p3-code-points.avif", "wb").write(data[: place + 4] + b"\0\x0c" + data[place + 6 :])


def opened(name):
    image = ImageOps.exif_transpose(Image.open(f"{OUT}/{name}")).convert("RGBA")
    white = Image.new("RGBA", image.size, (255, 255, 255, 255))
    image = Image.alpha_composite(white, image).convert("RGB")
    if name.startswith("p3"):
        image = ImageCms.profileToProfile(image, io.BytesIO(P3), ImageCms.createProfile("sRGB"), renderingIntent=1)
    return image.convert("RGBA")


TOLERANCES = {"webp": 3, "gif": 0, "avif": 12, "heic": 6}
with open(f"{HERE}/loaded.tsv", "w") as table:
    for name in sorted(os.listdir(OUT)):
        image = opened(name)
        tolerance = 0 if name == "lossless.webp" else TOLERANCES[name.split(".")[1]]
        pixels = base64.b64encode(image.tobytes()).decode()
        print(name, image.width, image.height, tolerance, pixels, sep="\t", file=table)
