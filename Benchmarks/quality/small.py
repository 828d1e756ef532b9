#!/usr/bin/env python3
"""What small images find: small.py VQ INDEX QUERIES SIDE... [--count N]

Reduces each image of QUERIES (as for vq eval) to a longer side of SIDE pixels, and evaluates them without labels. Prints a row of a table for each SIDE: the share
of right entities that come first, that are first and above the cut-off, and of wrong ones above it, and of images of absent things with an answer. Needs Pillow.
"""
import argparse
import json
import os
import subprocess
import tempfile

from PIL import Image


def reduced(path, side, to):
    image = Image.open(path).convert("RGB")
    scale = side / max(image.size)
    image.resize([max(1, round(length * scale)) for length in image.size], Image.LANCZOS).save(to)
    return to


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("sides", nargs="+", type=int)
    parser.add_argument("--count", type=int, default=150)
    arguments = parser.parse_args()
    folder = os.path.dirname(os.path.abspath(arguments.queries))
    queries = [json.loads(line) for line in open(arguments.queries)]
    queries = queries[:: max(1, len(queries) // arguments.count)]
    print("| longer side | queries | recall@1 | shown right | shown wrong | absent shown |\n|---|---|---|---|---|---|")
    for side in arguments.sides:
        with tempfile.TemporaryDirectory() as work:
            with open(f"{work}/queries.jsonl", "w") as file:
                for number, query in enumerate(queries):
                    image = reduced(os.path.join(folder, query["image"]), side, f"{work}/{number}.png")
                    file.write(json.dumps({**query, "image": image}) + "\n")
            run = subprocess.run(
                [arguments.vq, "eval", f"{work}/queries.jsonl", "--index", arguments.index, "--without-labels", "--json", "-q"],
                check=True, capture_output=True, text=True)
        answer = json.loads(run.stdout)
        absent = answer.get("negativesEmpty")
        columns = [f"{answer[key]:.3f}" for key in ("recallAt1", "shownRight", "shownWrong")]
        print(f"| {side} | {len(queries)} | {' | '.join(columns)} | {'' if absent is None else f'{1 - absent:.3f}'} |", flush=True)


if __name__ == "__main__":
    main()
