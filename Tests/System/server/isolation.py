#!/usr/bin/env python3
"""Libraries that crash, loop, allocate and lie: isolation.py VQ SHOP PICTURE [--models DIR]

Builds a library that stands in for libwebp and zbar (fake_library.c, with cc) and does what an image says, starts `VQ serve` over an index
of the catalogue file SHOP, and asks with such images and with PICTURE. Each must cost one answer and one process, and nobody else anything.
With the models of DIR, the processes that hold them are stopped and killed.
Standard library only. One line a check; exit code 1 if one fails.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

HERE = pathlib.Path(__file__).parent
failures = 0


def check(name, is_right, detail=""):
    global failures
    failures += not is_right
    print(f"{'ok  ' if is_right else 'FAIL'} {name}{f': {detail}' if detail and not is_right else ''}", flush=True)


def webp(letters):
    """A WebP of 64 × 64 pixels whose data say what the library is to do."""
    data = b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", 64, 64) + b"vq:" + letters.encode() + bytes(64)
    chunk = b"VP8 " + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def bars():
    """A PNG with bars, so that a look for codes begins."""
    width, height, edges, x = 640, 400, [], 120
    for index in range(60):
        x += 3 + index * 7 % 5
        edges.append(x)
    row = bytes(0 if sum(edge <= x for edge in edges) % 2 and x < edges[-1] else 255 for x in range(width))
    white = b"\xff" * width
    rows = b"".join(b"\0" + (row if 100 <= y < 300 else white) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def children(process):
    """The processes that a process has started, with their states and resident bytes."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == process:
                found[int(path.parent.name)] = (fields[0], int(fields[21]) * resource.getpagesize())
    return found


