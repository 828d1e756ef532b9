"""A shop that changes while it is served, and what its answers must be in each generation."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import threading
import time
import zlib

PROBES = 5
NOISE = 40


def png(seed, side=256, cell=32):
    """A picture of random blocks, which differ from those of any other seed."""
    generator = random.Random(seed)
    cells = [[bytes(generator.randrange(256) for _ in range(3)) for _ in range(side // cell)] for _ in range(side // cell)]
    rows = b"".join(b"\0" + b"".join(color * cell for color in cells[y // cell]) for y in range(side))

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Shop:
    """The catalogue, its index and its keys.

    The pictures of the probes move between products, by changed rows and by changed files, so that the right answer
    depends on the generation that gave it.
    """

    def __init__(self, vq, samples, folder, generator):
        self.vq, self.generator = os.path.abspath(vq), generator
        self.folder, self.directory = folder, os.path.join(folder, "shop.vq")
        self.keys = os.path.join(folder, "keys.txt")
        self.source = os.path.join(folder, "shop")
        shutil.copytree(os.path.join(samples, "shop"), self.source)
        with open(os.path.join(self.source, "catalogue.jsonl")) as file:
            self.rows = [json.loads(line) for line in file]
        self.queries = self.known_queries(os.path.join(samples, "queries"))
        self.probe_pictures = [png(seed) for seed in range(PROBES)]
        self.rounds = 0
        self.row_shift = self.file_shift = 0
        self.lock = threading.Lock()
        # What is right in a generation: the first product of each probe's picture. Late answers are those of
        # generations that this process has not heard of yet.
        self.right, self.late = {}, []
        self.generation, self.current, self.previous = 0, None, None
        self.reader, self.writer = self.make_key("reader"), self.make_key("writer", "--role", "write")
        self.rotating, self.rotations = self.make_key("rotating-0"), 0

    @staticmethod
    def known_queries(folder):
        with open(os.path.join(folder, "queries.jsonl")) as file:
            rows = [json.loads(line) for line in file]
        queries = []
        for row in rows:
            if row["truth"]:
                with open(os.path.join(folder, row["image"]), "rb") as picture:
                    queries.append((picture.read(), row["labels"], row["truth"]))
        return queries

    def run(self, *arguments):
        return subprocess.run([self.vq, *arguments], capture_output=True, text=True)

    # --- Changes; each returns what went wrong, or None ---

    def index(self, _context=None):
        self.rounds += 1
        moved = self.rounds % 2
        self.row_shift += moved
        self.file_shift += 1 - moved
        self.write_source()
        done = self.run("index", os.path.join(self.source, "catalogue.jsonl"), "--index", self.directory, "-q")
        if done.returncode:
            return f"vq index: exit code {done.returncode}, {done.stderr[-300:]}"
        before = self.previous = self.current
        self.publish(before, [self.product_of(picture) for picture in range(PROBES)])

    def product_of(self, picture):
        file = (picture - self.file_shift) % PROBES
        return f"probe-{(file - self.row_shift) % PROBES}"

    def write_source(self):
        rows = [dict(row) for row in self.rows]
        for row in self.generator.sample(rows, 3):
            row["subtitle"] = f"Round {self.rounds}"
        for number in range(PROBES):
            self.write_picture(f"probe-{number}.png", self.probe_pictures[(number + self.file_shift) % PROBES])
            rows.append({"type": "product", "id": f"probe-{number}", "title": f"Probe {number}",
                         "images": [f"images/probe-{(number + self.row_shift) % PROBES}.png"]})
        for number in self.generator.sample(range(NOISE), NOISE - 4):
            name = f"noise-{number}.png"
            if self.generator.random() < 0.15 or not os.path.exists(os.path.join(self.source, "images", name)):
                self.write_picture(name, png(1000 + self.rounds * NOISE + number, side=96, cell=12))
            rows.append({"type": "product", "id": f"noise-{number}", "title": f"Noise {number}", "labels": ["noise"],
                         "images": [f"images/{name}"]})
        with open(os.path.join(self.source, "new.jsonl"), "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        os.replace(file.name, os.path.join(self.source, "catalogue.jsonl"))

    def write_picture(self, name, content):
        path = os.path.join(self.source, "images", name)
        with open(path + ".new", "wb") as file:
            file.write(content)
        os.replace(path + ".new", path)

    def roll_back(self, _context):
        done = self.run("catalogue", "rollback", "--index", self.directory)
        if done.returncode:
            return f"vq catalogue rollback: exit code {done.returncode}, {done.stderr[-300:]}"
        before, after = self.current, self.previous
        self.previous = before
        self.publish(before, after)

    def compact(self, _context):
        done = self.run("catalogue", "compact", "--index", self.directory)
        if done.returncode:
            return f"vq catalogue compact: exit code {done.returncode}, {done.stderr[-300:]}"
        self.publish(self.current, self.current)

    def remove_noise(self, context):
        number = self.generator.randrange(NOISE)
        status, _, body = context.ask("DELETE", f"/v1/entities/product/noise-{number}", key=self.writer)
        if status not in (204, 404):
            return f"DELETE: {status} {body[:200]}"
        self.publish(self.current, self.current)

    def rotate_key(self, context):
        former = self.rotating
        self.rotations += 1
        with open(self.keys) as file:
            kept = [line for line in file if " rotating-" not in line]
        with open(self.keys + ".new", "w") as file:
            file.writelines(kept)
        os.replace(self.keys + ".new", self.keys)
        self.rotating = self.make_key(f"rotating-{self.rotations}")
        context.server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            answers = [context.ask("GET", "/v1/limits", key=key)[0] for key in (self.rotating, former)]
            if answers == [200, 401]:
                return None
            time.sleep(0.05)
        return f"20 s after SIGHUP the new and the former key get {answers}"

    def make_key(self, name, *options):
        return subprocess.run([self.vq, "key", self.keys, "--name", name, *options], check=True, capture_output=True,
                              text=True).stdout.strip()

    # --- What is right ---

    def entities(self):
        lines = self.run("catalogue", "export", "--index", self.directory).stdout.splitlines()[1:]
        rows = [json.loads(line)["entity"] for line in lines]
        return {(row["type"], row["id"]) for row in rows}

    def publish(self, before, after):
        status = self.run("catalogue", "status", "--json", "--index", self.directory)
        generation = json.loads(status.stdout)["generation"]
        with self.lock:
            # A run may publish in steps: on the way, either answer is right.
            for between in range(self.generation + 1, generation):
                self.right[between] = (before, after)
            if generation > self.generation:
                self.right[generation] = (after,)
            self.generation, self.current = generation, after

    def check_probe(self, tally, generation, picture, first):
        """Checks an answer, or keeps it until its generation is known."""
        with self.lock:
            maps = self.right.get(generation)
            if maps is None:
                self.late.append((generation, picture, first))
                return
        if all(first != known[picture] for known in maps if known):
            tally.fail(f"probe {picture} in generation {generation} is {first}, not {maps}")

    def check_late_answers(self, tally):
        """Returns the number of answers whose generation is still unknown."""
        late, self.late = self.late, []
        for generation, picture, first in late:
            self.check_probe(tally, generation, picture, first)
        return len(self.late)
