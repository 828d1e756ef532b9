#!/usr/bin/env python3
"""Clients that hang up, dawdle, push and lie: clients.py VQ SHOP PICTURE [--hang-ups N]

Starts `VQ serve` as each check needs it, over an index of the catalogue file SHOP, and asks what PICTURE shows.
Standard library only. One line a check; exit code 1 where one fails.
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Server:
    """One `vq serve`."""

    def __init__(self, vq, index, *options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [vq, "serve", "--index", index, *options], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/", line)
        self.address = ("127.0.0.1", int(match.group(1))) if match else line.removeprefix("unix:")

    def connect(self):
        family = socket.AF_UNIX if isinstance(self.address, str) else socket.AF_INET
        client = socket.socket(family)
        client.settimeout(30)
        client.connect(self.address)
        return client

    def ask(self, request):
        with contextlib.closing(self.connect()) as client:
            client.sendall(request)
            return answer(client)

    def get(self, path, headers=""):
        return self.ask(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n".encode())

    def metric(self, name):
        text = self.get("/metrics")[2].decode()
        found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M)
        return sum(map(float, found))

    def stop(self, with_signal=signal.SIGTERM):
        self.process.send_signal(with_signal)
        return self.process.wait(30)

    def lines(self):
        self.log.seek(0)
        return [json.loads(line) for line in self.log.read().decode().splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def answer(client):
    """Status, fields and body of the next answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = client.recv(65536)
        if not piece:
            return (0, {}, data)
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    lines = head.decode().split("\r\n")
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}
    while len(body) < int(fields.get("content-length", 0)):
        piece = client.recv(65536)
        if not piece:
            break
        body += piece
    return (int(lines[0].split()[1]), fields, body)


def post(picture, query="", headers=""):
    head = (f"POST /v1/match?{query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n"
            f"{headers}Content-Length: {len(picture)}\r\n\r\n")
    return head.encode() + picture