class Server:
    def __init__(self, vq, index, libraries, *options, before=()):
        environment = os.environ | {"LD_LIBRARY_PATH": str(libraries)}
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*before, vq, "serve", "--index", index, "--port", "0", "--deadline", "1500", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/", line)[1])

    def ask(self, body, kind, path="/v1/match"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", path)
            return connection.getresponse().read().decode()

    def restarts(self, **labels):
        lines = re.findall(r'^vq_worker_restarts_total\{library="(\w+)",reason="(\w+)"\} (\d+)', self.get("/metrics"), re.M)
        return sum(int(n) for library, reason, n in lines if {"library": library, "reason": reason}.items() >= labels.items())

    def workers(self):
        return children(self.process.pid)

    def waits_for(self, holds):
        """Waits until something holds, and returns whether it does."""
        for _ in range(600):
            if holds():
                return True
            time.sleep(0.1)
        return False

    def wait_for_workers(self, count):
        """Waits until all are ready, and returns whether they are."""
        return self.waits_for(
            lambda: f"\nvq_workers {count}\n" in self.get("/metrics") and len(self.workers()) == count)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def text(self):
        self.log.seek(0)
        return self.log.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def gone(processes):
    """Waits until processes have ended, and returns whether they have."""
    for _ in range(100):
        if not any(os.path.exists(f"/proc/{process}") for process in processes):
            return True
        time.sleep(0.1)
    return False


def images(vq, index, libraries, picture):
    """Images that their library cannot stand."""
    with Server(vq, index, libraries, "--threads", "2") as server:
        check("three processes are ready", server.wait_for_workers(3), server.get("/readyz"))
        check("the kernel restricts them", server.get("/readyz") == "ok\n", server.get("/readyz"))
        status, answer = server.ask(webp("NONE"), "image/webp")
        check("an image is decoded in one of them", status == 200 and answer["complete"], (status, answer))
        status, answer = server.ask(webp("FREE"), "image/webp")
        check("it may open, connect, start and signal nothing", status == 200, (status, answer))
        status, answer = server.ask(webp("SETS"), "image/webp")
        check("it may use the character sets of QR codes", status == 200, (status, answer))
        before, first = server.descriptors(), set(server.workers())
        for letters, reason in [("CRSH", "crashed"), ("ABRT", "crashed"), ("EXIT", "crashed"), ("LIES", "nonsense"), ("MANY", "nonsense")]:
            count = server.restarts(library="libwebp", reason=reason)
            for _ in range(8):
                status, answer = server.ask(webp(letters), "image/webp")
                check(f"{letters}: a typed error", status == 422 and answer["code"], (status, answer))
            check(f"{letters}: as many processes were replaced", server.restarts(library="libwebp", reason=reason) == count + 8)
            status, answer = server.ask(picture, "image/jpeg")
            check(f"{letters}: another image is answered", status == 200 and answer["values"], (status, answer))
        with_others(server, picture)
        bomb(server)
        check("all processes are ready again", server.wait_for_workers(3), server.get("/readyz"))
        check("none of the first ones", not first & set(server.workers()))
        check("there are no zombies", all(state != "Z" for state, _ in server.workers().values()), server.workers())
        check("no descriptor was lost", server.descriptors() <= before + 2, (before, server.descriptors()))
        idle = min(server.workers())
        os.kill(idle, signal.SIGTERM)
        time.sleep(0.5)
        check("SIGTERM for all of a service does not end a process", idle in server.workers())
        os.kill(idle, signal.SIGKILL)
        check("an idle one that was killed is replaced", gone([idle]) and server.wait_for_workers(3))


def with_others(server, picture):
    """Loops, beside another client."""
    count, answers = server.restarts(reason="stopped"), []
    threads = [
        threading.Thread(target=lambda: answers.append(server.ask(webp("LOOP"), "image/webp", "/v1/match?deadlineMs=400")))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    others = [server.ask(picture, "image/jpeg", "/v1/match?deadlineMs=2000")[0] for _ in range(6)]
    for thread in threads:
        thread.join()
    # What cannot be answered in time may be refused at the door.
    looped = [answer for status, answer in answers if status == 200]
    check("LOOP: incomplete answers at the deadline", looped and not any(answer["complete"] for answer in looped), answers)
    check("LOOP: others are answered", others.count(200) >= 4, others)
    # The deadline of some may have passed before a library was asked.
    check("LOOP: the processes were killed", server.waits_for(lambda: server.restarts(reason="stopped") > count))


def bomb(server):
    """Allocations without end: the memory of all processes stays far below that of the machine."""
    peak, is_over = [0], threading.Event()

    def watch():
        while not is_over.wait(0.005):
            peak[0] = max(peak[0], *[size for _, size in server.workers().values()], 0)

    watcher = threading.Thread(target=watch)
    watcher.start()
    status, answer = server.ask(webp("BOMB"), "image/webp")
    is_over.set()
    watcher.join()
    check("BOMB: a typed error", status in (413, 422) or (status == 200 and not answer["complete"]), (status, answer))
    check("BOMB: memory is bounded", peak[0] < 400 << 20, f"{peak[0] >> 20} MB")


def codes(vq, index, folder, build):
    """A look for codes that fails."""
    for letters in ["NONE", "CRSH", "LOOP", "BOMB", "LIES"]:
        build(folder / letters, "ZBAR", letters)
        with Server(vq, index, folder / letters, "--threads", "2") as server:
            server.wait_for_workers(3)
            status, answer = server.ask(bars(), "image/png")
            check(f"codes, {letters}: the answer without them", status == 200, (status, answer))
            check(f"codes, {letters}: it says if they are missing", answer["complete"] == (letters == "NONE"), answer)
            # Without memory, the library gives up by itself.
            if letters in ("CRSH", "LOOP", "LIES"):
                check(f"codes, {letters}: a process was replaced", server.waits_for(lambda: server.restarts(library="zbar") >= 1))


def models(vq, index, folder, picture):
    """Processes that hold models: a stopped one is as one whose run never ends."""
    with Server(vq, index, "", "--models", folder, "--threads", "2") as server:

        def holders():
            """The processes with models, which have their files as arguments."""
            found = []
            for process in server.workers():
                with contextlib.suppress(OSError):
                    if b".onnx" in pathlib.Path(f"/proc/{process}/cmdline").read_bytes():
                        found.append(process)
            return found

        def ask():
            return server.ask(picture, "image/jpeg")

        check("models: a process for each thread", server.waits_for(lambda: "\nvq_model_workers 2\n" in server.get("/metrics")))
        check("models: the kernel restricts them", server.get("/readyz") == "ok\n", server.get("/readyz"))
        status, first = ask()
        check("models: an image is compared by its vector", status == 200 and first["embeddingCompared"], (status, first))
        for process in holders():
            os.kill(process, signal.SIGKILL)
        status, answer = ask()
        check("models: while none is there, the answer comes", status == 200, (status, answer))
        check("models: others take their place", server.waits_for(lambda: "\nvq_model_workers 2\n" in server.get("/metrics")))
        check("models: the answer is the same", ask()[1]["values"] == first["values"])
        count, stopped = server.restarts(library="onnxruntime", reason="stopped"), holders()
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        status, answer = ask()
        check("models: if none ends, the answer comes without the vector", status == 200 and not answer["embeddingCompared"], (status, answer))
        check("models: it was killed", server.waits_for(lambda: server.restarts(library="onnxruntime", reason="stopped") > count))
        for process in stopped:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGCONT)
        server.waits_for(lambda: "\nvq_model_workers 2\n" in server.get("/metrics"))
        check("models: the answer is the same", ask()[1]["values"] == first["values"])


def ends(vq, index, libraries):
    """Processes end with their server, however that ends."""
    for number in [signal.SIGTERM, signal.SIGKILL]:
        with Server(vq, index, libraries, "--threads", "2", "--grace", "2") as server:
            server.wait_for_workers(3)
            threading.Thread(target=looping, args=[server], daemon=True).start()
            time.sleep(0.5)
            workers = list(server.workers())
            server.process.send_signal(number)
            code = server.process.wait(30)
            check(f"{number.name}: the server ends", code == (0 if number == signal.SIGTERM else -number), code)
            check(f"{number.name}: so do its processes", len(workers) == 3 and gone(workers), workers)


def looping(server):
    with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        server.ask(webp("LOOP"), "image/webp")


def surroundings(vq, index, libraries):
    """Servers with little, and without isolation."""
    with Server(vq, index, libraries, "--threads", "2", "--connections", "8", before=["sh", "-c", 'ulimit -n 80; exec "$@"', "sh"]) as server:
        server.wait_for_workers(3)
        check("with few descriptors, a crash is an error", server.ask(webp("CRSH"), "image/webp")[0] == 422)
    with Server(vq, index, libraries, "--isolate", "off") as server:
        check("--isolate off: there are no processes", not server.workers() and server.get("/readyz") == "ok\n")
        check("--isolate off: an image is decoded", server.ask(webp("NONE"), "image/webp")[0] == 200)
        with contextlib.suppress(OSError, http.client.HTTPException):
            server.ask(webp("CRSH"), "image/webp")
        check("--isolate off: a crash ends the server", server.process.wait(60) != 0)
    code = subprocess.run([vq, "worker"], capture_output=True, timeout=60).returncode
    check("nobody else can start a process of a library", code == 2, code)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["vq", "shop", "picture"]:
        parser.add_argument(name)
    parser.add_argument("--models", help="a folder with image/model.onnx and ONNX Runtime")
    arguments = parser.parse_args()
    vq = os.path.abspath(arguments.vq)
    picture = pathlib.Path(arguments.picture).read_bytes()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def build(target, library, letters=""):
            target.mkdir(exist_ok=True)
            name = {"WEBP": "libwebp.so.7", "ZBAR": "libzbar.so.0"}[library]
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-O1", f"-D{library}", f'-DWHAT="{letters}"', HERE / "fake_library.c", "-o", target / name],
                check=True)

        index = str(folder / "shop.vq")
        subprocess.run([vq, "index", arguments.shop, "--index", index], check=True, stderr=subprocess.DEVNULL)
        build(folder / "webp", "WEBP")
        images(vq, index, folder / "webp", picture)
        codes(vq, index, folder, build)
        if arguments.models:
            subprocess.run([vq, "catalogue", "embed", "--index", index, "--models", arguments.models], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            models(vq, index, arguments.models, picture)
        ends(vq, index, folder / "webp")
        surroundings(vq, index, folder / "webp")
    print(f"{failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
