#!/usr/bin/env python3
"""Compares searches that may end early with whole ones: early.py VQ INDEX QUERIES [--most N] [--edited]

Asks for each image of QUERIES as ever, and with --explain, which searches to the end. QUERIES is a file as 'vq eval' reads it, or the catalogue.jsonl of
the index: then its images are asked for. With --edited, each is saved again at three qualities, scaled and cropped (Pillow), and these are asked for. Prints
JSON: the number of queries, and by edit of those that ended early after a glance and after the first candidates; the share of the processor time; how many
answers differ in each field; and of those that ended after a glance the least overlap of the box of the thing with that of the whole search. The exit
code is 1 if anything differs that docs/performance.md does not name.
"""
import argparse
import collections
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

# What a search that ends after its first candidates measures over fewer rivals.
CANDIDATES = {"evidence.inlierLead", "evidence.lead", "evidence.support", "evidence.stock"}
# What one that ends after a glance does not measure, or by the place of the image instead of by keypoints.
GLANCE = {f"evidence.{kind}" for kind in ("votes", "inliers", "agreement", "inlierLead", "support", "alignedColor", "lead", "labels", "stock")} | {
    "values.alignment", "objects"}
# Of a time, or with what was not measured in it.
LEFT_OUT = {"elapsedMs", "continuation"}


def run(vq, index, images, *options):
    """Returns the answers, each with the steps that it took, and the processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([vq, "match", *images, "--index", index, "--json", "--threads", "1", "--profile", *options], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    steps = [set(re.findall(r"^(\w+) +[\d.]+ +\d+ %", part, re.M)) for part in re.split(r"^STEP .*$", done.stderr, flags=re.M)[1:]]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return list(zip(answers, steps, strict=True)), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def edited(queries, folder, out):
    """Saves each image in five edits, and returns their queries."""
    from PIL import Image
    made = []
    for index, query in enumerate(queries):
        image = Image.open(os.path.join(folder, query["image"])).convert("RGB")
        width, height = image.size
        scale = 200 / max(width, height)
        edits = {
            "jpeg95": (image, 95), "jpeg75": (image, 75), "jpeg50": (image, 50),
            "side200": (image.resize((max(1, int(scale * width)), max(1, int(scale * height)))), 90),
            "crop2": (image.crop((width // 50, height // 50, width - width // 50, height - height // 50)), 90)}
        for name, (picture, quality) in edits.items():
            made.append({"image": f"{index}-{name}.jpg", "edit": name})
            picture.save(os.path.join(out, made[-1]["image"]), quality=quality)
    return made


def end(steps):
    """Returns where a search ended that took some steps: after a glance, after its first candidates, or as a whole."""
    return "glance" if "signature" not in steps else "candidates" if "geometry" not in steps else None


def differing(whole, early):
    """Returns the fields in which two answers differ, those of matches with their names, and of evidence with its kind."""
    fields = {key for key in whole.keys() | early.keys() if key not in LEFT_OUT | {"values"} and whole.get(key) != early.get(key)}
    matches, others = whole.get("values", []), early.get("values", [])
    if [match["id"] for match in matches] != [match["id"] for match in others]:
        return fields | {"values"}
    for match, other in zip(matches, others):
        fields |= {f"values.{key}" for key in match.keys() | other.keys() if key != "evidence" and match.get(key) != other.get(key)}
        terms, own = ({term["kind"]: term for term in value["evidence"]} for value in (match, other))
        fields |= {f"evidence.{kind}" for kind in terms.keys() | own.keys() if terms.get(kind) != own.get(kind)}
    return fields


def overlap(a, b):
    """Returns the intersection of two boxes over their union."""
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(0, across) * max(0, down)
    return common / (a[2] * a[3] + b[2] * b[3] - common)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--edited", action="store_true")
    arguments = parser.parse_args()
    folder = os.path.dirname(arguments.queries)
    queries = []
    for line in open(arguments.queries):
        row = json.loads(line)
        queries += [{"image": image, "edit": "none"} for image in row.get("images", [])] + ([row] if row.get("image") else [])
    queries = queries[::max(1, len(queries) // arguments.most)][:arguments.most]
    out = tempfile.TemporaryDirectory()
    if arguments.edited:
        queries, folder = edited(queries, folder, out.name), out.name
    images = [os.path.join(folder, query["image"]) for query in queries]
    whole, time = run(arguments.vq, arguments.index, images, "--explain")
    early, shorter = run(arguments.vq, arguments.index, images)
    if not len(whole) == len(early) == len(images):
        raise SystemExit(f"{len(images)} images, {len(whole)} and {len(early)} answers")
    named = {None: set(), "glance": GLANCE, "candidates": CANDIDATES}
    ended, fields = ({name: collections.Counter() for name in named} for _ in range(2))
    least, others = 1, []
    for query, (answer, _), (other, steps) in zip(queries, whole, early):
        name = end(steps)
        ended[name][query.get("edit", "none")] += 1
        found = differing(answer, other)
        fields[name].update(found)
        if found - named[name]:
            others.append(query["image"])
        elif name == "glance":
            least = min(least, overlap(answer["objects"][0]["box"], other["objects"][0]["box"]))
    print(json.dumps({
        "queries": len(queries), "endedAfter": {name: sum(ended[name].values()) for name in ("glance", "candidates")},
        "byEdit": {name: ended[name] for name in ("glance", "candidates")}, "processorTimeRatio": round(shorter / time, 3),
        "differing": {name or "whole": fields[name] for name in named}, "leastOverlap": round(least, 2), "others": others}))
    sys.exit(bool(others))


if __name__ == "__main__":
    main()
