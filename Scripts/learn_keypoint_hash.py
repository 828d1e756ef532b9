#!/usr/bin/env python3
"""Learns the projections of keypoint hashes: learn_keypoint_hash.py PHOTOS… > Sources/CKernels/keypoint_projections.h

PHOTOS are folders of photos, with folders in them. Of photos of one folder, which show the same thing, 24 pairs are drawn; SIFT and RANSAC
find the homography of those that have one. Further pairs are photos and synthetic photos of them: in perspective, turned, blurred, in other and
uneven light, with noise, saved as JPEG. Keypoints of vq (Benchmarks/quality/features.py) that a homography maps onto each other, with like
size and an angle within 20 degrees, are pairs of patches that show the same.

48 projections of the inputs of a hash begin as the directions that separate patches best (linear discriminant analysis) turned toward signs
(iterative quantization). Gradient descent then raises the share of patches whose partner has the nearest hash, among some 400, with soft
signs that harden; bits are kept uncorrelated and balanced. Each projection is followed by that of the mirrored patch, so that a mirrored patch
has the hash with neighboring bits exchanged. Weights are rounded to eight bits. The first pairs agree most and are least correlated,
because the first bits are the visual word. The same seed, photos and libraries give the same file on one machine.

The weights in the repository were learned on the 2 640 training photos of the Grocery Store Dataset (663 pairs of photos with a homography)
and on 700 synthetic photos of those, of its shop images (each drawn with three times the chance) and of 315 photos of garments: 57 219 pairs
of patches, 13 926 of them in two photos. Of the 12 032 pairs of patches in the pairs of photos kept aside, a bit agrees in 0.788 (0.765 to 0.830),
the median distance is 19 bits (48 of patches that show something else, of which 0.001 are within 28), and 0.814 have their partner nearest among
1 000; in two photos 0.654. Two bits are correlated by at most 0.27. Needs numpy and opencv-python-headless; takes some ten minutes.
"""
import argparse
import os
import pathlib
import random
import sys

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Benchmarks/quality"))
import features as laboratory

BITS, CLEAR = 96, np.radians(20)


def log(*words):
    print(*words, file=sys.stderr, flush=True)


# ---- Pairs of photos: two images, and the homography from the first to the second


def folders(roots):
    """The photos of each folder, in the order of their names."""
    for root in roots:
        for folder, inner, names in sorted(os.walk(root)):
            paths = [os.path.join(folder, name) for name in sorted(names) if name.lower().endswith((".jpg", ".jpeg", ".png"))]
            if paths:
                yield paths


def homography(sift, one, other):
    (points, codes), (others, other_codes) = (
        sift.detectAndCompute(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), None) for image in (one, other))
    if codes is None or other_codes is None or len(others) < 3:
        return None
    found = cv2.BFMatcher().knnMatch(codes, other_codes, k=2)
    good = [first for first, second in found if first.distance < 0.8 * second.distance]
    if len(good) < 15:
        return None
    here, there = np.float32([points[m.queryIdx].pt for m in good]), np.float32([others[m.trainIdx].pt for m in good])
    matrix, inliers = cv2.findHomography(here, there, cv2.RANSAC, 3)
    return None if matrix is None or inliers.sum() < 15 else matrix


def photographed(sets, draws, count):
    sift = cv2.SIFT_create(500)
    for paths in sets:
        for _ in range(count if len(paths) > 1 else 0):
            one, other = (laboratory.picture(path, laboratory.SIDE) for path in draws.sample(paths, 2))
            matrix = homography(sift, one, other)
            if matrix is not None:
                yield one, other, matrix


