#!/usr/bin/env python3
"""Draws what the program answers to a sample photo: picture.py VQ [OUTPUT]

Indexes the sample shop, asks for the photo that README.md begins with, and writes the photo with the outlines beside
the cards of the answer as SVG (docs/images/answer.svg). The images are those of `vq match --report`, the texts those of
`vq match --json`. Standard library only.
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
QUERY = ["match", "Samples/queries/q06-oats.jpg", "--labels", "box"]
TIERS = {"exact": "the same image", "near": "the same thing, in another photo", "similar": "looks alike", "label": "only labels agree"}
GREEN, INK, SOFT = "#0b6b53", "#1b1c1a", "#5c5f58"


def asked(vq):
    """Returns the answer, and the addresses and sizes of its images: the photo's first, then those of the matches."""
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            return subprocess.run([vq, *words], cwd=TOP, check=True, capture_output=True, text=True).stdout
        index = ["--index", f"{folder}/shop.vq"]
        run("index", "Samples/shop/catalogue.jsonl", *index, "--quiet")
        answer = json.loads(run(*QUERY, "--json", "--report", f"{folder}/report.html", *index))
        report = pathlib.Path(folder, "report.html").read_text()
    images = re.findall(r'<symbol id="[^"]+" viewBox="0 0 (\d+) (\d+)"><image href="([^"]+)"', report)
    return answer, [(int(width), int(height), address) for width, height, address in images]


def text(x, y, words, size=15, color=INK, weight=400, anchor="start"):
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{color}" text-anchor="{anchor}">{html.escape(words)}</text>'


def badge(x, y, number):
    return (f'<circle cx="{x:.0f}" cy="{y:.0f}" r="14" fill="{GREEN}" stroke="#fff" stroke-width="2"/>'
            + text(f"{x:.0f}", f"{y + 5:.0f}", str(number), 15, "#fff", 700, "middle"))


def photo(answer, image, left, top, width):
    """The photo, with the outline of every thing that was found."""
    height = image[1] * width / image[0]
    parts = [f'<image href="{image[2]}" x="{left}" y="{top}" width="{width}" height="{height:.0f}"/>']
    for value in answer["values"]:
        if not value.get("alignment"):
            continue
        corners = [(left + x * width, top + y * height) for x, y in value["alignment"]["outline"]]
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in corners)
        parts += [f'<polygon points="{points}" fill="none" stroke="{color}" stroke-width="{stroke}" stroke-linejoin="round"/>'
                  for color, stroke in (("#fff", 6), (GREEN, 3))]
        parts.append(badge(*corners[0], value["rank"]))
    return parts, height


def card(value, image, left, top, width):
    """A card: image, title, confidence as a number and a bar, and where it leads."""
    side = 76
    scale = min(side / image[0], side / image[1])
    middle = left + 102
    remark = f"has {value['stocks']} in stock" if value.get("stocks") else TIERS[value["tier"]]
    bar = 120
    return [
        f'<rect x="{left}" y="{top}" width="{width}" height="98" rx="12" fill="#fff" stroke="#d9dad3"/>',
        f'<image href="{image[2]}" x="{left + 14 + (side - image[0] * scale) / 2:.0f}" y="{top + 11 + (side - image[1] * scale) / 2:.0f}" '
        f'width="{image[0] * scale:.0f}" height="{image[1] * scale:.0f}"/>',
        badge(left + 16, top + 16, value["rank"]),
        text(middle, top + 29, value["display"]["title"], 17, INK, 650),
        text(middle, top + 51, remark, 13, SOFT),
        f'<rect x="{middle}" y="{top + 66}" width="{bar}" height="8" rx="4" fill="#e7e8e2"/>',
        f'<rect x="{middle}" y="{top + 66}" width="{bar * value["confidence"]:.0f}" height="8" rx="4" fill="{GREEN}"/>',
        text(middle + bar + 12, top + 75, f"{int(100 * value['confidence']) / 100:.2f}", 14, INK, 650),
        text(middle, top + 91, value["url"].removeprefix("https://"), 12, GREEN),
    ]


def drawing(answer, images):
    parts, height = photo(answer, images[0], 24, 60, 470)
    parts.append(f'<text x="24" y="{60 + height + 34:.0f}" font-size="14" font-family="ui-monospace, monospace" fill="{SOFT}">'
                 f'$ vq match photo.jpg --labels {QUERY[-1]} --index shop.vq</text>')
    bottom = 60 + height
    for index, (value, image) in enumerate(zip(answer["values"], images[1:])):
        parts += card(value, image, 520, 60 + 110 * index, 356)
        bottom = max(bottom, 60 + 110 * index + 98)
    total = bottom + 24
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {total:.0f}" width="900" height="{total:.0f}" role="img" '
        'font-family="system-ui, sans-serif">',
        "<title>A photo of a kitchen, with the box and the tin outlined, beside the cards of the answer</title>",
        f'<rect width="900" height="{total:.0f}" rx="16" fill="#f6f6f3"/>',
        text(24, 38, "a customer’s photo", 15, SOFT), text(520, 38, "what this shop has of it", 15, SOFT),
    ]
    return "\n".join(head + parts + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    output = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else TOP / "docs/images/answer.svg")
    output.write_text(drawing(*asked(str(pathlib.Path(sys.argv[1]).resolve()))))


if __name__ == "__main__":
    main()
