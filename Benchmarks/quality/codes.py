#!/usr/bin/env python3
"""Bar codes of every size: codes.py VQ PHOTO [PHOTO...]

Draws an EAN-13 on a plain ground and on each photo, at 10 to 90 % of the width of 1600 × 1200 pixels, turned by 0°, 10°, 37° and 90°, blurs the image as a
camera does (σ 0.8) and saves it as JPEG. Prints how many of each size are read, that is, find the one product of an index that has the number. A code that does
not fit into the image at an angle is left out. Needs Pillow.
"""
import json
import os
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw, ImageFilter

NUMBER, SIZE = "4006381333931", (1600, 1200)
LEFT = ["0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011"]
PARITIES = ["LLLLLL", "LLGLGG", "LLGGLG", "LLGGGL", "LGLLGG", "LGGLLG", "LGGGLL", "LGLGLG", "LGLGGL", "LGGLGL"]


def inverted(modules):
    return modules.translate(str.maketrans("01", "10"))


def modules(digits):
    """The modules of an EAN-13, 1 for a bar (GS1 General Specifications, 5.2)."""
    digits = [int(digit) for digit in digits]
    left = [LEFT[digit] if parity == "L" else inverted(LEFT[digit])[::-1] for digit, parity in zip(digits[1:7], PARITIES[digits[0]])]
    return "101" + "".join(left) + "01010" + "".join(inverted(LEFT[digit]) for digit in digits[7:]) + "101"


def label(width):
    """A white label with the code, whose bars are so wide together."""
    module, scale = width / 95, 4
    size = (round(width + 18 * module), round(0.55 * width + 8 * module))
    image = Image.new("L", (size[0] * scale, size[1] * scale), 255)
    draw = ImageDraw.Draw(image)
    for index, bar in enumerate(modules(NUMBER)):
        if bar == "1":
            draw.rectangle([(9 + index) * module * scale, 4 * module * scale, (10 + index) * module * scale - 1, (size[1] - 4 * module) * scale], fill=20)
    return image.resize(size, Image.LANCZOS)


def drawn(ground, share, degrees):
    """The ground with the code, or None if it does not fit."""
    code = label(SIZE[0] * share)
    mask = Image.new("L", code.size, 255).rotate(degrees, expand=True)
    code = code.rotate(degrees, expand=True, resample=Image.BICUBIC, fillcolor=255)
    if code.width > 1.15 * SIZE[0] or code.height > 1.15 * SIZE[1]:
        return None
    image = ground.copy()
    image.paste(code.convert("RGB"), ((SIZE[0] - code.width) // 2, (SIZE[1] - code.height) // 2), mask)
    return image.filter(ImageFilter.GaussianBlur(0.8))


def main(vq, *photos):
    grounds = [Image.new("RGB", SIZE, (235, 232, 228))] + [Image.open(path).convert("RGB").resize(SIZE) for path in photos]
    with tempfile.TemporaryDirectory() as folder:
        Image.new("RGB", (200, 200), "#8a6d3b").save(f"{folder}/thing.png")
        with open(f"{folder}/feed.jsonl", "w") as file:
            file.write(json.dumps({"type": "product", "id": "thing", "title": "Thing", "images": ["thing.png"], "gtin": NUMBER}) + "\n")
        subprocess.run([vq, "index", f"{folder}/feed.jsonl", "--index", f"{folder}/shop.vq", "-q"], capture_output=True)
        print("| share of the width | read |\n|---|---|")
        for percent in range(10, 100, 10):
            paths = []
            for ground in grounds:
                for degrees in (0, 10, 37, 90):
                    image = drawn(ground, percent / 100, degrees)
                    if image:
                        paths.append(f"{folder}/{len(paths)}.jpg")
                        image.save(paths[-1], quality=88)
            found = subprocess.run([vq, "match", "--json", "--deadline", "0", "--index", f"{folder}/shop.vq", *paths], capture_output=True, text=True).stdout
            read = sum(any(value["tier"] == "code" for value in json.loads(line)["values"]) for line in found.splitlines())
            print(f"| {percent} % | {read} of {len(paths)} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[1]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
