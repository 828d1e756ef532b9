#!/usr/bin/env python3
"""What a fit of a shop's own images brings: own.py VQ TASK... [--folder DIR] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl. Its catalogue is indexed, its queries are asked, `vq fit --own` asks for its own images, and the queries are asked again.
Prints a row for each task: the verdict, what the own images tell, and of the queries the share shown right, the absent ones shown, and how many of the answers from 0.9 on are right.
--folder keeps the indexes.
"""
import argparse
import json
import os
import subprocess
import tempfile

BATCH = 100


def run(words, codes=(0,)):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def asked(vq, index, task):
    """Returns for each query whether it has a right answer, whether the one shown is right, and its confidence; 0 if none is shown."""
    queries = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
    rows = []
    for start in range(0, len(queries), BATCH):
        part = queries[start : start + BATCH]
        images = [os.path.join(task, query["image"]) for query in part]
        lines = run([vq, "match", "--json", "--deadline", "0", "--index", index, *images]).splitlines()
        for query, line in zip(part, lines, strict=True):
            first = next(iter(json.loads(line)["values"]), None)
            rows.append((bool(query["truth"]), bool(first) and first["id"] in query["truth"], first["confidence"] if first else 0))
    return rows


def figures(rows):
    present = [row for row in rows if row[0]]
    absent = [row for row in rows if not row[0]]
    sure = [row for row in rows if row[2] >= 0.9]
    share = lambda part, whole: f"{len(part) / len(whole):.3f}" if whole else "–"
    return [
        share([row for row in present if row[1]], present), share([row for row in present if row[2] and not row[1]], present),
        share([row for row in absent if row[2]], absent), f"{sum(row[1] for row in sure)} of {len(sure)}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--folder")
    parser.add_argument("--allow-outside", action="append", default=[])
    arguments = parser.parse_args()
    outside = [word for path in arguments.allow_outside for word in ("--allow-outside", path)]
    print("| task | own images: sure without their things | verdict | shown right | shown wrong | absent shown | right from 0.9 on |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or temporary
        os.makedirs(folder, exist_ok=True)
        for task in arguments.tasks:
            name = os.path.basename(os.path.normpath(task))
            index = f"{folder}/{name}.vq"
            if not os.path.exists(index):
                run([arguments.vq, "index", f"{task}/catalogue.jsonl", "--index", index, "-q", *outside], (0, 1))
            run([arguments.vq, "fit", "--undo", "--own", "--index", index], (0, 1))
            before = figures(asked(arguments.vq, index, task))
            verdict = json.loads(run([arguments.vq, "fit", "--own", "--json", "-q", "--index", index], (0, 1)))
            after = figures(asked(arguments.vq, index, task))
            own = verdict["own"]["withoutOwn"]
            changes = [old if old == new else f"{old} → {new}" for old, new in zip(before, after)]
            print(f"| {name} | {own['sure']} of {own['asked']} | {verdict['verdict']} | {' | '.join(changes)} |", flush=True)


if __name__ == "__main__":
    main()
