#!/usr/bin/env python3
"""Compares local features: features.py TASK… [--cells CELL,…]

A laboratory for the keypoints of docs/signature.md. A TASK is a folder of docs/quality.md: catalogue.jsonl with images, queries.jsonl with
the right answers. Each image is compared with each query by its keypoints only, and prints a row for each cell DETECTOR:ANGLE:DESCRIPTOR:

  detector    corners          those of vq: 184 of an image, 256 and 160 finer ones of a query
              dog              differences of Gaussians (OpenCV's SIFT), as many
  angle       peak             of the histogram of gradients, as vq has it
              centroid         of brightness, as in ORB
              own              the detector's (dog only)
  descriptor  hash             the 96 bits of vq, with the weights of Sources/CKernels/keypoint_projections.h
              hash@FILE        the same with the weights of another such file
              pairs            96 random comparisons of two sums, as in BRIEF
              roots            the roots of the sums of gradients that the hash projects, as numbers
  sift                         in place of a cell: OpenCV's SIFT, 800 features, a ratio of 0.8, and a homography by RANSAC

Hashes match within 30 bits, numbers if the second nearest is farther by a quarter. The score is the largest set of matches that agrees with the
place, size and angle of one of them, each keypoint counted once. vq adds to this its votes, colors, hashes and mirror images, and computes
with integers: compare cells with each other, not with vq. Milliseconds are processor time of a query, with all comparisons (after the
slash, of its features alone). Needs numpy and opencv-python-headless.
"""
import argparse
import json
import math
import os
import pathlib
import re
import time

import cv2
import numpy as np

cv2.setNumThreads(1)
HEADER = pathlib.Path(__file__).resolve().parents[2] / "Sources/CKernels/keypoint_projections.h"
CELLS = "corners:centroid:pairs,corners:peak:pairs,corners:centroid:hash,corners:peak:hash,corners:peak:roots,dog:own:hash,sift"

SIDE, STORED, ASKED, FINE = 512, 184, 256, 160
# Sixths of a pixel of the working image that a pixel of each level spans.
REDUCTIONS = (6, 9, 12, 18, 24, 36)
SAMPLES, STEP, LIMIT = 18, 2, 30


# ---- Planes


def picture(path, side):
    """Reads an image, with a longer side of at most `side`."""
    return fitted(cv2.imread(path, cv2.IMREAD_COLOR), side)


def fitted(image, side):
    height, width = image.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return image
    return cv2.resize(image, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=cv2.INTER_AREA)


def brightness(image):
    blue, green, red = (image[..., channel].astype(np.uint32) for channel in range(3))
    return ((77 * red + 150 * green + 29 * blue + 128) >> 8).astype(np.uint8)


