#!/usr/bin/env python3
"""Measures the cost of filters and the delay that they cause to other requests: filters.py VQ [--count N] [--index FOLDER]

Indexes N entities without images (`--index` keeps and reuses the index), serves them, and prints as JSON: the indexing time per entity;
the milliseconds of each kind of request, sent alone; and those of light requests (one entity by its id, a match by a label) while HEAVY
clients keep sending requests with 32 comparators. The delay of a light request is its time minus its time alone. `--deadline` is the
server's maximum. Everything runs on this machine, so with few processors the clients take their share too.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading
import time

WORDS = [a + b for a in "mug kettle lamp tent cup plate knife chair table spoon bag boot coat sock hat belt fork bowl jar pan".split()
         for b in ("", "let", "er", "ing", "ish", "ster", "ette", "y", "ling", "man")] + [f"w{i:x}" for i in range(20000)]


def write_catalogue(path, count):
    draw = random.Random(1)
    with open(path, "w") as file:
        for i in range(count):
            if i % 1000 == 999:
                row = {"type": "store", "id": f"s{i}", "title": f"Store {i}", "address": f"{i} Road", "labels": ["store"],
                       "geo": {"latitude": draw.uniform(-60, 60), "longitude": draw.uniform(-180, 180)}}
            else:
                row = {"type": "product", "id": f"p{i}", "title": "Thing " + " ".join(draw.choices(WORDS, k=3)),
                       "subtitle": " ".join(draw.choices(WORDS, k=3)), "brand": f"Brand{draw.randrange(50)}", "group": f"group{i // 3}",
                       "price": {"amount": f"{draw.randrange(100, 20000) / 100:.2f}", "currency": "EUR"},
                       "availability": draw.choice(["inStock"] * 9 + ["outOfStock"]), "labels": [WORDS[i % 200], "thing"],
                       "url": f"https://shop.example/p/{i}", "size": str(draw.randrange(40)), "weight": draw.randrange(2000),
                       "material": draw.choice(["Wool", "Steel", "Oak", "Cotton"])}
            file.write(json.dumps(row) + "\n")


def index(vq, catalogue, folder):
    process = subprocess.Popen([vq, "index", catalogue, "--index", folder, "--quiet"])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"vq index ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method, path, body=None):
        """Returns milliseconds, status and answer."""
        start = time.perf_counter()
        self.connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"} if body else {})
        response = self.connection.getresponse()
        answer = response.read()
        return 1e3 * (time.perf_counter() - start), response.status, answer


def query(*comparators, **rest):
    return ("POST", "/v1/entities:query", {"comparators": [
        {"property": p, "comparison": c, "value": v} for p, c, v in comparators], **rest})


def match(**body):
    return ("POST", "/v1/match", {"deadlineMs": 10000, **body})


LIGHT = {"one entity": ("GET", "/v1/entities/product/p5"), "match by label": match(labels=["mug"])}
HEAVY = {
    "32 contains, either": query(*[("subtitle", "contains", f"zzz{i}") for i in range(32)], mode="or"),
    "32 ends, either": query(*[("title", "hasSuffix", f"zzz{i}") for i in range(32)], mode="or"),
    "all by price": query(sortedBy=[{"property": "price"}]),
    "match, 32 contains": match(labels=["thing"], where=[f"title~zzz{i}" for i in range(32)]),
    "all by availability": query(sortedBy=[{"property": "availability"}]),
    "text of one letter": ("GET", "/v1/entities?q=w"),
}
OTHERS = {
    "price<20": query(("price", "lessThan", 20)), "brand=Brand3": query(("brand", "equalTo", "Brand3")),
    "size=12 (a text)": query(("size", "equalTo", 12)), "title~mug": query(("title", "contains", "mug")),
    "title^=thing mug": query(("title", "hasPrefix", "thing mug")), "id=p5": query(("id", "equalTo", "p5")),
    "brand=Brand3, title~mug": query(("brand", "equalTo", "Brand3"), ("title", "contains", "mug")),
    "material!=Wool": query(("material", "notEqualTo", "Wool")), "labels=mug": query(("labels", "equalTo", "mug")),
    "price<20 by title": query(("price", "lessThan", 20), sortedBy=[{"property": "title"}]),
    "no condition": query(), "suggested": ("GET", "/v1/entities/suggested"), "text, a word": ("GET", "/v1/entities?q=kettle"),
    "text, a word of all": ("GET", "/v1/entities?q=thing"), "text of stores": ("GET", "/v1/entities?q=store&type=store"),
    "match, price<20": match(labels=["mug"], where=["price<20"]), "sync": ("GET", "/v1/sync?limit=100"),
}


def summary(times):
    times = sorted(times)
    return {"median": round(statistics.median(times), 2), "p99": round(times[int(0.99 * (len(times) - 1))], 2), "most": round(times[-1], 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--index")
    parser.add_argument("--clients", type=int, default=4, help="heavy clients")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--deadline", type=int, default=10000)
    arguments = parser.parse_args()
    vq, scratch = os.path.abspath(arguments.vq), tempfile.mkdtemp()
    folder = os.path.abspath(arguments.index or os.path.join(scratch, "shop.vq"))
    result = {"entities": arguments.count}
    server = None
    try:
        if not os.path.exists(folder):
            catalogue = os.path.join(scratch, "catalogue.jsonl")
            write_catalogue(catalogue, arguments.count)
            seconds, megabytes = index(vq, catalogue, folder)
            size = os.path.getsize(os.path.join(folder, "catalogue.sqlite"))
            result["index"] = {"cpuMicrosecondsAnEntity": round(1e6 * seconds / arguments.count), "megabytes": round(megabytes),
                               "bytesAnEntity": round(size / arguments.count),
                               "feedBytesAnEntity": round(os.path.getsize(catalogue) / arguments.count)}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen([vq, "serve", "--index", folder, "--port", str(port), "--max-deadline", str(arguments.deadline), "--quiet"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        server.stdout.readline()
        client, alone = Client(port), {}
        for name, asked in {**LIGHT, **OTHERS, **HEAVY}.items():
            rounds = [client.ask(*asked) for _ in range(5)]
            alone[name] = {"milliseconds": round(statistics.median(time for time, _, _ in rounds), 2),
                           "status": rounds[-1][1], "bytes": len(rounds[-1][2])}
        result["alone"] = alone
        stop, counts = time.perf_counter() + arguments.seconds, []

        def keep_asking(number):
            own, asked = Client(port), list(HEAVY.values())
            while time.perf_counter() < stop:
                own_time, status, _ = own.ask(*asked[number % len(asked)])
                counts.append((own_time, status))
                number += 1

        threads = [threading.Thread(target=keep_asking, args=(number,)) for number in range(arguments.clients)]
        for thread in threads:
            thread.start()
        light = {name: [] for name in LIGHT}
        refused = 0
        while time.perf_counter() < stop:
            for name, asked in LIGHT.items():
                spent, status, _ = client.ask(*asked)
                refused += status != 200
                light[name].append(spent)
            time.sleep(0.01)
        for thread in threads:
            thread.join()
        result["besideHeavyClients"] = {name: summary(times) for name, times in light.items()}
        result["heavy"] = {"clients": arguments.clients, "answers": len(counts), "refused": sum(status != 200 for _, status in counts),
                           **summary([spent for spent, _ in counts]), "lightRefused": refused}
        print(json.dumps(result, indent=1))
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
