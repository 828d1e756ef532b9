#!/usr/bin/env python3
"""Indexes a synthetic catalogue of any size, queries it, and prints time, memory and disk.

usage: scale.py VQ COUNT [FOLDER] [--photos PHOTOS]        needs numpy and Pillow (run.sh's .build/peers has them)

COUNT products have one image each, of 2 000 drawn JPEGs of 240 × 240 pixels that repeat. With --photos all images differ: each is 200 × 200 pixels
and shows parts of four of the photos beneath the folder PHOTOS. The index, FOLDER/shop.vq, and the images are kept if a FOLDER is named,
which must not exist.
"""
import argparse
import collections
import contextlib
import glob
import json
import multiprocessing
import os
import statistics
import subprocess
import tempfile
import time

import early
import numpy as np
from PIL import Image, ImageDraw

parser = argparse.ArgumentParser()
parser.add_argument("vq")
parser.add_argument("count", type=int)
parser.add_argument("folder", nargs="?")
parser.add_argument("--photos")
options = parser.parse_args()
vq, count = os.path.abspath(options.vq), options.count
PICTURES = count if options.photos else 2000
# Folders of a million files are slow.
A_FOLDER = 10000



def name(i):
    return f"images/{i // A_FOLDER}/{i}.jpg"


def draw(folder):
    """Draws forty rectangles on a soft ground for each image."""
    rng = np.random.default_rng(1)
    for i in range(PICTURES):
        image = Image.fromarray(rng.uniform(0, 255, (5, 5, 3)).astype(np.uint8)).resize((240, 240), Image.BICUBIC)
        drawing = ImageDraw.Draw(image)
        for x, y, w, h, *color in rng.integers((0, 0, 10, 10, 0, 0, 0), (230, 230, 90, 90, 256, 256, 256), (40, 7)).tolist():
            drawing.rectangle((x, y, x + w, y + h), fill=tuple(color))
        image.save(f"{folder}/{name(i)}", quality=80)


def compose(folder, numbers):
    """Puts parts of four photos together for each of some images."""
    photos = sorted(glob.glob(f"{options.photos}/**/*.jpg", recursive=True))[::2][:1500]
    photos = [np.asarray(Image.open(path).convert("RGB")) for path in photos]
    photos = [photo for photo in photos if min(photo.shape[:2]) > 100]
    assert photos, f"{options.photos} has no JPEG of more than 100 pixels"
    for i in numbers:
        rng = np.random.default_rng(i)
        parts = []
        for photo in rng.integers(len(photos), size=4):
            photo = photos[photo]
            top, left = (int(rng.integers(side - 100)) for side in photo.shape[:2])
            parts.append(photo[top:top + 100, left:left + 100, ::int(rng.choice((-1, 1)))])
        rows = (np.hstack(parts[:2]), np.hstack(parts[2:]))
        Image.fromarray(np.vstack(rows)).save(f"{folder}/{name(i)}", quality=80)


def run(*arguments):
    start = time.perf_counter()
    process = subprocess.Popen([vq, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"vq {arguments[0]} ended with {status}"
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


if options.folder:
    os.mkdir(options.folder)
with contextlib.nullcontext(os.path.abspath(options.folder)) if options.folder else tempfile.TemporaryDirectory() as folder:
    for first in range(0, PICTURES, A_FOLDER):
        os.makedirs(os.path.dirname(f"{folder}/{name(first)}"))
    if options.photos:
        shares = [(folder, range(first, min(first + A_FOLDER, count))) for first in range(0, count, A_FOLDER)]
        with multiprocessing.Pool() as pool:
            pool.starmap(compose, shares)
    else:
        draw(folder)
    with open(f"{folder}/catalogue.jsonl", "w") as catalogue:
        for i in range(count):
            row = {"type": "product", "id": f"p{i}", "title": f"Product {i}", "labels": [f"label{i % 500}", "thing"]}
            row |= {"images": [name(i % PICTURES)], "url": f"https://shop.example/p/{i}"}
            catalogue.write(json.dumps(row) + "\n")
    seconds, processor, megabytes, _ = run("index", "catalogue.jsonl", "--index", "shop.vq", "--quiet")
    disk = sum(os.path.getsize(f"{folder}/shop.vq/{name}") for name in os.listdir(f"{folder}/shop.vq"))
    print(f"index: {count / seconds:.0f} entities/s, {1e3 * processor / count:.2f} ms of processor time each, "
          f"{megabytes:.0f} MB of memory, {disk / 1e6:.0f} MB on disk", flush=True)
    seconds, processor, megabytes, _ = run("index", "catalogue.jsonl", "--index", "shop.vq", "--quiet")
    print(f"again, nothing changed: {count / seconds:.0f} entities/s, {1e3 * processor / count:.3f} ms of processor time each, "
          f"{megabytes:.0f} MB of memory", flush=True)
    runs = [run("match", name(i), "--index", "shop.vq", "--deadline", "0", "--json") for i in range(77, 84)]
    assert all('"tier":"exact"' in output for *_, output in runs), "a picture of the catalogue was not found"
    times = sorted(1e3 * seconds for seconds, *_ in runs)
    print(f"match, process start to answer: median {statistics.median(times):.0f} ms, most {times[-1]:.0f} ms, {runs[0][2]:.0f} MB")
    # The first images are asked for once more, so that what starting takes is not counted.
    asked = [name(i) for i in range(0, PICTURES, max(1, PICTURES // 64))][:64]
    match = ["match", "--index", "shop.vq", "--deadline", "0", "--json", "--threads", "1"]
    once, twice = (min(run(*match, *asked * times)[1] for _ in range(5)) for times in (1, 2))
    answers, _ = early.run(vq, f"{folder}/shop.vq", [f"{folder}/{image}" for image in asked])
    ends = collections.Counter(early.end(steps) for _, steps in answers)
    print(f"match, {len(asked)} images of the catalogue: {1e3 * (twice - once) / len(asked):.1f} ms of processor time each; "
          f"{ends['glance']} end after a glance, {ends['candidates']} after the first candidates")