def warped(image, generator):
    """A synthetic photo of an image and the homography to it, or None if it is too small."""
    height, width = image.shape[:2]
    scale = np.exp(generator.uniform(np.log(0.55), np.log(1.3)))
    turn = generator.uniform(-np.pi, np.pi) if generator.random() < 0.5 else generator.normal(0, 0.2)
    matrix = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ np.diag([1, generator.uniform(0.7, 1)])
    corners = np.float32([[0, 0], [width, 0], [width, height], [0, height]])
    moved = (corners - [width / 2, height / 2]) @ matrix.T + generator.normal(0, 0.05, (4, 2)) * min(width, height)
    moved -= moved.min(0)
    size = np.ceil(moved.max(0)).astype(int) + 1
    if min(size) < 60:
        return None
    mapped = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    photo = cv2.warpPerspective(image, mapped, (int(size[0]), int(size[1])), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REFLECT)
    if generator.random() < 0.7:
        photo = cv2.GaussianBlur(photo, (0, 0), generator.uniform(0.3, 1.6))
    light = (photo / 255.0) ** np.exp(generator.normal(0, 0.4)) * generator.uniform(0.5, 1.2) + generator.normal(0, 0.03)
    light += generator.normal(0, generator.uniform(0, 0.04), light.shape)
    if generator.random() < 0.5:
        down, across = np.mgrid[:light.shape[0], :light.shape[1]]
        way = generator.normal(0, 1, 2)
        slope = across * way[0] / light.shape[1] + down * way[1] / light.shape[0]
        light *= np.exp(0.5 * (slope - slope.mean()))[..., None]
    photo = (light.clip(0, 1) * 255).astype(np.uint8)
    quality = int(generator.integers(40, 95))
    return cv2.imdecode(cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR), mapped


def synthetic(paths, draws, generator, count):
    for path in draws.choices(paths, k=count):
        image = laboratory.picture(path, laboratory.SIDE)
        made = warped(image, generator)
        if made is not None:
            yield image, *made


# ---- Pairs of patches


def mapped(matrix, places):
    homogeneous = np.c_[places, np.ones(len(places))] @ matrix.T
    return homogeneous[:, :2] / homogeneous[:, 2:]


def patches(one, other, matrix):
    """The patches of two images that show the same."""
    here, there = laboratory.features(one, False), laboratory.features(other, True)
    if len(here.places) == 0 or len(there.places) == 0:
        return here.patches[:0], there.patches[:0]
    seen = mapped(matrix, here.places)
    steps = [(mapped(matrix, here.places + way) - seen) / 2 for way in ([2.0, 0], [0, 2.0])]
    sizes = here.sizes * np.sqrt(np.abs(steps[0][:, 0] * steps[1][:, 1] - steps[0][:, 1] * steps[1][:, 0]))
    misses = np.hypot(*(seen[:, None] - there.places[None]).transpose(2, 0, 1))
    fits = (misses < 1.7 * np.minimum(there.sizes[None], sizes[:, None])) & (np.abs(np.log2(there.sizes[None] / sizes[:, None])) < 0.6)
    way = steps[0] * np.cos(here.angles)[:, None] + steps[1] * np.sin(here.angles)[:, None]
    misses[~fits] = np.inf
    nearest = misses.argmin(1)
    turn = there.angles[nearest] - np.arctan2(way[:, 1], way[:, 0])
    is_pair = np.isfinite(misses.min(1)) & (np.abs((turn + np.pi) % (2 * np.pi) - np.pi) < CLEAR)
    return here.patches[is_pair], there.patches[nearest[is_pair]]


def normalized(samples):
    values = laboratory.inputs(samples)
    return values / np.maximum(16 * values[:, -1:], 1e-3)


class Pairs:
    """The inputs of pairs of patches, the number of the pair of photos that they are from, and which of these are not synthetic."""

    def __init__(self, photos, synthetic_photos):
        ones, others, numbers, self.photographed = [], [], [], 0
        for number, (is_synthetic, pair) in enumerate([(False, p) for p in photos] + [(True, p) for p in synthetic_photos]):
            one, other = patches(*pair)
            ones.append(normalized(one))
            others.append(normalized(other))
            numbers.append(np.full(len(one), number))
            self.photographed += not is_synthetic
        self.one, self.other, self.number = np.concatenate(ones), np.concatenate(others), np.concatenate(numbers)

    def kept_aside(self):
        return self.number % 5 == 0


# ---- Learning


