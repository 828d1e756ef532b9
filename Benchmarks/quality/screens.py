#!/usr/bin/env python3
"""Screens and pages of a shop: screens.py PRESENT ABSENT OUT [--margins]

PRESENT and ABSENT are catalogues (JSON Lines with absolute image paths) that share no product. Makes OUT/catalogue.jsonl, the entities of
PRESENT with their first image, and OUT/queries.jsonl with OUT/images, for pages.py: screens of a phone with a grid, a list or one product
and a row of others; pages that were photographed a little from the side; and cards that lie over each other. Every fourth grid and photo
shows products of ABSENT alone. With --margins, the images of the catalogue get white margins, as those of many shops have. Seeded; needs
numpy and Pillow.
"""
import argparse
import json
import os
import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageOps

from planar import perspective

WORDS = ("Fresh today", "1 l", "Mild", "Best seller", "New in", "Organic")


def text(page, at, words, size, color=(40, 40, 40)):
    ImageDraw.Draw(page).text(at, words, color, ImageFont.load_default(size))


def put(page, image, box, fills=False):
    """Puts an image in the middle of a box, whole, or so that it fills it."""
    x, y, width, height = box
    shown = ImageOps.fit(image, (width, height)) if fills else ImageOps.contain(image, (width, height))
    page.paste(shown, (x + (width - shown.width) // 2, y + (height - shown.height) // 2))


def frame(gray):
    """A phone's screen with what stands at its top and its bottom."""
    page = Image.new("RGB", (1170, 2532), (gray,) * 3)
    ink = (230,) * 3 if gray < 128 else (20,) * 3
    text(page, (80, 50), "9:41", 44, ink)
    ImageDraw.Draw(page).rectangle((40, 150, 1130, 250), (60,) * 3 if gray < 128 else (232,) * 3)
    text(page, (90, 175), "Search", 44, (130,) * 3)
    text(page, (48, 290), "Offers", 70, ink)
    for number, name in enumerate(("Home", "Shop", "Cart", "You")):
        text(page, (110 + 290 * number, 2440), name, 34, (120,) * 3)
    return page, ink


def grid(images, draw):
    page, ink = frame(draw.choice((255, 242, 18)))
    fills, tall = draw.random() < 0.4, len(images) <= 4
    for number, image in enumerate(images):
        x, y = 36 + number % 2 * 567, 400 + number // 2 * (826 if tall else 680)
        put(page, image, (x, y, 531, 620 if tall else 480), fills)
        text(page, (x + 14, y + (640 if tall else 500)), draw.choice(WORDS), 40, ink)
        text(page, (x + 14, y + (700 if tall else 560)), f"{draw.randint(1, 99)}.90", 44, (200, 30, 40))
    return page


def listing(images, draw):
    page, ink = frame(255)
    for number, image in enumerate(images):
        y = 400 + 335 * number
        put(page, image, (40, y + 15, 330, 290))
        text(page, (410, y + 60), draw.choice(WORDS), 50, ink)
        text(page, (410, y + 180), f"{draw.randint(1, 99)}.90", 50, (200, 30, 40))
        ImageDraw.Draw(page).line((410, y + 325, 1170, y + 325), (225,) * 3, 2)
    return page


def detail(images, draw):
    page, ink = frame(255)
    put(page, images[0], (0, 260, 1170, 1000))
    text(page, (48, 1300), draw.choice(WORDS), 70, ink)
    for line in range(5):
        text(page, (48, 1420 + 50 * line), "All about it, and where it comes from.", 38, (90,) * 3)
    for number, image in enumerate(images[1:]):
        put(page, image, (48 + 370 * number, 2040, 330, 330))
    return page


def printed(images, draw):
    """A page of products as in a leaflet."""
    columns = 2 if len(images) == 4 else 3 if len(images) < 12 else 4
    side = 300
    page = Image.new("RGB", (columns * side + 20, -(-len(images) // columns) * side + 20), "white")
    for number, image in enumerate(images):
        x, y = 20 + number % columns * side, 20 + number // columns * side
        put(page, image, (x, y, side - 20, side - 60))
        text(page, (x + 10, y + side - 55), draw.choice(WORDS), 24)
    return page


def ground(draw, size):
    noise = np.random.default_rng(draw.getrandbits(32))
    return Image.fromarray(noise.uniform(40, 210, (5, 5, 3)).astype(np.uint8)).resize(size, Image.BICUBIC)


def lay(photo, image, middle, turn, lean, scale, draw):
    """Lays an image on a photo, turned and seen from the side."""
    size = image.size
    box = np.array([[-size[0], -size[1]], [size[0], -size[1]], [size[0], size[1]], [-size[0], size[1]]]) * scale / 2
    box *= [[1 - draw.uniform(0, lean), 1 - draw.uniform(0, lean)] for _ in box]
    box = box @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + middle
    mapped = perspective(box, size)
    shape = Image.new("L", size, 255).transform(photo.size, Image.PERSPECTIVE, mapped, Image.BILINEAR)
    photo.paste(image.transform(photo.size, Image.PERSPECTIVE, mapped, Image.BICUBIC), mask=shape)


def developed(photo, draw):
    noise = np.random.default_rng(draw.getrandbits(32))
    pixels = np.asarray(photo.filter(ImageFilter.GaussianBlur(0.8)), float) * draw.uniform(0.8, 1)
    return Image.fromarray(np.clip(pixels + noise.normal(0, 4, pixels.shape), 0, 255).astype(np.uint8))


def photographed(images, draw):
    page = printed(images, draw)
    size = (1400, 1050) if page.width > page.height else (1050, 1400)
    photo = ground(draw, size)
    scale = draw.uniform(0.85, 0.95) * min(size[0] / page.width, size[1] / page.height)
    lay(photo, page, [side / 2 for side in size], np.deg2rad(draw.uniform(-8, 8)), draw.uniform(0.02, 0.15), scale, draw)
    return developed(photo, draw)


def cards(images, draw):
    photo = ground(draw, (1400, 1050))
    for number, image in enumerate(images):
        card = ImageOps.expand(ImageOps.contain(image, (500, 500)), 14, "white")
        middle = [300 + 800 * number / max(1, len(images) - 1), draw.uniform(420, 630)]
        lay(photo, card, middle, np.deg2rad(draw.uniform(-12, 12)), 0.02, 1.1, draw)
    return developed(photo, draw)


KINDS = (("grid", grid, (4, 6), 24), ("list", listing, (6,), 12), ("detail", detail, (4,), 12), ("photo", photographed, (4, 6, 9, 12), 32), ("cards", cards, (2, 3, 4), 24))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("present")
    parser.add_argument("absent")
    parser.add_argument("out")
    parser.add_argument("--margins", action="store_true")
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    draw, out = random.Random(arguments.seed), os.path.abspath(arguments.out)
    os.makedirs(f"{out}/images", exist_ok=True)
    shops = [[row for row in map(json.loads, open(path)) if row.get("images")] for path in (arguments.present, arguments.absent)]
    pictures = {}
    for row in (row for shop in shops for row in shop):
        image = Image.open(row["images"][0]).convert("RGB")
        if arguments.margins:
            side = int(max(image.size) * draw.uniform(1.2, 1.8))
            wide = Image.new("RGB", (side, side), "white")
            wide.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
            row["images"] = [f"{out}/images/{len(pictures)}-shop.jpg"]
            wide.save(row["images"][0], quality=92)
            image = wide
        pictures[row["id"]] = image
    with open(f"{out}/catalogue.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in shops[0])
    with open(f"{out}/queries.jsonl", "w") as file:
        for kind, make, counts, number in KINDS:
            for index in range(number):
                absent = kind in ("grid", "photo") and index % 4 == 3
                ids = [row["id"] for row in draw.sample(shops[absent], counts[index // (2 if kind in ("grid", "photo") else 1) % len(counts)])]
                name = f"images/{kind}{index}.png"
                make([pictures[id] for id in ids], draw).save(f"{out}/{name}")
                file.write(json.dumps({"query": f"{kind}{index}", "image": name, "truth": [] if absent else ids, "labels": [], "edit": "negative" if absent else kind}) + "\n")


if __name__ == "__main__":
    main()
