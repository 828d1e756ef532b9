#!/usr/bin/env python3
"""Catalogues in PostgreSQL, on real servers: postgres.py VQ BINARIES SAMPLES [SCENARIO…]

Each scenario begins with an empty database. Standard library only.
"""
import base64
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import traceback
import zlib

from servers import Server, Shop, free_port, temporary_folder

SCENARIOS = []


def scenario(function):
    SCENARIOS.append(function)
    return function


class Test:
    def __init__(self, vq, binaries, samples, folder):
        self.vq, self.binaries = os.path.abspath(vq), binaries
        self.samples, self.folder = pathlib.Path(samples).resolve(), folder
        self.failures = 0
        self.queries = sorted(map(str, (self.samples / "queries").glob("*.jpg")))[::3]
        self.pictures = [path.read_bytes() for path in sorted((self.samples / "shop" / "images").glob("*.jpg"))]
        # Three of four entities have embeddings, so that copies, replicas and shards have to carry them.
        shutil.copytree(self.samples / "shop" / "images", folder / "images", dirs_exist_ok=True)
        self.feed = folder / "catalogue.jsonl"
        self.feed.write_text("".join(
            self.embedded(json.loads(line), number) if number % 4 else line
            for number, line in enumerate((self.samples / "shop" / "catalogue.jsonl").open())))
        self.keys = folder / "keys.txt"
        self.key = self.run("key", self.keys, "--name", "writer", "--role", "write").stdout.strip()
        self.server = Server(folder / "a", binaries)

    @staticmethod
    def embedded(row, number):
        """A line of a feed whose images have vectors."""
        vectors = [base64.b64encode(struct.pack("<600e", *(((number + position) * place) % 97 / 97 - 0.5 for place in range(600))))
                   .decode() for position in range(len(row.get("images", [])))]
        return json.dumps({**row, "embeddings": {"model": "drawn", "vectors": vectors}}) + "\n"

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {str(found)[-600:]!r})", flush=True)
        self.failures += not holds

    def run(self, *arguments, check=True, environment=None, timeout=60):
        done = subprocess.run([self.vq, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(environment or {})})
        if check and done.returncode:
            raise AssertionError(f"vq {' '.join(map(str, arguments))}: {done.stderr}")
        return done

    def new(self, name):
        """A path in the folder at which there is nothing."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def prepare(self):
        self.server.reset()
        self.run("postgres", "init", "--index", self.server.url())

    def index(self, cache, *options, url=None, **others):
        return self.run("index", self.feed, "--index", url or self.server.url(), "--cache", cache, "-q", *options, **others)

    def serve(self, cache, *options, url=None):
        return Shop(self.vq, "--index", url or self.server.url(), "--cache", cache, "--keys", self.keys, "--max-deadline", "20000", *options,
                    key=self.key)

    def put(self, shop, name, title, picture=None, labels=()):
        entity = json.dumps({"title": title, "labels": list(labels)}).encode()
        media = "application/json"
        if picture is not None:
            media = "multipart/form-data; boundary=part"
            entity = b"".join(b'--part\r\nContent-Disposition: form-data; name="' + field + b'"\r\n\r\n' + content + b"\r\n"
                              for field, content in ((b"entity", entity), (b"photo", picture))) + b"--part--\r\n"
        return shop.ask("PUT", f"/v1/entities/product/{name}", entity, media)[0]

    def match(self, shop, number=0):
        """The bytes of a server's answer to a sample query, without the time it took."""
        picture = pathlib.Path(self.queries[number]).read_bytes()
        status, content = shop.ask("POST", "/v1/match?limit=4&minConfidence=0&deadlineMs=20000", picture, "image/jpeg")
        return re.sub(rb'"elapsedMs":[0-9.e-]+', b'"elapsedMs":0', content) if status == 200 else (status, content)

    def feed_back(self, shop, number=0, picture=False, **said):
        """States what a sample query means; the status and the number of the statement."""
        token = json.loads(self.match(shop, number))["continuation"]
        body, media = json.dumps({"query": token, **said}).encode(), "application/json"
        if picture:
            media = "multipart/form-data; boundary=part"
            parts = ((b"feedback", body), (b"image", pathlib.Path(self.queries[number]).read_bytes()))
            body = b"".join(b'--part\r\nContent-Disposition: form-data; name="' + name + b'"\r\n\r\n' + content + b"\r\n"
                            for name, content in parts) + b"--part--\r\n"
        status, content = shop.ask("POST", "/v1/feedback", body, media)
        return status, json.loads(content).get("number")

    def until(self, condition, seconds=10):
        """The seconds until a condition holds, or None."""
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            if condition():
                return time.monotonic() - begin
            time.sleep(0.05)
        return None

    def answers(self, index, *options):
        """The bytes of the answers to all sample queries, without the time they took."""
        lines = self.run("match", "--json", "--deadline", "0", "--min-confidence", "0", "--labels", "mug,oats",
                         "--index", index, *options, *self.queries).stdout
        return re.sub(r'"elapsedMs":[0-9.e-]+', "", lines)

    def embedded_answer(self, index, *options):
        """The bytes of the answer to a query with an embedding, without the time it took."""
        file = self.folder / "embedding.json"
        row = json.loads(self.embedded({"images": ["one"]}, 7))["embeddings"]
        file.write_text(json.dumps({"model": row["model"], "vector": row["vectors"][0]}))
        line = self.run("match", "--json", "--deadline", "0", "--min-confidence", "0", "--embedding", file,
                        "--index", index, *options, self.queries[0]).stdout
        return re.sub(r'"elapsedMs":[0-9.e-]+', "", line)

    def export(self, cache):
        return self.run("catalogue", "export", "--index", cache).stdout

    def is_sound(self, cache):
        done = self.run("catalogue", "verify", "--index", cache, check=False)
        return done.returncode == 0, done.stdout + done.stderr

    def same(self, what, first, second):
        """Compares everything that two copies answer."""
        for name, sound in (("first", self.is_sound(first)), ("second", self.is_sound(second))):
            self.say(f"{what}: the {name} is sound", *sound)
        self.say(f"{what}: the exports are equal", self.export(first) == self.export(second))
        one, other = self.answers(first), self.answers(second)
        self.say(f"{what}: the answers are equal", one == other, (one[:300], other[:300]))


@scenario
def copies(test):
    """A catalogue moved into PostgreSQL and back; answers of the embedded index and of copies are equal byte for byte."""
    test.prepare()
    own = test.new("own.vq")
    # The test needs thumbnails, a bridge, replaced and removed entities, and a shop's own words.
    test.run("index", test.feed, "--index", own, "-q", "--thumbnails", "160", "--link", "product=https://shop.example/p/{id}")
    bridge = test.folder / "bridge.csv"
    bridge.write_text("label,labels\nbeaker,mug\n")
    test.run("labels", "--bridge", bridge, "--index", own)
    test.run("catalogue", "remove", "--id", "product:oats", "--index", own)
    made = json.loads(test.run("copy", own, test.server.url(), "--json").stdout)
    again = test.run("copy", own, test.server.url(), check=False)
    test.say("a second copy into the same database is refused", again.returncode == 5 and "already" in again.stderr, again.stderr)
    cache, back = test.new("cache"), test.new("back.vq")
    embedded = test.answers(own)
    test.say("answers of a copy equal those of the embedded index", embedded == test.answers(test.server.url(), "--cache", cache))
    one, other = test.embedded_answer(own), test.embedded_answer(test.server.url(), "--cache", cache)
    test.say("so are those to an embedding", one == other and '"embeddingCompared":true' in one, (one[:300], other[:300]))
    test.say("there are answers", embedded.count('"rank":1') > 3)
    fetched = json.loads(test.run("copy", test.server.url(), back, "--json").stdout)
    test.say("both ways have one digest", made == fetched, (made, fetched))
    test.same("the copy that came back", own, back)
    test.say("the copy that came back is an index of its own",
             test.run("catalogue", "remove", "--id", "product:mug-red", "--index", back, check=False).returncode in (0, 2))
    first, second = Shop(test.vq, "--index", own, key=None), test.serve(cache)
    try:
        for target in ("/v1/entities?q=mug&limit=7", "/v1/entities/suggested", "/v1/sync?limit=5"):
            one, other = first.ask("GET", target), second.ask("GET", target)
            test.say(f"the embedded server and the copy answer {target} alike", one == other and one[0] == 200, (one, other))
        state = first.get("/v1/sync?limit=5").get("state")
        one, other = (shop.ask("GET", f"/v1/sync?state={state}") for shop in (first, second))
        test.say("the state of one server is valid on the other", one == other and one[0] == 200, (one, other))
        picture = pathlib.Path(test.queries[0]).read_bytes()
        page = json.loads(first.ask("POST", "/v1/match?limit=1&minConfidence=0", picture, "image/jpeg")[1])
        token = page.get("continuation")
        body = json.dumps({"continuation": token, "limit": 3}).encode()
        one, other = (re.sub(rb'"elapsedMs":[0-9.e-]+', b"", shop.ask("POST", "/v1/match", body)[1]) for shop in (first, second))
        test.say("the continuation of one server is valid on the other", token and one == other and b'"values":[{' in one, (one, other))
    finally:
        first.end()
        second.end()


@scenario
def changes(test):
    """Many small changes through two servers: a copy that followed, one that took all at once and the writer's are equal."""
    test.prepare()
    test.index(test.new("writer"), "--thumbnails", "160")
    a, b = test.serve(test.new("c1")), test.serve(test.new("c2"))
    generator = random.Random(7)
    try:
        for number in range(40):
            shop = (a, b)[number % 2]
            name = f"new-{generator.randrange(14)}"
            if generator.random() < 0.2:
                status = shop.ask("DELETE", f"/v1/entities/product/{name}")[0]
            else:
                picture = generator.choice(test.pictures) if generator.random() < 0.6 else None
                status = test.put(shop, name, f"Title {number} zyxwvu{number}", picture, [f"label {number % 5}"])
            if status not in (200, 201, 204, 404):
                test.say("a change is made", False, status)
        generation = int(test.server.sql("select max(id) from vq.generation")[0])
        test.say("both servers have the newest generation", a.waits_for(generation) is not None and b.waits_for(generation) is not None)
        begin = time.monotonic()
        test.say("a change is made", test.put(a, "last", "The last one", test.pictures[0]) == 201)
        delay = b.waits_for(generation + 1)
        test.say("a change is seen on another server within two seconds", delay is not None and time.monotonic() - begin < 2, delay)
        targets = ("/v1/entities?q=title&limit=50", "/v1/entities/suggested", "/v1/sync?limit=100", "/v1/entities?q=zyxwvu38")
        seen = True
        for number in range(5):
            test.put((a, b)[number % 2], "read-back", f"Version {number}")
            generation += 1
            status, content = (b, a)[number % 2].ask("GET", "/v1/entities/product/read-back", at_least=generation + 1)
            seen = seen and status == 200 and f"Version {number}".encode() in content
        test.say("what was written through one server is read on the other", seen, (status, content[:200]))
        test.say("a generation that does not come is 503", b.ask("GET", "/v1/entities/product/read-back", at_least=9999)[0] == 503)
        test.say("a generation must be a number", b.ask("GET", "/v1/entities/product/read-back", at_least="x")[0] == 400)
        a.waits_for(generation + 1)
        for target in targets:
            one, other = a.ask("GET", target), b.ask("GET", target)
            test.say(f"both servers answer {target} alike", one == other and one[0] == 200, (one, other))
        ready = a.ask("GET", "/readyz")[1].decode()
        test.say("/readyz tells the generation and the lag", f"generation {generation + 1} of {generation + 1}, current 0 s ago" in ready
                 or "current 1 s ago" in ready, ready)
        test.say("/metrics tells the lag", b"vq_replica_lag_seconds" in a.ask("GET", "/metrics")[1])
    finally:
        a.end()
        b.end()
    fresh = test.new("c3")
    test.answers(test.server.url(), "--cache", fresh)
    test.same("two servers' copies", test.folder / "c1", test.folder / "c2")
    test.same("a copy that followed and a new one", test.folder / "c1", fresh)
    dead = int(test.server.sql("select count(*) from vq.chunk where segment not in (select id from vq.segment where died is null)")[0])
    test.say("nothing is kept of segments that were merged", dead == 0, dead)
    test.index(test.folder / "writer", "--prune-missing", "--on-conflict", "replace")
    test.answers(test.server.url(), "--cache", fresh)
    test.same("the writer's copy and one that followed a run", test.folder / "writer", fresh)
    merged = test.server.sql("select count(*) from vq.segment where died is null and kind <> 'entities'")
    test.run("catalogue", "compact", "--index", test.server.url(), "--cache", test.folder / "writer")
    left = test.server.sql("select count(*) from vq.segment where died is null and kind <> 'entities'")
    test.say("compaction merges the segments of all copies", int(left[0]) == 2 < int(merged[0]), (left, merged))
    test.answers(test.server.url(), "--cache", fresh)
    test.same("a copy that followed a compaction and the writer's", fresh, test.folder / "writer")
    undone = test.run("catalogue", "rollback", "--index", test.server.url(), "--cache", test.folder / "writer", check=False)
    test.say("a rollback is refused", undone.returncode == 1 and "index the previous feed" in undone.stderr, undone.stderr)
    late = test.run("match", test.queries[0], "--index", test.server.url(), "--cache", fresh, "--at-least", "9999", check=False)
    test.say("a generation that does not come is an error", late.returncode == 1 and "did not come in time" in late.stderr, late.stderr)
    before = test.answers(test.server.url(), "--cache", fresh)
    shutil.rmtree(fresh)
    test.say("a deleted copy is made again, with the same answers", test.answers(test.server.url(), "--cache", fresh) == before)


