#!/usr/bin/env python3
"""Engine mode beside the index on disk: engine.py VQ TASK PICTURES COUNT FOLDER [SHARDS…]

TASK has catalogue.jsonl and queries.jsonl (see docs/quality.md), with one image an entity and absolute paths. The catalogue is filled up to COUNT
images with strangers: the signatures of the JPEGs below PICTURES that TASK does not name, in which an eighth of all keypoint bits are flipped,
so that words are used as unevenly as in real photos (vq-bench growth). It is indexed in FOLDER, unless it is there already. The same queries
are asked of the index and of PostgreSQL servers that this starts: each of SHARDS (1 3 by default) is a number of them. Prints a line of JSON
for each: `found` of `vq eval`, the median time of `vq match` with one thread, the processor time of vq and of the servers a query, and the
median time of both statements by the servers' logs. Needs numpy.
"""
import base64
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/System/postgres"))
from servers import Server, temporary_folder  # noqa: E402

vq, task, pictures, count, kept = *sys.argv[1:4], int(sys.argv[4]), pathlib.Path(sys.argv[5])
shard_counts = [int(word) for word in sys.argv[6:] if word != "0"] if sys.argv[6:] else [1, 3]
binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
queries = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
HEAD, PLACE = 384, 3  # the encoding of signatures (SignatureCoding.swift)


def run(*arguments):
    begin = time.monotonic()
    done = subprocess.run(list(map(str, arguments)), check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout, round(time.monotonic() - begin, 1)


def flipped(signature, generator):
    """The signature of a stranger: other keypoints, another hash."""
    signature = bytearray(signature)
    start = HEAD + PLACE * signature[3]
    bits = np.unpackbits(np.frombuffer(signature[start:], np.uint8))
    bits ^= generator.random(len(bits)) < 1 / 8
    signature[start:] = np.packbits(bits).tobytes()
    signature[8:40] = generator.bytes(32)
    return bytes(signature)


def fill(index):
    """Indexes the catalogue of the task among strangers."""
    own = [json.loads(line) for line in open(f"{task}/catalogue.jsonl")]
    known = {entity["images"][0] for entity in own} | {query["image"] for query in queries}
    others = [str(path) for path in sorted(pathlib.Path(pictures).rglob("*.jpg")) if str(path) not in known]
    feed, signed = kept / "feed.jsonl", kept / "signed.jsonl"
    with open(feed, "w") as file:
        for number, path in enumerate(others):
            own.append({"type": "product", "id": f"stranger{number}", "title": "stranger", "images": [path]})
        for entity in own:
            file.write(json.dumps({**entity, "images": [entity["images"][0].lstrip("/")]}) + "\n")
    lines = [json.loads(line) for line in run(vq, "sign", feed, "--images-root", "/")[0].splitlines()]
    lines = [line for line in lines if line.get("images")]
    strangers = [line for line in lines if line["entity"]["id"].startswith("stranger")]
    kept_lines = [line for line in lines if not line["entity"]["id"].startswith("stranger")]
    generator = np.random.default_rng(7)
    with open(signed, "w") as file:
        for line in kept_lines:
            file.write(json.dumps(line) + "\n")
        for number in range(count - len(kept_lines)):
            line = strangers[number % len(strangers)]
            image = line["images"][0]
            copy = base64.urlsafe_b64encode(flipped(base64.urlsafe_b64decode(image["signature"] + "=="), generator))
            image = {**image, "signature": copy.decode().rstrip("="), "contentHash": number}
            file.write(json.dumps({**line, "entity": {**line["entity"], "id": f"s{number}"}, "images": [image]}) + "\n")
    return run(vq, "index", "--signed", signed, "--images-root", "/", "--index", index, "-q")[1]


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


def ask(servers, *where):
    """What is found, and what a query costs."""
    run(vq, "match", *[query["image"] for query in queries[:10]], *where)
    used, before = resource.getrusage(resource.RUSAGE_CHILDREN), sum(map(ticks, servers))
    lines = run(vq, "match", "--json", "--threads", 1, *[query["image"] for query in queries], *where)[0].splitlines()
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    server = sum(map(ticks, servers)) - before
    found = json.loads(run(vq, "eval", f"{task}/queries.jsonl", "--json", "-q", *where)[0])
    return {
        "matchMs": statistics.median(json.loads(line)["elapsedMs"] for line in lines),
        "vqProcessorMs": round(1000 * (now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) / len(queries), 1),
        "serverProcessorMs": round(1000 * server / len(queries), 1),
        "found": {name: found[name] for name in ("queries", "recallAt1", "recallAt5", "recallAt1PercentFalse", "negatives", "negativesEmpty")},
        "missedCandidates": sum(miss["stage"] == "notACandidate" for miss in found["worst"]),
    }


def statements(server):
    """The median milliseconds of the statements that fetch lists and signatures."""
    log = server.log()
    times = {table: [float(time) for time, text in re.findall(r"duration: ([0-9.]+) ms  statement: (.*?)\n(?=\S)", log, re.DOTALL)
                     if f"from vq.{table} where" in text] for table in ("post", "signature")}
    return {table: round(statistics.median(found), 1) for table, found in times.items() if found}


def engine(folder, index, number):
    """Measures engine mode on a number of servers."""
    tuning = ("shared_buffers = 1GB\nautovacuum = off\nlog_statement = none\nlog_min_duration_statement = 0\nmax_wal_size = 8GB\n"
              "wal_level = minimal\nmax_wal_senders = 0\n")
    servers = [Server(folder / f"{number}-{place}", binaries, settings=tuning) for place in range(number)]
    try:
        main = servers[0]
        run(vq, "postgres", "init", "--index", main.url())
        copied = run(vq, "copy", index, main.url())[1]
        others = [word for server in servers[1:] for word in ("--shard", server.url())]
        posted = run(vq, "postgres", "init", "--index", main.url(), "--shard", "self", *others)[1]
        sizes = {table: round(sum(int(server.sql(f"select pg_total_relation_size('vq.{table}')")[0]) for server in servers) / count)
                 for table in ("post", "signature")}
        cache = folder / f"cache{number}"
        found = ask(servers, "--index", main.url(mode="engine"), "--cache", cache)
        held = sum(path.stat().st_blocks * 512 for path in cache.glob("*.segment"))
        lists = re.search(r"statement: set local.*?copy \((select 0, w.word.*?)\) to stdout", main.log(), re.DOTALL)[1]
        shipped = main.sql(f"select sum(length(posts)), count(*) from ({lists}) q(a, b, c, posts)")
        plan = main.sql("set enable_seqscan = off", f"explain (analyze, costs off) {lists}")
        print(json.dumps({"shards": number, "copySeconds": copied, "postSeconds": posted, "bytesAPicture": sizes,
                          "cacheBytesAPicture": round(held / count), "statementMs": [statements(server) for server in servers],
                          "listBytesAndRowsOfFirst": shipped, **found}), flush=True)
        print(re.sub(r"'\{.*?\}'", "'{…}'", "\n".join(plan)), file=sys.stderr, flush=True)
    finally:
        for server in servers:
            server.stop("immediate")


kept.mkdir(parents=True, exist_ok=True)
index = kept / "own.vq"
seconds = None if index.exists() else fill(index)
print(json.dumps({"embedded": True, "indexSeconds": seconds, **ask([], "--index", index)}), flush=True)
with temporary_folder() as folder:
    for number in shard_counts:
        engine(folder, index, number)