def discriminant(one, other, generator):
    """Directions that separate patches well for how much they differ in pairs, turned so that signs lose little."""
    mean, difference = one.mean(0), one - other
    within = difference.T @ difference / len(difference)
    within += 1e-4 * np.trace(within) / len(within) * np.eye(len(within))
    values, vectors = np.linalg.eigh(within)
    whitening = vectors / np.sqrt(np.maximum(values, 1e-9))
    best = whitening @ np.linalg.eigh(np.cov(((one - mean) @ whitening).T))[1][:, -BITS:]
    some = ((one - mean) @ best)[:15000]
    rotation = np.linalg.qr(generator.normal(size=(BITS, BITS)))[0]
    for _ in range(30):
        left, _, right = np.linalg.svd(np.sign(some @ rotation).T @ some)
        rotation = (left @ right).T
    projections = (best @ rotation).T
    # The last input is the same for all patches with gradients. A part of the mean makes a start; the descent balances the bits.
    projections[:, -1] -= projections @ mean
    return (projections / np.abs(one[:4000] @ projections.T).mean(0)[:, None]).astype(np.float32)


def descend(pairs, mirrored, steps, seed, batch=768, rate=0.006, sharpness=80.0, hardness=1.2, decorrelation=0.02):
    """Returns 48 projections."""
    generator = np.random.default_rng(seed)
    used = ~pairs.kept_aside()
    one, other, number = pairs.one[used], pairs.other[used], pairs.number[used]
    half, inverse = BITS // 2, np.argsort(mirrored)
    projections = discriminant(one, other, np.random.default_rng(seed))[:half]
    real, made = np.nonzero(number < pairs.photographed)[0], np.nonzero(number >= pairs.photographed)[0]
    halves = [(kind, min(batch // 2, len(kind))) for kind in (real, made) if len(kind) > 0]
    first, second = np.zeros_like(projections), np.zeros_like(projections)
    for step in range(1, steps + 1):
        chosen = np.concatenate([generator.choice(kind, size, replace=False) for kind, size in halves])
        x, y = one[chosen], other[chosen]
        both = np.concatenate([projections, projections[:, mirrored]])
        zx, zy = x @ both.T, y @ both.T
        scale = hardness * (1 + 2 * step / steps) / np.abs(zx).mean(0)
        a, b = np.tanh(zx * scale), np.tanh(zy * scale)
        likeness = sharpness / BITS * (a @ b.T)
        rows = np.exp(likeness - likeness.max(1, keepdims=True))
        columns = np.exp(likeness - likeness.max(0, keepdims=True))
        slope = rows / rows.sum(1, keepdims=True) + columns / columns.sum(0, keepdims=True) - 2 * np.eye(len(chosen), dtype=np.float32)
        slope *= sharpness / BITS / len(chosen)
        bend = (1 - a * a) * scale
        gradient = ((slope @ b) * bend).T @ x + ((slope.T @ a) * (1 - b * b) * scale).T @ y
        correlation = a.T @ a / len(chosen)
        np.fill_diagonal(correlation, 0)
        gradient += decorrelation / len(chosen) * ((a @ correlation + 2 * a.mean(0)) * bend).T @ x
        gradient = gradient[:half] + gradient[half:][:, inverse]
        # Adam, with steps in proportion to each projection.
        first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient * gradient
        size = rate * (1 if step < steps * 0.5 else 0.3 if step < steps * 0.8 else 0.1) * np.sqrt((projections ** 2).mean(1, keepdims=True))
        projections = projections - size * (first / (1 - 0.9 ** step)) / (np.sqrt(second / (1 - 0.99 ** step)) + 1e-9)
        if step % 500 == 0 or step == steps:
            log(f"step {step}: {(likeness.argmax(1) == np.arange(len(chosen))).mean():.3f} have their partner nearest")
    return projections


def integers(projections, pairs, mirrored):
    """Rounds the projections, each followed by its mirror image: those first that agree most and are least correlated with those before."""
    half, aside = len(projections), pairs.kept_aside()
    both = np.concatenate([projections, projections[:, mirrored]])
    ones, others = pairs.one[aside] @ both.T > 0, pairs.other[aside] @ both.T > 0
    agreement, correlation = (ones == others).mean(0), np.abs(np.corrcoef(np.where(ones, 1.0, -1.0).T))
    chosen = []

    def worth(index):
        own = (index, half + index)
        most = max([correlation[own]] + [correlation[i, j] for other in chosen for i in own for j in (other, half + other)])
        return agreement[index] + agreement[half + index] - 0.5 * most

    while len(chosen) < half:
        chosen.append(max((index for index in range(half) if index not in chosen), key=worth))
    found = []
    for index in chosen:
        rounded = np.clip(np.rint(projections[index] * 127 / np.abs(projections[index, :-1]).max()), -127, 127).astype(int)
        found += [rounded, rounded[mirrored]]
    return np.array(found)


def report(weights, pairs):
    aside = pairs.kept_aside()
    ones, others = (values[aside] @ weights.T > 0 for values in (pairs.one, pairs.other))
    agreement, generator = (ones == others).mean(0), np.random.default_rng(1)
    correlation = np.abs(np.corrcoef(np.where(ones, 1.0, -1.0).T)) - np.eye(BITS)
    chosen = generator.choice(len(ones), min(1000, len(ones)), replace=False)
    distances = laboratory.hash_distances(*(laboratory.packed(bits[chosen]) for bits in (ones, others)))
    false = distances[~np.eye(len(chosen), dtype=bool)]
    log(f"of {len(ones)} pairs kept aside, a bit agrees in {agreement.mean():.3f} ({agreement.min():.3f} to {agreement.max():.3f})")
    log(f"median distance {np.median(np.diag(distances)):.0f}, of others {np.median(false):.0f}, a thousandth within {np.percentile(false, 0.1):.0f}")
    log(f"{(distances.argmin(1) == np.arange(len(chosen))).mean():.3f} of {len(chosen)} have their partner nearest")
    log(f"two bits are correlated by at most {correlation.max():.2f}")


def header(weights):
    """The table of weights: two inputs at a time, a pair of weights for each bit."""
    padded = np.pad(weights, ((0, 0), (0, 1)))
    print("// Made by Scripts/learn_keypoint_hash.py; run it again instead of editing this.\n")
    print(f"// The weights of {padded.shape[1]} inputs, the last of them zero, for each of {BITS} bits. "
          "Two inputs at a time: a pair of weights for each bit.")
    print("static const int8_t projections[] = {")
    line = "   "
    for number in padded.reshape(BITS, -1, 2).transpose(1, 0, 2).ravel():
        if len(line) + len(f" {number},") > 118:
            print(line)
            line = "   "
        line += f" {number},"
    print(line + "\n};")


def main(options):
    draws, generator = random.Random(options.seed), np.random.default_rng(options.seed)
    cv2.setRNGSeed(options.seed)
    sets = list(folders(options.photos))
    paths = [path for names in sets for path in names]
    log(f"{len(paths)} photos in {len(sets)} folders")
    photos = list(photographed(sets, draws, options.pairs))
    log(f"{len(photos)} pairs of photos with a homography")
    pairs = Pairs(photos, list(synthetic(paths, draws, generator, options.warps)))
    log(f"{len(pairs.one)} pairs of patches, {int((pairs.number < pairs.photographed).sum())} of them in two photos")
    mirrored = laboratory.mirrored_inputs()
    weights = integers(descend(pairs, mirrored, options.steps, options.seed), pairs, mirrored)
    report(weights, pairs)
    header(weights)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", metavar="PHOTOS", nargs="+")
    parser.add_argument("--pairs", type=int, default=24, help="pairs of photos drawn of each folder [24]")
    parser.add_argument("--warps", type=int, default=700, help="synthetic photos [700]")
    parser.add_argument("--steps", type=int, default=2500, help="steps of the descent [2500]")
    parser.add_argument("--seed", type=int, default=0, help="[0]")
    main(parser.parse_args())
