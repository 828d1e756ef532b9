#!/usr/bin/env python3
"""Measures indexing: index.py VQ [--pictures FOLDER] [--count N] [--rounds 3]

Indexes the JPEGs below FOLDER, or N products with one drawn image of 240 x 240 pixels each, of 2 000 that repeat under N names. In turn:
imagehash.phash and libjpeg's 1/8 decode alone on the same files, `vq index -j 1`, `vq index` with all threads, and the same again with
nothing changed. `--all-threads-only` skips all but the last two. Needs numpy, Pillow and imagehash (run.sh's .build/peers has them).
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def drawn(folder, count):
    """Returns the paths of `count` files, of which every 2 000th holds the same image."""
    import numpy as np
    from PIL import Image, ImageDraw
    rng = np.random.default_rng(1)
    paths = []
    for number in range(count):
        path = os.path.join(folder, f"{number}.jpg")
        paths.append(path)
        if number >= 2000:
            os.link(paths[number % 2000], path)
            continue
        image = Image.fromarray(rng.uniform(0, 255, (5, 5, 3)).astype(np.uint8)).resize((240, 240), Image.BICUBIC)
        draw = ImageDraw.Draw(image)
        for x, y, w, h, *color in rng.integers((0, 0, 10, 10, 0, 0, 0), (230, 230, 90, 90, 256, 256, 256), (40, 7)).tolist():
            draw.rectangle((x, y, x + w, y + h), fill=tuple(color))
        image.save(path, quality=80)
    return paths


def found(folder):
    return sorted(os.path.join(parent, name) for parent, _, names in os.walk(os.path.abspath(folder))
                  for name in names if name.lower().endswith((".jpg", ".jpeg")))


def run(*arguments):
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} ended with {status}")
    return {"seconds": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime,
            "megabytes": usage.ru_maxrss / 1024, "output": output}


def phash_seconds(paths):
    """Measures imagehash on a sample and extrapolates to all files."""
    program = ("import sys, time, imagehash\nfrom PIL import Image\nnames = sys.stdin.read().splitlines()\n"
               "start = time.perf_counter()\nfor name in names: imagehash.phash(Image.open(name))\n"
               "print(time.perf_counter() - start)")
    sample = paths[:: max(1, len(paths) // 2000)]
    output = subprocess.run([sys.executable, "-c", program], input="\n".join(sample), check=True,
                            capture_output=True, text=True).stdout
    return float(output) * len(paths) / len(sample)


def decode_share(paths):
    """Returns the time of libjpeg's 1/8 decode alone, as a share of imagehash's: a lower bound for every program that decodes with it."""
    program = ("import sys, time, imagehash\nfrom PIL import Image\nnames = sys.stdin.read().splitlines()\n"
               "def eighth(name):\n  image = Image.open(name)\n  image.draft('L', (image.width // 8, image.height // 8))\n  image.load()\n"
               "def seconds(work):\n  start = time.perf_counter()\n  for name in names: work(name)\n  return time.perf_counter() - start\n"
               "seconds(eighth)\nprint(seconds(eighth) / seconds(lambda name: imagehash.phash(Image.open(name))))")
    output = subprocess.run([sys.executable, "-c", program], input="\n".join(paths[:: max(1, len(paths) // 500)]), check=True,
                            capture_output=True, text=True).stdout
    return round(float(output), 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("--pictures")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all-threads-only", action="store_true", help="neither imagehash nor one thread")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        if arguments.pictures:
            paths = found(arguments.pictures)
        else:
            os.mkdir(os.path.join(folder, "pictures"))
            paths = drawn(os.path.join(folder, "pictures"), arguments.count)
        catalogue, index = os.path.join(folder, "catalogue.jsonl"), os.path.join(folder, "shop.vq")
        with open(catalogue, "w") as file:
            for number, path in enumerate(paths):
                json.dump({"type": "product", "id": f"p{number}", "title": f"Product {number}",
                           "labels": [f"label{number % 500}"], "images": [path]}, file)
                file.write("\n")
        command = [os.path.abspath(arguments.vq), "index", catalogue, "--index", index, "--json",
                   "--allow-outside", os.path.commonpath([*map(os.path.dirname, paths)])]
        rounds = []
        for _ in range(arguments.rounds):
            measured = {}
            if not arguments.all_threads_only:
                peer = phash_seconds(paths)
                shutil.rmtree(index, ignore_errors=True)
                one = run(*command, "-j", "1")
                measured = {"perSecondAndCore": round(len(paths) / one["seconds"]),
                            "timesPhash": round(peer / one["seconds"], 2), "eighthOfPhash": decode_share(paths)}
            shutil.rmtree(index, ignore_errors=True)
            all_threads = run(*command)
            again = run(*command)
            summary = json.loads(again["output"])
            assert summary["unchangedImages"] > 0 and summary["signedImages"] == 0 and summary["changed"] == 0
            if measured:
                measured["oneToAll"] = round(one["seconds"] / all_threads["seconds"], 2)
            rounds.append({
                **measured, "perSecond": round(len(paths) / all_threads["seconds"]),
                "busy": round(all_threads["cpu"] / all_threads["seconds"] / os.cpu_count(), 2),
                "megabytes": round(all_threads["megabytes"]),
                "againShare": round(again["seconds"] / all_threads["seconds"], 4)})
        size = sum(os.path.getsize(os.path.join(index, name)) for name in os.listdir(index)
                   if name != "previous.sqlite")
        median = {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}
        print(json.dumps({"pictures": len(paths), "rounds": rounds, "median": median,
                          "bytesAPicture": round(size / len(paths))}, indent=1))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
