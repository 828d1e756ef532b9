#!/usr/bin/env python3
"""Engine mode beside the index on disk: engine.py VQ TASK[,TASK…] PICTURES COUNT FOLDER [SHARDS…]

Each TASK has catalogue.jsonl and queries.jsonl (see docs/quality.md), with one image an entity and absolute paths; entities with the same
image are one. At most 120 queries of each are asked, those with an answer. The catalogue is filled up to COUNT images with strangers: the
signatures of the JPEGs below PICTURES that no TASK names, in which an eighth of all keypoint bits are flipped, so that words are used as
unevenly as in real photos (vq-bench growth). It is indexed and compacted in FOLDER, unless it is there already. The same queries are asked of
the index and of PostgreSQL servers that this starts: each of SHARDS (1 3 by default) is a number of them. Prints a line of JSON for each: of
how many queries of each task the right entity is a candidate (among the first 100, or by `vq why-not`) and the first one, the median time of
`vq match` with one thread, the processor time of vq and of the servers a query, the median time of both statements by the servers' logs, and
what filling the tables took: seconds by the clock, processor seconds of vq and of the servers. Signatures are never held in memory. FOLDER
needs 11 KB an image, /tmp 22 KB. Needs numpy.
"""
import base64
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/System/postgres"))
from servers import Server, temporary_folder  # noqa: E402

vq, tasks, pictures, count, kept = sys.argv[1], sys.argv[2].split(","), sys.argv[3], int(sys.argv[4]), pathlib.Path(sys.argv[5])
shard_counts = [int(word) for word in sys.argv[6:] if word != "0"] if sys.argv[6:] else [1, 3]
binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
HEAD, PLACE = 384, 3  # the encoding of signatures (SignatureCoding.swift)
QUERIES = 120  # the most of a task


def read(path):
    return [json.loads(line) for line in open(path)]