class Checks:
    def __init__(self, arguments, folder):
        self.vq, self.folder, self.hang_ups = arguments.vq, folder, arguments.hang_ups
        with open(arguments.picture, "rb") as file:
            self.picture = file.read()
        self.failures = 0
        self.index = os.path.join(folder, "shop.vq")
        self.put(arguments.shop)

    def put(self, catalogue):
        subprocess.run([self.vq, "index", catalogue, "--index", self.index],
                       check=True, capture_output=True)

    def serve(self, *options):
        return Server(self.vq, self.index, "--port", "0", *options)

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    # Each check says in its name what a user would lose.

    def a_client_that_hangs_up_leaves_no_work(self):
        generator = random.Random(1)
        with self.serve("--queue", "2000", "--connections", "3000", "--max-deadline", "600000") as server:
            request = post(self.picture, "deadlineMs=600000")

            def hang_up(_):
                with contextlib.closing(server.connect()) as client:
                    client.sendall(request[:generator.choice([len(request), len(request), 5000])])
                    time.sleep(generator.random() * 0.05)

            with concurrent.futures.ThreadPoolExecutor(16) as pool:
                list(pool.map(hang_up, range(self.hang_ups)))
            for _ in range(100):
                left = server.metric("vq_requests_running") + server.metric("vq_requests_waiting")
                if left == 0 and server.metric("vq_connections") == 1:
                    break
                time.sleep(0.05)
            self.say(f"{self.hang_ups} clients that hung up leave no request", left == 0, left)
            gone = server.metric("vq_requests_cancelled_total")
            self.say("they are counted", gone > self.hang_ups / 4, gone)
            before = server.metric("process_cpu_seconds_total")
            time.sleep(1)
            used = server.metric("process_cpu_seconds_total") - before
            self.say("they leave no work behind", used < 0.3, used)
            status, _, body = server.ask(request)
            self.say("the next client is answered",
                     status == 200 and json.loads(body)["complete"], (status, body[:200]))
            self.say("it ends with 0", server.stop() == 0)

    def slow_clients_hold_up_nobody(self):
        with self.serve() as server:
            stalled = [server.connect() for _ in range(40)]
            for number, client in enumerate(stalled):
                client.sendall(post(self.picture)[: 30 if number % 2 else 2000])
            dawdling = server.connect()
            stop = threading.Event()

            def dawdle():
                with contextlib.suppress(OSError):
                    for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 400:
                        if stop.wait(0.2):
                            return
                        dawdling.send(bytes([byte]))

            thread = threading.Thread(target=dawdle)
            thread.start()
            status, _, _ = server.ask(post(self.picture, "deadlineMs=2000"))
            self.say("others are answered meanwhile", status == 200, status)
            statuses = {answer(client)[0] for client in stalled}
            self.say("a stalled head or body is 408", statuses == {408}, statuses)
            status, _, _ = answer(dawdling)
            self.say("a byte now and then is 408, too", status == 408, status)
            stop.set()
            thread.join()

    def requests_in_one_packet_are_answered_in_order(self):
        with self.serve() as server, contextlib.closing(server.connect()) as client:
            paths = ["/livez", "/v1/limits", "/none", "/livez"]
            requests = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: r{number}\r\n\r\n"
                        for number, path in enumerate(paths)]
            client.sendall("".join(requests).encode() + post(self.picture, "deadlineMs=2000") + b"GET / HT")
            data = b""
            while data.count(b"HTTP/1.1 ") < 5 or not data.rstrip().endswith(b"}"):
                data += client.recv(65536)
            order = re.findall(rb"X-Request-ID: (r\d)", data)
            self.say("pipelined requests are answered in order",
                     order == [b"r0", b"r1", b"r2", b"r3"], order)
            client.sendall(b"TP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.say("and what is left goes on", answer(client)[0] == 200)

    def thousands_of_requests_in_one_packet_hold_up_nobody(self):
        with self.serve("--quiet") as server, contextlib.closing(server.connect()) as client:
            count = 3000
            received = bytearray()

            def read():
                with contextlib.suppress(OSError):
                    while piece := client.recv(1 << 20):
                        received.extend(piece)

            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            client.sendall(b"GET /livez HTTP/1.1\r\nHost:\r\n\r\n" * count)
            self.say("another client is answered meanwhile", server.get("/livez")[0] == 200)
            end = time.monotonic() + 30
            while received.count(b"HTTP/1.1 200") < count and time.monotonic() < end:
                time.sleep(0.05)
            found = received.count(b"HTTP/1.1 200")
            self.say(f"{count} requests in one packet are all answered", found == count, found)
            self.say("and the server lives", server.stop() == 0)
            reader.join()

    def clients_that_do_not_read_cost_nothing(self):
        with self.serve("--connections", "20") as server:
            slow = []
            for _ in range(20):
                client = socket.socket()
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.connect(server.address)
                client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
                slow.append(client)
            time.sleep(0.5)
            self.say("health is answered while they hold all connections", server.get("/livez")[0] == 200)
            status, fields, _ = server.get("/v1/limits")
            self.say("others are told to come back", status == 503 and "retry-after" in fields, (status, fields))
            for client in slow:
                client.shutdown(socket.SHUT_WR)
            before = self.processor_seconds(server)
            time.sleep(1)
            used = self.processor_seconds(server) - before
            self.say("half-closed, they leave the server idle", used < 0.3, used)
            for client in slow:
                client.close()
            end = time.monotonic() + 10
            while server.get("/v1/limits")[0] != 200 and time.monotonic() < end:
                time.sleep(0.05)
            self.say("all is well when they have gone", server.get("/v1/limits")[0] == 200)

    @staticmethod
    def processor_seconds(server):
        with open(f"/proc/{server.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def the_rate_holds_however_a_path_is_written(self):
        with self.serve("--rate", "1") as server:
            statuses = [server.get(path)[0] for path in ["/v1/limits", "/%761/limits", "/v1/%6cimits"] * 3]
            self.say("a client that asks too often is refused", statuses.count(429) >= 5, statuses)
            statuses = {server.get("/v1%2Flimits")[0] for _ in range(4)}
            self.say("an encoded slash is no way around it", statuses == {404}, statuses)

    def a_request_hidden_in_another_is_refused(self):
        hidden = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
        tricks = {
            "a length and chunks": b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
            "two lengths": b"Content-Length: 0\r\nContent-Length: 31\r\n\r\n" + hidden,
            "a folded length": b"Content-Length:\r\n 31\r\n\r\n" + hidden,
            "a space before the colon": b"Content-Length : 31\r\n\r\n" + hidden,
            "a coding for Unicode only": "Transfer-Encoding: chun\u212aed\r\n\r\n0\r\n\r\n".encode() + hidden,
            "a chunk extension that is none": b'Transfer-Encoding: chunked\r\n\r\n2;a="b\r\nok\r\n0\r\n\r\n' + hidden,
            "a disguised coding": b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + hidden,
            "a bare LF in a chunk": b"Transfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n" + hidden,
            "a coding twice": b"Transfer-Encoding: chunked\r\nTransfer-encoding: identity\r\n\r\n0\r\n\r\n" + hidden,
        }
        with self.serve() as server:
            for name, rest in tricks.items():
                with contextlib.closing(server.connect()) as client:
                    client.sendall(b"POST /v1/match HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n" + rest)
                    data = b""
                    with contextlib.suppress(ConnectionError):
                        while piece := client.recv(65536):
                            data += piece
                statuses = re.findall(rb"HTTP/1.1 (\d+)", data)
                self.say(f"{name}: refused, and nothing behind it is read",
                         len(statuses) == 1 and statuses[0] in (b"400", b"501"), statuses)

    def more_than_can_be_done_is_refused_at_once(self):
        with self.serve("--queue", "8", "-j", "1", "--quiet") as server:
            end = time.monotonic() + 4
            request = post(self.picture, "deadlineMs=2000")

            def push(_):
                seen = []
                while time.monotonic() < end:
                    status, fields, _ = server.ask(request)
                    seen.append((status, fields.get("retry-after")))
                return seen

            with concurrent.futures.ThreadPoolExecutor(100) as pool:
                seen = [one for many in pool.map(push, range(100)) for one in many]
            statuses = {status for status, _ in seen}
            self.say("an overload is answered with 200 and 503 alone", statuses == {200, 503}, statuses)
            self.say("503 says when to come back",
                     all(after and int(after) >= 1 for status, after in seen if status == 503))
            status, _, body = server.ask(request)
            self.say("afterwards all is as before",
                     status == 200 and json.loads(body)["complete"], (status, body[:200]))

    def a_new_generation_drops_no_request(self):
        with self.serve("--max-deadline", "60000") as server:
            generations, statuses = set(), set()
            stop = threading.Event()
            request = post(self.picture, "deadlineMs=60000")

            def ask():
                while not stop.is_set():
                    status, _, body = server.ask(request)
                    statuses.add(status)
                    if status == 200:
                        generations.add(json.loads(body)["generation"])

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            for number in range(3):
                time.sleep(0.3)
                new = os.path.join(self.folder, "new.jsonl")
                with open(new, "w") as file:
                    json.dump({"type": "product", "id": f"new-{number}", "title": "New"}, file)
                self.put(new)
                server.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + 10
            while len(generations) < 4 and time.monotonic() < end:
                time.sleep(0.05)
            stop.set()
            for thread in threads:
                thread.join()
            self.say("no request is dropped while generations change", statuses == {200}, statuses)
            self.say("newer generations are taken", len(generations) == 4, generations)

    def a_file_changed_in_place_is_told_and_comes_back(self):
        names = [name for name in os.listdir(self.index) if name.endswith(".segment")]
        small, large = sorted(names, key=lambda name: os.path.getsize(os.path.join(self.index, name)))[:: len(names) - 1]
        path = os.path.join(self.index, large)
        whole, other = (open(os.path.join(self.index, name), "rb").read() for name in (large, small))
        with self.serve("--max-deadline", "60000", "--quiet") as server:
            request = post(self.picture, "deadlineMs=60000")

            def ask():
                status, _, body = server.ask(request)
                return status, [value["id"] for value in json.loads(body).get("values", [])] if status == 200 else None

            expected = ask()
            for name, content in {"truncated": whole[:8192], "emptied": b"", "overwritten by another index's": other,
                                  "longer": whole + b"\0"}.items():
                stop, seen = threading.Event(), []

                def push():
                    while not stop.is_set():
                        seen.append(ask())

                threads = [threading.Thread(target=push) for _ in range(3)]
                for thread in threads:
                    thread.start()
                time.sleep(0.3)
                self.overwrite(path, content)
                ready = self.waits(lambda: server.get("/readyz"), lambda found: found[0] == 503)
                stop.set()
                for thread in threads:
                    thread.join()
                self.say(f"a segment that is {name}: each answer is right or a 503",
                         all(found == expected or found[0] == 503 for found in seen), seen[-1:])
                self.say("readiness names the generation and the file",
                         f"'{large}'" in ready[2].decode() and "generation" in ready[2].decode(), ready)
                self.overwrite(path, whole)
                self.say("restored, it answers as before", ask() == expected)
                self.say("and is ready", server.get("/readyz")[0] == 200)
            self.overwrite(os.path.join(self.index, "catalogue.sqlite-shm"), b"")
            found = [ask() for _ in range(4)]
            self.say("truncated shared memory spoils no answer",
                     all(one == expected or one[0] == 503 for one in found) and found[-1] == expected, found)
            self.say("the server has not ended", server.stop() == 0)

    @staticmethod
    def overwrite(path, content):
        """As cp and rsync --inplace do."""
        with open(path, "r+b") as file:
            file.truncate(0)
            file.write(content)

    @staticmethod
    def waits(ask, holds):
        for _ in range(200):
            found = ask()
            if holds(found):
                break
            time.sleep(0.05)
        return found

    def told_to_stop_it_finishes(self):
        server = self.serve("--max-deadline", "60000", "--queue", "64")
        with server:
            request = post(self.picture, "deadlineMs=60000")
            clients = [server.connect() for _ in range(12)]
            idle = server.connect()
            for client in clients:
                client.sendall(request)
            while server.metric("vq_requests_waiting") + server.metric("vq_requests_running") == 0:
                time.sleep(0.001)
            server.process.send_signal(signal.SIGTERM)
            statuses = [answer(client)[0] for client in clients]
            self.say("what was asked before SIGTERM is answered", statuses == [200] * 12, statuses)
            self.say("who asked nothing is let go", idle.recv(1) == b"")
            self.say("it ends with 0", server.process.wait(30) == 0)
            refused = False
            try:
                server.connect()
            except OSError:
                refused = True
            self.say("nobody is let in any more", refused)

    def the_grace_time_ends(self):
        with self.serve("--grace", "0.5") as server, contextlib.closing(server.connect()) as client:
            client.sendall(post(self.picture)[:2000])
            time.sleep(0.2)
            self.say("a client that never ends does not keep it", server.stop() == 0)

    def keys_are_read_again(self):
        keys = os.path.join(self.folder, "keys.txt")

        def key(*options):
            return subprocess.run([self.vq, "key", keys, *options], check=True, capture_output=True,
                                  text=True).stdout.strip()

        def with_key(key):
            return f"Authorization: Bearer {key}\r\n"

        app = key("--name", "app")
        self.say("the file of keys holds no key", app not in open(keys).read())
        self.say("it is for its owner alone", os.stat(keys).st_mode & 0o077 == 0)
        with self.serve("--keys", keys, "--rate", "5") as server:
            self.say("without a key nobody asks", server.get("/v1/limits")[0] == 401)
            self.say("health needs none", server.get("/livez")[0] == 200)
            self.say("a key lets in", server.get("/v1/limits", with_key(app))[0] == 200)
            later = key("--name", "later", "--role", "write")
            self.say("a key that is not read yet does not", server.get("/v1/limits", with_key(later))[0] == 401)
            server.process.send_signal(signal.SIGHUP)
            for _ in range(100):
                if server.get("/v1/limits", with_key(later))[0] == 200:
                    break
                time.sleep(0.05)
            else:
                self.say("after SIGHUP it does", False)
            deleted = f"DELETE /v1/entities/product/candle HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            self.say("who may read may not remove",
                     server.ask((deleted + with_key(app) + "\r\n").encode())[0] == 403)
            answers = [server.get("/v1/limits", with_key(app)) for _ in range(15)]
            limited = [fields for status, fields, _ in answers if status == 429]
            self.say("who asks too often is told when to come back",
                     limited and all("retry-after" in fields for fields in limited), answers[-1][:2])
            time.sleep(1)
            self.say("who may write removes",
                     server.ask((deleted + with_key(later) + "\r\n").encode())[0] == 204)
            time.sleep(0.5)
            self.say("what is removed is gone",
                     server.get("/v1/entities/product/candle", with_key(later))[0] == 404)
            server.stop()
            self.say("no key is logged", app not in json.dumps(server.lines()))

    def a_unix_socket_serves(self):
        path = os.path.join(self.folder, "vq.sock")
        for _ in range(2):  # the second time over what a kill left behind
            with Server(self.vq, self.index, "--socket", path) as server:
                self.say("a Unix socket serves",
                         server.ask(post(self.picture, "deadlineMs=2000"))[0] == 200)
        with Server(self.vq, self.index, "--socket", path) as server:
            server.stop()
            self.say("it is gone with the server", not os.path.exists(path))

    def connections_are_bounded(self):
        with self.serve("--connections", "20") as server:
            idle = [server.connect() for _ in range(60)]
            time.sleep(0.3)
            self.say("idle connections make room", server.get("/livez")[0] == 200)
            self.say("no more are kept than allowed", server.metric("vq_connections") <= 20)
            for client in idle:
                client.close()

    def the_log_tells_requests_and_no_secrets(self):
        with self.serve("--allow-origin", "https://shop.example") as server:
            trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            headers = (f"X-Request-ID: my-own\r\ntraceparent: 00-{trace}-00f067aa0ba902b7-01\r\n"
                       "Origin: https://shop.example\r\n")
            _, fields, _ = server.ask(post(self.picture, "labels=secretlabel&deadlineMs=2000", headers))
            self.say("the trace goes on", trace in fields.get("traceparent", ""), fields)
            self.say("an allowed origin may read",
                     fields.get("access-control-allow-origin") == "https://shop.example", fields)
            _, fields, _ = server.get("/livez", "Origin: https://evil.example\r\n")
            self.say("another may not", "access-control-allow-origin" not in fields, fields)
            server.stop()
            lines = [line for line in server.lines() if line.get("requestId") == "my-own"]
            self.say("a request is one line", len(lines) == 1 and lines[0]["status"] == 200
                     and lines[0]["traceId"] == trace, lines)
            self.say("labels are not logged", "secretlabel" not in json.dumps(server.lines()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("shop")
    parser.add_argument("picture")
    parser.add_argument("--hang-ups", type=int, default=1000, metavar="N")
    parser.add_argument("--only", metavar="TEXT", default="")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        checks = Checks(arguments, folder)
        for name in [name for name in vars(Checks) if name.count("_") > 1 and not name.startswith("_")]:
            if arguments.only in name:
                getattr(checks, name)()
    finally:
        shutil.rmtree(folder)
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
