#!/usr/bin/env python3
"""Measures the cost of changes of single entities: updates.py VQ [--counts 1000,100000] [--puts 1000] [--image FILE]

For each count, indexes so many entities without images (those of filters.py), serves them, and prints as JSON the milliseconds of one
PUT (median and 95th percentile of those sent one after the other, of the first and the last tenth), of the match that follows each,
of PUTs from eight clients at once, and, with `--image`, of PUTs with that image in a form; the segments and the bytes of the
write-ahead log at the end.
"""
import argparse
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

import filters


class Writer:
    def __init__(self, port, key):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"Authorization": f"Bearer {key}"}

    def ask(self, method, path, body, media="application/json"):
        """Returns milliseconds, after checking that the request succeeded."""
        start = time.perf_counter()
        self.connection.request(method, path, body, {**self.headers, "Content-Type": media})
        response = self.connection.getresponse()
        answer = response.read()
        if response.status not in (200, 201):
            raise SystemExit(f"{method} {path}: {response.status} {answer[:300]}")
        return 1e3 * (time.perf_counter() - start)

    def put(self, number, price, image=None):
        entity = json.dumps({"title": f"Put {number}", "labels": ["put", f"put{number % 100}"], "brand": "Brand1",
                             "price": {"amount": f"{price}.00", "currency": "EUR"}}).encode()
        if image is None:
            return self.ask("PUT", f"/v1/entities/product/put{number}", entity)
        # Bytes behind the end of a JPEG make another content of the same picture.
        parts = ((b"entity", entity), (b"photo", image + f"{number} {price}".encode()))
        body = b"".join(b'--part\r\nContent-Disposition: form-data; name="' + name + b'"\r\n\r\n' + content + b"\r\n"
                        for name, content in parts) + b"--part--\r\n"
        return self.ask("PUT", f"/v1/entities/product/put{number}", body, "multipart/form-data; boundary=part")


def figures(times):
    times = sorted(times)
    return {"median": round(statistics.median(times), 2), "p95": round(times[len(times) * 95 // 100], 2), "most": round(times[-1], 2)}


def measure(vq, folder, count, puts, image):
    index, keys = os.path.join(folder, f"{count}.vq"), os.path.join(folder, "keys.txt")
    catalogue = os.path.join(folder, "feed.jsonl")
    filters.write_catalogue(catalogue, count)
    filters.index(vq, catalogue, index)
    if os.path.exists(keys):
        os.remove(keys)
    key = subprocess.run([vq, "key", keys, "--name", "writer", "--role", "write"], capture_output=True, text=True).stdout.strip()
    server = subprocess.Popen([vq, "serve", "--index", index, "--keys", keys, "--port", "0", "--quiet"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)/", server.stdout.readline())[1])
        writer = Writer(port, key)
        times, matches = [], []
        for number in range(puts):
            times.append(writer.put(number, 1))
            matches.append(writer.ask("POST", "/v1/match", json.dumps({"labels": [f"put{number % 100}"]}).encode()))
        result = {"entities": count, "PUT, first tenth, ms": figures(times[:puts // 10]), "PUT, last tenth, ms": figures(times[-puts // 10:]),
                  "match after a PUT, ms": figures(matches)}
        several, start = [], time.perf_counter()

        def client(first):
            own = Writer(port, key)
            for number in range(first, puts, 8):
                several.append(own.put(number, 2))

        threads = [threading.Thread(target=client, args=(first,)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        result["eight clients, PUTs a second"] = round(len(several) / (time.perf_counter() - start))
        result["eight clients, PUT, ms"] = figures(several)
        if image:
            times = [writer.put(number, 3, image) for number in range(puts)]
            result["PUT with image, ms"] = figures(times)
            result["match with image after them, ms"] = round(writer.ask("POST", "/v1/match?deadlineMs=2000", image, "image/jpeg"), 2)
        names = os.listdir(index)
        result["segments"] = sum(name.endswith(".segment") for name in names)
        result["write-ahead log, MB"] = round(os.path.getsize(os.path.join(index, "catalogue.sqlite-wal")) / 1e6, 1)
        result["catalogue.sqlite, MB"] = round(os.path.getsize(os.path.join(index, "catalogue.sqlite")) / 1e6, 1)
    finally:
        server.terminate()
        server.wait()
    return result


def main():
    parser = argparse.ArgumentParser(description="Measures the cost of changes of single entities.")
    parser.add_argument("vq", metavar="VQ")
    parser.add_argument("--counts", default="1000,100000")
    parser.add_argument("--puts", type=int, default=1000)
    parser.add_argument("--image", metavar="FILE", help="a JPEG")
    given = parser.parse_args()
    image = open(given.image, "rb").read() if given.image else None
    folder = tempfile.mkdtemp()
    try:
        for count in given.counts.split(","):
            print(json.dumps(measure(os.path.abspath(given.vq), folder, int(count), given.puts, image), indent=1), flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
