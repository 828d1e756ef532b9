#!/usr/bin/env python3
"""Writes pdq-drawn.tsv: hashes of small drawn graphics by Meta's reference code.

usage: make_drawn_pdq_vectors.py > pdq-drawn.tsv        needs numpy and pdqhash (PyPI), which wraps the C++ reference

Flat areas and symmetric shapes have many cosine terms that are zero except for rounding. Their bits agree with the
reference only if every luma value, sum and division is rounded in the same way. The integer formulas below are repeated in
Tests/TestSupport/SyntheticPictures.swift.
"""
import numpy as np
import pdqhash

SIDES = (6, 32, 64, 90, 200)
VARIANTS = ["original", "rotate90", "rotate180", "rotate270", "flipX", "flipY", "flipPlus1", "flipMinus1"]


def mask(drawing, x, y, n):
    """Returns an array that is True at pixels of the first color."""
    u, v = 2 * x - n + 1, 2 * y - n + 1
    if drawing == "disc":
        return 4 * (u * u + v * v) < n * n
    if drawing == "frame":
        return np.maximum(abs(u), abs(v)) * 4 > 3 * n
    if drawing == "checker":
        return (x * 8 // n + y * 8 // n) % 2 == 0
    if drawing == "triangle":
        return 2 * abs(u) < n + v
    raise ValueError(drawing)


def picture(drawing, n):
    y, x = np.mgrid[0:n, 0:n].astype(np.int64)
    if drawing == "grid":
        planes = [x * 4 // n * 85, y * 4 // n * 85, np.full_like(x, 128)]
    elif drawing == "ramp":
        planes = [x * 255 // n, y * 255 // n, 255 - (x + y) * 127 // n]
    else:
        inside = mask(drawing, x, y, n)
        planes = [np.where(inside, a, b) for a, b in zip((200, 30, 41), (13, 94, 201))]
    return np.stack(planes, axis=2).astype(np.uint8)


print("# drawing\tside\tvariant\thash\tquality")
for drawing in ("disc", "frame", "checker", "triangle", "grid", "ramp"):
    for side in SIDES:
        hashes, quality = pdqhash.compute_dihedral(picture(drawing, side))
        if side == 64:
            # The reference uses such an image unchanged, but blurs it when it computes all
            # variants.
            hashes = [pdqhash.compute(picture(drawing, side))[0]]
        for name, bits in zip(VARIANTS, hashes):
            text = "".join("%x" % int("".join(map(str, bits[i : i + 4])), 2) for i in range(0, 256, 4))
            print(drawing, side, name, text, quality, sep="\t")
