#!/usr/bin/env python3
"""Makes KeypointPattern+Pairs.swift: the 96 pairs of positions that a keypoint hash compares.

usage: Scripts/make_keypoint_pattern.py > Sources/PixelMatch/Signatures/KeypointPattern+Pairs.swift

Pairs are drawn from a Gaussian around the keypoint and chosen two by two: a pair and its mirror image,
so that the hash of a mirrored patch is the hash of the patch with neighboring bits exchanged. Under the
model that the brightness of natural images is correlated as exp(-distance / 6), each new pair minimizes
the largest correlation of its difference with those of its mirror image and of the pairs chosen before.
So the first bits together are the most informative, which makes them a good visual word. Nothing is trained on images, so no
collection is favored. The same seed gives the same file.
"""
import math
import random

PAIRS, CANDIDATES, REACH, LEAST_SPAN, SIGMA, RANGE = 96, 20000, 14.4, 6.0, 6.0, 6.0
rng = random.Random(2026)


def place():
    while True:
        x, y = round(rng.gauss(0, SIGMA)), round(rng.gauss(0, SIGMA))
        if math.hypot(x, y) <= REACH:
            return x, y


def likeness(p, q):
    return math.exp(-math.hypot(p[0] - q[0], p[1] - q[1]) / RANGE)


def variance(pair):
    return 2 - 2 * likeness(*pair)


def correlation(one, other):
    (a, b), (c, d) = one, other
    shared = likeness(a, c) - likeness(a, d) - likeness(b, c) + likeness(b, d)
    return abs(shared) / math.sqrt(variance(one) * variance(other))


def mirrored(pair):
    (a, b), (c, d) = pair
    return (a, -b), (c, -d)


candidates = []
while len(candidates) < CANDIDATES:
    pair = place(), place()
    if math.dist(*pair) >= LEAST_SPAN:
        candidates.append(pair)

chosen = []
worst = [correlation(c, mirrored(c)) for c in candidates]
for _ in range(PAIRS // 2):
    best = min(range(CANDIDATES), key=lambda i: (worst[i], -variance(candidates[i]), i))
    for pair in candidates[best], mirrored(candidates[best]):
        chosen.append(pair)
        worst = [max(w, correlation(c, pair)) for w, c in zip(worst, candidates)]

print("// Made by Scripts/make_keypoint_pattern.py; run it again instead of editing this.\n")
print("extension KeypointPattern {")
print("  /// The columns and rows of the two positions of each pair, relative to the keypoint, unrotated.")
print("  static let pairs: [SIMD4<Int8>] = [")
for first in range(0, PAIRS, 4):
    row = ", ".join(f"SIMD4({a}, {b}, {c}, {d})" for (a, b), (c, d) in chosen[first : first + 4])
    print(f"    {row},")
print("  ]")
print("}")
