#!/usr/bin/env python3
"""Counts the sure answers for things that a catalogue lacks: left_out.py VQ CATALOGUE [--parts N] [--allow-outside DIR]

CATALOGUE is a catalogue.jsonl. Each group of it (each entity, if it has none) is left out once, together with others if N parts are asked for, the rest is
indexed, and the images of what is left out are asked for: there is no right answer. Prints how many have a sure one, and how many a list.
"""
import argparse
import json
import os
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("vq")
parser.add_argument("catalogue")
parser.add_argument("--parts", type=int)
parser.add_argument("--allow-outside", action="append", default=[])
options = parser.parse_args()
vq, root = os.path.abspath(options.vq), os.path.dirname(os.path.abspath(options.catalogue))
rows = [json.loads(line) for line in open(options.catalogue)]
groups = sorted({row.get("group", row["id"]) for row in rows})
parts = [groups[part :: options.parts] for part in range(options.parts)] if options.parts else [[group] for group in groups]
outside = [word for path in options.allow_outside for word in ("--allow-outside", path)]
asked = sure = nearly_certain = lists = 0
with tempfile.TemporaryDirectory() as folder:
    for number, part in enumerate(parts):
        absent = [row for row in rows if row.get("group", row["id"]) in part]
        with open(f"{folder}/{number}.jsonl", "w") as rest:
            rest.writelines(json.dumps(row) + "\n" for row in rows if row not in absent)
        index = f"{folder}/{number}.vq"
        subprocess.run([vq, "index", rest.name, "--index", index, "--images-root", root, "-q", *outside], check=True)
        images = [os.path.join(root, image) for row in absent for image in row["images"]]
        found = subprocess.run([vq, "match", "--json", "--deadline", "0", "--index", index, *images], capture_output=True, text=True).stdout
        for answer in map(json.loads, found.splitlines()):
            asked += 1
            sure += bool(answer["values"])
            nearly_certain += any(value["confidence"] >= 0.95 for value in answer["values"])
            lists += bool(answer["possible"]) and not answer["values"]
print(f"{asked} images of absent things: {sure} sure answers, {nearly_certain} of them from 0.95 on, and {lists} lists")
