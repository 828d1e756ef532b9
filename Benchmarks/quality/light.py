#!/usr/bin/env python3
"""Makes and scores a task of things in another light.

light.py CATALOGUE OUT [--queries 60]     makes it
light.py --score VQ INDEX OUT             prints what is shown

CATALOGUE is a feed in JSON Lines whose images lie beside it. Every third group of several entities loses one in OUT/catalogue.jsonl; those and --queries
of the others are asked in ten lights each (OUT/queries.jsonl): another contrast and brightness, a curve (gamma), a veil as of fog or a glaring screen, shade and
a warm lamp, sepia, and a shadow across. INDEX is made by `vq index OUT/catalogue.jsonl --index INDEX --allow-outside DIR`. To make it, Pillow and numpy are needed.
"""
import argparse
import json
import os
import random
import subprocess
import sys


def channels(image, function):
    import numpy as np
    from PIL import Image

    return Image.fromarray(np.clip(function(np.asarray(image).astype(np.float32)), 0, 255).astype(np.uint8))


def enhanced(image, kind, factor):
    from PIL import ImageEnhance

    return getattr(ImageEnhance, kind)(image).enhance(factor)


def shadow(pixels):
    import numpy as np

    columns = np.arange(pixels.shape[1])[None, :, None]
    return pixels * np.where(columns < 0.45 * pixels.shape[1], 0.55, 1)


SEPIA = [[.393, .349, .272], [.769, .686, .534], [.189, .168, .131]]
LIGHTS = {
    "contrast 0.7": lambda image: enhanced(image, "Contrast", 0.7),
    "contrast 1.3": lambda image: enhanced(image, "Contrast", 1.3),
    "brightness 0.7": lambda image: enhanced(image, "Brightness", 0.7),
    "brightness 1.3": lambda image: enhanced(image, "Brightness", 1.3),
    "gamma 1.6": lambda image: channels(image, lambda pixels: 255 * (pixels / 255) ** 1.6),
    "veil": lambda image: channels(image, lambda pixels: 0.62 * pixels + 80),
    "shade": lambda image: channels(image, lambda pixels: pixels * (0.78, 0.95, 1.2)),
    "lamp": lambda image: channels(image, lambda pixels: pixels * (1.2, 0.98, 0.68)),
    "sepia": lambda image: channels(image, lambda pixels: pixels @ SEPIA),
    "shadow": lambda image: channels(image, shadow),
}


def score(vq, index, task):
    queries = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
    shown = {}
    for start in range(0, len(queries), 100):
        part = queries[start:start + 100]
        command = [vq, "match", "--index", index, "--json", "--deadline", "0", "--limit", "1"] + [query["image"] for query in part]
        answers = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        for query, answer in zip(part, answers, strict=True):
            first = [value["id"] for value in json.loads(answer)["values"][:1]]
            row = shown.setdefault(query["edit"].removeprefix("absent, "), [[], [], []])
            if query["truth"]:
                row[0].append(first == query["truth"])
                row[1].append(bool(first) and first != query["truth"])
            else:
                row[2].append(bool(first))
    print("| light | shown right | shown wrong | absent shown |\n|---|---|---|---|")
    for name, columns in shown.items():
        print(f"| {name} | " + " | ".join(f"{sum(column) / len(column):.3f}" if column else "" for column in columns) + " |")


def main():
    if sys.argv[1:2] == ["--score"]:
        return score(*sys.argv[2:5])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalogue")
    parser.add_argument("out")
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    from PIL import Image

    folder = os.path.dirname(os.path.abspath(options.catalogue))
    rows = [json.loads(line) for line in open(options.catalogue) if line.strip()]
    rows = [row for row in rows if row.get("images")]
    groups = {}
    for row in rows:
        row["images"] = [os.path.join(folder, image) for image in row["images"]]
        if row.get("group"):
            groups.setdefault(row["group"], []).append(row["id"])
    absent = {identifier for number, (_, ids) in enumerate(sorted(groups.items())) if number % 3 == 0 and len(ids) > 1 for identifier in ids[:1]}
    present = [row for row in rows if row["id"] not in absent]
    os.makedirs(f"{options.out}/images", exist_ok=True)
    out = os.path.abspath(options.out)
    with open(f"{out}/catalogue.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in present)
    random.Random(3).shuffle(present)
    with open(f"{out}/queries.jsonl", "w") as file:
        for row in present[:options.queries] + [row for row in rows if row["id"] in absent]:
            image = Image.open(row["images"][0]).convert("RGB")
            image.thumbnail((700, 700))
            for number, (name, light) in enumerate(LIGHTS.items()):
                path = f"{out}/images/{row['id']}-{number}.jpg"
                light(image).save(path, quality=85)
                is_absent = row["id"] in absent
                file.write(json.dumps({
                    "query": f"{row['id']} {name}", "image": path, "truth": [] if is_absent else [row["id"]], "labels": [],
                    "edit": f"absent, {name}" if is_absent else name}) + "\n")
    print(len(present), "entities,", len(absent), "left out")


if __name__ == "__main__":
    main()
