#!/usr/bin/env python3
"""How often an answer flips if its photo is saved again: flips.py VQ TASK... [--count N] [--keep DIR] [--causes] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl (`vq index` and `vq eval` describe them). Every photo is asked as it is and after each of the EDITS
below. For each task and edit, prints the share of photos of which another entity, or none, is then shown first (a flip), and the share of which the confidence of the entity
that came first of the original moves by more than 0.05. --count takes about as many photos of each task, --keep holds the edited photos in a folder for the next run.

--causes also prints, for every photo that flips or moves, the kind of evidence whose weight changed most, with its values before and after, and how often each is the cause.
Needs Pillow.
"""
import argparse
import collections
import json
import os
import subprocess
import tempfile

from PIL import Image

CUT_OFF = 0.85
MOVE = 0.05
BATCH = 60


def at_most(image, side):
    scale = min(1, side / max(image.size))
    return image.resize((round(image.width * scale), round(image.height * scale)), Image.BILINEAR) if scale < 1 else image


def cropped(image):
    """The image without a hundredth of its width and of its height, at the left and at the top."""
    return image.crop((max(1, round(image.width / 100)), max(1, round(image.height / 100)), image.width, image.height))


def turned(image):
    """The image turned by a degree, without the corners that this leaves empty."""
    turned = image.rotate(1, Image.BICUBIC)
    margin = round(max(image.size) * 0.0175 / 2 + 0.5)
    return turned.crop((margin, margin, image.width - margin, image.height - margin))


# A name, what is done to the image, and how it is saved. The page reduces on a canvas (Sources/CServer/files/page/picture.js), whose JPEG halves the colors;
# phones do as well, and many browsers keep the colors.
EDITS = [
    ("saved as JPEG 92", lambda image: image, {"quality": 92}),
    ("saved as JPEG 85", lambda image: image, {"quality": 85}),
    ("2 % smaller", lambda image: image.resize((round(image.width * 0.98), round(image.height * 0.98)), Image.LANCZOS), {"quality": 92}),
    ("turned by 1°", turned, {"quality": 92}),
    ("cropped by 1 %", cropped, {"quality": 92}),
    ("browser", lambda image: at_most(image, 1280), {"quality": 85, "subsampling": 0}),
    ("phone", lambda image: at_most(image, 1024), {"quality": 80, "progressive": True}),
]


def asked(vq, index, images):
    """The answer to each image: a list of (id, confidence, {kind: (value, weight)}), the best first."""
    answers = []
    for start in range(0, len(images), BATCH):
        run = subprocess.run(
            [vq, "match", "--json", "--min-confidence", "0", "--limit", "12", "--products", "12", "--deadline", "0", "--index", index, *images[start : start + BATCH]],
            capture_output=True, text=True)
        for line in run.stdout.splitlines():
            answers.append([(v["id"], v["confidence"], {e["kind"]: (e["value"], e["weight"]) for e in v["evidence"]}) for v in json.loads(line).get("values", [])])
    if len(answers) != len(images):
        raise SystemExit(f"{len(answers)} answers to {len(images)} images")
    return answers


def shown(answer):
    return answer[0][0] if answer and answer[0][1] >= CUT_OFF else None


def difference(before, after):
    """Whether an answer flips, and whether its first entity moves."""
    if not before:
        return shown(after) is not None, bool(after) and after[0][1] > MOVE
    now = next((confidence for id, confidence, _ in after if id == before[0][0]), 0)
    return shown(before) != shown(after), abs(before[0][1] - now) > MOVE