def merged():
    """The entities of all tasks, by their images, and the queries of each task."""
    entities, queries = {}, {}
    for task in tasks:
        name, ids = pathlib.Path(task).name, {}
        for entity in read(f"{task}/catalogue.jsonl"):
            known = entities.setdefault(entity["images"][0], {**entity, "id": f"{name}-{entity['id']}"})
            ids[entity["id"]] = known["id"]
        asked = [query for query in read(f"{task}/queries.jsonl") if query["truth"]]
        few = min(QUERIES, len(asked))
        asked = [asked[place * len(asked) // few] for place in range(few)]
        queries[name] = [{**query, "truth": [ids[one] for one in query["truth"]]} for query in asked]
    return list(entities.values()), queries


own, queries = merged()
all_queries = [query for some in queries.values() for query in some]


def run(*arguments):
    begin = time.monotonic()
    done = subprocess.run(list(map(str, arguments)), check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout, round(time.monotonic() - begin, 1)


def flipped(signature, generator):
    """The signature of a stranger: other keypoints, another hash."""
    signature = bytearray(signature)
    start = HEAD + PLACE * signature[3]
    bits = np.frombuffer(generator.bytes(3 * (len(signature) - start)), np.uint8).reshape(3, -1)
    signature[start:] = (np.frombuffer(signature[start:], np.uint8) ^ (bits[0] & bits[1] & bits[2])).tobytes()
    signature[8:40] = generator.bytes(32)
    return bytes(signature)


def sign(entities, name):
    """The lines of `vq sign` with an image."""
    feed = kept / f"{name}.jsonl"
    with open(feed, "w") as file:
        for entity in entities:
            file.write(json.dumps({**entity, "images": [entity["images"][0].lstrip("/")]}) + "\n")
    lines = run(vq, "sign", feed, "--images-root", "/")[0].splitlines()
    feed.unlink()
    return [line for line in map(json.loads, lines) if line.get("images")]


def fill(index):
    """Indexes the catalogue of the tasks among strangers."""
    named = {entity["images"][0] for entity in own} | {query["image"] for query in all_queries}
    others = [str(path) for path in sorted(pathlib.Path(pictures).rglob("*.jpg")) if str(path) not in named]
    lines = sign(own, "own")
    strangers = sign([{"type": "product", "id": f"o{number}", "title": "stranger", "images": [path]} for number, path in enumerate(others)], "others")
    generator = np.random.default_rng(7)
    signed = kept / "signed.jsonl"
    with open(signed, "w") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
        for number in range(count - len(lines)):
            line = strangers[number % len(strangers)]
            image = line["images"][0]
            copy = base64.urlsafe_b64encode(flipped(base64.urlsafe_b64decode(image["signature"] + "=="), generator))
            image = {**image, "signature": copy.decode().rstrip("="), "contentHash": number}
            file.write(json.dumps({**line, "entity": {**line["entity"], "id": f"s{number}"}, "images": [image]}) + "\n")
    seconds = run(vq, "index", "--signed", signed, "--images-root", "/", "--index", index, "-q")[1]
    signed.unlink()
    return [seconds, run(vq, "catalogue", "compact", "--index", index)[1]]


def ticks(server):
    """The processor time of a server's processes in seconds, of those that have ended too."""
    postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
    total = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(path.parent.name) == postmaster:
            total += sum(map(int, fields[11:15]))
        elif int(fields[1]) == postmaster:
            total += sum(map(int, fields[11:13]))
    return total / os.sysconf("SC_CLK_TCK")


class Spent:
    """The processor time of vq and of servers since this was made."""

    def __init__(self, servers):
        self.servers, self.begin = servers, self.now(servers)

    @staticmethod
    def now(servers):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime, sum(map(ticks, servers))

    def seconds(self):
        return [now - begin for now, begin in zip(self.now(self.servers), self.begin)]


def answers(where, *options):
    images = [query["image"] for query in all_queries]
    return [json.loads(line) for line in run(vq, "match", "--json", *options, *images, *where)[0].splitlines()]


def is_candidate(image, entity, where):
    """Whether an entity that is not among the first 100 is a candidate."""
    return json.loads(run(vq, "why-not", image, "--expect", entity, "--json", *where)[0])["stage"] != "notACandidate"


def ask(servers, *where):
    """What is found, and what a query costs."""
    places = []
    for answer, query in zip(answers(where, "--limit", 100, "--products", 100, "--min-confidence", 0), all_queries, strict=True):
        ids = [match["id"] for match in answer["values"]]
        place = min((ids.index(one) for one in query["truth"] if one in ids), default=None)
        if place is None and any(is_candidate(query["image"], one, where) for one in query["truth"]):
            place = 100
        places.append(place)
    logged = [len(server.log()) for server in servers]
    spent = Spent(servers)
    lines = answers(where, "--threads", 1)
    used = [round(1000 * seconds / len(lines), 1) for seconds in spent.seconds()]
    found, first = {}, 0
    for name, some in queries.items():
        own_places = places[first:first + len(some)]
        first += len(some)
        found[name] = {"queries": len(some), "candidates": sum(place is not None for place in own_places),
                       "first": sum(place == 0 for place in own_places)}
    return {
        "found": found, "matchMs": round(statistics.median(line["elapsedMs"] for line in lines), 1),
        "vqProcessorMs": used[0], "serverProcessorMs": used[1],
        "statements": [statements(server.log()[begin:], len(lines)) for server, begin in zip(servers, logged)],
    }


def statements(log, count):
    """How often a query runs the statements that fetch lists and signatures, and their median milliseconds."""
    times = {table: [float(time) for time, text in re.findall(r"duration: ([0-9.]+) ms  statement: (.*?)\n(?=\S)", log, re.DOTALL)
                     if f"from vq.{table} where" in text] for table in ("post", "signature")}
    return {table: {"perQuery": round(len(found) / count, 2), "medianMs": round(statistics.median(found), 1), "mostMs": max(found)}
            for table, found in times.items() if found}


def loaded(servers, *arguments):
    """The seconds of a command: on the clock, of processors by vq and by the servers."""
    spent = Spent(servers)
    seconds = run(*arguments)[1]
    return [seconds, *(round(one, 1) for one in spent.seconds())]


def engine(folder, index, number):
    """Measures engine mode on a number of servers."""
    tuning = ("shared_buffers = 1GB\nautovacuum = off\nlog_statement = none\nlog_min_duration_statement = 0\nmax_wal_size = 2GB\n"
              "wal_level = minimal\nmax_wal_senders = 0\n")
    servers = [Server(folder / f"{number}-{place}", binaries, settings=tuning) for place in range(number)]
    try:
        main = servers[0]
        run(vq, "postgres", "init", "--index", main.url())
        copied = loaded(servers, vq, "copy", index, main.url())
        others = [word for server in servers[1:] for word in ("--shard", server.url())]
        posted = loaded(servers, vq, "postgres", "init", "--index", main.url(), "--shard", "self", *others)
        sizes = {table: round(sum(int(server.sql(f"select pg_total_relation_size('vq.{table}')")[0]) for server in servers) / count)
                 for table in ("post", "signature")}
        cache = folder / f"cache{number}"
        cached = loaded(servers, vq, "match", all_queries[0]["image"], "--index", main.url(mode="engine"), "--cache", cache)
        found = ask(servers, "--index", main.url(mode="engine"), "--cache", cache)
        held = sum(path.stat().st_blocks * 512 for path in cache.glob("*.segment"))
        lists = re.search(r"statement: set local.*?copy \((select 0, w.word.*?)\) to stdout", main.log(), re.DOTALL)[1]
        shipped = main.sql(f"select sum(length(posts)), count(*) from ({lists}) q(a, b, c, posts)")
        plan = main.sql("set enable_seqscan = off", f"explain (analyze, costs off) {lists}")
        print(json.dumps({"shards": number, "copySeconds": copied, "postSeconds": posted, "cacheSeconds": cached, "bytesAPicture": sizes,
                          "cacheBytesAPicture": round(held / count), "listBytesAndRowsOfFirst": shipped, **found}), flush=True)
        print(re.sub(r"'\{.*?\}'", "'{…}'", "\n".join(plan)), file=sys.stderr, flush=True)
    finally:
        for server in servers:
            server.stop("immediate")
            shutil.rmtree(server.folder)


kept.mkdir(parents=True, exist_ok=True)
index = kept / "own.vq"
seconds = None if index.exists() else fill(index)
print(json.dumps({"embedded": True, "indexAndCompactSeconds": seconds, **ask([], "--index", index)}), flush=True)
with temporary_folder() as folder:
    for number in shard_counts:
        engine(folder, index, number)
