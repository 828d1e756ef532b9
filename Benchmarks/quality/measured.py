"""The candidates of a task's queries with their evidence, as `vq match` measures them: for scripts that fit coefficients."""
import json
import os
import pathlib
import subprocess

BATCH = 40
COEFFICIENTS = pathlib.Path(__file__).resolve().parent.parent.parent / "Sources/CConfidence/files/confidence.txt"


def coefficients(column):
    """The coefficients of the program in one column of its tables, by the names of the rows."""
    found, head = {}, None
    for words in (line.split() for line in open(COEFFICIENTS, encoding="utf-8") if not line.startswith("#")):
        if not words:
            continue
        if words[0].startswith("["):
            head = None
        elif head is None:
            head = words
        elif column in head:
            found[words[0]] = float(words[head.index(column)])
    return found


def add_options(parser):
    parser.add_argument("--indexes", help="a folder that keeps the indexes")
    parser.add_argument("--answers", help="a folder that keeps the candidates; to be emptied after a change of the program")
    parser.add_argument("--allow-outside", action="append", default=[], help="a folder of the tasks' images")
    parser.add_argument("--queries", type=int, default=200, help="about as many queries of each task (up to twice as many)")


def read(path):
    return [json.loads(line) for line in open(path)]


def is_right(value, query):
    return value["id"] in query["truth"] or f"{value['type']}:{value['id']}" in query["truth"]


def of(vq, task, name, arguments, folder):
    """[(query, values)] of a task, a folder with catalogue.jsonl and queries.jsonl; the values are those of `vq match --json`."""
    kept = f"{arguments.answers}/{name}.json" if arguments.answers else None
    if kept and os.path.exists(kept):
        return json.load(open(kept))
    for path in (arguments.indexes, arguments.answers):
        if path:
            os.makedirs(path, exist_ok=True)
    index = f"{arguments.indexes or folder}/{name}.vq"
    if not os.path.exists(index):
        outside = [word for path in arguments.allow_outside for word in ("--allow-outside", path)]
        subprocess.run([vq, "index", f"{task}/catalogue.jsonl", "--index", index, "-q", *outside], check=True)
    queries = read(f"{task}/queries.jsonl")
    queries = queries[:: max(1, len(queries) // arguments.queries)]
    found = []
    for start in range(0, len(queries), BATCH):
        batch = queries[start : start + BATCH]
        images = [os.path.join(task, query["image"]) for query in batch]
        run = subprocess.run(
            [vq, "match", "--json", "--min-confidence", "0", "--limit", "12", "--products", "12", "--deadline", "0", "--index", index, *images],
            capture_output=True, text=True)
        found += [(query, json.loads(line).get("values", [])) for query, line in zip(batch, run.stdout.splitlines(), strict=True)]
    if kept:
        json.dump(found, open(kept, "w"))
    return found
