#!/usr/bin/env python3
"""Makes and scores a task of things on other tables: photos with another ground than the catalogue's.

tables.py CATALOGUE GROUNDS OUT [--queries 90]     makes it
tables.py --score VQ INDEX OUT                     prints what is shown

CATALOGUE is a feed in JSON Lines whose images lie beside it and have plain grounds; GROUNDS is a folder of photos. Each thing is cut out, turned by up to 8°, and
laid at 55 to 80 % of the height upon a magnified corner of a photo, in slightly other light. Every third group is left out of OUT/catalogue.jsonl, and asked for as well.
INDEX is made by `vq index OUT/catalogue.jsonl --index INDEX --allow-outside DIR`. To make the task, Pillow and numpy are needed.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys

SIDE = 720


def cut_out(image):
    """The image with the ground made transparent, or None if the ground is not plain."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFilter

    image = image.convert("RGB")
    image.thumbnail((600, 600))
    pixels = np.asarray(image).astype(int)
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    ground = np.median(border, axis=0)
    if (np.abs(border - ground).max(1) < 24).mean() < 0.9:
        return None
    near = (np.abs(pixels - ground).max(2) < 16).astype("uint8") * 255
    # A frame of ground around it joins all that reaches the border; what the flood does not reach is the thing.
    framed = Image.new("L", (image.width + 2, image.height + 2), 255)
    framed.paste(Image.fromarray(near), (1, 1))
    ImageDraw.floodfill(framed, (0, 0), 128)
    mask = framed.crop((1, 1, image.width + 1, image.height + 1)).point(lambda value: 0 if value == 128 else 255)
    mask = mask.filter(ImageFilter.MedianFilter(5)).filter(ImageFilter.GaussianBlur(1))
    box = mask.point(lambda value: 255 if value > 127 else 0).getbbox()
    if not box or not 0.05 < np.asarray(mask).mean() / 255 < 0.95:
        return None
    image.putalpha(mask)
    return image.crop(box)


def pasted(thing, ground, draw):
    from PIL import Image, ImageEnhance

    corner = ground.convert("RGB").resize((1000, 1000)).crop((0, 0, 300, 300)).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    thing = ImageEnhance.Brightness(thing).enhance(draw.uniform(0.92, 1.08))
    thing = thing.rotate(draw.uniform(-8, 8), Image.Resampling.BICUBIC, expand=True)
    scale = draw.uniform(0.55, 0.8) * SIDE / max(thing.size)
    thing = thing.resize((int(thing.width * scale), int(thing.height * scale)), Image.Resampling.LANCZOS)
    corner.paste(thing, (draw.randint(0, SIDE - thing.width), draw.randint(0, SIDE - thing.height)), thing)
    return corner


def score(vq, index, task):
    queries = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
    right, wrong, absent = [], [], []
    for start in range(0, len(queries), 100):
        part = queries[start:start + 100]
        command = [vq, "match", "--index", index, "--json", "--deadline", "0", "--limit", "1"] + [query["image"] for query in part]
        for query, answer in zip(part, subprocess.run(command, capture_output=True, text=True).stdout.splitlines(), strict=True):
            first = [value["id"] for value in json.loads(answer)["values"][:1]]
            if query["truth"]:
                right.append(first == query["truth"])
                wrong.append(bool(first) and first != query["truth"])
            else:
                absent.append(bool(first))
    mean = lambda column: sum(column) / max(1, len(column))
    print(f"{len(right)} present: {mean(right):.3f} shown right, {mean(wrong):.3f} wrong; {len(absent)} absent: {mean(absent):.3f} shown")


def main():
    if sys.argv[1:2] == ["--score"]:
        return score(*sys.argv[2:5])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalogue")
    parser.add_argument("grounds", type=pathlib.Path)
    parser.add_argument("out")
    parser.add_argument("--queries", type=int, default=90)
    options = parser.parse_args()
    from PIL import Image

    folder = os.path.dirname(os.path.abspath(options.catalogue))
    rows = [row for row in map(json.loads, open(options.catalogue)) if row.get("images")]
    for row in rows:
        row["images"] = [os.path.join(folder, image) for image in row["images"]]
    groups = sorted({row.get("group") or row["id"] for row in rows})
    absent = set(groups[::3])
    is_absent = lambda row: (row.get("group") or row["id"]) in absent
    out = os.path.abspath(options.out)
    os.makedirs(f"{out}/images", exist_ok=True)
    with open(f"{out}/catalogue.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows if not is_absent(row))
    draw = random.Random(5)
    draw.shuffle(rows)
    grounds = sorted(path for path in options.grounds.iterdir() if path.suffix.lower() in (".jpg", ".jpeg", ".png"))
    made = 0
    with open(f"{out}/queries.jsonl", "w") as file:
        for row in rows:
            thing = cut_out(Image.open(row["images"][0])) if made < options.queries else None
            if not thing:
                continue
            path = f"{out}/images/{made}.jpg"
            pasted(thing, Image.open(draw.choice(grounds)), draw).save(path, quality=88)
            file.write(json.dumps({"query": row["id"], "image": path, "truth": [] if is_absent(row) else [row["id"]], "labels": []}) + "\n")
            made += 1
    print(made, "queries")


if __name__ == "__main__":
    main()
