#!/usr/bin/env python3
"""Other sets of the same photos: photos.py CATALOGUE QUERIES OUT [--images N | --halves] [--removed SHARE] [--seed S]

CATALOGUE and QUERIES are those of a task with many photos of each product. Makes OUT/catalogue.jsonl without a random share of the products,
and OUT/queries.jsonl, in which those have no right answer. With --images, N photos of each product remain; with --halves every other photo
does, and four of the others are asked instead of QUERIES. Seeded.
"""
import argparse
import json
import os
import random


def read(path):
    return [json.loads(line) for line in open(path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalogue")
    parser.add_argument("queries")
    parser.add_argument("out")
    parser.add_argument("--images", type=int)
    parser.add_argument("--halves", action="store_true")
    parser.add_argument("--removed", type=float, default=1 / 3)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    catalogue, queries = read(arguments.catalogue), read(arguments.queries)
    removed = {row["id"] for row in generator.sample(catalogue, round(arguments.removed * len(catalogue)))}
    if arguments.halves:
        queries = [
            {"image": image, "truth": [row["id"]], "labels": row["labels"][:1]}
            for row in catalogue
            for image in generator.sample(row["images"][1::2], min(4, len(row["images"][1::2])))
        ]
    os.makedirs(arguments.out, exist_ok=True)
    with open(f"{arguments.out}/catalogue.jsonl", "w") as file:
        for row in catalogue:
            images = row["images"][::2] if arguments.halves else row["images"]
            if arguments.images:
                images = generator.sample(images, min(arguments.images, len(images)))
            if row["id"] not in removed:
                print(json.dumps({**row, "images": images}), file=file)
    with open(f"{arguments.out}/queries.jsonl", "w") as file:
        for number, query in enumerate(queries):
            absent = removed.issuperset(query["truth"])
            truth = [] if absent else query["truth"]
            print(json.dumps({**query, "query": f"p{number}", "truth": truth, "edit": "absent" if absent else "photo"}), file=file)


if __name__ == "__main__":
    main()
