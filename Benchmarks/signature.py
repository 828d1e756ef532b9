#!/usr/bin/env python3
"""Compares the answers to signatures with those to the pictures that they are of.

    signature.py VQ INDEX QUERIES.jsonl [--limit N] [--step N] [--within SHARE]

QUERIES is a file as for 'vq eval'; '--step' takes every Nth of its queries. Serves the index, and asks for each picture as it is and by
its signature with keypoints, with the labels of the query. Prints, of the queries that have a right entity, the shares in which it is
first, and shown first; of all queries, those that show a wrong entity first; and the bytes of the longest signature as text.

With '--within', fails if a share of the signature's is worse than the picture's by more, or if a signature has more than 24 KB.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import urllib.request

# The most bytes of a signature as text that an app sends: 24 KB.
BYTE_LIMIT = 24 * 1024


def ask(address, body, kind):
    request = urllib.request.Request(address + "/v1/match", data=body, headers={"Content-Type": kind})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def by_picture(address, path, labels):
    parts = [("request", "application/json", json.dumps({"labels": labels, "minConfidence": 0}).encode()),
             ("image", "application/octet-stream", path.read_bytes())]
    body = b"".join(b"--vq\r\nContent-Disposition: form-data; name=\"%s\"\r\nContent-Type: %s\r\n\r\n%s\r\n"
                    % (name.encode(), kind.encode(), content) for name, kind, content in parts) + b"--vq--\r\n"
    return ask(address, body, "multipart/form-data; boundary=vq")


def by_signature(address, signature, labels):
    question = {"labels": labels, "minConfidence": 0, "signature": signature}
    return ask(address, json.dumps(question).encode(), "application/json")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("queries", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=1 << 30)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--within", type=float)
    options = parser.parse_args()
    queries = [json.loads(line) for line in options.queries.read_text().splitlines()][: options.limit : options.step]
    server = subprocess.Popen(
        [options.vq, "serve", "--index", options.index, "--port", "0", "--deadline", "60000", "--max-deadline", "60000", "--quiet"],
        stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip().rstrip("/")
        with urllib.request.urlopen(address + "/v1/catalogue", timeout=120) as answer:
            cut_off = json.load(answer)["minimumConfidence"]
        counts = {form: {"first": 0, "shown": 0, "shown wrong": 0} for form in ("picture", "signature")}
        longest = same = 0
        for query in queries:
            path = options.queries.parent / query["image"]
            signature = subprocess.run(
                [options.vq, "hash", "--keypoints", path], capture_output=True, text=True, check=True).stdout.split()[0]
            longest = max(longest, len(signature))
            answers = {"picture": by_picture(address, path, query["labels"]),
                       "signature": by_signature(address, signature, query["labels"])}
            firsts = []
            for form, answer in answers.items():
                best = answer["values"][0] if answer["values"] else None
                right = best is not None and best["id"] in query["truth"]
                shown = best is not None and best["confidence"] >= cut_off
                counts[form]["first"] += right
                counts[form]["shown"] += right and shown
                counts[form]["shown wrong"] += shown and not right
                firsts.append(best and best["id"])
            same += firsts[0] == firsts[1]
        total = len(queries)
        known = sum(bool(query["truth"]) for query in queries)
        shares = {form: {name: number / max(1, total if name == "shown wrong" else known) for name, number in count.items()}
                  for form, count in counts.items()}
        for form, share in shares.items():
            print(f"{form:10}" + "".join(f"  {name} {number:.3f}" for name, number in share.items()))
        print(f"the same first entity {same / total:.3f}; {total} queries, {known} of them of the catalogue;"
              f" a signature has at most {longest} bytes")
        if options.within is not None:
            signature, picture = shares["signature"], shares["picture"]
            worse = [name for name in ("first", "shown") if signature[name] < picture[name] - options.within]
            worse += ["shown wrong"] if signature["shown wrong"] > picture["shown wrong"] + options.within else []
            if worse or longest > BYTE_LIMIT:
                sys.exit(f"{options.queries}: the signature is worse than the picture: {', '.join(worse) or 'its length'}")
    finally:
        server.terminate()
        server.wait()


main()