def cause(before, after):
    """The kind of evidence of an entity whose weight changed most, and a line about it."""
    sure = before or after
    if not sure:
        return "none", ""
    id = sure[0][0]
    old, new = (next((v for v in answer if v[0] == id), None) for answer in (before, after))
    if not old or not new:
        return "no candidate", f"{id} {old[1] if old else 0:.2f} -> {new[1] if new else 0:.2f}"
    kinds = set(old[2]) | set(new[2])
    get = lambda v, kind: v[2].get(kind, (0, 0))
    change = lambda kind: get(new, kind)[1] - get(old, kind)[1]
    # Only what moves the sum as the whole moves is a cause; the rest makes up for it.
    total = sum(map(change, kinds))
    ranked = sorted(kinds, key=lambda kind: -change(kind) * (1 if total > 0 else -1))
    words = [f"{kind} {get(old, kind)[0]:.3g} -> {get(new, kind)[0]:.3g} ({change(kind):+.2f})" for kind in ranked[:3] if abs(change(kind)) > 0.1]
    inliers = [get(v, "inliers")[0] for v in (old, new)]
    rivals = [max((get(v, "inliers")[0] for v in answer if v[0] != id), default=0) for answer in (before, after)]
    kind = ranked[0]
    if kind == "lead":
        kind += ", own inliers" if inliers[0] != inliers[1] else ", a rival's inliers" if rivals[0] != rivals[1] else ", likeness"
        kind += ", fewer than eight" if inliers[0] != inliers[1] and max(inliers) < 8 else ""
    return kind, f"{id} {old[1]:.2f} -> {new[1]:.2f}; inliers {inliers[0]:.0f} -> {inliers[1]:.0f}; " + ", ".join(words)


def edited(image, path):
    """The paths of the edited images, which are made unless they are there."""
    paths = [f"{path}-{number}.jpg" for number in range(len(EDITS))]
    for (_, edit, options), path in zip(EDITS, paths):
        if not os.path.exists(path):
            edit(Image.open(image).convert("RGB")).save(path, "JPEG", **options)
    return paths


def row(name, edit, differences):
    flips, moves = (sum(column) for column in zip(*differences))
    print(f"| {name} | {edit} | {len(differences)} | {flips / len(differences):.3f} | {moves / len(differences):.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--count", type=int)
    parser.add_argument("--keep", help="a folder that keeps the edited photos")
    parser.add_argument("--causes", action="store_true")
    parser.add_argument("--allow-outside", action="append", default=[], help="a folder of the tasks' images")
    arguments = parser.parse_args()
    outside = [word for path in arguments.allow_outside for word in ("--allow-outside", path)]
    everything, causes, lines = [], collections.Counter(), []
    print("| task | edit | photos | flip | move by more than 0.05 |\n|---|---|---|---|---|")
    for task in arguments.tasks:
        name = os.path.basename(os.path.normpath(task))
        queries = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
        if arguments.count:
            queries = queries[:: max(1, len(queries) // arguments.count)]
        images = [os.path.join(task, query["image"]) for query in queries]
        with tempfile.TemporaryDirectory() as scratch:
            index, folder = f"{scratch}/index.vq", f"{arguments.keep or scratch}/{name}"
            subprocess.run([arguments.vq, "index", f"{task}/catalogue.jsonl", "--index", index, "-q", *outside], check=True)
            os.makedirs(folder, exist_ok=True)
            variants = [edited(image, f"{folder}/{query['query']}") for query, image in zip(queries, images)]
            before = asked(arguments.vq, index, images)
            of_task = []
            for number, (edit, _, _) in enumerate(EDITS):
                after = asked(arguments.vq, index, [paths[number] for paths in variants])
                differences = [difference(a, b) for a, b in zip(before, after)]
                row(name, edit, differences)
                of_task += differences
                for query, (flips, moves), a, b in zip(queries, differences, before, after):
                    if flips or moves:
                        kind, words = cause(a, b)
                        causes[kind] += 1
                        lines.append(f"{name} {query['query']}, {edit}: {'flip' if flips else 'move'} {words}")
            row(name, "all", of_task)
            everything += of_task
    row("all", "all", everything)
    if arguments.causes:
        print(*lines, sep="\n")
        print(*(f"{count:4d} {kind}" for kind, count in causes.most_common()), sep="\n")


if __name__ == "__main__":
    main()
