#!/usr/bin/env python3
"""Pairs of things in one image: pairs.py CATALOGUE OUT, and pairs.py --score VQ INDEX OUT

The first form makes OUT/queries.jsonl and OUT/images: 40 pairs each of images of the entities of CATALOGUE (JSON Lines with absolute image
paths), side by side, one above the other, and one over a part of the other. Seeded; needs Pillow. The second form matches them, and prints
for each arrangement the share of the pairs of which both things are among the first three answers, the share with one of them at least, and
the share with any other entity.
"""
import json
import os
import random
import subprocess
import sys

from PIL import Image


def beside(a, b, gap):
    height = 480
    a, b = (image.resize((image.width * height // image.height, height)) for image in (a, b))
    page = Image.new("RGB", (a.width + b.width + gap, height), "white")
    page.paste(a, (0, 0))
    page.paste(b, (a.width + gap, 0))
    return page


def above(a, b, gap):
    return beside(a.transpose(Image.Transpose.TRANSPOSE), b.transpose(Image.Transpose.TRANSPOSE), gap).transpose(Image.Transpose.TRANSPOSE)


def within(a, b, draw):
    a = a.resize((a.width * 720 // max(a.size), a.height * 720 // max(a.size)))
    scale = draw.uniform(0.4, 0.55) * min(a.width / b.width, a.height / b.height)
    b = b.resize((int(b.width * scale), int(b.height * scale)))
    a.paste(b, (draw.randint(0, a.width - b.width), draw.randint(0, a.height - b.height)))
    return a


def make(catalogue, out):
    draw = random.Random(77)
    entities = [json.loads(line) for line in open(catalogue)]
    os.makedirs(f"{out}/images", exist_ok=True)
    with open(f"{out}/queries.jsonl", "w") as queries:
        for kind in ("side", "above", "within"):
            for number in range(40):
                pair = draw.sample(entities, 2)
                a, b = (Image.open(entity["images"][0]).convert("RGB") for entity in pair)
                gap = draw.choice([0, 0, 8, 24, 40])
                page = beside(a, b, gap) if kind == "side" else above(a, b, gap) if kind == "above" else within(a, b, draw)
                path = f"images/{kind}{number}.jpg"
                page.save(f"{out}/{path}", quality=85)
                row = {"query": f"{kind}{number}", "image": path, "truth": [entity["id"] for entity in pair], "edit": kind}
                queries.write(json.dumps(row) + "\n")


def score(vq, index, out):
    queries = [json.loads(line) for line in open(f"{out}/queries.jsonl")]
    command = [vq, "match", "--index", index, "--json", *[os.path.join(out, query["image"]) for query in queries]]
    answers = [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]
    for kind in ("side", "above", "within"):
        both = one = other = count = 0
        for query, answer in zip(queries, answers):
            if query["edit"] != kind:
                continue
            ids = [value["id"] for value in answer["values"]]
            count += 1
            both += set(query["truth"]) <= set(ids[:3])
            one += bool(set(query["truth"]) & set(ids))
            other += bool(set(ids) - set(query["truth"]))
        print(f"{kind:8} {count} pairs  both {both / count:.3f}  one {one / count:.3f}  another {other / count:.3f}")


if __name__ == "__main__":
    if sys.argv[1] == "--score":
        score(*sys.argv[2:5])
    else:
        make(*sys.argv[1:3])
