#!/usr/bin/env python3
"""How steady a confidence is: steadiness.py VQ INDEX QUERIES [--count N] [--without-labels]

Saves each image of QUERIES (as for vq eval) again at JPEG qualities 60 to 98, resizes it by up to 6 % and shifts it by up to 6 pixels,
and matches all of them, with the labels of the query. For each right entity whose mean confidence is above 0.6, the spread is the range of the middle 90 % of its
confidences. Prints the number of images, and the median, the 90th percentile and the largest spread. Needs Pillow.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from PIL import Image


def variants(image):
    for quality in range(60, 99, 4):
        yield image, quality
    for percent in (94, 96, 98, 102, 104, 106):
        yield image.resize((image.width * percent // 100, image.height * percent // 100), Image.LANCZOS), 90
    for shift in (1, 2, 3, 5, 6):
        yield image.crop((shift, shift, image.width, image.height)), 90
        yield image.crop((0, 0, image.width - shift, image.height - shift)), 90


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--without-labels", action="store_true")
    arguments = parser.parse_args()
    folder = os.path.dirname(os.path.abspath(arguments.queries))
    queries = [q for q in map(json.loads, open(arguments.queries)) if q["truth"]]
    queries = queries[:: max(1, len(queries) // arguments.count)][: arguments.count]
    spreads = []
    for query in queries:
        with tempfile.TemporaryDirectory() as scratch:
            image = Image.open(os.path.join(folder, query["image"])).convert("RGB")
            paths = []
            for number, (variant, quality) in enumerate(variants(image)):
                paths.append(f"{scratch}/{number}.jpg")
                variant.save(paths[-1], quality=quality)
            command = [arguments.vq, "match", "--index", arguments.index, "--json", "--deadline", "0", "--min-confidence", "0", *paths]
            if query.get("labels") and not arguments.without_labels:
                command += ["--labels", ",".join(query["labels"])]
            lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        found = [next((v["confidence"] for v in json.loads(line)["values"] if v["id"] in query["truth"]), 0.0) for line in lines]
        found.sort()
        if found and statistics.mean(found) > 0.6:
            cut = round(0.05 * len(found))
            spreads.append(found[len(found) - 1 - cut] - found[cut])
    spreads.sort()
    print(json.dumps({"images": len(spreads), "median": round(statistics.median(spreads), 4), "p90": round(spreads[int(0.9 * (len(spreads) - 1))], 4),
                      "largest": round(spreads[-1], 4), "above0.05": sum(s > 0.05 for s in spreads)}))


if __name__ == "__main__":
    main()