def halved(plane):
    height, width = plane.shape
    whole = plane[:height // 2 * 2, :width // 2 * 2].astype(np.uint32)
    return ((whole[::2, ::2] + whole[1::2, ::2] + whole[::2, 1::2] + whole[1::2, 1::2] + 2) >> 2).astype(np.uint8)


def two_thirds(plane):
    height, width = plane.shape
    whole = plane[:height // 3 * 3, :width // 3 * 3].astype(np.uint32)
    reduced = np.zeros((height // 3 * 2, width // 3 * 2), np.uint8)
    for place in (0, 1):
        rows = 2 * whole[2 * place::3] + whole[1::3]
        reduced[place::2, 0::2] = (2 * rows[:, 0::3] + rows[:, 1::3] + 4) // 9
        reduced[place::2, 1::2] = (rows[:, 1::3] + 2 * rows[:, 2::3] + 4) // 9
    return reduced


def pyramid(plane):
    """The levels of an image, as long as they have 24 rows and columns."""
    planes = [plane]
    for level in range(1, len(REDUCTIONS)):
        smaller = two_thirds(plane) if level == 1 else halved(planes[level - 2])
        if min(smaller.shape) < 24:
            break
        planes.append(smaller)
    return planes


def box_sums(plane):
    """The sums of 5 x 5 pixels."""
    padded = np.pad(plane.astype(np.float32), 2, mode="edge")
    return cv2.boxFilter(padded, -1, (5, 5), normalize=False)[2:-2, 2:-2]


# ---- Detectors: places on a level


def corners(plane):
    """The places and responses of all corners: the smaller eigenvalue of the gradients' second moments over 7 x 7 pixels."""
    if min(plane.shape) < 9:
        return np.zeros((0, 2), int), np.zeros(0)
    padded = np.pad(plane.astype(np.int32), 1, mode="edge")
    columns, steps = padded[:-2] + 2 * padded[1:-1] + padded[2:], padded[2:] - padded[:-2]
    across = (columns[:, 2:] - columns[:, :-2]) >> 2
    down = (steps[:, :-2] + 2 * steps[:, 1:-1] + steps[:, 2:]) >> 2

    def window(values):
        return cv2.boxFilter(values.astype(np.float32), -1, (7, 7), normalize=False, borderType=cv2.BORDER_CONSTANT)

    xx, yy, xy = window(across * across), window(down * down), window(across * down)
    responses = xx + yy - np.sqrt((xx - yy) ** 2 + 4 * xy * xy)
    responses[:4] = responses[-4:] = responses[:, :4] = responses[:, -4:] = 0
    highest = cv2.dilate(responses, np.ones((3, 3), np.uint8))
    y, x = np.nonzero((responses >= highest) & (responses > 2 * 49 * 9))
    return np.stack([x, y], 1), responses[y, x]


def spread(places, responses, shape, limit):
    """The strongest of the corners that are the strongest of their cell of a grid."""
    if limit <= 0 or len(places) == 0:
        return places[:0]
    side = max(6, int(math.sqrt(shape[0] * shape[1] / (3 * limit))))
    cells = places[:, 1] // side * math.ceil(shape[1] / side) + places[:, 0] // side
    order = np.lexsort((np.arange(len(responses)), -responses))
    best = order[np.unique(cells[order], return_index=True)[1]]
    return places[best[np.argsort(-responses[best], kind="stable")][:limit]]


def corner_levels(planes, levels, limit):
    """Yields each level with its corners and their size: a share of the limit, the coarse levels first."""
    left, shares = limit, [1 / REDUCTIONS[level] for level in levels]
    for level in reversed(levels):
        share = shares.pop()
        room = round(left * share / (share + sum(shares)))
        places = spread(*corners(planes[level]), planes[level].shape, room)
        left -= len(places)
        if len(places):
            yield level, places, np.full(len(places), REDUCTIONS[level] / 6), None


def dog_levels(planes, levels, limit):
    """The same for the strongest extrema of differences of Gaussians. A patch is six times as wide as an extremum's circle."""
    found = sorted(cv2.SIFT_create(4 * limit).detect(planes[levels[0]]), key=lambda point: -point.response)[:limit]
    sizes = np.array([point.size / 6 for point in found])
    owners = np.array([max(levels, key=lambda level: (-abs(math.log(max(size, 1) * 6 / REDUCTIONS[level])))) for size in sizes])
    for level in levels:
        own = [point for point, owner in zip(found, owners) if owner == level]
        if own:
            places = np.array([np.array(point.pt) * 6 / REDUCTIONS[level] for point in own])
            places = np.minimum(places.astype(int), np.array(planes[level].shape[::-1]) - 1)
            yield level, places, sizes[owners == level], np.radians([point.angle for point in own])


# ---- Angles, in radians from x toward y, which points down


def centroid(plane, sums, places):
    reach = 12
    y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1]
    disk = x * x + y * y <= reach * (reach + 1)
    x, y = x[disk], y[disk]
    padded = np.pad(plane.astype(np.int64), reach)
    values = padded[places[:, 1, None] + y + reach, places[:, 0, None] + x + reach]
    return np.arctan2((values * y).sum(1), (values * x).sum(1))


def peak(plane, sums, places, sigma=6, reach=14, step=2, bins=32, smoothings=8):
    """The peak of the histogram of the gradients of a disk."""
    height, width = sums.shape
    v, u = np.mgrid[-reach:reach + 1:step, -reach:reach + 1:step]
    disk = u * u + v * v <= reach * reach
    u, v = u[disk], v[disk]
    x, y = (places[:, 0, None] + u).clip(0, width - 1), (places[:, 1, None] + v).clip(0, height - 1)
    across = sums[y, (x + 1).clip(0, width - 1)] - sums[y, (x - 1).clip(0, width - 1)]
    down = sums[(y + 1).clip(0, height - 1), x] - sums[(y - 1).clip(0, height - 1), x]
    sizes = np.hypot(across, down) * np.exp(-(u * u + v * v) / (2 * sigma * sigma))
    bin_of = np.floor(np.arctan2(down, across) / (2 * np.pi) * bins).astype(int) % bins
    histograms = np.zeros((len(places), bins))
    np.add.at(histograms, (np.arange(len(places))[:, None], bin_of), sizes)
    for _ in range(smoothings):
        histograms = (np.roll(histograms, 1, 1) + histograms + np.roll(histograms, -1, 1)) / 3
    rows, best = np.arange(len(places)), histograms.argmax(1)
    left, top, right = (histograms[rows, (best + way) % bins] for way in (-1, 0, 1))
    bend = np.where(2 * top - left - right == 0, 1, 2 * top - left - right)
    return (best + 0.5 + 0.5 * (right - left) / bend) / bins * 2 * np.pi


# ---- Features of an image


class Features:
    """Places in pixels of the working image, the size of a pixel of each patch, angles, and patches of 18 x 18 samples."""

    def __init__(self, parts):
        self.places, self.sizes, self.angles, self.patches = (np.concatenate(values) for values in zip(
            *parts, (np.zeros((0, 2)), np.zeros(0), np.zeros(0), np.zeros((0, SAMPLES, SAMPLES), np.float32))))


def turned(sums, places, sizes, angles):
    """The samples of the patches around places, turned by angles. A size is the number of pixels of the level for one of the patch."""
    height, width = sums.shape
    ways = (np.arange(SAMPLES) - (SAMPLES - 1) / 2) * STEP
    u, v = np.meshgrid(ways, ways)
    u, v = (sizes[:, None, None] * way for way in (u, v))
    cosine, sine = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    x = np.rint(places[:, 0, None, None] + u * cosine - v * sine).astype(int).clip(0, width - 1)
    y = np.rint(places[:, 1, None, None] + u * sine + v * cosine).astype(int).clip(0, height - 1)
    return sums[y, x]


def described(planes, levels, limit, detector=corner_levels, angle=peak, ratio=1.0):
    """The parts of Features of some levels. The ratio is that of these planes to the working image."""
    for level, places, sizes, own in detector(planes, levels, limit):
        sums, reduction = box_sums(planes[level]), REDUCTIONS[level] / 6
        angles = own if angle is None else angle(planes[level], sums, places)
        patches = turned(sums, places, sizes / reduction, angles).astype(np.float32)
        yield (places + 0.5) * reduction / ratio, sizes / ratio, angles, patches


def features(image, is_query, detector=corner_levels, angle=peak):
    """The features of an image whose longer side has up to 1024 pixels: those of a catalogue or of a query."""
    working = fitted(image, SIDE)
    planes = pyramid(brightness(working))
    # A catalogue has no finest level of larger images.
    first = 1 if not is_query and max(planes[0].shape) > 320 and len(planes) > 1 and detector is corner_levels else 0
    parts = list(described(planes, range(first, len(planes)), ASKED if is_query else STORED, detector, angle))
    if is_query and max(image.shape[:2]) > 1.2 * max(working.shape[:2]):
        fine = pyramid(brightness(image))
        ratio = image.shape[1] / working.shape[1]
        parts += described(fine, range(min(2, len(fine))), FINE, detector, angle, ratio)
    return Features(parts)


# ---- Descriptors of patches


CELL_WEIGHTS = np.rint(32 * np.maximum(0, 1 - np.abs(np.arange(16)[None] - ((np.arange(5) + 0.5) * 3.2 - 0.5)[:, None]) / 3.2)
                       * np.exp(-(np.arange(16) - 7.5) ** 2 / 128))


def inputs(patches, chunk=8000):
    """The inputs of the projections: for 5 x 5 cells and eight directions the root of the sum of gradients, then a sixteenth of the
    root of all."""
    found = [np.zeros((0, 201), np.float32)]
    for start in range(0, len(patches), chunk):
        patch = patches[start:start + chunk].astype(np.float64)
        across, down = patch[:, 1:-1, 2:] - patch[:, 1:-1, :-2], patch[:, 2:, 1:-1] - patch[:, :-2, 1:-1]
        toward = np.stack([across, across + down, down, down - across], -1)
        toward = np.maximum(0, np.concatenate([toward, -toward], -1))
        sums = np.einsum("nyxd,jy,kx->njkd", toward, CELL_WEIGHTS, CELL_WEIGHTS, optimize=True).reshape(len(patch), -1)
        last = np.floor(np.sqrt(sums.sum(1, keepdims=True)) / 16)
        found.append(np.concatenate([np.floor(np.sqrt(sums)), last], 1).astype(np.float32))
    return np.concatenate(found)


def mirrored_inputs():
    """The inputs of a mirrored patch by those of the patch."""
    numbers = np.arange(200).reshape(5, 5, 8)
    return np.append(numbers[::-1][:, :, [-direction % 8 for direction in range(8)]].ravel(), 200)


def weights(header):
    """The weights of the 201 inputs for each bit."""
    text = pathlib.Path(header).read_text()
    numbers = np.array([int(number) for number in re.findall(r"-?\d+", text[text.index("{"):])])
    return numbers.reshape(101, -1, 2).transpose(1, 0, 2).reshape(-1, 202)[:, :201]


def packed(bits):
    return np.packbits(bits, axis=1, bitorder="little")


def hashes(header):
    projections = weights(header).astype(np.float32).T
    return lambda patches: packed(inputs(patches) @ projections > 0)


def pairs():
    generator = np.random.default_rng(1)
    places = np.clip(np.rint(generator.normal(8.5, 3.5, (4, 96))), 0, SAMPLES - 1).astype(int)
    return lambda patches: packed(patches[:, places[0], places[1]] < patches[:, places[2], places[3]])


def roots(patches):
    values = inputs(patches)[:, :200]
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)


# ---- Comparisons


BIT_COUNTS = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def hash_distances(one, other):
    return BIT_COUNTS[np.bitwise_xor(one[:, None], other[None])].sum(2, dtype=np.int32)


def matches(asked, stored):
    """Pairs of keypoints of a query and an image, the nearest first."""
    if len(asked) == 0 or len(stored) < 2:
        return np.zeros((0, 2), int)
    rows = np.arange(len(asked))
    if asked.dtype == np.uint8:
        distances = hash_distances(asked, stored)
        nearest = distances.argmin(1)
        least = distances[rows, nearest]
        is_match = least <= LIMIT
    else:
        distances = np.sqrt(np.maximum(0, 2 - 2 * asked @ stored.T))
        nearest = distances.argmin(1)
        least = distances[rows, nearest]
        is_match = least < 0.8 * np.partition(distances, 1, axis=1)[:, 1]
    order = np.argsort(least, kind="stable")
    order = order[is_match[order]]
    return np.stack([order, nearest[order]], 1)


def agreeing(query, image, found, proposers=32):
    """The largest number of matches that agree with the similarity of one of them: place, size and angle."""
    if len(found) < 4:
        return 0
    asked, stored = found.T
    here, there = query.places[asked], image.places[stored]
    scales = image.sizes[stored] / query.sizes[asked]
    turns, reach = image.angles[stored] - query.angles[asked], (3 + 1.5 * image.sizes[stored]) * 1.5
    best = 0
    for proposer in range(min(proposers, len(found))):
        scale, turn = scales[proposer], turns[proposer]
        matrix = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        misses = np.hypot(*((here - here[proposer]) @ matrix.T + there[proposer] - there).T)
        agrees = (misses <= reach) & (np.abs(np.log2(scales / scale)) < 0.75)
        agrees &= np.abs((turns - turn + np.pi) % (2 * np.pi) - np.pi) < np.pi / 7
        # Keypoints of several sizes at one place count once.
        counts = (len({tuple(place) for place in (side[agrees] // 6).astype(int)}) for side in (here, there))
        best = max(best, min(counts))
    return best


class Cell:
    """Our matching with a detector, an angle and a descriptor."""

    def __init__(self, name):
        detector, angle, descriptor = name.split(":", 2)
        self.detector = {"corners": corner_levels, "dog": dog_levels}[detector]
        self.angle = {"peak": peak, "centroid": centroid, "own": None}[angle]
        if self.angle is None and self.detector is corner_levels:
            raise SystemExit(f"features.py: corners have no angle of their own: '{name}'")
        kind, _, header = descriptor.partition("@")
        self.describe = {"hash": lambda: hashes(header or HEADER), "pairs": pairs, "roots": lambda: roots}[kind]()

    def features(self, path, is_query):
        found = features(picture(path, 2 * SIDE if is_query else SIDE), is_query, self.detector, self.angle)
        return found, self.describe(found.patches)

    @staticmethod
    def score(query, image):
        return agreeing(query[0], image[0], matches(query[1], image[1]))


class Sift:
    """OpenCV's SIFT, and the inliers of a homography by RANSAC, each keypoint of the image counted once."""

    def __init__(self):
        self.detector = cv2.SIFT_create(800)

    def features(self, path, is_query):
        gray = cv2.cvtColor(picture(path, SIDE), cv2.COLOR_BGR2GRAY)
        points, codes = self.detector.detectAndCompute(gray, None)
        return np.float32([point.pt for point in points]), codes

    @staticmethod
    def score(query, image):
        if query[1] is None or image[1] is None or len(image[1]) < 2:
            return 0
        found = cv2.BFMatcher().knnMatch(query[1], image[1], k=2)
        good = [first for first, second in found if first.distance < 0.8 * second.distance]
        if len(good) < 4:
            return 0
        here, there = np.float32([query[0][m.queryIdx] for m in good]), np.float32([image[0][m.trainIdx] for m in good])
        cv2.setRNGSeed(1)
        _, inliers = cv2.findHomography(here, there, cv2.RANSAC, 5)
        return 0 if inliers is None else len({m.trainIdx for m, inlier in zip(good, inliers.ravel()) if inlier})


# ---- Tasks


def rows(task, name):
    with open(os.path.join(task, name)) as lines:
        return [json.loads(line) for line in lines]


def measure(cell, catalogue, queries):
    """Returns recall@1, recall@5, recall@1 above the answers for 99 % of the absent things, and the milliseconds of a query."""
    images = [(owner, cell.features(path, False)) for owner, path in catalogue]
    firsts, fives, best_of_absent, right, described, spent = 0, 0, [], [], 0.0, 0.0
    for path, truth in queries:
        start = time.process_time()
        query = cell.features(path, True)
        described += time.process_time() - start
        scores = sorted(((cell.score(query, image), owner) for owner, image in images), key=lambda pair: -pair[0])
        spent += time.process_time() - start
        answers = list(dict.fromkeys(owner for score, owner in scores if score > 0))
        if truth:
            firsts += answers[:1] != [] and answers[0] in truth
            fives += any(answer in truth for answer in answers[:5])
            if answers[:1] != [] and answers[0] in truth:
                right.append(scores[0][0])
        else:
            best_of_absent.append(scores[0][0])
    asked = sum(1 for _, truth in queries if truth)
    shown = None
    if best_of_absent:
        cut = sorted(best_of_absent, reverse=True)[max(0, math.ceil(len(best_of_absent) * 0.01) - 1)]
        shown = sum(score > cut for score in right) / asked
    return firsts / asked, fives / asked, shown, 1000 * spent / len(queries), 1000 * described / len(queries)


def main(tasks, cells):
    made = [(name, Sift() if name == "sift" else Cell(name)) for name in cells]
    print(f"| {'task':16} | {'cell':28} | recall@1 | recall@5 | at 1 % false | ms |\n|---|---|---|---|---|---|")
    for task in tasks:
        catalogue = [(row["id"], os.path.join(task, image)) for row in rows(task, "catalogue.jsonl") for image in row["images"]]
        queries = [(os.path.join(task, row["image"]), row["truth"]) for row in rows(task, "queries.jsonl")]
        for name, cell in made:
            first, five, shown, spent, alone = measure(cell, catalogue, queries)
            false = "" if shown is None else f"{shown:.3f}"
            label = os.path.basename(os.path.normpath(task))
            print(f"| {label:16} | {name:28} | {first:.3f} | {five:.3f} | {false:5} | {spent:.0f} / {alone:.0f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", metavar="TASK", nargs="+")
    parser.add_argument("--cells", default=CELLS, help=f"separated by commas [{CELLS}]")
    arguments = parser.parse_args()
    main(arguments.tasks, arguments.cells.split(","))
