#!/usr/bin/env python3
"""What is found of the things of pages and scenes: pages.py VQ INDEX QUERIES [--products N]

QUERIES are those of vq eval; `truth` names all things of an image. For each kind of image (`edit` without digits, and the number of
things), prints the number of images, the share of the things found among the answers, the share shown from the default cut-off of
0.85 on, the share of the images whose first answer is right, and the number of other things that are shown. For images of absent
things, prints how many show something.
"""
import argparse
import collections
import json
import os
import re
import subprocess

CUT_OFF = 0.85


def kind(query):
    name = re.sub(r"\d", "", query.get("edit") or "image")
    things = len(query["truth"])
    return f"{name}, {things} things" if things > 1 else name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("--products", type=int, help="the most products of an answer")
    arguments = parser.parse_args()
    vq, index = map(os.path.abspath, (arguments.vq, arguments.index))
    queries = [json.loads(line) for line in open(arguments.queries)]
    limits = ["--products", str(arguments.products), "--limit", str(arguments.products)] if arguments.products else []
    command = [vq, "match", "--json", "--min-confidence", "0", *limits, "--index", index]
    folder = os.path.dirname(os.path.abspath(arguments.queries))
    run = subprocess.run(command + [query["image"] for query in queries], cwd=folder, capture_output=True, text=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(queries):
        raise SystemExit(f"{len(answers)} answers to {len(queries)} images: {run.stderr[:300]}")
    for answer in answers:
        if "values" not in answer:
            raise SystemExit(f"no answer to an image: {json.dumps(answer)[:300]}")
    counts = collections.defaultdict(collections.Counter)
    for query, answer in zip(queries, answers):
        truth = {thing.split(":")[-1] for thing in query["truth"]}
        found = [(value["id"], value["confidence"]) for value in answer["values"]]
        shown = {id for id, confidence in found if confidence >= CUT_OFF}
        count = counts[kind(query)]
        count["images"] += 1
        count["things"] += len(truth)
        count["found"] += len(truth & {id for id, _ in found})
        count["shown"] += len(truth & shown)
        count["first"] += bool(found) and found[0][0] in truth
        count["wrong"] += len(shown - truth)
        count["showing"] += bool(shown)
    print(f"{'KIND':24} IMAGES  FOUND  SHOWN  FIRST  WRONG")
    for name, count in sorted(counts.items()):
        images, things = count["images"], count["things"]
        if things:
            shares = (count["found"] / things, count["shown"] / things, count["first"] / images)
            print(f"{name:24} {images:6}  " + "  ".join(f"{share:.3f}" for share in shares) + f"  {count['wrong']:5}")
        else:
            print(f"{name:24} {images:6}  {count['showing']} show something, {count['wrong']} in all")


if __name__ == "__main__":
    main()
