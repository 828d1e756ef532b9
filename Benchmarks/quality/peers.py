"""Runs the queries of tasks with public tools and vq, and prints one table of recall@1.

A method computes the distance of each query to every image of the catalogue; its answer is the entity
of the nearest. If a task has queries of absent things, the share in brackets counts an answer only
if it is nearer than the nearest 1 % of those queries' answers.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from multiprocessing import Pool

import cv2
import imagehash
import numpy as np
import pdqhash
from PIL import Image

cv2.setNumThreads(1)
SIDE = 512


def picture(path):
    image = cv2.imread(path, cv2.IMREAD_COLOR)
    scale = SIDE / max(image.shape[:2])
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image


def bits(data):
    return np.unpackbits(np.frombuffer(bytes(data), np.uint8))


def features(path):
    """Returns the features of an image for every method. The hashes of a query under eight variants are those of PDQ."""
    image = picture(path)
    pil = Image.fromarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))
    hashes = {name: getattr(imagehash, name)(pil).hash.flatten().astype(np.uint8) for name in ("phash", "dhash", "whash", "average_hash")}
    for name in ("PHash", "BlockMeanHash", "MarrHildrethHash"):
        hashes["cv2." + name] = bits(getattr(cv2.img_hash, name + "_create")().compute(image)[0])
    variants, _ = pdqhash.compute_dihedral(cv2.cvtColor(image, cv2.COLOR_BGR2RGB))
    hsv = cv2.calcHist([cv2.cvtColor(image, cv2.COLOR_BGR2HSV)], [0, 1, 2], None, [8, 8, 4], [0, 180, 0, 256, 0, 256]).flatten()
    orb = cv2.ORB_create(nfeatures=300, scaleFactor=1.3, nlevels=6)
    points, codes = orb.detectAndCompute(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), None)
    places = np.float32([p.pt for p in points]) if points else np.zeros((0, 2), np.float32)
    return {"hashes": hashes, "pdq": np.array(variants, np.uint8), "hsv": hsv / hsv.sum(), "orb": (places, codes)}


def orb_distance(query, other):
    if query[1] is None or other[1] is None or len(query[1]) < 4 or len(other[1]) < 4:
        return 0.0
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(query[1], other[1], k=2)
    good = [p[0] for p in pairs if len(p) == 2 and p[0].distance < 0.85 * p[1].distance]
    if len(good) < 4:
        return 0.0
    source = np.float32([query[0][m.queryIdx] for m in good])
    target = np.float32([other[0][m.trainIdx] for m in good])
    _, inliers = cv2.estimateAffinePartial2D(source, target, ransacReprojThreshold=8)
    return -float(inliers.sum()) if inliers is not None else 0.0


def prepare(catalogue):
    global CATALOGUE
    CATALOGUE = catalogue


def distances(query):
    """Returns the nearest image and its distance for one query, by every method; ties by index."""
    found = {}
    for name, code in query["hashes"].items():
        found[name] = (np.stack([c["hashes"][name] for c in CATALOGUE]) != code).sum(1)
    pdq = np.stack([c["pdq"][0] for c in CATALOGUE])
    found["PDQ, 8 variants"] = np.min([(pdq != variant).sum(1) for variant in query["pdq"]], 0)
    found["HSV histogram"] = 1 - np.minimum(np.stack([c["hsv"] for c in CATALOGUE]), query["hsv"]).sum(1)
    found["PDQ + HSV"] = found["PDQ, 8 variants"] / 256 + found["HSV histogram"]
    # As in common use: the nearest images by a global hash are not enough, so all are checked.
    found["ORB + RANSAC"] = np.array([orb_distance(query["orb"], c["orb"]) for c in CATALOGUE])
    return {name: (int(np.argmin(d)), float(d.min())) for name, d in found.items()}


def recall(answers, queries, owners):
    positives = [(a, q) for a, q in zip(answers, queries) if q["truth"]]
    others = sorted(a[1] for a, q in zip(answers, queries) if not q["truth"])
    right = [owners[a[0]] in q["truth"] for a, q in positives]
    text = f"{np.mean(right):.3f}"
    if others:
        cut = others[max(0, math.ceil(len(others) * 0.01) - 1)]
        text += f" ({np.mean([r and a[1] < cut for r, (a, _) in zip(right, positives)]):.3f})"
    return text


def ours(vq, task, paths):
    """The recall of vq. The images of a task may be links that lead out of its folder, which vq follows only where it is told to."""
    root = os.path.realpath(task)
    outside = [real for path in paths if os.path.commonpath([root, real := os.path.realpath(path)]) != root]
    allowed = ["--allow-outside", os.path.commonpath([os.path.dirname(path) for path in outside])] if outside else []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([vq, "index", f"{task}/catalogue.jsonl", "--index", f"{folder}/i.vq", "--quiet", *allowed], check=True)
        run = [vq, "eval", f"{task}/queries.jsonl", "--index", f"{folder}/i.vq", "--without-labels", "--json", "--quiet"]
        report = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    false = report["recallAt1PercentFalse"]
    return f"{report['recallAt1']:.3f}" + (f" ({false:.3f})" if false is not None else "")


def main(vq, tasks):
    columns = {}
    for task in tasks:
        rows = [json.loads(line) for line in open(f"{task}/catalogue.jsonl")]
        owners = [row["id"] for row in rows for _ in row["images"]]
        paths = [os.path.join(task, image) for row in rows for image in row["images"]]
        queries = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
        with Pool() as pool:
            catalogue = pool.map(features, paths, chunksize=8)
            asked = pool.map(features, [os.path.join(task, q["image"]) for q in queries], chunksize=8)
        with Pool(initializer=prepare, initargs=(catalogue,)) as pool:
            found = pool.map(distances, asked, chunksize=2)
        column = {name: recall([f[name] for f in found], queries, owners) for name in found[0]}
        column["vq, without labels"] = ours(vq, task, paths)
        columns[os.path.basename(task.rstrip("/"))] = column
    names = list(next(iter(columns.values())))
    print("| method | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for name in names:
        print(f"| {name} | " + " | ".join(column[name] for column in columns.values()) + " |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
