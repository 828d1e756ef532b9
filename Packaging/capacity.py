#!/usr/bin/env python3
"""Sizes a service by measurements on this machine: capacity.py --index DIR --photos DIR --images N --rate Q

Asks servers with one thread, made for this and ended after it: photos of customers (JPEGs in --photos), and small copies of the shop's own images, as
screenshots are, over the index and over a half of it. From the difference it says which cores, memory and disk N images and Q questions a second need,
and which options. It takes a minute on a quiet machine; on a busy one it asks for too much. Standard library only.

example: capacity.py --index shop.vq --photos photos --images 200000 --rate 20
"""
import argparse
import http.client
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

# Fewer images than this do not show how the work grows.
LEAST = 1000
# Beyond this share of the processor, requests wait for each other: of arrivals at random, one in a hundred then waits three times its own time.
BUSY = 0.6


class Server:
    def __init__(self, vq, index):
        self.process = subprocess.Popen([vq, "serve", "--index", index, "--port", "0", "--threads", "1", "--quiet", "--max-deadline", "60000"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"capacity: 'vq serve' does not begin over '{index}'; try it by hand")
        self.port = int(re.search(r":(\d+)/", line).group(1))

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, {"Content-Type": "image/jpeg"} if body else {})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def processor(self):
        """Seconds of the processor so far."""
        return float(re.search(r"^process_cpu_seconds_total (\S+)", self.ask("GET", "/metrics")[1].decode(), re.M).group(1))

    def memory(self):
        """Bytes of the process that are not files of the index, and of all of its helpers."""
        processes = [self.process.pid, *children(self.process.pid)]
        return sum(int(re.search(r"^RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text(), re.M).group(1)) * 1024
                   for process in processes if os.path.exists(f"/proc/{process}/status"))


def children(process):
    try:
        found = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [int(one) for one in found] + [other for one in found for other in children(int(one))]


def measure(server, pictures, seconds):
    """The processor time of a question in seconds."""
    for picture in pictures:
        status, text = server.ask("POST", "/v1/match?deadlineMs=60000", picture)
        if status != 200:
            sys.exit(f"capacity: a photo is refused with {status}: {json.loads(text).get('detail')}")
    before = server.processor()
    count, ends = 0, time.monotonic() + seconds
    while time.monotonic() < ends or count < 2 * len(pictures):
        server.ask("POST", "/v1/match?deadlineMs=60000", pictures[count % len(pictures)])
        count += 1
    return (server.processor() - before) / count


class Shop:
    """An index with what its questions cost."""

    def __init__(self, arguments, index, photos):
        shown = subprocess.run([arguments.vq, "catalogue", "status", "--json", "--index", index], capture_output=True, text=True)
        if shown.returncode:
            sys.exit(shown.stderr.strip())
        status = json.loads(shown.stdout)
        self.images, self.bytes = status["images"], status["bytes"]
        server = Server(arguments.vq, index)
        try:
            _, text = server.ask("GET", "/v1/entities?type=product&cursor=&limit=40")
            found = [server.ask("GET", f"/v1/entities/product/{urllib.parse.quote(one['id'], safe='')}/thumbnail?size=large")
                     for one in json.loads(text)["entities"]]
            self.copies = [image for status, image in found if status == 200 and image[:2] == b"\xff\xd8"]
            self.photo = measure(server, photos, arguments.seconds)
            self.copy = measure(server, self.copies, arguments.seconds) if self.copies else self.photo
            self.memory = server.memory()
        finally:
            server.process.terminate()
            server.process.wait()


def half(arguments, folder):
    """An index with every second entity of the shop's."""
    export = subprocess.Popen([arguments.vq, "catalogue", "export", "--index", arguments.index], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    header = json.loads(export.stdout.readline())
    header["entities"] = (header["entities"] + 1) // 2
    with open(folder / "half.jsonl", "wb") as file:
        file.write(json.dumps(header).encode() + b"\n")
        for number, line in enumerate(export.stdout):
            if number % 2 == 0:
                file.write(line)
    made = subprocess.run([arguments.vq, "catalogue", "import", str(folder / "half.jsonl"), "--index", str(folder / "half.vq")],
                          capture_output=True, text=True)
    if export.wait() or made.returncode:
        sys.exit(f"capacity: no half of the index could be made: {made.stderr.strip()}")
    subprocess.run([arguments.vq, "catalogue", "set", "--images-root", images_root(arguments), "--index", str(folder / "half.vq")],
                   capture_output=True)
    return str(folder / "half.vq")


def images_root(arguments):
    shown = subprocess.run([arguments.vq, "catalogue", "status", "--json", "--index", arguments.index], capture_output=True, text=True)
    return json.loads(shown.stdout).get("imagesRoot") or "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", required=True, help="an index of the shop, or of a part of it")
    parser.add_argument("--photos", required=True, help="a folder of JPEGs as customers take them")
    parser.add_argument("--images", type=int, required=True, help="the images that the catalog will have")
    parser.add_argument("--rate", type=float, required=True, help="questions a second at the busiest hour")
    parser.add_argument("--copies", type=float, default=0.3, help="the share of questions that are screenshots of the shop's own images")
    parser.add_argument("--deadline", type=float, default=300, help="ms for an answer")
    parser.add_argument("--seconds", type=float, default=10, help="seconds of measuring for each kind")
    parser.add_argument("--vq", default="vq")
    arguments = parser.parse_args()
    if not 0 <= arguments.copies <= 1 or arguments.images < 1 or arguments.rate <= 0 or arguments.deadline <= 0:
        parser.error("--images, --rate and --deadline are above 0, --copies is from 0 to 1")
    files = sorted(path for path in pathlib.Path(arguments.photos).iterdir() if path.suffix.lower() in (".jpg", ".jpeg"))[:40]
    if not files:
        sys.exit(f"capacity: there is no JPEG in '{arguments.photos}'")
    photos = [path.read_bytes() for path in files]
    whole = Shop(arguments, arguments.index, photos)
    if not whole.images:
        sys.exit("capacity: the index has no image")
    if whole.images < LEAST and arguments.images > whole.images:
        sys.exit(f"capacity: an index of {whole.images} images does not show what {arguments.images} cost; index a part of the feed with {LEAST} or more")
    with tempfile.TemporaryDirectory() as name:
        part = Shop(arguments, half(arguments, pathlib.Path(name)), photos) if whole.images >= LEAST else None

    def grown(value, of_part):
        """A figure for the images that are asked for: a line through both indexes, which never falls."""
        if part is None or whole.images == part.images:
            return value
        return value + max(0, value - of_part) / (whole.images - part.images) * (arguments.images - whole.images)

    photo = grown(whole.photo, part.photo if part else 0)
    copy = grown(whole.copy, part.copy if part else 0)
    byte_count = grown(whole.bytes, part.bytes if part else 0)
    share = arguments.copies if whole.copies else 0
    question = share * copy + (1 - share) * photo
    cores = arguments.rate * question / BUSY
    threads = max(1, math.ceil(cores))
    # A thread decodes an image with its own memory; the rest is what the server and its helpers have.
    memory = whole.memory + 64e6 * threads + byte_count
    # A request that waits must begin in time: a place in the queue costs a question's time, divided among the threads.
    queue = max(1, int(threads * arguments.deadline / 1000 / question)) if question < arguments.deadline / 1000 else 0

    def size(value):
        return f"{value / 1e9:.1f} GB" if value >= 1e9 else f"{value / 1e6:.0f} MB"

    print(f"measured over {whole.images} images{f' and {part.images} of them' if part else ''}, with {len(photos)} photos and {len(whole.copies)} copies:")
    print(f"  a photo takes {1000 * whole.photo:.0f} ms of a processor, a copy {1000 * whole.copy:.0f} ms")
    print(f"  an image takes {whole.bytes / whole.images / 1000:.1f} kB, the server {size(whole.memory)} besides")
    print(f"for {arguments.images} images and {arguments.rate:g} questions a second, {100 * share:.0f} % of them copies:")
    print(f"  processor  {cores:.1f} cores at {100 * BUSY:.0f} % ({1000 * question:.0f} ms a question)")
    print(f"  memory     {size(memory)}, if all of the index stays in it")
    print(f"  disk       {size(2.5 * byte_count)}: a generation, the one before, and half of one at work")
    print(f"  options    --threads {threads} --queue {queue} --deadline {arguments.deadline:g}")
    print(f"  clients    --cpu-rate {max(0.05, threads / 4):g} lets none take more than a quarter of it")
    if question > arguments.deadline / 1000:
        print(f"  a question takes longer than {arguments.deadline:g} ms: give more time, or divide the index (docs/scale.md)")
    if threads > 32:
        print(f"  that is more than one machine: {math.ceil(threads / 16)} servers with 16 cores each, with copies from PostgreSQL (docs/scale.md)")


main()
