#!/usr/bin/env python3
"""Runs every query of a task with vq and writes the answers in the form that a scorer reads.

usage: answers.py VQ TASK_DIR OUT.jsonl [--catalogue FILE] [--labels] [--limit N] [--raw]

TASK_DIR holds catalogue.jsonl, in the form `vq index` reads, and queries.jsonl with one line per query:
{"query": NAME, "image": PATH, "truth": [ids], "labels": [...], "edit": WORD}, paths being relative to
TASK_DIR. The index is made in a temporary directory. A line of OUT is {"query": NAME, "results": [{"id", "score"}, ...]}, best first;
with --raw the whole vq.match/1 object, with "truth" and "edit" added.
"""
import argparse
import collections
import json
import os
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("vq")
parser.add_argument("task")
parser.add_argument("out")
parser.add_argument("--labels", action="store_true")
parser.add_argument("--limit", type=int, default=5)
parser.add_argument("--catalogue", help="where it does not stand in TASK_DIR")
parser.add_argument("--raw", action="store_true")
args = parser.parse_args()

queries = [json.loads(line) for line in open(f"{args.task}/queries.jsonl")]
groups = collections.defaultdict(list)
for query in queries:
    groups[",".join(query["labels"]) if args.labels else ""].append(query)

answers = {}
with tempfile.TemporaryDirectory() as folder:
    index = f"{folder}/shop.vq"
    summary = subprocess.run(
        [args.vq, "index", args.catalogue or f"{args.task}/catalogue.jsonl", "--index", index], check=True, capture_output=True, text=True
    )
    print(summary.stdout.strip())
    start = time.perf_counter()
    for labels, group in groups.items():
        command = [args.vq, "match", "--json", "--index", index, "--min-confidence", "0", "--deadline", "0"]
        command += ["--limit", str(args.limit), "--products", str(args.limit)]
        command += ["--labels", labels] if labels else []
        for first in range(0, len(group), 500):
            part = group[first : first + 500]
            run = subprocess.run(command + [os.path.join(args.task, q["image"]) for q in part], check=True, capture_output=True, text=True)
            for query, line in zip(part, run.stdout.splitlines(), strict=True):
                answers[query["query"]] = json.loads(line)
    seconds = time.perf_counter() - start
print(f"{len(queries)} queries in {seconds:.1f} s, {1e3 * seconds / len(queries):.1f} ms each")

with open(args.out, "w") as out:
    for query in queries:
        answer = answers[query["query"]]
        if args.raw:
            row = dict(answer, query=query["query"], truth=query["truth"], edit=query["edit"])
        else:
            row = {
                "query": query["query"],
                "results": [{"id": v["id"], "score": v["confidence"]} for v in answer["values"]],
            }
        out.write(json.dumps(row) + "\n")
