#!/usr/bin/env python3
"""Damaged tokens, signatures and index files, and killed writers beside a server: hostile.py VQ SAMPLES

    [--tokens 1800] [--signatures 13800] [--flips 164] [--kills 500] [--seed 1]

A mutated token is refused, a mutated signature is answered or refused, a damaged segment gives the same answer or an error (another
damaged file at least one of `vq catalogue verify`), and a killed writer leaves a sound index: never a crash or a status of 500. Every
case has a number, by which and by the seed it can be drawn again. SAMPLES is the folder Samples. Standard library only.
"""
import argparse
import base64
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse


class Server:
    """One `vq serve`, and a connection to it that is kept."""

    def __init__(self, vq, index, keys, key):
        self.process = subprocess.Popen(
            [vq, "serve", "--index", index, "--keys", keys, "--port", "0", "--quiet", "--max-deadline", "20000"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])
        self.key, self.connection = key, None

    def ask(self, method, target, body=None, media="application/json"):
        """The status, the fields and the body of an answer."""
        for attempt in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                self.connection.request(method, target, body, {"Authorization": f"Bearer {self.key}", "Content-Type": media})
                answer = self.connection.getresponse()
                return answer.status, answer.headers, answer.read()
            except (OSError, http.client.HTTPException):
                # A connection that was idle may have been closed.
                self.connection = None
                if attempt or self.process.poll() is not None:
                    raise

    def memory(self):
        """The resident memory, in MB."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def mutated(data, generator, alphabet):
    """Other text or bytes than the given ones, by one to three changes."""
    original, changed = data, data
    while changed == original:
        changed = original
        for _ in range(generator.randint(1, 3)):
            place = generator.randrange(len(changed) + 1) if changed else 0
            length = generator.choice([1, 1, 1, 4, 64])
            piece = alphabet[:0].join(generator.choices([alphabet[i:i + 1] for i in range(len(alphabet))], k=length))
            kind = generator.randrange(6)
            if kind == 0:    # replaced
                changed = changed[:place] + piece + changed[place + length:]
            elif kind == 1:  # inserted
                changed = changed[:place] + piece + changed[place:]
            elif kind == 2:  # removed
                changed = changed[:place] + changed[place + length:]
            elif kind == 3:  # cut off
                changed = changed[:place]
            elif kind == 4:  # filled with one value
                changed = changed[:place] + piece[:1] * generator.choice([8, 300, 3000]) + changed[place + 8:]
            else:            # repeated
                changed = changed + changed[place:place + 2000]
    return changed


class Hostile:
    def __init__(self, arguments):
        self.arguments, self.failures = arguments, 0
        self.vq, self.samples = os.path.abspath(arguments.vq), pathlib.Path(arguments.samples).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.index, self.keys = str(self.folder / "shop.vq"), str(self.folder / "keys.txt")
        self.key = self.run("key", self.keys, "--name", "writer", "--role", "write").stdout.strip()
        self.feed = self.folder / "feed.jsonl"
        self.write_feed("")
        made = self.make_index()
        assert made.returncode == 0, made.stderr
        self.photo = (self.samples / "queries/q06-oats.jpg").read_bytes()

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def run(self, *arguments):
        return subprocess.run([self.vq, *map(str, arguments)], capture_output=True, text=True, timeout=300)

    def write_feed(self, change):
        rows = (self.samples / "shop/catalogue.jsonl").read_text().splitlines()
        self.feed.write_text("".join(
            json.dumps(json.loads(row) | {"subtitle": f"Change {change}"}) + "\n" for row in rows if row.strip()))

    def make_index(self, *options):
        return self.run("index", self.feed, "--index", self.index, "--images-root", self.samples / "shop", "-q", *options)

    def serve(self):
        return Server(self.vq, self.index, self.keys, self.key)

    def generator(self, table, number):
        return random.Random(f"{self.arguments.seed} {table} {number}")

    # ---- Tokens ---------------------------------------------------------------------------------------

    def tokens(self, count):
        server = self.serve()
        found = json.loads(server.ask("POST", "/v1/match?limit=1&minConfidence=0&deadlineMs=20000", self.photo, "image/jpeg")[2])
        state = json.loads(server.ask("GET", "/v1/sync?limit=1")[2])["state"]
        cursor = json.loads(server.ask("GET", "/v1/entities?cursor=&limit=1")[2])["cursor"]
        kinds = [
            (found["continuation"], lambda token: ("POST", "/v1/match", json.dumps({"continuation": token}))),
            (found["query"] if isinstance(found.get("query"), str) and len(found["query"]) > 40 else found["continuation"],
             lambda token: ("POST", "/v1/feedback", json.dumps({"query": token, "chosen": "product:oats"}))),
            (state, lambda token: ("GET", "/v1/sync?state=" + urllib.parse.quote(token, safe=""), None)),
            (cursor, lambda token: ("GET", "/v1/entities?cursor=" + urllib.parse.quote(token, safe=""), None)),
        ]
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/ \u00e9"
        wrong = []
        for number in range(count):
            token, request = kinds[number % len(kinds)]
            changed = mutated(token, self.generator("token", number), alphabet)
            # An empty one begins a list.
            if not changed:
                continue
            status = server.ask(*request(changed))[0]
            if not 400 <= status < 500:
                wrong.append((number, status, changed[:80]))
        self.say(f"{count} mutated tokens are refused", not wrong, wrong[:3])
        self.say("the server is well after them", server.ask("GET", "/readyz")[0] == 200 and server.stop() == 0)

    # ---- Signatures -----------------------------------------------------------------------------------

    def signatures(self, count):
        server = self.serve()
        document = json.loads(server.ask("GET", "/openapi.json")[2])
        content = document["paths"]["/v1/match:query"]["post"]["requestBody"]["content"]
        example = content["application/json"]["examples"]["signature"]["value"]
        text = example["signature"]
        whole = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        for _ in range(20):
            server.ask("POST", "/v1/match", json.dumps({"signature": text}))
        before, wrong, answered = server.memory(), [], 0
        alphabet = bytes(range(256))
        for number in range(count):
            generator = self.generator("signature", number)
            if number % 2:
                # Of the same length, so that it is read to its end.
                changed = bytearray(whole)
                for _ in range(generator.choice([1, 1, 4, 64])):
                    changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
                changed = bytes(changed)
            else:
                changed = mutated(whole, generator, alphabet)
            encoded = base64.urlsafe_b64encode(changed).decode().rstrip("=")
            status = server.ask("POST", "/v1/match", json.dumps({"signature": encoded, "deadlineMs": 20000}))[0]
            answered += status == 200
            if status not in (200, 400, 413, 422):
                wrong.append((number, status))
        self.say(f"{count} mutated signatures are answered ({answered}) or refused", not wrong, wrong[:3])
        grown = server.memory() - before
        self.say("they cost no memory", grown < 50, f"{grown:.0f} MB")
        self.say("the server is well after them", server.ask("GET", "/readyz")[0] == 200 and server.stop() == 0)

    # ---- Damage ---------------------------------------------------------------------------------------

    def answer(self, index):
        """The exit code, and the answers to two questions without their times."""
        run = self.run("match", self.samples / "queries/q06-oats.jpg", self.samples / "queries/q01-mug.jpg", "--index", index,
                       "--json", "--deadline", "60000")
        text = re.sub(r'"(elapsedMs|query|continuation)":("[^"]*"|[0-9.e-]+),?', "", run.stdout)
        return run.returncode, text, run.stderr

    def flips(self, count):
        expected = self.answer(self.index)
        self.say("the sound index answers", expected[0] == 0, expected)
        names = sorted(name for name in os.listdir(self.index) if os.path.getsize(f"{self.index}/{name}") > 0)
        # Every second case damages a segment.
        segments = [name for name in names if name.endswith(".segment")]
        unharmed, refused, named, wrong = 0, 0, 0, []
        for number in range(count):
            generator, damaged = self.generator("flip", number), self.folder / "damaged.vq"
            shutil.rmtree(damaged, ignore_errors=True)
            shutil.copytree(self.index, damaged)
            name = segments[number // 2 % len(segments)] if number % 2 == 0 else names[number // 2 % len(names)]
            with open(damaged / name, "r+b") as file:
                data = bytearray(file.read())
                kind, place = generator.randrange(8), generator.randrange(len(data))
                page = place // 4096 * 4096
                if kind < 5:
                    data[place] ^= 1 << generator.randrange(8)
                elif kind == 5:
                    data[page:page + 4096] = bytes(len(data[page:page + 4096]))
                elif kind == 6:
                    other = generator.randrange(len(data)) // 4096 * 4096
                    data[page:page + 4096], data[other:other + 4096] = data[other:other + 4096], data[page:page + 4096]
                else:
                    del data[place:]
                file.seek(0)
                file.truncate()
                file.write(data)
            code, text, errors = self.answer(damaged)
            if code == 0 and text == expected[1]:
                unharmed += 1
            elif code > 0 and errors.startswith("vq: "):
                refused += 1
            elif code == 0 and '"complete":false' in text and "vq: " in errors:
                refused += 1
            elif (code == 0 and name not in segments
                  and self.run("catalogue", "verify", "--index", damaged).returncode == 5):
                # SQLite has no checksums.
                named += 1
            else:
                wrong.append((number, name, code, errors[:200]))
        self.say(f"{count} damaged files: {unharmed} with the same answer, {refused} with an error, {named} that only 'verify' names",
                 not wrong, wrong[:3])

    # ---- Kills ----------------------------------------------------------------------------------------

    def kills(self, count):
        export = self.folder / "export.jsonl"
        export.write_text(self.run("catalogue", "export", "--index", self.index).stdout)
        few = self.folder / "few.jsonl"
        server, killed, wrong = self.serve(), 0, []
        place = ["--index", self.index]
        root = ["--images-root", self.samples / "shop"]
        writers = [
            lambda number: ["index", self.feed, "-q", *place, *root],
            lambda number: ["index", few, "-q", "--prune-missing", "--max-removed", "100", *place, *root],
            lambda number: ["catalogue", "compact", *place],
            lambda number: ["catalogue", "rollback", *place],
            lambda number: ["catalogue", "import", export, *place],
            lambda number: ["catalogue", "set", "--public", f"field{number}", *place],
            lambda number: ["catalogue", "remove", "--id", "product:oats", *place],
        ]
        number = 0
        while killed < count and number < 20 * count and not wrong:
            generator = self.generator("kill", number)
            self.write_feed(number)
            few.write_text("".join(self.feed.read_text().splitlines(True)[:10]))
            kept = None
            if generator.random() < 0.3:
                status = server.ask("PUT", f"/v1/entities/product/kept{number}", json.dumps({"title": f"Kept {number}"}))[0]
                if status == 201:
                    kept = f"kept{number}"
                elif status != 503:
                    wrong.append((number, "put", status))
            command = writers[number % len(writers)](number)
            process = subprocess.Popen([self.vq, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(generator.random() * 0.15)
            status, fields, _ = server.ask("POST", "/v1/match?deadlineMs=20000", self.photo, "image/jpeg")
            if status != 200 and not (status == 503 and fields["Retry-After"]):
                wrong.append((number, "match", status))
            process.kill()
            killed += process.wait() == -9
            verified = self.run("catalogue", "verify", *place)
            if verified.returncode != 0:
                wrong.append((number, command[:2], verified.stdout + verified.stderr))
            # What other commands remove on purpose is not lost.
            if kept and number % len(writers) in (0, 2, 5, 6) and server.ask("GET", f"/v1/entities/product/{kept}")[0] != 200:
                wrong.append((number, "lost", kept))
            number += 1
        self.say(f"{killed} kills of {number} writers leave a sound index, and the server answers", not wrong, wrong[:3])
        self.say("a writer after them succeeds", self.make_index().returncode == 0)
        self.say("the server is well after them", server.ask("GET", "/readyz")[0] == 200 and server.stop() == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("samples")
    parser.add_argument("--tokens", type=int, default=1800)
    parser.add_argument("--signatures", type=int, default=13_800)
    parser.add_argument("--flips", type=int, default=164)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    hostile = Hostile(arguments)
    try:
        for table in ("tokens", "signatures", "flips", "kills"):
            count = getattr(arguments, table)
            if count:
                getattr(hostile, table)(count)
    finally:
        shutil.rmtree(hostile.folder)
    raise SystemExit(1 if hostile.failures else 0)


main()