@scenario
def files(test):
    """A copy has the files of its generation and no others; who opens it while they are removed misses none."""
    test.prepare()
    test.index(test.new("writer"))
    cache = test.new("c2")
    a, b = test.serve(test.new("c1")), test.serve(cache)
    leftovers = [cache / "product-9pdeadbeef.segment", cache / "product-9pdeadbeef.segment.tmp"]
    for path in leftovers:
        path.write_bytes(b"left by a run that was killed")
    stop, failures, reads = threading.Event(), [], []

    def read():
        while not stop.is_set():
            done = test.run("match", "--labels", "mug", "--json", "--index", cache, check=False)
            reads.append(done.returncode)
            if done.returncode:
                failures.append(done.stderr)

    def others(cache):
        """The files of segments that the generation of a copy does not name."""
        with contextlib.closing(sqlite3.connect(cache / "catalogue.sqlite")) as file:
            named = {name for name, in file.execute("select file from segments")}
        return sorted({path.name for path in cache.glob("*.segment*")} - named)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        # Every eighth segment of one image is merged with those before, of all copies.
        made = [test.put(a, f"new-{number % 10}", f"Title {number}", test.pictures[number % 7]) for number in range(20)]
        test.say("changes are made", made == 10 * [201] + 10 * [200], made)
        generation = int(test.server.sql("select max(id) from vq.generation")[0])
        test.say("the other server has the newest generation", b.waits_for(generation) is not None, b.text_of_log())
        merged = int(test.server.sql("select count(*) from vq.segment where died is not null")[0])
        test.say("segments were merged", merged > 7, merged)
        test.say("the other server answers", json.loads(test.match(b))["generation"] == generation)
    finally:
        stop.set()
        reader.join()
        a.end()
        b.end()
    for name in ("c1", "c2"):
        test.say(f"{name} has the files of its generation and no others", others(test.folder / name) == [], others(test.folder / name))
    test.say("what killed runs left is gone", not any(path.exists() for path in leftovers))
    test.say("all readers found their files", not failures and len(reads) > 3, (len(reads), failures[:2]))
    test.same("copies whose files were removed", test.folder / "c1", cache)


@scenario
def feedback(test):
    """What people say on one server counts on every other, and what is undone leaves the same bytes."""
    test.prepare()
    test.index(test.new("writer"))
    test.server.sql("drop role if exists fr", "create role fr login in role vq_reader")
    app = test.run("key", test.keys, "--name", "app", "--role", "feedback").stdout.strip()
    a, b = test.serve(test.new("c1")), test.serve(test.new("c2"))
    reading = test.serve(test.new("c3"), url=test.server.url("fr"))
    shops = (a, b, reading)
    def agree(condition=lambda answers: True):
        return test.until(lambda: len({test.match(shop) for shop in shops}) == 1 and condition(test.match(b)))
    try:
        before = test.match(a)
        test.say("servers answer alike without feedback", agree(lambda answer: answer == before) is not None)
        test.say("a server without feedback has no file of it", not (test.folder / "c1" / "feedback.sqlite").exists())
        first = json.loads(before)["values"][0]
        wrong = f"{first['type']}:{first['id']}"
        status, number = test.feed_back(a, picture=True, rejected=[wrong], chosen="product:oats")
        test.say("a statement is taken", (status, number) == (201, 1), (status, number))
        said = test.match(a)
        test.say("the server that took it uses it at once", b'"feedback":{' in said and said != before, said)
        delay = test.until(lambda: all(b'"number":1' in shop.ask("GET", "/v1/feedback")[1] for shop in (b, reading)))
        test.say("all servers have it within two seconds", delay is not None and delay < 2, delay)
        test.say("all servers use it", agree(lambda answer: answer == said) is not None)
        test.say("the same statement is kept once", test.feed_back(b, picture=True, rejected=[wrong], chosen="product:oats") == (200, 1))
        # A statement that waits, made and accepted on two servers.
        b.key, kept = app, b.key
        test.say("a statement of an app waits", test.feed_back(b, chosen="product:kettle") == (201, 2))
        b.key = kept
        test.say("a statement that waits has no effect", agree(lambda answer: answer == said) is not None)
        test.say("another server accepts it", a.ask("PUT", "/v1/feedback/2/acceptance")[0] == 204)
        test.say("then it counts everywhere", agree(lambda answer: b'"id":"kettle"' in answer) is not None)
        both = test.match(a)
        lists = [shop.ask("GET", "/v1/feedback") for shop in (a, b)]
        test.say("all servers list the same", lists[0] == lists[1] and lists[0][0] == 200 and b'"number":2' in lists[0][1], lists)
        denied = test.feed_back(reading, chosen="product:oats")[0]
        test.say("a server that may only read takes none", denied == 503 and reading.logs("vq_writer"), (denied, reading.text_of_log()))
        fresh = test.new("c4")
        one, other = test.answers(test.server.url(), "--cache", fresh), test.answers(test.folder / "c2")
        test.say("a new copy answers alike", one == other and '"feedback":{' in one, (one[:300], other[:300]))
        # The catalogue moves with its feedback, and an index run leaves it.
        test.index(test.folder / "writer", "--on-conflict", "replace")
        back = test.new("back.vq")
        test.run("copy", test.server.url(), back)
        exports = [test.run("feedback", "export", "--index", *where).stdout
                   for where in ((back,), (test.server.url(), "--cache", fresh), (test.folder / "c1",))]
        test.say("exports are equal, images included", len(set(exports)) == 1 and '"image":"' in exports[0], exports)
        test.say("the index that was copied from PostgreSQL answers alike", test.answers(back) == one)
        # What is undone leaves nothing; numbers are not given again.
        test.run("feedback", "remove", "2", "--index", test.server.url(), "--cache", fresh)
        test.say("after one is undone, the answers are those before it", agree(lambda answer: answer == said) is not None)
        test.say("a server undoes the other", b.ask("DELETE", "/v1/feedback/1")[0] == 204)
        test.say("after all are undone, the answers have the same bytes as without any", agree(lambda answer: answer == before) is not None)
        test.say("there is nothing left to undo", a.ask("DELETE", "/v1/feedback/1")[0] == 404)
        test.say("numbers are not given again", test.feed_back(b, chosen="product:oats") == (201, 3))
        # Many at once: a number is given once, and nothing is lost.
        token = json.loads(test.match(a))["continuation"]
        ids = [json.loads(line)["id"] for line in test.feed.read_text().splitlines() if '"product"' in line][:12]

        def state(number):
            body = json.dumps({"query": token, "rejected": ["product:" + ids[number]]}).encode()
            status, content = (a, b)[number % 2].ask("POST", "/v1/feedback", body)
            return json.loads(content).get("number") if status == 201 else (status, content)

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            numbers = list(pool.map(state, range(len(ids))))
        test.say("statements at once through two servers have numbers of their own", set(numbers) == set(range(4, 4 + len(ids))), numbers)
        same = test.until(lambda: len({shop.ask("GET", "/v1/feedback?limit=50")[1] for shop in (a, b)}) == 1)
        test.say("then both servers have all of them", same is not None and a.ask("GET", "/v1/feedback?limit=50")[1].count(b'"number"') == 1 + len(ids))
        feedback_import(test, a, fresh)
        test.server.stop()
        test.say("without PostgreSQL, a statement is refused", test.feed_back(a, rejected=["product:oats"])[0] == 503)
        test.say("without PostgreSQL, statements keep their effect", b'"feedback":{' in test.match(b))
        test.server.start()
    finally:
        for shop in shops:
            shop.end()
    test.prepare()
    made = test.run("copy", back, test.server.url(), "--json").stdout
    test.say("an index with feedback is copied whole", json.loads(made)["digest"]
             == json.loads(test.run("copy", test.server.url(), test.new("again.vq"), "--json").stdout)["digest"])
    test.say("a copy of it answers alike", test.answers(test.server.url(), "--cache", test.new("c4")) == test.answers(back) == one)


@scenario
def rules(test):
    """The shop's rules go along with a catalogue, count on every server, and leave nothing behind."""
    test.prepare()
    own, cache = test.new("own.vq"), test.new("cache")
    test.run("index", test.feed, "--index", own, "-q")

    def answers(*index):
        """Answers without what differs from generation to generation."""
        return re.sub(r'"(generation|continuation)":("[^"]*"|[0-9]+)', "", test.answers(*index))

    plain = answers(own)
    first = json.loads(test.run("match", test.queries[0], "--json", "--deadline", "0", "--min-confidence", "0", "--index", own).stdout)["values"][0]["id"]
    hide = test.folder / "rules.json"
    hide.write_text(json.dumps({"rules": [
        {"name": "recall", "do": "hide", "entities": [f"product:{first}"]}, {"name": "mugs", "do": "boost", "factor": 3, "where": ["title~mug"]},
        {"name": "later", "do": "hide", "entities": ["product:mug-red"], "off": True}]}))
    test.run("rules", "--set", hide, "--index", own)
    ruled = answers(own)
    test.say("rules change answers", f'"id":"{first}"' in plain and f'"id":"{first}"' not in ruled, ruled)
    test.run("copy", own, test.server.url())
    test.say("a copy in PostgreSQL has the rules",
             test.run("rules", "--json", "--index", test.server.url(), "--cache", cache).stdout == test.run("rules", "--json", "--index", own).stdout)
    test.say("answers with rules equal those of the embedded index", answers(test.server.url(), "--cache", cache) == ruled)
    back = test.new("back.vq")
    test.run("copy", test.server.url(), back)
    test.same("a catalogue with rules that came back", own, back)
    a, b = test.serve(test.new("c1")), test.serve(test.new("c2"))
    try:
        mugs = json.dumps({"labels": ["mug"]}).encode()
        ids = lambda shop, generation=None: [value["id"] for value in json.loads(shop.ask("POST", "/v1/match", mugs, at_least=generation)[1])["values"]
                                              if value["type"] == "product"]
        test.say("both servers have the rules", a.get("/v1/rules")["rules"] == b.get("/v1/rules")["rules"] == json.loads(hide.read_text())["rules"])
        before = ids(a)
        pin = {"rules": [{"name": "first", "do": "pin", "entities": [f"product:{before[-1]}"]}]}
        status, content = a.ask("PUT", "/v1/rules", json.dumps(pin).encode())
        generation = json.loads(content)["generation"]
        test.say("rules are replaced through a server", status == 200 and ids(a, generation)[0] == before[-1], content)
        test.say("they count on another server", ids(b, generation)[0] == before[-1] and b.get("/v1/rules")["rules"] == pin["rules"])
        status, content = b.ask("PUT", "/v1/rules", b'{"rules":[]}')
        generation = json.loads(content)["generation"]
        test.say("they are removed through the other", status == 200 and a.waits_for(generation) is not None and a.get("/v1/rules")["rules"] == [])
    finally:
        a.end()
        b.end()
    test.say("removing rules restores the bytes of answers", answers(test.server.url(), "--cache", cache) == plain)
    test.run("rules", "--set", hide, "--index", test.server.url(), "--cache", cache)
    test.say("rules are set by a command", answers(test.server.url(), "--cache", cache) == ruled)
    for name in ("recall", "mugs", "later"):
        test.run("rules", "--remove", name, "--index", test.server.url(), "--cache", cache)
    test.say("and removed one by one, which restores the bytes", answers(test.server.url(), "--cache", cache) == plain)
    fresh = test.new("fresh.vq")
    test.run("index", test.feed, "--index", fresh, "-q")
    strip = lambda text: re.sub(r'"(generation|identity|secret|token)":("[^"]*"|[0-9]+),?', "", text)
    test.say("and those of the export", strip(test.export(cache)) == strip(test.export(fresh)))


