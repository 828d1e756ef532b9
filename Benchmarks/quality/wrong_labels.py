#!/usr/bin/env python3
"""Gives every query of an evaluation the labels of another query, none of which is right.

    wrong_labels.py queries.jsonl > wrong.jsonl
    vq eval wrong.jsonl --index shop.vq        beside    vq eval queries.jsonl --without-labels

Image paths stay valid: relative ones are resolved against the folder of the file that was read.
"""
import json
import os
import random
import sys

path = sys.argv[1]
folder = os.path.dirname(os.path.abspath(path))
with open(path, encoding="utf-8") as file:
    queries = [json.loads(line) for line in file if line.strip()]
labels = sorted({tuple(query.get("labels", [])) for query in queries})
generator = random.Random(1)
for query in queries:
    own = set(query.get("labels", []))
    others = [other for other in labels if other and not own & set(other)]
    query["labels"] = list(generator.choice(others)) if own and others else []
    query["image"] = os.path.join(folder, query["image"])
    print(json.dumps(query, ensure_ascii=False))
