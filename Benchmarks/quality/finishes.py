#!/usr/bin/env python3
"""Makes a task of things in several finishes, a third of them absent: finishes.py FOLDER OUT [--seed S]

FOLDER has images and things.tsv with the columns file, thing and finish. One finish of each thing that has several is left out of OUT/catalogue.jsonl, two of those that have four.
OUT/queries.jsonl asks for all images after two mild edits: a piece of a page (cropped by up to 6 % on each side, 420 pixels, JPEG 62), and a photo (turned by up to 7°, a touch warmer
and darker, 640 pixels). Needs Pillow.
"""
import argparse
import csv
import json
import os
import random

from PIL import Image


def edits(path, generator):
    draw = generator.uniform
    image = Image.open(path).convert("RGB")
    image.thumbnail((900, 900))
    width, height = image.size
    page = image.crop((int(width * draw(0, 0.06)), int(height * draw(0, 0.06)), int(width * draw(0.94, 1)), int(height * draw(0.94, 1))))
    page.thumbnail((420, 420))
    yield "page", page, 62
    photo = image.rotate(draw(-7, 7), expand=True, fillcolor="white", resample=Image.BICUBIC)
    photo.thumbnail((640, 640))
    light, warmth = draw(0.85, 1.1), draw(0.9, 1)
    gains = (1.03 * light, light, warmth * light)
    bands = [band.point(lambda value, gain=gain: min(255, int(value * gain))) for band, gain in zip(photo.split(), gains)]
    yield "photo", Image.merge("RGB", bands), 80


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    folder, out = os.path.abspath(arguments.folder), os.path.abspath(arguments.out)
    generator = random.Random(arguments.seed)
    things = {}
    for row in csv.DictReader(open(f"{folder}/things.tsv"), delimiter="\t"):
        things.setdefault(row["thing"], []).append(row["file"])
    removed = set()
    for _, files in sorted(things.items()):
        removed.update(generator.sample(files, 0 if len(files) < 2 else 2 if len(files) > 3 else 1))
    os.makedirs(f"{out}/images", exist_ok=True)
    catalogue, queries = [], []
    for thing, files in sorted(things.items()):
        for file in files:
            name = file.rpartition(".")[0]
            if file not in removed:
                catalogue.append({"type": "product", "id": name, "title": name.replace("-", " "), "group": thing, "images": [f"{folder}/{file}"]})
            for edit, image, quality in edits(f"{folder}/{file}", generator):
                path = f"{out}/images/{name}-{edit}.jpg"
                image.save(path, quality=quality)
                truth = [] if file in removed else [name]
                queries.append({"query": f"{name}-{edit}", "image": path, "truth": truth, "labels": [], "edit": edit if truth else f"removed {edit}"})
    for name, rows in (("catalogue", catalogue), ("queries", queries)):
        with open(f"{out}/{name}.jsonl", "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    print(f"{len(catalogue)} entities, {len(queries)} queries, {sum(not query['truth'] for query in queries)} of absent finishes")


if __name__ == "__main__":
    main()
