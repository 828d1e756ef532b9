#!/usr/bin/env python3
"""Indexes a synthetic catalogue of any size, queries it, and prints time, memory and disk.

usage: scale.py VQ COUNT [FOLDER]        needs numpy and Pillow (run.sh's .build/peers has them)

COUNT products have one image each, of 2 000 drawn JPEGs of 240 × 240 pixels that repeat. The index, FOLDER/shop.vq, and the images are
kept if a FOLDER is named, which must not exist.
"""
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image, ImageDraw

vq, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
PICTURES = 2000


def run(*arguments):
    start = time.perf_counter()
    process = subprocess.Popen([vq, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"vq {arguments[0]} ended with {status}"
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


if len(sys.argv) > 3:
    os.mkdir(sys.argv[3])
with contextlib.nullcontext(os.path.abspath(sys.argv[3])) if len(sys.argv) > 3 else tempfile.TemporaryDirectory() as folder:
    rng = np.random.default_rng(1)
    os.mkdir(f"{folder}/images")
    for i in range(PICTURES):
        image = Image.fromarray(rng.uniform(0, 255, (5, 5, 3)).astype(np.uint8)).resize((240, 240), Image.BICUBIC)
        draw = ImageDraw.Draw(image)
        for x, y, w, h, *color in rng.integers((0, 0, 10, 10, 0, 0, 0), (230, 230, 90, 90, 256, 256, 256), (40, 7)).tolist():
            draw.rectangle((x, y, x + w, y + h), fill=tuple(color))
        image.save(f"{folder}/images/{i}.jpg", quality=80)
    with open(f"{folder}/catalogue.jsonl", "w") as catalogue:
        for i in range(count):
            row = {"type": "product", "id": f"p{i}", "title": f"Product {i}", "labels": [f"label{i % 500}", "thing"]}
            row |= {"images": [f"images/{i % PICTURES}.jpg"], "url": f"https://shop.example/p/{i}"}
            catalogue.write(json.dumps(row) + "\n")
    seconds, processor, megabytes, _ = run("index", "catalogue.jsonl", "--index", "shop.vq", "--quiet")
    disk = sum(os.path.getsize(f"{folder}/shop.vq/{name}") for name in os.listdir(f"{folder}/shop.vq"))
    print(f"index: {count / seconds:.0f} entities/s, {1e3 * processor / count:.2f} ms of processor time each, "
          f"{megabytes:.0f} MB of memory, {disk / 1e6:.0f} MB on disk", flush=True)
    seconds, processor, megabytes, _ = run("index", "catalogue.jsonl", "--index", "shop.vq", "--quiet")
    print(f"again, nothing changed: {count / seconds:.0f} entities/s, {1e3 * processor / count:.3f} ms of processor time each, "
          f"{megabytes:.0f} MB of memory", flush=True)
    runs = [run("match", f"images/{i}.jpg", "--index", "shop.vq", "--deadline", "0", "--json") for i in range(77, 84)]
    assert all('"tier":"exact"' in output for *_, output in runs), "a picture of the catalogue was not found"
    times = sorted(1e3 * seconds for seconds, *_ in runs)
    print(f"match, process start to answer: median {statistics.median(times):.0f} ms, most {times[-1]:.0f} ms, {runs[0][2]:.0f} MB")
