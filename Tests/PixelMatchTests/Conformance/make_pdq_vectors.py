#!/usr/bin/env python3
"""Writes pdq.tsv: the results of Meta's reference code for images that the tests draw themselves.

usage: make_pdq_vectors.py > pdq.tsv        needs numpy and pdqhash (PyPI), which wraps the C++ reference

Images are drawn by the integer formula below, which is repeated in PDQHasherTests.swift.
"""
import numpy as np
import pdqhash

SIZES = [(5, 5), (6, 9), (33, 47), (63, 64), (65, 64), (127, 128), (128, 129), (257, 100), (640, 480), (1000, 17), (1024, 768)]
VARIANTS = ["original", "rotate90", "rotate180", "rotate270", "flipX", "flipY", "flipPlus1", "flipMinus1"]


def picture(width, height, seed):
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    u, v = x * 256 // width, y * 256 // height
    red = (u * (seed + 1) + v * v // 64) & 255
    green = ((u * u + v * v * seed) // 128) & 255
    blue = np.where((u // 32 + v // 48 + seed) % 3 == 0, 230, (u ^ v) & 127)
    return np.stack([red, green, blue], axis=2).astype(np.uint8)


print("# width\theight\tseed\tvariant\thash\tquality")
for width, height in SIZES:
    for seed in (0, 3):
        hashes, quality = pdqhash.compute_dihedral(picture(width, height, seed))
        for name, bits in zip(VARIANTS, hashes):
            text = "".join("%x" % int("".join(map(str, bits[i : i + 4])), 2) for i in range(0, 256, 4))
            print(width, height, seed, name, text, quality, sep="\t")