@scenario
def snapshots(test):
    """A large catalogue begins from a snapshot: with the same contents as one that is made of rows."""
    test.prepare()
    feed = test.folder / "large.jsonl"
    rows = [json.loads(line) for line in test.feed.read_text().splitlines()]

    def write(count, **more):
        feed.write_text("".join(json.dumps({"type": "product", "id": f"p{n}", "title": f"Thing {n} wordy{n}", **more}) + "\n"
                                for n in range(count)) + "".join(json.dumps(row) + "\n" for row in rows))

    def index():
        test.run("index", feed, "--index", test.server.url(), "--cache", test.folder / "writer", "--images-root",
                 test.feed.parent, "-q")

    test.new("writer")
    write(1200)
    index()
    taken = test.server.sql("select max(generation) from vq.snapshot")[0]
    test.say("the first run stores a snapshot", taken == "1", taken)
    rows = [{**row, "title": row["title"] + " new"} for row in rows[3:]]
    write(1250)
    test.run("catalogue", "remove", "--id", "product:p7", "--index", test.server.url(), "--cache", test.folder / "writer")
    index()
    again = test.server.sql("select max(generation) from vq.snapshot")[0]
    test.say("a small change does not store another", again == "1", again)
    test.answers(test.server.url(), "--cache", test.new("c1"))
    test.server.sql("create table vq.kept as select * from vq.snapshot", "delete from vq.snapshot")
    test.answers(test.server.url(), "--cache", test.new("c2"))
    test.same("copies from a snapshot and from rows", test.folder / "c1", test.folder / "c2")
    test.same("copies from a snapshot and of the writer", test.folder / "c1", test.folder / "writer")
    test.say("nothing is left of the making", not (test.folder / "c1" / "incoming").exists())
    # A copy that was interrupted while it was made, and a snapshot that cannot be read.
    test.server.sql("insert into vq.snapshot select generation, part, substr(bytes, 1, 5000) from vq.kept", "drop table vq.kept")
    cache = test.new("c3")
    (cache / "incoming").mkdir(parents=True)
    (cache / "incoming" / "catalogue.sqlite").write_bytes(b"half")
    test.answers(test.server.url(), "--cache", cache)
    test.same("a copy from a damaged snapshot", cache, test.folder / "c2")
    test.prepare()
    test.run("copy", cache, test.server.url())
    test.say("a copied catalogue has a snapshot", test.server.sql("select count(*) > 0 from vq.snapshot") == ["t"])
    test.answers(test.server.url(), "--cache", test.new("c4"))
    test.same("a copied catalogue and a copy of it", cache, test.folder / "c4")
    write(1250, brand="Another")
    shutil.rmtree(test.folder / "writer")
    index()
    later = int(test.server.sql("select max(generation) from vq.snapshot")[0])
    test.say("a large change stores another", later > 1, later)


@scenario
def thumbnails(test):
    """Every copy has all thumbnails, whatever it begins from; PostgreSQL has those of the images that there are."""
    test.prepare()
    writer, shop = test.new("writer"), [json.loads(line) for line in test.feed.read_text().splitlines()]
    feed = test.folder / "feed.jsonl"

    def index(rows, cache, *options, images=test.feed.parent):
        feed.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return test.run("index", feed, "--index", test.server.url(), "--cache", cache, "-q", "--images-root", images, *options)

    def kept(cache):
        """The thumbnails of a copy."""
        path = cache / "thumbnails.sqlite"
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(path)) as file:
            return sorted((*row, hashlib.md5(jpeg).hexdigest())
                          for *row, jpeg in file.execute("select entity, contentHash, side, jpeg from thumbnails"))

    def stored(condition="true"):
        """The thumbnails in PostgreSQL."""
        lines = test.server.sql(f"select key, content_hash, side, md5(jpeg) from vq.thumbnail where {condition}")
        return sorted((*map(int, line.split("|")[:3]), line.split("|")[3]) for line in lines)

    def key(name):
        return int(test.server.sql(f"select max(key) from vq.entity where id = '{name}'")[0])

    def needless():
        """The number of thumbnails in PostgreSQL of which no image is left, and of batches without rows."""
        return test.server.sql(
            """select count(*) from vq.thumbnail t where not exists (select from vq.entity e join vq.image i using (segment, sequence)
               where e.key = t.key and i.content_hash = t.content_hash)""",
            """select count(*) from vq.segment s where kind = 'entities' and not exists (select from vq.entity where segment = s.id)
               and not exists (select from vq.word where segment = s.id) and not exists (select from vq.thumbnail where segment = s.id)
               and not exists (select from vq.reading where segment = s.id) and not exists (select from vq.entity_feed where segment = s.id)""")

    index([{"type": "product", "id": f"p{n}", "title": f"Thing {n}"} for n in range(1010)] + shop, writer, "--thumbnails", "160")
    test.say("there is a snapshot", test.server.sql("select count(*) > 0 from vq.snapshot") == ["t"])
    whole = stored()
    test.say("the writer publishes its thumbnails", len(whole) > 30 and kept(writer) == whole, len(whole))
    cache = test.new("c1")
    test.answers(test.server.url(), "--cache", cache)
    test.say("a copy that begins from a snapshot has all thumbnails", kept(cache) == whole, (len(kept(cache)), len(whole)))
    # A change through a copy that has lost the thumbnails of the entity, on a machine without the images.
    if not (cache / "thumbnails.sqlite").exists():
        shutil.copy(writer / "thumbnails.sqlite", cache)
    with contextlib.closing(sqlite3.connect(cache / "thumbnails.sqlite")) as file:
        file.execute("delete from thumbnails where entity = ?", (key("mug-red"),))
        file.commit()
    index([{"type": "product", "id": "mug-red", "title": "Another title"}], cache, "--on-conflict", "merge",
          images=test.samples / "queries")
    test.say("a change of an entity leaves the thumbnails of its images", stored() == whole, (len(stored()), len(whole)))
    test.answers(test.server.url(), "--cache", test.new("c2"))
    test.say("a new copy after that has all thumbnails", kept(test.folder / "c2") == whole)
    # An image that is gone, one that comes, and entities that are removed and come again.
    mug, rest = next(row for row in shop if row["id"] == "mug-red"), [row for row in shop if row["id"] != "mug-red"]
    number = key("mug-red")
    index([{**mug, "images": mug["images"][1:]}], writer, "--on-conflict", "replace")
    test.say("the thumbnails of an image go with it", len(stored(f"key = {number}")) == 1, stored(f"key = {number}"))
    index([mug], writer, "--on-conflict", "replace")
    test.say("and come with it", stored() == whole, (len(stored()), len(whole)))
    test.run("catalogue", "remove", "--id", "product:mug-red", "--index", test.server.url(), "--cache", writer)
    test.say("those of an entity that is removed go, too", stored() == [row for row in whole if row[0] != number])
    index([mug], writer)
    test.say("and come with it under its new key", key("mug-red") > number and len(stored()) == len(whole), (len(stored()), len(whole)))
    index(rest, writer, "--prune-missing", "--max-removed", "100")
    test.say("nothing needless is left in PostgreSQL", needless() == ["0", "0"], needless())
    for name in ("c1", "c3"):
        test.answers(test.server.url(), "--cache", test.folder / name)
        test.say(f"the copy {name} has what there is", set(stored()) <= set(kept(test.folder / name)) and stored())


@scenario
def modes(test):
    """A cache can change between replica and engine mode. At no moment are segments without signatures read as whole ones."""
    test.prepare()
    plain, url = test.server.url(), test.server.url(mode="engine")
    writer, whole, cache = test.new("writer"), test.new("c1"), test.new("c2")
    test.index(writer)
    test.run("postgres", "init", "--index", plain, "--shard", "self")

    def holes(cache):
        """Whether the files of a cache have no signatures: they are shorter on the disk than they say."""
        files = [path.stat() for path in cache.glob("*.segment")]
        return sum(file.st_blocks for file in files) * 512 < sum(file.st_size for file in files) / 2

    def compare(what):
        """Compares a cache that changed its mode with one that never did, in both modes."""
        test.say(f"{what}: replica mode answers like a cache that was always one",
                 test.answers(plain, "--cache", cache) == test.answers(plain, "--cache", whole))
        test.say(f"{what}: and it is sound", *test.is_sound(cache))
        test.say(f"{what}: engine mode answers like a new cache", test.answers(url, "--cache", cache) == test.answers(url, "--cache", test.new("c3")))
        test.say(f"{what}: then it has no signatures", holes(cache))

    test.answers(url, "--cache", cache)
    compare("the same generation")
    test.run("catalogue", "set", "--public", "care", "--index", plain, "--cache", writer)
    compare("a later generation")
    # Labels are part of a segment, so that their change copies the signatures.
    before = best(test.answers(plain, "--cache", cache))
    test.answers(url, "--cache", cache)
    feed = test.folder / "relabeled.jsonl"
    rows = [json.loads(line) for line in test.feed.read_text().splitlines()]
    feed.write_text("".join(json.dumps({**row, "labels": [*row.get("labels", []), "relabeled"]}) + "\n" for row in rows))
    test.run("index", feed, "--index", plain, "--cache", cache, "-q", "--images-root", test.feed.parent, "--on-conflict", "replace")
    after = best(test.answers(plain, "--cache", whole))
    test.say("a writer whose cache had no signatures publishes them", len(after) > 2 and [id for id, _ in before] == [id for id, _ in after], (before, after))
    compare("a generation of its own")
    test.answers(plain, "--cache", cache)
    test.answers(plain, "--cache", writer)
    engine = test.answers(url, "--cache", cache)
    test.say("the cache of a writer can change, too", test.answers(url, "--cache", writer) == engine)
    modes_interruptions(test, plain, url, cache, whole)
    modes_servers(test, plain, url, cache)
    test.prepare()
    copied = test.run("copy", writer, plain, check=False)
    test.say("what has no signatures is not copied into PostgreSQL",
             copied.returncode == 5 and "without signatures" in copied.stderr, (copied.returncode, copied.stderr))


