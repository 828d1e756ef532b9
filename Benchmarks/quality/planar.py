#!/usr/bin/env python3
"""Photos of flat things: planar.py PRESENT ABSENT OUT [--count 400]

PRESENT and ABSENT are catalogues (JSON Lines with absolute image paths) that share no product, in any photo: what is found for a photo of
ABSENT is wrong. Makes OUT/catalogue.jsonl, an entity for each image of PRESENT, and OUT/queries.jsonl with OUT/images: COUNT photos each of
images of both, as a phone would take them of a cover or a package that lies on something: in perspective, turned, blurred, in other and
uneven light, with noise, saved as JPEG. Seeded; needs numpy and Pillow.
"""
import argparse
import json
import os
import random

import numpy as np
from PIL import Image, ImageFilter

SIDES = ((640, 480), (480, 640))


def read(path):
    return [json.loads(line) for line in open(path)]


def perspective(corners, size):
    """The coefficients by which Pillow maps corners of the photo to those of an image."""
    width, height = size
    rows, values = [], []
    for (x, y), (u, v) in zip(corners, ((0, 0), (width, 0), (width, height), (0, height))):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return np.linalg.solve(np.array(rows, float), np.array(values, float))


def corners(image, size, draw):
    """Where the corners of an image lie in a photo."""
    width, height = image.size
    scale = draw.uniform(0.55, 0.95) * min(size[0] / width, size[1] / height) / 2
    lean, turn = draw.uniform(0.05, 0.28), np.deg2rad(draw.uniform(-25, 25))
    middle = [side * draw.uniform(0.45, 0.55) for side in size]
    box = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) * scale
    box *= [[1 - draw.uniform(0, lean), 1 - draw.uniform(0, lean)] for _ in box]
    return box @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + middle


def photo(image, ground, draw):
    """A photo of an image that lies on a ground."""
    size, noise = draw.choice(SIDES), np.random.default_rng(draw.getrandbits(32))
    if ground is None:
        ground = Image.fromarray(noise.uniform(40, 210, (5, 5, 3)).astype(np.uint8))
    ground = ground.resize(size, Image.BICUBIC)
    image.thumbnail((600, 600))
    mapped = perspective(corners(image, size, draw), image.size)
    shape = Image.new("L", image.size, 255).transform(size, Image.PERSPECTIVE, mapped, Image.BILINEAR)
    ground.paste(image.transform(size, Image.PERSPECTIVE, mapped, Image.BICUBIC), mask=shape)
    pixels = np.asarray(ground.filter(ImageFilter.GaussianBlur(draw.uniform(0.4, 1.8))), float)
    light = draw.uniform(0.5, 1.15) * np.array([draw.uniform(0.85, 1.15) for _ in range(3)])
    down, across = np.mgrid[:size[1], :size[0]]
    glare = np.exp(-((across - draw.uniform(0, size[0])) / (0.25 * size[0])) ** 2 - ((down - draw.uniform(0, size[1])) / (0.2 * size[1])) ** 2)
    pixels = pixels * light + draw.choice((0, 0, 90, 150)) * glare[..., None] + noise.normal(0, draw.uniform(1, 6), pixels.shape)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("present")
    parser.add_argument("absent")
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=400)
    arguments = parser.parse_args()
    draw = random.Random(41)
    entities = [{**entity, "id": f"{entity['id']}-{number}", "images": [image]}
                for entity in read(arguments.present) for number, image in enumerate(entity["images"])]
    absent = [image for entity in read(arguments.absent) for image in entity["images"]]
    os.makedirs(f"{arguments.out}/images", exist_ok=True)
    with open(f"{arguments.out}/catalogue.jsonl", "w") as file:
        file.writelines(json.dumps(entity) + "\n" for entity in entities)
    asked = [(entity["images"][0], [entity["id"]], "photo") for entity in draw.sample(entities, min(arguments.count, len(entities)))]
    asked += [(image, [], "absent") for image in draw.sample(absent, min(arguments.count, len(absent)))]
    with open(f"{arguments.out}/queries.jsonl", "w") as file:
        for number, (path, truth, edit) in enumerate(asked):
            ground = Image.open(draw.choice(absent)).convert("RGB") if draw.random() < 0.3 else None
            name = f"images/{edit}{number}.jpg"
            photo(Image.open(path).convert("RGB"), ground, draw).save(f"{arguments.out}/{name}", quality=draw.randint(40, 85))
            file.write(json.dumps({"query": f"{edit}{number}", "image": name, "truth": truth, "labels": [], "edit": edit}) + "\n")


if __name__ == "__main__":
    main()
