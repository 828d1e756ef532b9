#!/usr/bin/env python3
"""What a model's vectors may say: oracle.py VQ TASK... [--every N]

TASK is a folder with catalogue.jsonl and queries.jsonl, as `vq eval` reads them. Each entity gets a random direction of 256 numbers as the vector of its images. A
query is asked without a vector, and with that of

    perfect     the right entity with noise (a cosine of some 0.9 to it, of 0 to all others); a random one if the catalogue lacks the thing
    noise       nothing: a random direction
    alike       nothing, while all entities have nearly the same vector: a model to which all things are alike

and each row says how many are shown right, how many see a wrong entity, and how many absent ones see one, at the default cut-off. The vectors are drawn with a fixed seed.
"""
import argparse
import base64
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import tempfile

SIDE = 256


def direction(draw):
    return [draw.gauss(0, 1) for _ in range(SIDE)]


def mixed(vector, draw, share):
    """The vector with noise, so that the cosine to it is about `share`."""
    scale = math.sqrt(1 / share ** 2 - 1)
    return [own + scale * other for own, other in zip(vector, direction(draw))]


def packed(vector):
    return base64.b64encode(struct.pack(f"<{SIDE}e", *vector)).decode()


def rows(path):
    return [json.loads(line) for line in open(path)]


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def asked(vq, index, folder, queries, vectors):
    """The shown entities of each query."""
    answers = []
    for query, vector in zip(queries, vectors):
        line = [vq, "match", query["image"], "--json", "--index", index, "--deadline", "0"]
        if query.get("labels"):
            line += ["--labels", ",".join(query["labels"])]
        if vector:
            line += ["--embedding", write(f"{folder}/vector.json", [{"model": "drawn", "vector": packed(vector)}])]
        found = subprocess.run(line, capture_output=True, text=True)
        if found.returncode > 1:
            raise SystemExit(found.stderr)
        answers.append([value["id"] for value in json.loads(found.stdout)["values"]])
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    print("| task | vectors | shown right | a wrong one | absent |")
    print("|---|---|---|---|---|")
    for task in options.tasks:
        queries = rows(task / "queries.jsonl")[::options.every]
        for query in queries:
            query["image"] = os.path.abspath(task / query["image"])
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("none", "perfect", "noise", "alike"):
                draw = random.Random(1)
                same, of = direction(draw), {}
                entities = rows(task / "catalogue.jsonl")
                for entity in entities:
                    entity["images"] = [os.path.abspath(task / path) for path in entity["images"]]
                    of[entity["id"]] = mixed(same, draw, 0.99) if kind == "alike" else direction(draw)
                    if kind != "none":
                        entity["embeddings"] = {"model": "drawn", "vectors": [packed(of[entity["id"]])] * len(entity["images"])}
                index = f"{folder}/{kind}.vq"
                subprocess.run(
                    [options.vq, "index", write(f"{folder}/{kind}.jsonl", entities), "--index", index, "--allow-outside", "/", "-q"], check=True)
                vectors = [None if kind == "none" else mixed(of[query["truth"][0]], draw, 0.9) if kind == "perfect" and query["truth"]
                           else mixed(same, draw, 0.99) if kind == "alike" else direction(draw) for query in queries]
                answers = asked(options.vq, index, folder, queries, vectors)
                right = wrong = absent = 0
                for query, shown in zip(queries, answers):
                    if query["truth"]:
                        right += bool(shown) and shown[0] in query["truth"]
                        wrong += bool(shown) and shown[0] not in query["truth"]
                    else:
                        absent += bool(shown)
                present = sum(bool(query["truth"]) for query in queries)
                print(f"| {task.name} | {kind} | {right} of {present} | {wrong} | {absent} of {len(queries) - present} |", flush=True)


if __name__ == "__main__":
    main()