def modes_interruptions(test, plain, url, cache, whole):
    """A cache is read while it changes its mode, and after the command that changes it was killed."""
    for what, target, before in (("replica", plain, test.answers(url, "--cache", cache)), ("engine", url, None)):
        if before is None:
            before = test.answers(plain, "--cache", cache)
        former = (url, "--cache", cache) if target == plain else (cache,)
        lock = test.server.session()
        # The segments are fetched before the entities.
        lock.stdin.write("begin; lock vq.entity in access exclusive mode; select 'held';\n")
        lock.stdin.flush()
        lock.stdout.readline()
        process = subprocess.Popen([test.vq, "match", test.queries[0], "--index", target, "--cache", str(cache)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        waits = "select 1 from pg_stat_activity where application_name = 'vq' and wait_event_type = 'Lock'"
        test.say(f"a change to {what} mode waits", test.until(lambda: test.server.sql(waits)) is not None)
        test.say(f"during a change to {what} mode, the cache answers as before", test.answers(*former) == before)
        process.kill()
        process.wait()
        test.say(f"after a killed change to {what} mode, the cache answers as before", test.answers(*former) == before)
        if target == url:
            test.say("and it is sound", *test.is_sound(cache))
        lock.stdin.close()
        lock.wait()
        test.say(f"the next change to {what} mode succeeds",
                 test.answers(target, "--cache", cache) == test.answers(target, "--cache", whole if target == plain else test.new("c3")))


def modes_servers(test, plain, url, cache):
    """A server whose cache became one of the other mode keeps its answers, says so, and leaves the cache alone."""
    test.answers(plain, "--cache", cache)
    for arguments in (("catalogue", "verify"), ("index", test.feed)):
        refused = test.run(*arguments, "--index", url, "--cache", cache, check=False)
        test.say(f"{arguments[0]} is refused in engine mode, and leaves the signatures of a cache",
                 refused.returncode == 5 and "without mode=engine" in refused.stderr and test.is_sound(cache)[0], refused.stderr)
    shop = test.serve(cache)
    try:
        before = test.match(shop)
        engine = test.answers(url, "--cache", cache)
        said = test.until(lambda: b"not followed" in shop.ask("GET", "/readyz")[1])
        test.say("a server says that its cache has another mode", said is not None and shop.logs("cache of engine mode"), shop.text_of_log())
        test.say("it keeps its answers", test.match(shop) == before)
        test.say("it leaves the cache alone", test.answers(url, "--cache", cache) == engine and list(cache.glob("head-*.segment")))
    finally:
        shop.end()


@scenario
def migrations(test):
    """Tables of the version before are read and written, and brought to this version by init."""
    test.prepare()
    test.server.sql("drop table vq.entity_feed", "alter table vq.post drop column seal", "alter table vq.signature drop column seal",
                    "alter table vq.posted drop column lists, drop column lists_seal, drop column signatures_seal, drop column words, drop column seal",
                    "update vq.meta set value = '4' where key = 'schema'")
    test.index(test.new("writer"))
    before = test.answers(test.server.url(), "--cache", test.new("c1"))
    test.say("a server works with the version before", before.count('"rank":1') > 3)
    test.server.sql("drop table vq.reading, vq.reading_models", "drop table vq.feedback, vq.statement, vq.shard, vq.posted, vq.post, vq.signature",
                    "update vq.meta set value = '2' where key = 'schema'")
    oldest = test.run("match", test.queries[0], "--index", test.server.url(), "--cache", test.folder / "c1", check=False)
    test.say("a version before that is refused", oldest.returncode == 5 and "vq postgres init" in oldest.stderr, oldest.stderr)
    done = test.run("postgres", "init", "--index", test.server.url())
    test.say("init brings the tables to this version", "version 5." in done.stdout, done.stdout)
    test.say("the answers stay", test.answers(test.server.url(), "--cache", test.new("c1")) == before)
    test.index(test.folder / "writer")
    results = []
    test.server.reset()
    inits = [subprocess.Popen([test.vq, "postgres", "init", "--index", test.server.url()], stdout=subprocess.PIPE, text=True)
             for _ in range(3)]
    results = [process.communicate()[0] for process in inits]
    test.say("several at once take turns", all(process.returncode == 0 for process in inits), results)


def with_text(test, word):
    """Lines of 'vq sign' in which images have text, without any model: WORD0, WORD1 and so on, each on the first image of an entity."""
    done = test.run("sign", test.feed, "--images-root", test.feed.parent)
    models = [{"name": f"text-{name}.onnx", "sha256": name[0] * 64} for name in ("detector", "recognizer")]
    lines = []
    for number, row in enumerate(filter(lambda row: row.get("images"), map(json.loads, done.stdout.splitlines()))):
        row["images"][0].update(readingModels=models, reading={"codes": [], "unread": 0, "lines": [
            {"text": f"{word}{number}", "certainty": 0.9, "corners": [[0.1, 0.1], [0.9, 0.1], [0.9, 0.2], [0.1, 0.2]]}]})
        lines.append(json.dumps(row) + "\n")
    # The path is the name of the feed, which exports have, too.
    path = test.folder / "with-text.signed"
    path.write_text("".join(lines))
    return path


def named(path, number):
    """The id of the entity with the text of a number."""
    return json.loads(path.read_text().splitlines()[number])["entity"]["id"]


@scenario
def texts(test):
    """The text of images is kept in PostgreSQL and on every copy, follows changes, and proposes candidates in engine mode."""
    test.prepare()
    signed = with_text(test, "quixotry")
    own = test.new("own.vq")
    test.run("index", "--signed", signed, "--index", own, "-q")
    made = json.loads(test.run("copy", own, test.server.url(), "--json").stdout)
    back = test.new("back.vq")
    test.say("both ways have one digest", made == json.loads(test.run("copy", test.server.url(), back, "--json").stdout), made)
    test.say("the text comes back", '"quixotry3"' in test.export(back) and test.export(back) == test.export(own))
    test.run("postgres", "init", "--index", test.server.url(), "--shard", "self")
    cache, engine = test.new("cache"), test.new("engine")
    picture = pathlib.Path(test.queries[0]).read_bytes()

    def asked(shop, *texts, image=None):
        """The bytes of the answer to texts, and an image, without the time it took."""
        body = json.dumps({"texts": texts, "minConfidence": 0, "limit": 40, "products": 40, "deadlineMs": 20000}).encode()
        media = "application/json"
        if image is not None:
            media = "multipart/form-data; boundary=part"
            body = b"".join(b'--part\r\nContent-Disposition: form-data; name="' + name + b'"\r\n\r\n' + content + b"\r\n"
                            for name, content in ((b"request", body), (b"image", image))) + b"--part--\r\n"
        status, content = shop.ask("POST", "/v1/match", body, media)
        return re.sub(rb'"elapsedMs":[0-9.e-]+', b'"elapsedMs":0', content) if status == 200 else json.dumps({"status": status, "values": [], "said": content.decode()}).encode()

    shops = [Shop(test.vq, "--index", own, "--max-deadline", "20000", key=None), test.serve(cache), test.serve(engine, url=test.server.url(mode="engine"))]
    try:
        silent = {value["id"] for value in json.loads(asked(shops[2], image=picture))["values"]}
        unseen = [number for number in range(len(signed.read_text().splitlines())) if named(signed, number) not in silent]
        test.say("without text, something is no candidate in engine mode", unseen, silent)
        for words, image, number in ((("QUIXOTRY2",), None, 2), (("quixotry1",), picture, 1), ((f"quixotry{unseen[0]}",), picture, unseen[0])):
            embedded, copied, sharded = (asked(shop, *words, image=image) for shop in shops)
            what = f"{words}, {'without' if image is None else 'with'} an image"
            test.say(f"a copy compares text like the embedded index ({what})", embedded == copied, (embedded[:300], copied[:300]))
            values = {value["id"]: {term["kind"] for term in value["evidence"]} for value in json.loads(sharded)["values"]}
            wanted = {"text"} if image is None else {"text", "color"}
            test.say(f"in engine mode, text finds its entity, and its image is compared ({what})",
                     wanted <= values.get(named(signed, number), set()) and b'"complete":true' in sharded, (values, sharded[:300]))
        # A change of the text reaches every copy.
        changed = with_text(test, "zyzzyva")
        test.run("index", "--signed", changed, "--index", test.server.url(), "--cache", test.folder / "writer")
        generation = int(test.server.sql("select max(id) from vq.generation")[0])
        test.say("servers take the generation with the new text", all(shop.waits_for(generation) is not None for shop in shops[1:]))
        for shop in shops[1:]:
            values = json.loads(asked(shop, "zyzzyva5"))["values"]
            test.say("a copy that followed has it", values and values[0]["id"] == named(changed, 5), values)
        count = test.server.sql("select count(*), count(distinct doc) from vq.reading")
        test.say("PostgreSQL has each image's text once", int(count[0].split("|")[0]) <= len(changed.read_text().splitlines()), count)
        fresh = test.new("fresh")
        test.answers(test.server.url(), "--cache", fresh)
        test.same("a copy that followed and a new one", cache, fresh)
        test.same("the writer's copy and a new one", test.folder / "writer", fresh)
        test.say("nothing is left of the former text", "quixotry" not in test.export(cache))
        same = test.run("index", "--signed", changed, "--index", test.server.url(), "--cache", test.folder / "writer", "--json").stdout
        test.say("the same text makes no generation", json.loads(same)["generation"] == generation, same)
    finally:
        for shop in shops:
            shop.end()
    # Text goes with its images, and stays with those that are left.
    for number in range(3):
        test.run("catalogue", "remove", "--id", "product:" + named(changed, number), "--index", test.server.url(), "--cache", test.folder / "writer")
    test.answers(test.server.url(), "--cache", test.new("after"))
    test.same("after entities were removed", test.folder / "writer", test.folder / "after")


@scenario
def roles(test):
    """Each role may do what it needs, and nothing else."""
    test.prepare()
    test.server.sql("drop role if exists r", "drop role if exists w", "create role r login in role vq_reader",
                    "create role w login in role vq_writer")
    test.index(test.new("writer"), url=test.server.url("w"))
    test.say("a reader answers", test.answers(test.server.url("r"), "--cache", test.new("reader")).count('"rank":1') > 3)
    denied = test.index(test.folder / "reader", url=test.server.url("r"), check=False)
    test.say("a reader may not write", denied.returncode == 5 or denied.stderr == "", denied.stderr)
    for user, statement in [
            ("r", "insert into vq.setting values('a', 'b')"), ("r", "delete from vq.entity"), ("r", "update vq.segment set died = 1"),
            ("w", "update vq.chunk set bytes = ''"), ("w", "update vq.entity set id = 'x'"), ("w", "update vq.segment set born = 1"),
            ("w", "delete from vq.generation"), ("w", "update vq.snapshot set part = 1"), ("w", "update vq.catalogue set secret = ''"), ("w", "delete from vq.catalogue"),
            ("r", "insert into vq.statement values(9, 't', 'active', 0, null, '[]', '', 'product:x', '[]', null)"),
            ("r", "update vq.feedback set version = 9"), ("w", "update vq.statement set state = 'active'"), ("w", "delete from vq.feedback"),
            ("r", "delete from vq.reading"), ("w", "update vq.reading set doc = ''"),
            ("w", "update vq.meta set value = '9'"), ("w", "drop table vq.entity")]:
        error = test.server.sql(statement, user=user, check=False)
        test.say(f"{user} may not '{statement}'", "permission denied" in error or "must be owner" in error, error)
    test.server.sql("update vq.meta set value = '99' where key = 'schema'")
    newer = test.run("match", test.queries[0], "--index", test.server.url(), "--cache", test.new("newer"), check=False)
    test.say("tables of a newer version are refused", newer.returncode == 5 and "install a newer vq" in newer.stderr, newer.stderr)
    test.server.reset()
    missing = test.run("match", test.queries[0], "--index", test.server.url(), "--cache", test.new("none"), check=False)
    test.say("a database without tables is named", missing.returncode == 5 and "vq postgres init" in missing.stderr, missing.stderr)


@scenario
def writers(test):
    """There is one writer; a second one is told so, and a lost one publishes nothing."""
    test.prepare()
    test.index(test.new("writer"))
    lock = test.server.session()
    lock.stdin.write(f"begin; select pg_advisory_xact_lock({0x76717067 << 32 | 2}); select 'held';\n")
    lock.stdin.flush()
    while lock.stdout.readline().strip() != "held":
        pass
    other = test.index(test.new("other"), check=False)
    test.say("a second writer is told so", other.returncode == 5 and "another writer" in other.stderr, other.stderr)
    shop = test.serve(test.new("c1"))
    test.say("a server says that the catalogue is busy", test.put(shop, "late", "Late") == 503)
    shop.end()
    lock.stdin.close()
    lock.wait()
    # A stranger adds rows that no generation lists.
    test.server.sql(
        "insert into vq.entity values(999, 999, 999, 'product', 'stranger', null, '{\"type\":\"product\",\"id\":\"stranger\",\"title\":\"X\"}')",
        "insert into vq.chunk values(999, 0, 'x')")
    test.run("catalogue", "set", "--public", "care", "--index", test.server.url(), "--cache", test.folder / "writer")
    cache = test.new("c2")
    test.answers(test.server.url(), "--cache", cache)
    test.say("rows that no generation lists are not in a copy", "stranger" not in test.export(cache))


@scenario
def kills(test):
    """Writers and followers killed at random moments leave a sound catalogue, and every copy gets there."""
    test.prepare()
    generator = random.Random(3)
    writer, follower = test.new("writer"), test.new("follower")
    feed = test.folder / "many.jsonl"
    lines = test.feed.read_text().splitlines()
    options = ("--images-root", test.feed.parent, "-q")
    killed, usual = 0, 0
    for number in range(60):
        if killed == 6:
            break
        rows = [json.loads(line) for line in generator.sample(lines, 20)]
        for row in rows:
            row["title"] += f" {number}"
        feed.write_text("".join(json.dumps(row) + "\n" for row in rows))
        began = time.monotonic()
        process = subprocess.Popen([test.vq, "index", str(feed), "--index", test.server.url(), "--cache", str(writer), *map(str, options)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        reader = subprocess.Popen([test.vq, "match", test.queries[0], "--index", test.server.url(), "--cache", str(follower)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The second run is left alone, to tell how long one takes on this machine; the first signs images too.
        if number > 1:
            time.sleep(generator.uniform(0, usual))
            if generator.random() < 0.7:
                process.kill()
            time.sleep(generator.uniform(0, usual / 2))
            reader.kill()
        killed += process.wait() < 0
        usual = usual if number > 1 else time.monotonic() - began
        reader.wait()
    test.say("some writers were killed", killed > 2, killed)
    test.run("index", feed, "--index", test.server.url(), "--cache", writer, *options)
    test.answers(test.server.url(), "--cache", follower)
    test.same("after kills, the copies of writer and follower", writer, follower)
    fresh = test.new("fresh")
    test.answers(test.server.url(), "--cache", fresh)
    test.same("after kills, an old copy and a new one", follower, fresh)
    # The server goes away in the middle of a run.
    process = subprocess.Popen([test.vq, "index", str(test.feed), "--index", test.server.url(), "--cache", str(writer), "-q"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(0.15)
    test.server.stop("immediate")
    error = process.communicate()[1]
    test.server.start()
    test.say("a run whose server goes away ends with an error, or was done", process.returncode in (0, 5), (process.returncode, error))
    test.run("index", feed, "--index", test.server.url(), "--cache", writer, *options)
    test.answers(test.server.url(), "--cache", follower)
    test.same("after the server went away, the copies of writer and follower", writer, follower)
    time.sleep(0.1)
    left = test.server.sql("select query from pg_stat_activity where application_name = 'vq'")
    test.say("no connection is left", left == [], left)


@scenario
def steps(test):
    """A writer that dies in any step of a publication leaves the generation before, and nothing in the way of the next writer."""
    test.prepare()
    writer, cache = test.new("writer"), test.new("c1")
    shop = [json.loads(line) for line in test.feed.read_text().splitlines()]
    images = [image for row in shop for image in row.get("images", [])]
    # Enough entities for a snapshot, most of them without images, so that a run takes no time.
    rows = [{"type": "product", "id": f"p{n}", "title": f"Thing {n}"} for n in range(1010)]
    rows[40:40] = shop[:8]
    feed = test.folder / "steps.jsonl"

    def command(number):
        # Every run adds, changes and removes, writes words and a setting, and signs an image anew.
        changed = [{**row, "title": f"{row['title']} word{number}"} for row in rows[:3]]
        changed.append({"type": "product", "id": "turning", "title": "Turning", "images": [images[number]]})
        feed.write_text("".join(json.dumps(row) + "\n" for row in changed + rows[3 + number:]))
        return ["index", feed, "--index", test.server.url(), "--cache", writer, "--images-root", test.feed.parent, "-q",
                "--prune-missing", "--on-conflict", "replace", "--thumbnails", "100", "--public", f"field{number}"]

    def sleeping():
        return test.server.sql("select pid from pg_stat_activity where wait_event = 'PgSleep'")

    def newest():
        return int(test.server.sql("select max(id) from vq.generation")[0])

    test.server.sql("create or replace function public.stall() returns trigger language plpgsql as 'begin perform pg_sleep(60); return null; end'")
    def contents():
        """What a copy of the newest generation has."""
        return test.run("catalogue", "export", "--index", test.server.url(), "--cache", cache).stdout

    test.run(*command(0))
    places = [("entity", "insert"), ("image", "insert"), ("image", "delete"), ("entity", "delete"), ("word", "insert"),
              ("thumbnail", "delete"), ("thumbnail", "insert"), ("chunk", "insert"), ("segment", "insert"), ("dead", "insert"),
              ("setting", "delete"), ("setting", "insert"), ("generation", "insert"), ("segment", "delete"), (None, "commit"), ("snapshot", "delete")]
    for number, (table, event) in enumerate(places, 1):
        name = f"{event} of {table}" if table else "the commit"
        if table:
            make = f"create trigger stall before {event} on vq.{table} for each statement execute function public.stall()"
        else:
            table, make = "generation", ("create constraint trigger stall after insert on vq.generation deferrable initially deferred "
                                         "for each row execute function public.stall()")
        if table == "snapshot":
            test.server.sql("update vq.generation set last_sequence = 0 where id = (select max(generation) from vq.snapshot)")
        test.server.sql(make)
        process = subprocess.Popen([test.vq, *map(str, command(number))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        test.until(lambda: sleeping() or process.poll() is not None, seconds=30)
        reached = process.poll() is None
        # A run publishes several generations; this is the one before the step. Readers do not wait.
        published, before = newest(), contents()
        process.kill()
        process.wait()
        test.say(f"a writer is killed in: {name}", reached and before)
        if number == 1:
            test.say("PostgreSQL ends the transaction of a killed writer itself", test.until(lambda: not sleeping()) is not None)
        test.server.sql("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'")
        test.until(lambda: not sleeping())
        test.server.sql(f"drop trigger stall on vq.{table}")
        test.say(f"after: {name}, there is the generation before", newest() == published and contents() == before, (newest(), published))
    # Each of these runs began after the death of the one before; this one ends.
    test.run(*command(0))
    test.answers(test.server.url(), "--cache", cache)
    test.same("after a death in every step, the copies of writer and follower", writer, cache)
    test.answers(test.server.url(), "--cache", test.new("c2"))
    test.same("after a death in every step, an old copy and a new one", cache, test.folder / "c2")
    # A statement about an answer is a transaction, too.
    shop = test.serve(cache)
    before = test.match(shop)
    for table, event in (("statement", "insert"), ("feedback", "update")):
        test.server.sql(f"create trigger stall before {event} on vq.{table} for each statement execute function public.stall()")
        said = threading.Thread(target=try_quietly, args=(lambda: test.feed_back(shop, chosen="product:p1000"),))
        said.start()
        reached = test.until(sleeping) is not None
        shop.end(signal.SIGKILL)
        said.join()
        test.server.sql("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'")
        test.until(lambda: not sleeping())
        test.server.sql(f"drop trigger stall on vq.{table}")
        shop = test.serve(cache)
        test.say(f"a server killed while it writes vq.{table} has said nothing", reached and test.match(shop) == before
                 and test.server.sql("select count(*) from vq.statement") == ["0"], reached)
    taken = test.feed_back(shop, chosen="product:p1000")
    test.say("the next statement is taken", taken == (201, 1), (taken, shop.text_of_log()))
    shop.end()


def try_quietly(function):
    """Calls a function whose connection may end."""
    with contextlib.suppress(Exception):
        function()


@scenario
def pooler(test):
    """PgBouncer in transaction mode, with one server connection fewer than clients would like."""
    program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
    if not os.path.exists(program):
        return print("SKIPPED: pgbouncer is not installed", flush=True)
    test.prepare()
    folder, port = test.folder / "bouncer", free_port()
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o777)
    (folder / "users").write_text('"owner" ""\n')
    (folder / "bouncer.ini").write_text(f"""[databases]
postgres = host={test.server.folder} port={test.server.port}
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
unix_socket_mode = 0777
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 4
""")
    process = subprocess.Popen([program, str(folder / "bouncer.ini")], user=test.server.account,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if (folder / f".s.PGSQL.{port}").exists():
                break
            time.sleep(0.05)
        url = test.server.url(host=folder, port=port)
        test.index(test.new("writer"), url=url)
        a = test.serve(test.new("c1"), url=url)
        b = test.serve(test.new("c2"), url=url)
        try:
            for number in range(6):
                test.say("a change through the pooler is made", test.put((a, b)[number % 2], f"p{number}", "P", test.pictures[number]) == 201)
            delay = b.waits_for(7)
            test.say("the other server sees it", delay is not None and a.waits_for(7) is not None, delay)
            test.say("a statement through the pooler is made", test.feed_back(a, chosen="product:oats") == (201, 1))
            test.say("the other server sees it, too", test.until(lambda: b'"number":1' in b.ask("GET", "/v1/feedback")[1]) is not None)
        finally:
            a.end()
            b.end()
        test.same("through the pooler", test.folder / "c1", test.folder / "c2")
        leaked = test.server.sql("select count(*) from pg_locks where locktype = 'advisory'")
        test.say("no lock is left", leaked == ["0"], leaked)
    finally:
        process.terminate()
        process.wait()


@scenario
def interruptions(test):
    """Cancelled work leaves no statement behind; a server that is down leaves the copies working."""
    test.prepare()
    test.index(test.new("writer"))
    lock = test.server.session()
    lock.stdin.write("begin; lock vq.generation in access exclusive mode; select 'held';\n")
    lock.stdin.flush()
    lock.stdout.readline()
    statements = "select pid from pg_stat_activity where application_name = 'vq' and state = 'active'"
    process = subprocess.Popen([test.vq, "match", test.queries[0], "--index", test.server.url(), "--cache", str(test.new("c1"))],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for _ in range(100):
        if test.server.sql(statements):
            break
        time.sleep(0.05)
    test.say("a statement waits", len(test.server.sql(statements)) == 1)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=10)
    test.say("Ctrl-C ends the command with 130", process.returncode == 130, process.returncode)
    left = test.server.sql(statements)
    for _ in range(40):
        if not left:
            break
        time.sleep(0.05)
        left = test.server.sql(statements)
    test.say("Ctrl-C ends it on the server", left == [], left)
    # A time-out of the server's, which the shop sets for its roles.
    test.server.sql("drop role if exists slow", "create role slow login in role vq_writer", "alter role slow set statement_timeout = '300ms'")
    for what, arguments in (("a reader", ("match", test.queries[0])), ("a writer", ("catalogue", "remove", "--id", "product:oats"))):
        late = test.run(*arguments, "--index", test.server.url("slow"), "--cache", test.new("c1"), check=False)
        test.say(f"statement_timeout ends the work of {what} with an error", late.returncode == 1 and "statement timeout" in late.stderr, late.stderr)
        test.say(f"statement_timeout leaves nothing of {what} running", test.server.sql(statements) == [])
    # A server starts with the copy that it has.
    shop = test.serve(test.folder / "writer", url=test.server.url("slow"))
    lock.stdin.close()
    lock.wait()
    test.say("a server whose statement was too slow follows again", test.until(lambda: b"not followed" not in shop.ask("GET", "/readyz")[1]) is not None)
    ended = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'vq'"
    test.say("a server has a connection", test.server.sql(ended) == ["t"])
    test.say("a change is made after an administrator ended it", test.put(shop, "x", "X") == 201)
    shop.end()
    cache = test.new("c2")
    test.run("match", test.queries[0], "--index", test.server.url(), "--cache", cache, "--at-least", "1")
    shop = test.serve(cache)
    test.server.stop()
    try:
        answer = test.run("match", test.queries[0], "--index", test.server.url(), "--cache", cache)
        test.say("without the server, the copy answers, and says so", "answering from generation 2" in answer.stderr, answer.stderr)
        time.sleep(1.5)
        ready = shop.ask("GET", "/readyz")
        test.say("a server without PostgreSQL stays ready, and says so", ready[0] == 200 and b"not followed" in ready[1], ready)
        test.say("a change is refused", test.put(shop, "x", "X") == 503)
        none = test.run("match", test.queries[0], "--index", test.server.url(), "--cache", test.new("c3"), check=False)
        test.say("without a copy, the command fails", none.returncode == 5 and "cannot be reached" in none.stderr, none.stderr)
    finally:
        test.server.start()
    test.say("a change is made once PostgreSQL is back", test.put(shop, "y", "Y") == 201)
    test.say("the server follows again", shop.waits_for(3) is not None)
    shop.end()


@scenario
def standby(test):
    """A standby that was behind is promoted: copies of a generation that it never had are built anew."""
    test.prepare()
    test.index(test.new("writer"))
    other = Server(test.folder / "b", test.binaries, source=test.server)
    try:
        urls = test.server.url(host=f"{test.server.folder},{other.folder}", port=f"{test.server.port},{other.port}")
        cache = test.new("c1")
        shop = test.serve(cache, url=urls)
        time.sleep(0.3)
        # The standby is cut off, so that it misses a generation.
        other.sql("alter system set primary_conninfo = ''", "select pg_reload_conf()")
        time.sleep(0.3)
        direct = test.serve(test.new("c2"), url=test.server.url())
        test.say("a change is made", test.put(direct, "lost", "Lost", test.pictures[0]) == 201)
        test.say("a statement is made", test.feed_back(direct, chosen="product:kettle") == (201, 1))
        test.run("match", test.queries[0], "--index", other.url(), "--cache", test.folder / "c2")
        test.say("a copy never goes back to a standby that is behind", '"generation":2' in test.answers(test.folder / "c2"))
        lost = test.server.sql("select number from vq.segment where number is not null order by id desc limit 1")
        direct.end()
        test.server.stop("immediate")
        other.promote()
        test.say("the promoted standby lacks the generation", other.sql("select max(id) from vq.generation") == ["1"])
        # The next segment gets the numbers of the lost one.
        test.say("a change is made on the promoted one", test.put(shop, "found", "Found", test.pictures[1]) == 201)
        test.say("a statement is made on the promoted one", test.feed_back(shop, chosen="product:oats") == (201, 1))
        ids = other.sql("select number from vq.segment where number is not null order by id desc limit 1")
        test.say("numbers are given again", ids == lost, (ids, lost))
        test.answers(urls, "--cache", test.folder / "c2")
        fresh = test.new("c3")
        test.answers(urls, "--cache", fresh)
        test.same("after the promotion, a copy that was ahead and a new one", test.folder / "c2", fresh)
        newest = int(other.sql("select max(id) from vq.generation")[0])
        test.say("the server follows the promoted one", shop.waits_for(newest) is not None, shop.text_of_log())
        shop.end()
        test.same("after the promotion, the server's copy and a new one", cache, fresh)
    finally:
        other.stop("immediate")
        test.server.stop("immediate")
        test.server.start()


@scenario
def silence(test):
    """A database that does not respond keeps no change waiting for longer than its deadline."""
    test.prepare()
    test.index(test.new("writer"))
    shop = Shop(test.vq, "--index", test.server.url(), "--cache", test.new("c1"), "--keys", test.keys, "--change-deadline", "1500", key=test.key)
    test.say("a change is made", test.put(shop, "before", "Before") == 201)
    pids = [int(pid) for pid in test.server.sql("select pid from pg_stat_activity where backend_type = 'client backend'")]
    pids.append(int((test.server.data / "postmaster.pid").read_text().split()[0]))
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    try:
        start, statuses = time.monotonic(), []
        changers = [threading.Thread(target=lambda number=number: statuses.append(test.put(shop, f"late{number}", "Late")))
                    for number in range(4)]
        for changer in changers:
            changer.start()
        for changer in changers:
            changer.join()
        test.say("changes are refused", statuses == [503] * 4, statuses)
        test.say("none waits for the database", time.monotonic() - start < 30, time.monotonic() - start)
        test.say("searches go on", shop.ask("GET", "/v1/entities?q=before")[0] == 200)
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    test.say("a change is made once it responds again", test.until(lambda: test.put(shop, "after", "After") in (200, 201), 60) is not None)
    shop.end()


@scenario
def refusals(test):
    """A refused login is not an outage: with a copy, too, it ends the command with a code of its own."""
    test.prepare()
    test.index(test.new("writer"))
    test.server.sql("drop role if exists dealer", "create role dealer login password 'right' in role vq_reader")
    cache = test.new("c1")
    url = f"postgres://dealer@127.0.0.1:{test.server.port}/postgres"

    def ask(what, code, words, url=url, **environment):
        run = subprocess.run([test.vq, "match", test.queries[0], "--index", url, "--cache", cache],
                             env={**os.environ, "PGPASSFILE": "/dev/null", **environment}, capture_output=True, text=True)
        test.say(what, run.returncode == code and words in run.stderr, (run.returncode, run.stderr))

    ask("without a password, the login is refused", 6, "refused the login")
    ask("with the right password, the copy is made", 0, "", PGPASSWORD="right")
    ask("with a copy, a wrong password is refused", 6, "refused the login", PGPASSWORD="wrong")
    ask("so is a database that does not exist", 6, "refused the login", url=url.replace("/postgres", "/other"), PGPASSWORD="right")
    ask("so is a user that does not exist", 6, "refused the login", url=url.replace("dealer", "nobody"), PGPASSWORD="right")
    shop = test.serve(test.new("c2"), url=test.server.url("dealer"))
    test.server.sql("alter role dealer nologin", "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'dealer'")
    ask("so is a user that may not log in any more", 6, "refused the login", PGPASSWORD="right")
    test.say("a running server says so in its log, and answers",
             test.until(lambda: "refused the login" in shop.text_of_log()) is not None and shop.ask("GET", "/readyz")[0] == 200)
    shop.end()
    test.server.sql("alter role dealer login", "revoke vq_reader from dealer")
    ask("without the rights of a reader, the tables are refused", 5, "grant the role vq_reader", PGPASSWORD="right")
    test.server.stop()
    try:
        ask("a server that is down is an outage", 0, "answering from generation", PGPASSWORD="right")
        ask("an address in the environment is not taken for this machine", 2, "verify-full",
            url=url + "?sslmode=disable", PGHOSTADDR="192.0.2.1")
    finally:
        test.server.start()


@scenario
def secrets(test):
    """Passwords are in no argument, message or log; another machine must prove its name."""
    test.prepare()
    password = "s3cr3t-0f-th3-sh0p"
    url = f"postgres://owner:{password}@127.0.0.1:{test.server.port}/postgres"
    refused = test.run("match", test.queries[0], "--index", url, "--cache", test.new("c1"), check=False)
    test.say("a password in an address is refused, and not repeated",
             refused.returncode == 2 and password not in refused.stderr + refused.stdout and "PGPASSFILE" in refused.stderr, refused.stderr)
    far = test.run("match", test.queries[0], "--index", "postgres://db.example/shop?sslmode=require", "--cache", test.new("c1"), check=False)
    test.say("a weaker sslmode is refused for another machine", far.returncode == 2 and "verify-full" in far.stderr, far.stderr)
    certificate = test.server.data / "server.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=db.example",
                    "-addext", "subjectAltName=DNS:db.example", "-keyout", test.server.data / "server.key", "-out", certificate],
                   check=True, capture_output=True)
    for name in ("server.key", "server.crt"):
        os.chmod(test.server.data / name, 0o600)
        if test.server.account:
            shutil.chown(test.server.data / name, test.server.account)
    authority = test.folder / "ca.crt"
    shutil.copy(certificate, authority)
    os.chmod(authority, 0o644)
    address = machine_address()
    with open(test.server.data / "postgresql.conf", "a") as configuration:
        configuration.write(f"ssl = on\nlisten_addresses = '127.0.0.1,{address or ''}'\n".replace(",'", "'"))
    test.server.stop()
    test.server.start()
    test.server.sql(f"drop role if exists net", f"create role net login password '{password}' in role vq_writer")
    passfile = test.folder / "pass"
    passfile.write_text(f"*:*:*:net:{password}\n")
    os.chmod(passfile, 0o600)
    environment = {"PGPASSFILE": str(passfile)}
    local = f"postgres://net@127.0.0.1:{test.server.port}/postgres"
    done = test.index(test.new("writer"), url=local, environment=environment)
    test.say("a password comes from a file", done.returncode == 0, done.stderr)
    wrong = test.index(test.new("c2"), url=local, environment={"PGPASSWORD": "wr0ng-" + password}, check=False)
    test.say("a wrong password is an error that does not repeat it",
             wrong.returncode == 6 and password not in wrong.stderr and "authentication failed" in wrong.stderr, wrong.stderr)
    if address:
        for host, works in (("db.example", True), ("other.example", False)):
            url = (f"postgres://net@{host}:{test.server.port}/postgres?hostaddr={address}&sslrootcert={authority}")
            done = test.run("match", "--labels", "mug", "--index", url, "--cache", test.new("c4"), environment=environment, check=False)
            test.say(f"a certificate of db.example {'proves' if works else 'does not prove'} the name {host}",
                     (done.returncode == 0) == works and (works or "does not match" in done.stderr), done.stderr)
        url = f"postgres://net@db.example:{test.server.port}/postgres?hostaddr={address}"
        done = test.run("match", "--labels", "mug", "--index", url, "--cache", test.new("c4"),
                        environment=environment | {"SSL_CERT_FILE": str(authority)}, check=False)
        test.say("an authority of the environment vouches for a server", done.returncode == 0, done.stderr)
        url = f"postgres://net@{address}:{test.server.port}/postgres"
        done = test.run("match", "--labels", "mug", "--index", url, "--cache", test.new("c5"),
                        environment=environment | {"SSL_CERT_FILE": ""}, check=False)
        test.say("without a certificate to check, nothing is sent", done.returncode == 5 and "root" in done.stderr, done.stderr)
    files = [path for path in test.folder.rglob("*") if path.is_file() and path.name not in ("pass", "log") and "data" not in path.parts]
    test.say("no file of a copy has the password", not any(password.encode() in path.read_bytes() for path in files))


def feedback_import(test, shop, cache):
    """An export is imported some hundred statements in a transaction, and a failure says how far it came."""
    url = test.server.url()

    def version():
        return int(test.server.sql("select version from vq.feedback")[0])

    def statements():
        return int(test.server.sql("select count(*) from vq.statement")[0])

    before, had = version(), statements()
    file = test.folder / "said.jsonl"
    file.write_text("".join(json.dumps({"state": "active", "time": 5, "labels": [f"word {number}"], "chosen": "product:oats", "rejected": []}) + "\n"
                            for number in range(1200)))
    last = int(test.server.sql("select last_number from vq.feedback")[0])
    test.server.sql(f"alter table vq.statement add constraint few check (number <= {last + 1100})")
    failed = test.run("feedback", "import", file, "--index", url, "--cache", cache, check=False)
    test.say("a failure in the middle says how many statements were imported",
             failed.returncode == 1 and "1000 statements imported before" in failed.stderr and statements() == had + 1000,
             (failed.returncode, failed.stderr, statements() - had))
    test.say("statements are imported 500 in a transaction", version() == before + 2, version() - before)
    test.server.sql("alter table vq.statement drop constraint few")
    again = test.run("feedback", "import", file, "--index", url, "--cache", cache)
    test.say("importing again adds the rest", again.stdout.startswith("200 statements imported") and statements() == had + 1200, again.stdout)
    numbers = test.server.sql("select max(number) - min(number) from vq.statement where labels like '%word %'")
    test.say("and no number is lost", numbers == ["1199"], numbers)
    seen = test.until(lambda: b'"number":' + str(last + 1200).encode() in shop.ask("GET", "/v1/feedback")[1])
    test.say("other servers have them", seen is not None)


@scenario
def engine(test):
    """Engine mode: candidates by posting lists in PostgreSQL, on one server and on three shards."""
    test.prepare()
    own, url = test.new("own.vq"), test.server.url(mode="engine")
    test.run("index", test.feed, "--index", own, "-q")
    test.run("copy", own, test.server.url())
    none = test.run("match", test.queries[0], "--index", url, "--cache", test.new("c0"), check=False)
    test.say("without posting lists, the command says how to make them", none.returncode == 5 and "--shard self" in none.stderr, none.stderr)
    empty = test.server.sql("select (select count(*) from vq.post) + (select count(*) from vq.signature)")
    test.say("replicas only pay nothing", empty == ["0"], empty)
    test.run("postgres", "init", "--index", test.server.url(), "--shard", "self")
    one = test.answers(url, "--cache", test.new("c1"))
    same = [(ours, theirs) for ours, theirs in zip(best(test.answers(own)), best(one)) if ours[1] >= 0.85]
    test.say("sure matches are those of the embedded index, with the same confidence",
             len(same) > 1 and all(ours == theirs for ours, theirs in same), same)
    embedded = test.embedded_answer(url, "--cache", test.folder / "c1")
    compared = '"embeddingCompared":true' if has_pgvector(test) else '"embeddingCompared":false'
    test.say("the answer says whether embeddings are compared", compared in embedded, embedded[:300])
    test.say("all answers are complete", one.count('"complete":true') == len(test.queries), one[:300])
    test.say("the posting lists are those of the embedded index", *equal_lists(own, [test.server]))
    holes = sum(path.stat().st_blocks for path in (test.folder / "c1").glob("*.segment")) * 512
    test.say("a cache has no signatures", holes < sum(path.stat().st_size for path in own.glob("*.segment")) / 2, holes)
    for arguments in (("catalogue", "remove", "--id", "product:oats"), ("catalogue", "verify"), ("index", test.feed)):
        refused = test.run(*arguments, "--index", url, "--cache", test.folder / "c1", check=False)
        test.say(f"{' '.join(map(str, arguments[:2]))} is refused in engine mode",
                 refused.returncode == 5 and "without mode=engine" in refused.stderr, refused.stderr)
    wrong = test.run("match", test.queries[0], "--index", url, "--cache", own, check=False)
    test.say("an index of its own is not taken for a cache", wrong.returncode == 5, wrong.stderr)
    two = test.run("postgres", "init", "--index", test.server.url(), "--shard", "self", "--shard", "postgres:///x", check=False)
    test.say("another number of shards is refused", two.returncode == 5 and "1 shard" in two.stderr, two.stderr)
    others = [Server(test.folder / name, test.binaries) for name in ("s1", "s2")]
    servers = [test.server, *others]
    try:
        test.run("postgres", "init", "--index", test.server.url(), "--shard", "none")
        empty = test.server.sql("select (select count(*) from vq.post) + (select count(*) from vq.signature)")
        test.say("without shards, the lists are gone", empty == ["0"], empty)
        test.run("postgres", "init", "--index", test.server.url(), "--shard", "self", *shard_options(others))
        three = test.answers(url, "--cache", test.new("c3"))
        test.say("three shards answer byte for byte like one server", one == three, (one[:300], three[:300]))
        test.say("the lists of three shards are those of the embedded index", *equal_lists(own, servers))
        test.say("each shard has a third", *shares(servers))
        engine_plans(test, servers)
        engine_changes(test, url, servers)
        engine_interruptions(test, url, servers)
        engine_damage(test, url, servers[1])
        engine_kills(test, url, others[1])
    finally:
        for other in others:
            other.stop("immediate")


@scenario
def vectors(test):
    """Engine mode finds images by their vectors if the server has pgvector, and says what is missing if not."""
    test.prepare()
    own, url, cache = test.new("own.vq"), test.server.url(mode="engine"), test.new("c1")
    test.run("index", test.feed, "--index", own, "-q")
    test.run("copy", own, test.server.url())
    done = test.run("postgres", "init", "--index", test.server.url(), "--shard", "self")
    if not has_pgvector(test):
        test.say("init says that pgvector is missing", "has no pgvector" in done.stdout, done.stdout)
        asked = test.run("match", "--embedding", vector(test, 1), test.queries[0], "--index", url, "--cache", cache)
        test.say("a search with a vector says so, too", "no index of them" in asked.stderr, asked.stderr)
        print("SKIPPED: this PostgreSQL has no pgvector", flush=True)
        return
    test.say("init says that vectors are indexed", "indexed by pgvector" in done.stdout, done.stdout)
    rows = [json.loads(line) for line in test.feed.open()]
    expected = sum(len(row.get("images", [])) for row in rows if "embeddings" in row)
    counts = test.server.sql("select count(*), (select count(*) from vq.embedded) from vq.embedding")
    test.say("the vectors of all images are there", counts == [f"{expected}|2"], (counts, expected))
    # Keypoints and hashes find nothing in a plain image.
    plain = found_by(test, None, "--index", url, "--cache", cache)
    number, name = next((number, row["id"]) for number, row in enumerate(rows)
                        if row["type"] == "product" and "embeddings" in row and row["id"] not in plain)
    for what, arguments in (("of an index on disk", ("--index", own)), ("in engine mode", ("--index", url, "--cache", cache))):
        near = found_by(test, vector(test, number), *arguments)
        test.say(f"a vector is compared with those {what}, and finds its entity", near.get(name, 0) == max(near.values()) > 1, (name, near))
    plan = "\n".join(test.server.sql("set enable_seqscan = off", f"explain {vector_statement(test.server)}"))
    test.say("the plan does not read all vectors of a segment", "Index Cond: (segment = " not in plan.split("SubPlan")[0].split("InitPlan")[0], plan)
    test.server.sql("drop table vq.embedding, vq.embedded")
    test.run("postgres", "init", "--index", test.server.url(), "--shard", "self")
    again = test.server.sql("select count(*), (select count(*) from vq.embedded) from vq.embedding")
    test.say("another init writes the vectors that are missing", again == counts, again)
    test.run("catalogue", "remove", "--id", f"product:{name}", "--index", test.server.url(), "--cache", test.new("writer"))
    near = found_by(test, vector(test, number), "--index", url, "--cache", cache)
    test.say("what was removed is not found by its vector", near and name not in near, near)
    test.server.sql("drop table vq.embedding, vq.embedded")
    asked = test.run("match", "--json", "--embedding", vector(test, number), test.queries[0], "--index", url, "--cache", cache)
    test.say("without the tables, the answer is complete and says that vectors were not compared",
             "no index of them" in asked.stderr and '"embeddingCompared":false' in asked.stdout and '"complete":true' in asked.stdout, asked.stdout[:300])
    test.run("postgres", "init", "--index", test.server.url(), "--shard", "none")


def has_pgvector(test):
    return bool(test.server.sql("select 1 from pg_available_extensions where name = 'vector'"))


def vector(test, number):
    """A file with the vector of the first image of a row of the feed."""
    file = test.folder / "vector.json"
    row = json.loads(test.embedded({"images": ["one"]}, number))["embeddings"]
    file.write_text(json.dumps({"model": row["model"], "vector": row["vectors"][0]}))
    return file


def found_by(test, file, *arguments):
    """The candidates of a sample query, each with how far its vector stands out."""
    answer = json.loads(test.run("match", "--json", "--deadline", "0", "--min-confidence", "0", "--limit", "50", "--products", "50", *arguments,
                                 *(["--embedding", file] if file else []), plain_image(test)).stdout)
    if file:
        test.say("the vector was compared, and the answer is complete", answer["embeddingCompared"] and answer["complete"], str(answer)[:300])
    return {value["id"]: next((term["value"] for term in value["evidence"] if term["kind"] == "embedding"), 0) for value in answer["values"]}


def plain_image(test):
    """A gray PNG."""
    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    file = test.folder / "plain.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">2I5B", 200, 200, 8, 0, 0, 0, 0))
                     + part(b"IDAT", zlib.compress((b"\0" + bytes([128]) * 200) * 200)) + part(b"IEND", b""))
    return file


def vector_statement(server):
    """The last statement that asked for vectors."""
    return next(text for text in reversed(engine_statements(server)) if "from vq.embedding where" in text)


def shard_options(servers):
    return [word for server in servers for word in ("--shard", server.url())]


def best(answers):
    """The best match of each answer, with its confidence."""
    documents = [json.loads(line) for line in answers.replace(",,", ",").splitlines()]
    return [(value["id"], value["confidence"]) for document in documents for value in document["values"][:1]]


def lists_of_file(path):
    """The posting lists of a segment's file, without those that are skipped (SegmentLayout.swift)."""
    data = path.read_bytes()
    rows, _, blocks, keypoints = struct.unpack_from("<4Q", data, 16)
    columns = {struct.unpack_from("<I", data, 48 + 32 * place)[0]: struct.unpack_from("<2Q", data, 48 + 32 * place + 8)
               for place in range(14)}
    starts = struct.unpack_from(f"<{columns[12][1] // 4}I", data, columns[12][0])
    bits = (len(starts) - 1).bit_length() - 1
    longest = max(32, 32 * keypoints >> bits)
    offset = columns[13][0]
    return {word: data[offset + 8 * starts[word]:offset + 8 * starts[word + 1]]
            for word in range(len(starts) - 1) if 0 < starts[word + 1] - starts[word] <= longest}


HASH_WORDS = 1 << 24


def equal_lists(own, servers):
    """Whether the lists of all servers, put together, are those of the segments of an index."""
    expected = sorted((word, bytes(posting)) for path in own.glob("*.segment") for word, posts in lists_of_file(path).items()
                      for posting in zip(*[iter(posts)] * 8))
    found = sorted((int(word), bytes(posting)) for server in servers
                   for word, posts in (line.split("|") for line in server.sql(f"select word, encode(posts, 'hex') from vq.post where word < {HASH_WORDS}"))
                   for posting in zip(*[iter(bytes.fromhex(posts))] * 8))
    return bool(expected) and expected == found, (len(expected), len(found))


def shares(servers):
    counts = [int(server.sql("select count(*) from vq.signature")[0]) for server in servers]
    return min(counts) > 0 and max(counts) - min(counts) <= 2, counts


def engine_statements(server):
    """The statements of engine mode that a server has logged, without the settings before them."""
    found = re.findall(r"statement: (set local [^\n]*?copy \(.*?to stdout \(format binary\))", server.log(), re.DOTALL)
    return [re.search(r"copy \((.*)\) to stdout", text, re.DOTALL)[1].replace("\n\t", "\n") for text in found]


def engine_plans(test, servers):
    """Both statements use the primary keys, on every shard."""
    for server in servers:
        for table in ("post", "signature"):
            statement = next((text for text in engine_statements(server) if f"from vq.{table} where" in text), None)
            test.say(f"a statement asks vq.{table}", statement is not None)
            if statement is None:
                continue
            plan = "\n".join(server.sql("set enable_seqscan = off", f"explain {statement}"))
            column = {"post": "(word = w.word)", "signature": '("row" = r."row")'}[table]
            test.say(f"the plan of vq.{table} looks up each row by both columns of its key",
                     f"{table}_pkey" in plan and f"Index Cond: ((segment = s.id) AND {column})" in plan
                     and f"Seq Scan on {table}" not in plan, plan)


def engine_changes(test, url, servers):
    """A server in engine mode follows, and what was replaced is removed after a while."""
    patient = ("--deadline", "20000")
    writer, reader = test.serve(test.new("c1")), test.serve(test.new("c2"), *patient, url=url)
    try:
        picture = pathlib.Path(test.queries[1]).read_bytes()
        refused = test.put(reader, "x", "X", picture)
        test.say("a server in engine mode refuses changes", refused == 503, refused)
        test.say("a change is made", test.put(writer, "fresh", "Fresh", picture) == 201)
        test.say("the server in engine mode follows", reader.waits_for(2) is not None, reader.text_of_log())
        found = json.loads(reader.ask("POST", "/v1/match", picture, "image/jpeg")[1])
        test.say("and finds the new image", found["complete"] and found["values"][0]["id"] == "fresh", str(found)[:300])
        status = writer.ask("DELETE", "/v1/entities/product/fresh")[0]
        test.say("it is removed", status in (200, 204), status)
        reader.waits_for(3)
        found = json.loads(reader.ask("POST", "/v1/match", picture, "image/jpeg")[1])
        test.say("and not found any more", all(value["id"] != "fresh" for value in found["values"]), str(found)[:300])
    finally:
        writer.end()
        reader.end()
    stranger = "insert into vq.posted(name, rows) values('product-9pdeadbeef.segment', 1) returning id"
    servers[1].sql(f"with s as ({stranger}) insert into vq.post select id, 5, '\\x00' from s")
    before = test.answers(url, "--cache", test.new("c3"))
    test.run("catalogue", "remove", "--id", "product:oats", "--index", test.server.url(), "--cache", test.folder / "c1")
    left = servers[1].sql("select count(*) from vq.posted where name like '%deadbeef%'", "select count(*) from vq.post where word = 5 and posts = '\\x00'")
    test.say("what a lost writer left behind is never asked for, and removed", '"rank":1' in before and left == ["0", "0"], left)
    test.say("the lists of replaced segments stay for readers of the former generation",
             len(test.server.sql("select name from vq.posted")) > 2)
    test.server.sql("drop role if exists reader", "create role reader login in role vq_reader")
    done = test.run("match", "--json", test.queries[0], "--index", test.server.url(user="reader", mode="engine"), "--cache", test.new("c4"))
    test.say("vq_reader may ask for candidates", '"complete":true' in done.stdout, done.stdout[:300] + done.stderr)


ACTIVE = "select pid from pg_stat_activity where application_name = 'vq' and state = 'active'"


def is_quiet(servers):
    """Whether all statements of vq end within two seconds."""
    for _ in range(40):
        if not any(server.sql(ACTIVE) for server in servers):
            return True
        time.sleep(0.05)
    return False


def engine_interruptions(test, url, servers):
    """A deadline and Ctrl-C end a question on all shards."""
    cache = test.folder / "c3"
    whole = json.loads(test.run("match", "--json", test.queries[0], "--index", url, "--cache", cache).stdout)
    lock = servers[1].session()
    try:
        lock.stdin.write("begin; lock vq.post in access exclusive mode; select 'held';\n")
        lock.stdin.flush()
        lock.stdout.readline()
        late = test.run("match", "--json", "--deadline", "6000", test.queries[0], "--index", url, "--cache", cache)
        document = json.loads(late.stdout)
        test.say("a shard that is late is named, and the answer is not complete",
                 document.get("missingShards") == [1] and not document["complete"] and 0 < document["coverage"] < 1, late.stdout[:400])
        test.say("the others are searched", whole["values"] == [] or document["values"] != [] or document["possible"] or document["emptyReason"], late.stdout[:400])
        test.say("the deadline ends the statement on the server", is_quiet(servers))
        process = subprocess.Popen([test.vq, "match", test.queries[0], "--index", url, "--cache", str(cache)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(100):
            if servers[1].sql(ACTIVE):
                break
            time.sleep(0.05)
        test.say("a statement waits", len(servers[1].sql(ACTIVE)) == 1)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
        test.say("Ctrl-C ends the command with 130", process.returncode == 130, process.returncode)
        test.say("Ctrl-C ends the statement on the server", is_quiet(servers))
    finally:
        lock.stdin.close()
        lock.wait()


# What is changed on the shard, and what the warning says.
DAMAGE = [
    ("update vq.signature set bytes = ''", "has at least 384 bytes; found 0"),
    ("update vq.signature set bytes = overlay(bytes placing '\\xffff' from 1 for 2)", "version 65535"),
    ("update vq.signature set bytes = decode(repeat('00', 100000000), 'hex') where ctid in (select max(ctid) from vq.signature)", None),
    ("update vq.signature set bytes = substr(repeat(encode(bytes, 'hex'), 9), 1, 60000)::bytea", "is too long"),
    ("delete from vq.signature", "has no signature of row"),
    ("update vq.post set posts = substr(posts, 2)", "where each posting has 8"),
    ("update vq.post set posts = '\\xffffffffffffffff'", "is not one of its rows"),
    ("update vq.post set posts = decode(repeat('00', 80000), 'hex')", "is too long"),
    ("update vq.posted set rows = 9223372036854775807", "the record of segment"),
    ("update vq.posted set rows = -1", "the record of segment"),
    ("update vq.posted set words = null", "the record of segment"),
    ("update vq.posted set words = overlay(words placing '\\x63' from 1 for 1)", "the record of segment"),
    # Each of these can be a list or a signature.
    ("delete from vq.post", "has no list of word"),
    ("update vq.post set posts = substr(posts, 9) where length(posts) > 8", "does not have its seal"),
    ("update vq.signature set bytes = (select bytes from vq.signature limit 1)", "does not have its seal"),
    ("update vq.post set seal = null", "does not have its seal"),
]


def engine_damage(test, url, shard):
    """Tables of a shard that were changed by others: what is wrong is left out, counted and said."""
    tables = ("posted", "post", "signature")
    for table in tables:
        shard.sql(f"create table public.kept_{table} as table vq.{table}")
    cache = test.folder / "c3"

    def restore():
        shard.sql("begin", *(f"delete from vq.{table}" for table in reversed(tables)),
                  *(f"insert into vq.{table} overriding system value table public.kept_{table}" for table in tables), "commit")

    def ask():
        done = test.run("match", "--json", test.queries[0], "--index", url, "--cache", cache)
        return json.loads(done.stdout), done.stderr

    def plain(document):
        return {name: value for name, value in document.items() if name not in ("elapsedMs", "continuation")}

    whole = plain(ask()[0])
    for statement, reason in DAMAGE:
        shard.sql(statement)
        document, said = ask()
        if reason is None:
            test.say("a value of 100 MB hinders nobody", document.get("damagedRows", 0) <= 1, said)
        else:
            test.say(f"counted and said: {statement[:60]}",
                     document.get("damagedRows", 0) > 0 and not document["complete"] and 0 < document["coverage"] < 1
                     and "missingShards" not in document and "shard 1: " in said and reason in said, (str(document)[:300], said))
        restore()
    test.say("after that, the answer is as before", plain(ask()[0]) == whole)
    shard.sql("alter table vq.post rename to real_post",
              "create view vq.post as select segment, word, posts, seal from (select *, generate_series(1, 1000000000) from vq.real_post) endless")
    reader = test.serve(test.new("c6"), "--deadline", "20000", url=url)
    try:
        document, said = ask()
        test.say("rows without an end are an error of their shard",
                 document.get("missingShards") == [1] and "more rows than it was asked for" in said, said)
        test.say("and end on the server", is_quiet([shard]))
        picture = pathlib.Path(test.queries[0]).read_bytes()
        reader.ask("POST", "/v1/match", picture, "image/jpeg")
        shard.sql("drop view vq.post", "alter table vq.real_post rename to post", "update vq.signature set bytes = ''")
        document = json.loads(reader.ask("POST", "/v1/match", picture, "image/jpeg")[1])
        figures = reader.ask("GET", "/metrics")[1].decode()
        test.say("the server counts both", 'vq_match_missing_shards_total{shard="1"} 1\n' in figures
                 and f'vq_match_damaged_rows_total{{shard="1"}} {document["damagedRows"]}\n' in figures, figures)
        test.say("and logs both", reader.logs("more rows than", "damaged row"), reader.text_of_log())
        ready = reader.ask("GET", "/readyz")
        test.say("and is degraded", ready[0] == 200 and ready[1].startswith(b"degraded: shard 1 "), ready)
    finally:
        reader.end()
    restore()
    shard.sql(*(f"drop table public.kept_{table}" for table in tables))


def engine_kills(test, url, victim):
    """A shard is killed at random moments, while questions are asked."""
    generator = random.Random(5)
    reader = test.serve(test.new("c5"), "--deadline", "20000", url=url)
    picture = pathlib.Path(test.queries[0]).read_bytes()
    answers, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            answers.append(reader.ask("POST", "/v1/match", picture, "image/jpeg"))

    try:
        for _ in range(3):
            askers = [threading.Thread(target=ask) for _ in range(3)]
            stop.clear()
            for asker in askers:
                asker.start()
            time.sleep(generator.uniform(0.2, 0.8))
            victim.kill()
            time.sleep(0.6)
            stop.set()
            for asker in askers:
                asker.join()
            while_down = json.loads(reader.ask("POST", "/v1/match", picture, "image/jpeg")[1])
            test.say("a shard that is down is named", while_down.get("missingShards") == [2] and 0 < while_down["coverage"] < 1
                     and not while_down["complete"], str(while_down)[:300])
            victim.restart()
            for _ in range(60):
                again = json.loads(reader.ask("POST", "/v1/match", picture, "image/jpeg")[1])
                if again["complete"]:
                    break
                time.sleep(0.1)
            test.say("it is asked again once it is back", again["complete"] and "missingShards" not in again, str(again)[:300])
        test.say("all questions were answered", {status for status, _ in answers} == {200}, {status for status, _ in answers})
        documents = [json.loads(body) for _, body in answers]
        silent = [document for document in documents if document["complete"] != ("missingShards" not in document)]
        test.say("no answer is incomplete without a word", not silent and len(documents) > 5, str(silent[:1])[:300])
        test.say("the log says why", reader.logs("shard 2 was not searched"), reader.text_of_log())
        victim.stop("immediate")
        before = test.server.sql("select max(id) from vq.generation")
        change = test.run("catalogue", "remove", "--id", "product:mug-red", "--index", test.server.url(), "--cache", test.folder / "c1", check=False)
        test.say("nothing is published while a shard is down",
                 change.returncode == 5 and test.server.sql("select max(id) from vq.generation") == before, change.stderr)
        victim.restart()
        change = test.run("catalogue", "remove", "--id", "product:mug-red", "--index", test.server.url(), "--cache", test.folder / "c1")
        test.say("and published once it is back", test.server.sql("select max(id) from vq.generation") != before)
    finally:
        reader.end()


def machine_address():
    """An address of this machine that is not a loopback, or None."""
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    return next((address for address in found if "." in address), None)


def main():
    vq, binaries, samples, *names = sys.argv[1:]
    with temporary_folder() as folder:
        test = Test(vq, binaries, samples, folder)
        try:
            for function in SCENARIOS:
                if names and function.__name__ not in names:
                    continue
                begin = time.monotonic()
                print(f"== {function.__doc__}", flush=True)
                try:
                    function(test)
                except Exception as error:  # A scenario that stops is a failure of its own.
                    test.say(f"{function.__name__} ends", False, traceback.format_exc())
                for shop in Shop.all:
                    shop.end(signal.SIGKILL)
                Shop.all.clear()
                print(f"     {time.monotonic() - begin:.1f} s", flush=True)
        finally:
            test.server.stop("immediate")
    print(f"{test.failures} failures")
    sys.exit(test.failures > 0)


if __name__ == "__main__":
    main()
