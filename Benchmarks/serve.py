#!/usr/bin/env python3
"""Measures the server: serve.py VQ INDEX PICTURE... [--seconds 30] [--rounds 3] [--connections 8,32,128] [--attackers 0,1,4]

In turn, on the same machine: the library alone (`vq match`, all threads, the images repeatedly), and `vq serve` under wrk
with 8, 32 and 128 connections that send the same images, each as soon as its answer has come. "cpuRatio" is the server's processor time a request over the library's, which
other programs on the machine change less than the ratio of the rates. Then an open load: requests at 0.7 of the rate that the server reached, each at its time on a schedule, whatever the
answers. Its times count from the schedule and not from the sending, so that a server that stalls does not hide the requests that it
held up. "lateByMoreThan20Ms" are the requests that were admitted and answered more than 20 ms after their deadline, which counts from
the sending. At last ten times as many requests as the server can answer, and one more after that. Prints one JSON object. Needs wrk.

With --attackers, it measures only what clients can take from another one, and needs no wrk: an ordinary client asks with the images, four times a
second, within the default deadline of 300 ms, while so many attackers, each from an address of its own and on as many connections as there are
processors, send what takes long, with deadlineMs=2000, one after another: a PNG of 10 000 x 10 000, one of 2048 x 2048 full of finder patterns of QR codes, or the first of the images.
"""
import argparse
import http.client
import json
import os
import re
import struct
import resource
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
import zlib

