#!/usr/bin/env python3
"""Measures catalogues in PostgreSQL: replicas.py VQ INDEX PICTURES

INDEX is a directory that `vq index` made, and PICTURES a folder of JPEGs to search with, such as FOLDER/shop.vq and FOLDER/images of
`scale.py VQ COUNT FOLDER`. Starts PostgreSQL on this machine with `fsync` off and a socket in a temporary folder, and nginx; both must be
installed. Prints one JSON object a line: the load, the start of new copies, the delay until three servers have a change, and the rate of
queries of one, two and three servers behind nginx. Times are in seconds. `processor` is that of vq, `serverProcessor` that of
PostgreSQL. On a busy machine only processor times compare.
"""
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "System" / "postgres"))
from servers import Server, Shop, free_port, temporary_folder

TICK = os.sysconf("SC_CLK_TCK")
QUERIES, CLIENTS, CHANGES = 240, 4, 30


def say(step, **figures):
    print(json.dumps({"step": step, **{name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}}), flush=True)


def times(pid):
    """The processor time of a process, and of its children that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        own, system, children, their_system = map(int, file.read().rsplit(")", 1)[1].split()[11:15])
    return (own + system) / TICK, (children + their_system) / TICK


def children(pid):
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


def processor(pid):
    """The processor time of a process and all its children."""
    total = sum(times(pid))
    for child in children(pid):
        try:
            total += sum(times(child))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total


class Bench:
    def __init__(self, vq, index, pictures, folder):
        self.vq, self.index, self.folder = os.path.abspath(vq), index, folder
        self.pictures = sorted(pathlib.Path(pictures).glob("*.jpg"))
        binaries = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.server = Server(folder / "a", binaries)
        self.postmaster = int((folder / "a" / "data" / "postmaster.pid").read_text().split()[0])
        self.keys = folder / "keys.txt"
        self.key = self.run("key", self.keys, "--name", "writer", "--role", "write")[3].strip()

    def run(self, *arguments):
        """The wall time, the processor time and the largest memory of a command, and its output."""
        begin = time.perf_counter()
        process = subprocess.Popen([self.vq, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"vq {' '.join(map(str, arguments))} ended with {status}")
        return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output

    def step(self, name, *arguments, **others):
        time.sleep(1)  # Processes of earlier connections end, and their times are counted.
        before = processor(self.postmaster)
        wall, own, memory, output = self.run(*arguments)
        time.sleep(1)
        say(name, wall=wall, processor=own, serverProcessor=processor(self.postmaster) - before, megabytes=round(memory), **others)
        return wall, output

    def serve(self, cache):
        return Shop(self.vq, "--index", self.server.url(), "--cache", cache, "--keys", self.keys, "--max-deadline", "60000",
                    "--queue", "64", key=self.key)

    # The steps

    def load(self):
        self.server.reset()
        self.run("postgres", "init", "--index", self.server.url())
        wall, output = self.step("copy into PostgreSQL, with digests and snapshot", "copy", self.index, self.server.url(), "--json")
        copied = json.loads(output)
        self.products = copied["products"]
        say("loaded", products=self.products, images=copied["images"], productsPerSecond=self.products / wall)
        sizes = dict(line.split("|") for line in self.server.sql(
            "select relname, pg_total_relation_size(oid) from pg_class where relnamespace = 'vq'::regnamespace and relkind = 'r'"))
        say("bytes a product", total=sum(map(int, sizes.values())) / self.products,
            **{name: int(size) / self.products for name, size in sizes.items() if int(size) > self.products})

    def start(self):
        labels = ("labels", "--index", self.server.url(), "--cache")
        self.step("a new copy, from the snapshot", *labels, self.folder / "c1")
        self.step("a copy that has the newest generation", *labels, self.folder / "c1")
        for number in (2, 3):
            shutil.copytree(self.folder / "c1", self.folder / f"c{number}")

    def start_of_rows(self):
        self.server.sql("delete from vq.snapshot")
        self.step("a new copy, made of rows", "labels", "--index", self.server.url(), "--cache", self.folder / "c4")
        shutil.rmtree(self.folder / "c4")

    def changes(self, shops):
        delays, own = [], []
        with concurrent.futures.ThreadPoolExecutor(len(shops)) as pool:
            for number in range(CHANGES):
                shop = shops[number % len(shops)]
                begin = time.perf_counter()
                entity = json.dumps({"title": f"New {number}", "labels": ["new"]}).encode()
                status, content = shop.ask("PUT", f"/v1/entities/product/new-{number}", entity)
                assert status == 201, content
                published = time.perf_counter()

                def sees(other):
                    while other.ask("GET", f"/v1/entities/product/new-{number}")[0] != 200:
                        assert time.perf_counter() < published + 10, "a change did not come within 10 s"
                        time.sleep(0.01)

                list(pool.map(sees, shops))
                own.append(published - begin)
                delays.append(time.perf_counter() - published)
        say("a change of one entity, until its answer", changes=CHANGES, median=statistics.median(own), most=max(own))
        say("from the answer until all three servers have it", changes=CHANGES, median=statistics.median(delays), most=max(delays))

    def feedback(self, shops):
        delays = []
        body = self.pictures[0].read_bytes()
        token = json.loads(shops[0].ask("POST", "/v1/match?limit=1&minConfidence=0&deadlineMs=60000", body, "image/jpeg")[1])["continuation"]
        for number in range(10):
            said = json.dumps({"query": token, "chosen": f"product:new-{number}"}).encode()
            status, content = shops[number % 3].ask("POST", "/v1/feedback", said)
            assert status == 201, content
            begin, found = time.perf_counter(), f'"number":{json.loads(content)["number"]},'.encode()
            while not all(found in shop.ask("GET", "/v1/feedback?limit=1")[1] for shop in shops):
                assert time.perf_counter() < begin + 10, "a statement did not come within 10 s"
                time.sleep(0.01)
            delays.append(time.perf_counter() - begin)
            number = json.loads(content)["number"]
            shops[0].ask("DELETE", f"/v1/feedback/{number}")
        say("from the answer until all three servers have a statement", statements=10, median=statistics.median(delays), most=max(delays))

    def queries(self, shops):
        port = free_port()
        folder = self.folder / f"nginx{len(shops)}"
        folder.mkdir()
        # The configuration that is shown to users, with these servers.
        text = (pathlib.Path(__file__).resolve().parent.parent / "Samples" / "scale" / "nginx.conf").read_text()
        upstream = "\n".join(f"    server 127.0.0.1:{shop.port} max_fails=1 fail_timeout=5s;" for shop in shops)
        lines = [line for line in text.splitlines() if " two:8080" not in line]
        lines = [upstream if " one:8080" in line else line.replace("listen 8080", f"listen 127.0.0.1:{port}") for line in lines]
        (folder / "nginx.conf").write_text("\n".join(lines) + "\n")
        user = "user root; " if os.geteuid() == 0 else ""
        proxy = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log"), "-g",
                                  f"daemon off; {user}pid {folder}/pid; error_log {folder}/log;"])
        bodies = [path.read_bytes() for path in self.pictures[:40]]

        def ask(number):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("POST", "/v1/match?deadlineMs=60000", bodies[number % len(bodies)], {"Content-Type": "image/jpeg", "Authorization": f"Bearer {self.key}"})
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            assert answer.status == 200 and b'"values":[{' in content, content[:300]

        def of(shop):
            """The matches that a server answered."""
            text = shop.ask("GET", "/metrics")[1].decode()
            return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                       if line.startswith("vq_requests_total{") and '"/v1/match"' in line)

        try:
            while True:
                try:
                    ask(0)
                    break
                except OSError:
                    time.sleep(0.1)
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                list(pool.map(ask, range(60)))
                begin, answered = time.perf_counter(), [of(shop) for shop in shops]
                own, through = sum(processor(shop.process.pid) for shop in shops), processor(proxy.pid)
                list(pool.map(ask, range(QUERIES)))
                wall = time.perf_counter() - begin
            say(f"queries to {len(shops)} servers behind nginx", queries=QUERIES, clients=CLIENTS, perSecond=QUERIES / wall,
                processorPerQuery=(sum(processor(shop.process.pid) for shop in shops) - own) / QUERIES,
                nginxProcessorPerQuery=(processor(proxy.pid) - through) / QUERIES,
                answered=[of(shop) - before for shop, before in zip(shops, answered)])
        finally:
            proxy.terminate()
            proxy.wait()


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    with temporary_folder() as folder:
        bench = Bench(*sys.argv[1:], folder)
        shops = []
        try:
            bench.load()
            bench.start()
            shops = [bench.serve(folder / f"c{number}") for number in (1, 2, 3)]
            for count in (1, 2, 3):
                bench.queries(shops[:count])
            bench.changes(shops)
            bench.feedback(shops)
            bench.start_of_rows()
        finally:
            for shop in shops:
                shop.end()
            bench.server.stop("immediate")


if __name__ == "__main__":
    main()
