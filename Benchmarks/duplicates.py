#!/usr/bin/env python3
"""Measures `vq duplicates` and `vq doctor`: duplicates.py VQ COUNT

COUNT products have one drawn image of 160 x 160 pixels each. Every twentieth image is another one saved again with a lower quality,
which both commands must find; all others differ. Needs numpy and Pillow (run.sh's .build/peers has them).
"""
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from PIL import Image, ImageDraw

SIDE, EVERY = 160, 20


def scene(number):
    rng = np.random.default_rng(number)
    image = Image.fromarray(rng.uniform(0, 255, (5, 5, 3)).astype(np.uint8)).resize((SIDE, SIDE), Image.BICUBIC)
    draw = ImageDraw.Draw(image)
    for x, y, w, h, *color in rng.integers((0, 0, 8, 8, 0, 0, 0), (150, 150, 60, 60, 256, 256, 256), (20, 7)).tolist():
        draw.rectangle((x, y, x + w, y + h), fill=tuple(color))
    return image


def draw(task):
    folder, number = task
    # A copy is one of the image before it.
    copied = number % EVERY == EVERY - 1
    scene(number - 1 if copied else number).save(f"{folder}/{number}.jpg", quality=55 if copied else 85)


def run(vq, folder, *arguments):
    start = time.perf_counter()
    process = subprocess.Popen([vq, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), output, {
        "seconds": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime, "megabytes": usage.ru_maxrss / 1024}


def main():
    vq, count = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/images")
        with multiprocessing.Pool() as pool:
            for _ in pool.imap_unordered(draw, ((f"{folder}/images", n) for n in range(count)), 64):
                pass
        with open(f"{folder}/catalogue.jsonl", "w") as catalogue:
            for n in range(count):
                catalogue.write(json.dumps({"type": "product", "id": f"p{n}", "title": f"Product {n}", "images": [f"images/{n}.jpg"],
                                            "url": f"https://shop.example/p/{n}"}) + "\n")
        code, _, _ = run(vq, folder, "index", "catalogue.jsonl", "--index", "shop.vq", "--quiet")
        assert code == 0, f"vq index ended with {code}"
        copies = {frozenset((f"product:p{n - 1}", f"product:p{n}")) for n in range(EVERY - 1, count, EVERY)}
        for name, arguments in (("duplicates", ["duplicates", "--json"]), ("duplicates --same", ["duplicates", "--same", "--json"]),
                                ("doctor", ["doctor", "--json"])):
            code, output, cost = run(vq, folder, *arguments, "--index", "shop.vq")
            assert code in (0, 1), f"vq {name} ended with {code}"
            lines = [json.loads(line) for line in output.splitlines()]
            if name == "doctor":
                found = {frozenset((line["id"], line["twin"])) for line in lines if line.get("twin")}
            else:
                found = {frozenset(entity["id"] for entity in line["entities"]) for line in lines}
            print(json.dumps({"command": name, "images": count, "copies": len(copies), "copiesFound": len(copies & found),
                              "others": len(found - copies)} | {key: round(value, 2) for key, value in cost.items()}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main()
