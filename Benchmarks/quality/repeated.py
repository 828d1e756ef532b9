#!/usr/bin/env python3
"""A task in which each image belongs to several products: repeated.py TASK OUT [--times 3]

TASK has catalogue.jsonl and queries.jsonl. Makes OUT/catalogue.jsonl, in which each product is there several times under other ids, as in a
feed with a row for each size, and OUT/queries.jsonl, in which each of them is right.
"""
import argparse
import json
import os


def read(path):
    return [json.loads(line) for line in open(path)]


def write(path, rows):
    with open(path, "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task")
    parser.add_argument("out")
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()

    def ids(value):
        return [f"{value}-{number}" for number in range(arguments.times)]

    def absolute(path):
        return os.path.abspath(os.path.join(arguments.task, path))

    os.makedirs(arguments.out, exist_ok=True)
    products = read(f"{arguments.task}/catalogue.jsonl")
    for product in products:
        product["images"] = [absolute(image) for image in product["images"]]
    write(f"{arguments.out}/catalogue.jsonl", [dict(product, id=value) for product in products for value in ids(product["id"])])
    write(
        f"{arguments.out}/queries.jsonl",
        [
            dict(query, image=absolute(query["image"]), truth=[value for right in query["truth"] for value in ids(right)])
            for query in read(f"{arguments.task}/queries.jsonl")
        ],
    )


if __name__ == "__main__":
    main()