SCRIPT = """
local requests, place = {}, 0
function init(arguments)
  for path in io.lines("%s") do
    local file = io.open(path, "rb")
    local fields = {["Content-Type"] = "image/jpeg", ["Host"] = "localhost"}
    requests[#requests + 1] = wrk.format("POST", "/v1/match?deadlineMs=60000", fields, file:read("*a"))
    file:close()
  end
end
function request() place = place + 1; return requests[place %% #requests + 1] end
function done(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%%d,"seconds":%%f,"p50Ms":%%f,"p95Ms":%%f,"p99Ms":%%f,"errors":%%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(95) / 1e3,
    latency:percentile(99) / 1e3, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


class Server:
    def __init__(self, vq, index, *options):
        self.process = subprocess.Popen(
            [vq, "serve", "--index", index, "--port", "0", "--quiet", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        self.host = self.url.removeprefix("http://").rstrip("/")

    def metric(self, name):
        with urllib.request.urlopen(self.url + "metrics") as answer:
            return float(re.search(rf"^{name} (\S+)$", answer.read().decode(), re.M).group(1))

    def ask(self, picture, deadline, address="127.0.0.1"):
        connection = http.client.HTTPConnection(self.host, timeout=60, source_address=(address, 0))
        start = time.monotonic()
        try:
            connection.request("POST", f"/v1/match?deadlineMs={deadline}", picture, {"Content-Type": "image/jpeg"})
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        complete = answer.status == 200 and json.loads(body)["complete"]
        return answer.status, complete, 1000 * (time.monotonic() - start)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def library_rate(vq, index, pictures, seconds):
    """Returns matches per second, without the start of the process, and processor time per match."""
    def run(count):
        names = [pictures[place % len(pictures)] for place in range(count)]
        start, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([vq, "match", *names, "--json", "--deadline", "0", "--index", index],
                       check=True, stdout=subprocess.DEVNULL)
        end, now = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        return end - start, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    few = 4 * len(pictures)
    base, base_cpu = run(few)
    count = max(2 * few, int(seconds * few / base))
    took, cpu = run(count)
    return (count - few) / (took - base), 1000 * (cpu - base_cpu) / (count - few)


def wrk(server, pictures, connections, seconds):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names, tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        names.write("\n".join(pictures) + "\n")
        names.flush()
        script.write(SCRIPT % names.name)
        script.flush()
        output = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", "-s", script.name, server.url],
            check=True, capture_output=True, text=True).stdout
    result = json.loads(output.strip().splitlines()[-1])
    # A server that is too slow for so many connections rejects what would miss its deadline: those are no answers.
    result["requests"] -= result["errors"]
    if result["requests"] <= 0:
        raise SystemExit(f"wrk saw no answer without an error: {result}")
    return result


def overload(server, pictures, capacity, seconds=6, factor=10):
    """Sends requests at a steady rate, whatever the answers."""
    data = [open(path, "rb").read() for path in pictures]
    seen, lock = [], threading.Lock()
    start = time.monotonic()

    def client(number, clients, interval):
        turn = number
        while turn * interval < seconds:
            time.sleep(max(0, start + turn * interval - time.monotonic()))
            result = server.ask(data[turn % len(data)], 300)
            with lock:
                seen.append(result)
            turn += clients

    clients = 100
    threads = [threading.Thread(target=client, args=(number, clients, 1 / (factor * capacity)))
               for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - start
    after = server.ask(data[0], 2000)

    def times(of):
        values = sorted(milliseconds for status, _, milliseconds in seen if status == of) or [float("nan")]
        return {"count": len(values), "p50Ms": round(statistics.median(values), 1),
                "p99Ms": round(values[int(0.99 * (len(values) - 1))], 1)}

    return {"offeredPerSecond": round(len(seen) / took), "answered": times(200), "refused": times(503),
            "completeShare": round(sum(one[1] for one in seen) / max(1, sum(one[0] == 200 for one in seen)), 3),
            "otherStatuses": sorted({one[0] for one in seen} - {200, 503}),
            "afterwards": {"status": after[0], "complete": after[1], "ms": round(after[2], 1)}}


def open_load(server, pictures, rate, seconds, deadline=300, clients=64):
    """Sends requests on a schedule of equal steps, over connections that stay open."""
    data = [open(path, "rb").read() for path in pictures]
    total, turns, lock, seen = max(1, int(rate * seconds)), iter(range(int(rate * seconds))), threading.Lock(), []
    start = time.monotonic() + 0.1

    def client():
        connection = http.client.HTTPConnection(server.host, timeout=60)
        while True:
            with lock:
                turn = next(turns, None)
            if turn is None:
                return connection.close()
            due = start + turn / rate
            time.sleep(max(0, due - time.monotonic()))
            sent = time.monotonic()
            connection.request("POST", f"/v1/match?deadlineMs={deadline}", data[turn % len(data)], {"Content-Type": "image/jpeg"})
            answer = connection.getresponse()
            answer.read()
            now = time.monotonic()
            with lock:
                seen.append((answer.status, 1000 * (now - due), 1000 * (now - sent)))

    threads = [threading.Thread(target=client) for _ in range(min(clients, total))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(since_due for status, since_due, _ in seen if status == 200) or [float("nan")]
    p50, p99 = statistics.median(times), times[int(0.99 * (len(times) - 1))]
    return {"offeredPerSecond": round(rate, 1), "asked": len(seen), "answered": sum(one[0] == 200 for one in seen),
            "refused": sum(one[0] == 503 for one in seen), "p50Ms": round(p50, 1), "p99Ms": round(p99, 1), "p99OverP50": round(p99 / p50, 2),
            "lateByMoreThan20Ms": sum(one[0] == 200 and one[2] > deadline + 20 for one in seen)}


def large_png(side=10_000):
    """A gray PNG of 97 KB that takes half a second of a processor."""
    def chunk(kind, contents):
        return struct.pack(">I", len(contents)) + kind + contents + struct.pack(">I", zlib.crc32(kind + contents))
    rows = zlib.compress(bytes(side * (side + 1)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def finders_png(side=2048, module=2):
    """Returns a gray PNG full of finder patterns of QR codes."""
    def row(y):
        ring = [min(x // module, y // module, 8 - x // module, 8 - y // module) for x in range(9 * module)]
        return b"\0" + (bytes(255 if one in (0, 2) else 0 for one in ring) * (side // (9 * module) + 1))[:side]

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = [row(y) for y in range(9 * module)]
    pixels = zlib.compress(b"".join(rows[y % len(rows)] for y in range(side)), 9)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def attacked(server, attackers, sent, data, seconds):
    """Returns what the ordinary client gets while attackers ask."""
    stop, asked = threading.Event(), []

    def attack(number):
        while not stop.is_set():
            asked.append(server.ask(sent, 2000, f"127.0.0.{2 + number}")[0])
            if asked[-1] != 200:
                time.sleep(0.05)

    threads = [threading.Thread(target=attack, args=(number,)) for number in range(attackers) for _ in range(os.cpu_count())]
    for thread in threads:
        thread.start()
    time.sleep(1)
    seen, start = [], time.monotonic()
    for turn in range(4 * seconds):
        time.sleep(max(0, start + turn / 4 - time.monotonic()))
        seen.append(server.ask(data[turn % len(data)], 300, "127.0.0.100"))
    took = time.monotonic() - start
    stop.set()
    for thread in threads:
        thread.join()
    times = sorted(milliseconds for status, _, milliseconds in seen if status == 200) or [float("nan")]
    return {"attackers": attackers, "asked": len(seen), "answered": len([one for one in seen if one[0] == 200]),
            "complete": sum(one[1] for one in seen), "within325Ms": len([one for one in seen if one[0] == 200 and one[2] <= 325]),
            "p50Ms": round(statistics.median(times), 1), "p95Ms": round(times[int(0.95 * (len(times) - 1))], 1),
            "attackersPerSecond": round(len(asked) / (took + 1), 1), "attackersAnswered": asked.count(200)}


def measure_fairness(arguments):
    data = [open(path, "rb").read() for path in arguments.pictures]
    rows = []
    for name, sent in (("large PNG", large_png()), ("finder patterns", finders_png()), ("photo", data[0])):
        for attackers in map(int, arguments.attackers.split(",")):
            with Server(arguments.vq, arguments.index) as server:
                for one in data:
                    server.ask(one, 300, "127.0.0.100")
                rows.append({"attack": name, **attacked(server, attackers, sent, data, arguments.seconds)})
    print(json.dumps(rows, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("index")
    parser.add_argument("pictures", nargs="+")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", default="8,32,128")
    parser.add_argument("--attackers")
    arguments = parser.parse_args()
    if arguments.attackers:
        return measure_fairness(arguments)
    rounds = []
    # A server rejects what finds its queue full, and wrk asks again at once: then it would be measured how fast it rejects.
    queue = str(max([64, *map(int, arguments.connections.split(","))]))
    with Server(arguments.vq, arguments.index, "--max-deadline", "60000", "--queue", queue) as server:
        wrk(server, arguments.pictures, 32, 2)
        memory = [server.metric("process_resident_memory_bytes")]
        for _ in range(arguments.rounds):
            alone, cost = library_rate(arguments.vq, arguments.index, arguments.pictures, arguments.seconds / 2)
            for connections in map(int, arguments.connections.split(",")):
                before = server.metric("process_cpu_seconds_total")
                served = wrk(server, arguments.pictures, connections, arguments.seconds)
                used = 1000 * (server.metric("process_cpu_seconds_total") - before) / served["requests"]
                memory.append(server.metric("process_resident_memory_bytes"))
                rate = served["requests"] / served["seconds"]
                rounds.append({"connections": connections, "libraryPerSecond": round(alone, 1), "servedPerSecond": round(rate, 1),
                               "ratio": round(rate / alone, 3), "libraryCpuMs": round(cost, 2),
                               "servedCpuMs": round(used, 2), "cpuRatio": round(used / cost, 3),
                               **{key: round(served[key], 1) for key in ("p50Ms", "p95Ms", "p99Ms", "errors")}})
        lone = wrk(server, arguments.pictures, 1, 4)
    capacity = statistics.median(one["servedPerSecond"] for one in rounds)
    with Server(arguments.vq, arguments.index) as server:
        opened = [open_load(server, arguments.pictures, 0.7 * capacity, arguments.seconds) for _ in range(arguments.rounds)]
        pushed = overload(server, arguments.pictures, capacity)

    def medians(figure):
        return {n: statistics.median(one[figure] for one in rounds if one["connections"] == n) for n in {one["connections"] for one in rounds}}

    print(json.dumps({
        "rounds": rounds, "medianRatio": medians("ratio"), "medianCpuRatio": medians("cpuRatio"),
        "oneConnection": {key: round(lone[key], 1) for key in ("p50Ms", "p95Ms", "p99Ms")},
        "residentMegabytes": [round(one / 1e6, 1) for one in memory], "open": opened, "overload": pushed}, indent=1))


if __name__ == "__main__":
    main()
