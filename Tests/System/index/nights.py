#!/usr/bin/env python3
"""Nights of a shop whose images are on a server: nights.py VQ PICTURES [quick]

The server of this machine answers each night in another way. After each night it is compared which images the index has, which
of them are old, what the run said and how it ended; after each bad night, that a healthy one changes nothing. `quick` leaves out
the nights that wait for a rate limit. PICTURES is a folder of JPEGs. Needs the standard library only.
"""
import email.utils
import gzip
import http.server
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

COUNT = 24


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pictures, log, lock = {}, [], threading.Lock()
    answer = None      # what is sent in place of a picture: a function of the handler and the picture, or nothing
    times = []

    def do_GET(self):
        with Origin.lock:
            Origin.log.append((self.path, dict(self.headers)))
        picture = Origin.pictures.get(self.path)
        if Origin.answer and Origin.answer(self, picture):
            return
        self.send_picture(picture)

    def send_picture(self, picture):
        if picture is None:
            return self.send(404)
        tag = f'"{hash(picture)}"'
        if self.headers["If-None-Match"] == tag:
            return self.send(304)
        self.send(200, picture, ETag=tag)

    def send(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64

    def handle_error(self, *_):
        pass  # clients that hang up


def serve():
    server = Server(("127.0.0.1", 0), Origin)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def limited(allowed, window, refusal):
    """An answer that lets so many requests pass in a time, and refuses the others."""
    begun = []

    def answer(handler, _):
        with Origin.lock:
            now = time.monotonic()
            begun[:] = [moment for moment in begun if now - moment < window]
            if len(begun) < allowed:
                begun.append(now)
                return False
        return refusal(handler)
    return answer


class Nights:
    def __init__(self, vq, folder, port):
        self.vq, self.folder, self.failures = vq, folder, 0
        self.base = f"http://127.0.0.1:{port}"
        self.hosts = [f"127.0.0.1:{port}"]

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def feed(self, names, name="feed.jsonl"):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            for number, image in enumerate(names):
                file.write(json.dumps({"type": "product", "id": f"p{number}", "title": "T", "images": [self.base + image]}) + "\n")
        return path

    def run(self, feed, index, *arguments, fetches=True):
        """Indexes a feed, and gives the summary, the messages and the exit code."""
        fetch = ["--fetch", "--allow-private-address", "127.0.0.1"] if fetches else []
        fetch += [word for host in self.hosts if fetches for word in ("--allow-host", host)]
        run = subprocess.run([self.vq, "index", feed, "--index", f"{self.folder}/{index}", "--json", *fetch, *arguments],
                             capture_output=True, text=True, timeout=300)
        return json.loads(run.stdout or "{}"), run.stderr, run.returncode

    def contents(self, index):
        """The entities of an index with the hashes of their images."""
        export = subprocess.run([self.vq, "catalogue", "export", "--index", f"{self.folder}/{index}"], capture_output=True, text=True)
        return sorted(line for line in export.stdout.splitlines() if '"entity"' in line)

    def next_day(self, index):
        """Makes what was noted today that of yesterday."""
        database = sqlite3.connect(f"{self.folder}/{index}/fetched.sqlite")
        database.execute("UPDATE failures SET since = since - 1, goneDay = goneDay - 1 WHERE 1")
        database.commit()
        database.close()

    def bad_nights(self, feed):
        """Nights on which the server sends something else than images: nothing leaves."""
        page = b"<!doctype html><title>Back soon</title>"
        one = next(iter(Origin.pictures.values()))
        half = one[:len(one) // 2]
        nights = {f"status {status}": lambda h, _, s=status: h.send(s)
                  for status in (401, 403, 404, 408, 410, 451, 500, 502, 504, 507, 520, 522, 526, 530)}
        nights |= {
            "status 429 and an hour": lambda h, _: h.send(429, Retry_After="3600"),
            "status 503 and a date": lambda h, _: h.send(503, Retry_After=email.utils.formatdate(time.time() + 7200, usegmt=True)),
            "status 206": lambda h, p: h.send(206, p[:100], Content_Range="bytes 0-99/1000"),
            "a page with status 200": lambda h, _: h.send(200, page, Content_Type="image/jpeg"),
            "a page with status 403": lambda h, _: h.send(403, page, Content_Type="text/html"),
            "nothing with status 200": lambda h, _: h.send(200),
            "status 204": lambda h, _: h.send(204),
            "half an image": lambda h, _: h.send(200, half),
            "an image of zeros": lambda h, p: h.send(200, p[:20] + bytes(len(p))),
            "one image for all": lambda h, _: h.send(200, one + b"placeholder"),
            "a redirect to nowhere": lambda h, _: h.send(302, Location="/nowhere") if h.path != "/nowhere" else h.send(404),
            "a redirect to itself": lambda h, _: h.send(301, Location=h.path),
            "a redirect without an address": lambda h, _: h.send(302),
            "a redirect to a host off the list": lambda h, _: h.send(302, Location="http://login.shop.example/"),
            "a redirect to a forbidden address": lambda h, _: h.send(302, Location="http://169.254.169.254/"),
            "an unknown encoding": lambda h, p: h.send(200, p, Content_Encoding="snow"),
            "a bomb": lambda h, _: h.send(200, gzip.compress(bytes(15_000_000)), Content_Encoding="gzip"),
        }
        before = self.contents("a.vq")
        for name, answer in nights.items():
            Origin.answer = answer
            summary, errors, code = self.run(feed, "a.vq")
            kept = (summary.get("keptImages"), summary.get("unchangedImages"), summary.get("changed"))
            # The first picture is that of the night with one for all.
            least = COUNT - 1 if name == "one image for all" else COUNT
            self.say(f"{name}: all images are kept, and the run says so",
                     kept[0] >= least and kept[1:] == (COUNT, 0) and code == 0 and "old image" in errors, (kept, code, errors))
            self.say(f"{name}: the index is as it was", self.contents("a.vq") == before)
            Origin.answer = None
            summary, errors, code = self.run(feed, "a.vq")
            self.say(f"{name}: the next night is healthy", (summary.get("keptImages"), summary.get("signedImages"), code) == (0, 0, 0),
                     (summary, errors, code))

    def down(self, feed):
        """A server that is not there at all."""
        hosts, self.hosts = self.hosts, ["127.0.0.1:9"]
        path = f"{self.folder}/down.jsonl"
        with open(feed) as file, open(path, "w") as other:
            other.write(file.read().replace(self.base, "http://127.0.0.1:9"))
        summary, errors, code = self.run(path, "a.vq")
        self.say("addresses of a server that is down: the images of the old ones stay",
                 (summary.get("keptImages"), summary.get("withoutImages"), code) == (COUNT, 0, 0), (summary, errors, code))
        self.hosts = hosts
        self.run(feed, "a.vq")

    def first_night(self, feed):
        for what, answer, wanted in [("403", lambda h, _: h.send(403), 1), ("429 and an hour", lambda h, _: h.send(429, Retry_After="3600"), 9)]:
            Origin.answer = answer
            summary, errors, code = self.run(feed, f"first{wanted}.vq")
            self.say(f"a first night of {what} ends with {wanted}", code == wanted and summary.get("withoutImages") == COUNT,
                     (summary, errors, code))
            Origin.answer = None
            summary, errors, code = self.run(feed, f"first{wanted}.vq")
            self.say("and the next one brings all", (summary.get("fetchedImages"), code) == (COUNT, 0), (summary, errors, code))

    def gone(self, feed):
        """An image leaves on the third day on which the server has others."""
        lost = ["/0.jpg", "/1.jpg"]
        self.run(feed, "gone.vq")
        for night in (1, 2, 3):
            Origin.answer = lambda h, _: h.path in lost and h.send(404)
            for _ in range(2):
                summary, errors, code = self.run(feed, "gone.vq")
            left = night == 3
            self.say(f"gone on day {night}, twice: {'it leaves' if left else 'it stays'}",
                     (summary.get("unchangedImages"), summary.get("keptImages"), code)
                     == ((COUNT - 2, 0, 0) if left else (COUNT, 2, 0)), (summary, errors, code))
            if night == 1:
                doctor = subprocess.run([self.vq, "doctor", "--index", f"{self.folder}/gone.vq", "--json"], capture_output=True, text=True)
                self.say("the doctor tells since when, and why", "staleImage" in doctor.stdout and "status 404" in doctor.stdout, doctor.stdout[:300])
            self.next_day("gone.vq")
        Origin.answer = None
        summary, errors, code = self.run(feed, "gone.vq")
        self.say("and comes back with the server", (summary.get("signedImages"), summary.get("keptImages"), code) == (2, 0, 0),
                 (summary, errors, code))
        Origin.answer = lambda h, _: h.send(404)
        for night in range(5):
            summary, errors, code = self.run(feed, "gone.vq")
            self.next_day("gone.vq")
        self.say("a server that has nothing at all for five days loses nothing",
                 (summary.get("keptImages"), code) == (COUNT, 0), (summary, errors, code))
        Origin.answer = None

    def addresses(self, feed):
        """Images whose addresses change, and options of the requests."""
        renamed = self.feed([f"/new{number}.jpg" for number in range(COUNT)], "renamed.jsonl")
        self.run(feed, "moved.vq")
        summary, errors, code = self.run(renamed, "moved.vq")
        self.say("addresses that are all new and have nothing: the old images stay", (summary.get("keptImages"), code) == (COUNT, 0),
                 (summary, errors, code))
        Origin.pictures |= {f"/new{number}.jpg": Origin.pictures[f"/{number}.jpg"] for number in range(COUNT)}
        summary, errors, code = self.run(renamed, "moved.vq")
        self.say("and once they have images, nothing is old", (summary.get("keptImages"), code) == (0, 0), (summary, errors, code))

        Origin.answer = lambda h, p: False if h.headers["User-Agent"] == "Mozilla/5.0" and h.headers["X-Key"] == "s3cret" else h.send(403)
        with open(f"{self.folder}/key.txt", "w") as file:
            file.write("s3cret\n")
        options = ["--user-agent", "Mozilla/5.0", "--fetch-header", f"X-Key=@{self.folder}/key.txt"]
        summary, errors, code = self.run(feed, "header.vq", *options)
        self.say("a server that wants a name and a key gets them", (summary.get("fetchedImages"), code) == (COUNT, 0), (summary, errors, code))
        files = b"".join(open(f"{self.folder}/header.vq/{name}", "rb").read() for name in os.listdir(f"{self.folder}/header.vq"))
        self.say("and the key is in no message and no file", "s3cret" not in errors and b"s3cret" not in files)
        for text in ("X-Key=s3cret", "Host=@key.txt", "X-Key=@", "=@key.txt", f"X-Key=@{self.folder}/none.txt"):
            summary, errors, code = self.run(feed, "none.vq", "--fetch-header", text)
            self.say(f"--fetch-header {text.replace(self.folder, '')} is refused", code == 2, (errors, code))
        Origin.answer = lambda h, p: h.send(200, gzip.compress(p), Content_Encoding="gzip")
        summary, errors, code = self.run(feed, "gzip.vq")
        self.say("images that the server compresses go in", (summary.get("fetchedImages"), code) == (COUNT, 0), (summary, errors, code))
        Origin.answer = None

        same = self.feed(["/0.jpg"] * 300, "same.jsonl")
        for name, answer in [("has", None), ("refuses", lambda h, _: h.send(403))]:
            Origin.log.clear()
            Origin.answer = answer
            summary, errors, code = self.run(same, f"same-{name}.vq")
            self.say(f"an image that 300 rows name, and the server {name}, is asked for once", len(Origin.log) == 1, (len(Origin.log), errors))
            if not answer:
                self.say("and is analyzed once", (summary.get("signedImages"), summary.get("sharedImages")) == (1, 299), summary)
        Origin.answer = None

    def limits(self, names):
        """Servers with a limit of ten a second."""
        Origin.pictures |= {f"/many{number}.jpg": Origin.pictures[names[number % COUNT]] for number in range(300)}
        many = self.feed([f"/many{number}.jpg" for number in range(300)], "many.jsonl")
        for name, refusal in [("429 and Retry-After", lambda h: h.send(429, Retry_After="1")), ("503 alone", lambda h: h.send(503))]:
            Origin.answer = limited(10, 1, refusal)
            Origin.log.clear()
            begin = time.monotonic()
            summary, errors, code = self.run(many, f"limit{len(name)}.vq")
            print(f"     {name}: {time.monotonic() - begin:.0f} s, {len(Origin.log)} requests")
            self.say(f"{name}: 300 images come in one run", (summary.get("fetchedImages"), code) == (300, 0), (summary, errors, code))
            self.say(f"{name}: and few requests are in vain", len(Origin.log) < 360, len(Origin.log))
        Origin.answer = limited(10, 1, lambda h: h.send(429, Retry_After="1"))
        codes, runs = [], 0
        while codes[-1:] != [0] and runs < 40:
            summary, errors, code = self.run(many, "budget.vq", "--fetch-time", "8")
            codes.append(code)
            runs += 1
            if runs == 1:
                self.say("a run without time says what is to come, and how long it takes",
                         code == 9 and 0 < summary["imagesToCome"] < 300 and summary["secondsToCome"] > 0
                         and summary["outcome"] == "unfinished" and "still to come" in errors, (summary, errors, code))
        self.say("and further ones bring the rest", set(codes[:-1]) == {9} and codes[-1] == 0 and summary["withoutImages"] == 0, (codes, summary))
        more = self.feed([f"/many{number}.jpg" for number in range(300)] + ["/new0.jpg"], "more.jsonl")
        Origin.log.clear()
        self.run(more, "budget.vq", "--fetch-time", "3")
        self.say("a new image comes before those that are checked again", Origin.log[0][0] == "/new0.jpg", Origin.log[:3])
        Origin.answer = None
        begin = time.monotonic()
        summary, errors, code = self.run(self.feed(names, "few.jsonl"), "rate.vq", "--fetch-rate", "12")
        self.say("--fetch-rate is not exceeded", time.monotonic() - begin > (COUNT - 1) / 12 and code == 0, (time.monotonic() - begin, code))


def main():
    vq, pictures = os.path.abspath(sys.argv[1]), sys.argv[2]
    names = sorted(name for name in os.listdir(pictures) if name.endswith(".jpg"))[:COUNT]
    for number, name in enumerate(names):
        with open(os.path.join(pictures, name), "rb") as file:
            Origin.pictures[f"/{number}.jpg"] = file.read()
    with tempfile.TemporaryDirectory() as folder:
        nights = Nights(vq, folder, serve())
        feed = nights.feed([f"/{number}.jpg" for number in range(COUNT)])
        summary, errors, code = nights.run(feed, "a.vq")
        nights.say("the first night brings all images", (summary.get("fetchedImages"), code) == (COUNT, 0), (summary, errors, code))
        nights.bad_nights(feed)
        nights.down(feed)
        nights.first_night(feed)
        nights.gone(feed)
        nights.addresses(feed)
        if "quick" not in sys.argv[3:]:
            nights.limits([f"/{number}.jpg" for number in range(COUNT)])
    sys.exit(1 if nights.failures else 0)


main()
