#!/usr/bin/env python3
"""Compares searches that may end early with whole ones: early.py VQ INDEX QUERIES [--most N]

Asks for each image of QUERIES, a file as 'vq eval' reads it, with and without --answers sure. Prints JSON: the number of queries, of those that
ended early, by edit, the processor time of both, and how many answers differ in each field. The exit code is 1 if anything but evidence differs.
"""
import argparse
import collections
import json
import os
import resource
import subprocess
import sys

# What a search that ends early does not measure, or measures over fewer candidates.
EVIDENCE = {"votes", "inlierLead", "lead", "support"}
# Of a time, or of the question itself.
LEFT_OUT = {"elapsedMs", "continuation", "possible"}


def run(vq, index, images, *options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([vq, "match", *images, "--index", index, "--json", "--threads", "1", *options], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [json.loads(line) for line in done.stdout.splitlines()], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def differing(whole, early):
    """Returns the fields in which two answers differ, those of matches with their names, and of evidence with its kind."""
    fields = {key for key in whole.keys() | early.keys() if key not in LEFT_OUT | {"values"} and whole.get(key) != early.get(key)}
    matches, others = whole.get("values", []), early.get("values", [])
    if [match["id"] for match in matches] != [match["id"] for match in others]:
        return fields | {"values"}
    for match, other in zip(matches, others):
        fields |= {f"values.{key}" for key in match if key != "evidence" and match[key] != other.get(key)}
        terms, own = ({term["kind"]: term for term in value["evidence"]} for value in (match, other))
        fields |= {f"evidence.{kind}" for kind in terms.keys() | own.keys() if terms.get(kind) != own.get(kind)}
    return fields


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("queries")
    parser.add_argument("--most", type=int, default=1000)
    arguments = parser.parse_args()
    folder = os.path.dirname(arguments.queries)
    queries = [query for line in open(arguments.queries) if (query := json.loads(line)).get("image")]
    queries = queries[::max(1, len(queries) // arguments.most)][:arguments.most]
    images = [os.path.join(folder, query["image"]) for query in queries]
    whole, time = run(arguments.vq, arguments.index, images)
    early, shorter = run(arguments.vq, arguments.index, images, "--answers", "sure")
    if not len(whole) == len(early) == len(images):
        raise SystemExit(f"{len(images)} images, {len(whole)} and {len(early)} answers")
    fields, ended = collections.Counter(), collections.Counter()
    for query, answer, other in zip(queries, whole, early):
        fields.update(differing(answer, other))
        if any("votes" not in {term["kind"] for term in match["evidence"]} for match in other.get("values", [])[:1]):
            ended[query.get("edit", "none")] += 1
    print(json.dumps({
        "queries": len(queries), "endedEarly": sum(ended.values()), "byEdit": dict(ended), "processorTimeRatio": round(shorter / time, 3),
        "differing": dict(fields)}))
    sys.exit(any(field.removeprefix("evidence.") not in EVIDENCE for field in fields))


if __name__ == "__main__":
    main()
