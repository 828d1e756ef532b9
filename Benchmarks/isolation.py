#!/usr/bin/env python3
"""What it costs to decode in another process: isolation.py VQ INDEX IMAGE [--count N]

Starts two servers, one with `--isolate off`, and asks both in turn with the same image. Prints the time of the answers of each, and the
difference within pairs. Standard library only.
"""
import argparse
import contextlib
import http.client
import pathlib
import re
import statistics
import subprocess
import time

TYPES = {".heic": "image/heic", ".avif": "image/avif", ".webp": "image/webp", ".gif": "image/gif", ".jpg": "image/jpeg"}


@contextlib.contextmanager
def serving(vq, index, switch):
    process = subprocess.Popen(
        [vq, "serve", "--index", index, "--port", "0", "--quiet", "--formats", "all", "--isolate", switch],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    connection = http.client.HTTPConnection("127.0.0.1", int(re.search(r":(\d+)/", process.stdout.readline())[1]))
    try:
        yield connection
    finally:
        connection.close()
        process.terminate()
        process.wait()


def milliseconds(connection, body, kind):
    start = time.perf_counter()
    connection.request("POST", "/v1/match?deadlineMs=2000", body, {"Content-Type": kind})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{answer.status}: {text.decode()}")
    return 1000 * (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["vq", "index", "image"]:
        parser.add_argument(name)
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    image = pathlib.Path(arguments.image)
    question = (image.read_bytes(), TYPES[image.suffix])
    with serving(arguments.vq, arguments.index, "on") as on, serving(arguments.vq, arguments.index, "off") as off:
        pairs = []
        for index in range(arguments.count + 10):
            # Each is the first of its pair half of the time.
            order = [on, off] if index % 2 else [off, on]
            times = {server: milliseconds(server, *question) for server in order}
            pairs.append((times[on], times[off]))
    # The first ones load libraries and fill caches.
    pairs = pairs[10:]
    differences = sorted(first - second for first, second in pairs)
    quarter = len(differences) // 4
    print(f"processes {statistics.median(first for first, _ in pairs):.2f} ms, within the server "
          f"{statistics.median(second for _, second in pairs):.2f} ms")
    print(f"difference within pairs: median {statistics.median(differences):+.2f} ms, middle half "
          f"{differences[quarter]:+.2f} to {differences[-quarter - 1]:+.2f} ms")


if __name__ == "__main__":
    main()
