#!/usr/bin/env python3
"""A drill: backups of a shop that works, each restored elsewhere. backup.py VQ PICTURES [--kills 6]

The shop has images of a server, uploaded ones and files, rules, statements of people and numbers of searches. While it answers photos and a feed is
indexed again and again, backups are made, and killed at random moments; the run is killed, too. Each backup that is there must be sound, and one that is
served elsewhere, without the images' server, must give the answers of the original, with its thumbnails, statements, numbers and rules. Standard
library only. One line a check; exit code 1 if one fails.
"""
import argparse
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time


class Drill:
    def __init__(self, vq, pictures):
        self.vq, self.failures = os.path.abspath(vq), 0
        self.pictures = pathlib.Path(pictures).resolve()
        self.names = sorted(path.name for path in self.pictures.glob("*.jpg"))
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.index, self.feed = self.folder / "shop.vq", self.folder / "feed.jsonl"

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def run(self, *arguments, index=None):
        return subprocess.run([self.vq, *map(str, arguments), "--index", str(index or self.index)], capture_output=True, text=True)

    def images(self):
        """A server of the shop's images."""
        handler = type("Images", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *arguments: None})
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *arguments: handler(*arguments, directory=str(self.pictures)))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def write(self, port, round=0):
        rows = []
        for number in range(24):
            name = self.names[number % len(self.names)]
            image = f"http://127.0.0.1:{port}/{name}" if number % 2 else name
            rows.append({"type": "product", "id": f"p{number}", "title": f"Product {number} of round {round}", "images": [image],
                         "price": f"{number + 10}.90 EUR"})
        self.feed.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def indexing(self):
        return [self.vq, "index", str(self.feed), "--images-root", str(self.pictures), "--fetch", "--allow-host", f"127.0.0.1:{self.port}",
                "--allow-private-address", "127.0.0.0/8", "--thumbnails", "160", "--quiet", "--index", str(self.index)]

    def serve(self, index):
        keys = self.folder / "keys.txt"
        if not keys.exists():
            self.key = subprocess.run([self.vq, "key", keys, "--name", "w", "--role", "write"], capture_output=True, text=True).stdout.strip()
        process = subprocess.Popen([self.vq, "serve", "--index", str(index), "--port", "0", "--numbers", "--keys", str(keys), "--deadline", "30000",
                                    "--max-deadline", "30000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return process, int(re.search(r":(\d+)/", process.stdout.readline()).group(1))

    def ask(self, port, method, path, body=None, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request(method, path, body, {"Authorization": f"Bearer {self.key}", **({"Content-Type": kind} if body else {})})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    def form(self, port, path, parts):
        body = b""
        for name, kind, content in parts:
            body += (f'--b\r\nContent-Disposition: form-data; name="{name}"' + ('; filename="a.jpg"' if kind == "image/jpeg" else "")
                     + f"\r\nContent-Type: {kind}\r\n\r\n").encode() + content + b"\r\n"
        return self.ask(port, "PUT", path, body + b"--b--\r\n", "multipart/form-data; boundary=b")

    def state(self, port):
        """Asks for everything that people and apps see of a shop."""
        answers = {}
        for name in self.names[:8]:
            status, text = self.ask(port, "POST", "/v1/match", (self.pictures / name).read_bytes(), "image/jpeg")
            document = json.loads(text)
            answers[name] = [(match["id"], match["confidence"]) for match in document["values"]]
        for number in (1, 2, 3, "up"):
            answers[f"thumbnail {number}"] = self.ask(port, "GET", f"/v1/entities/product/p{number}/thumbnail")
        answers["rules"] = self.ask(port, "GET", "/v1/rules")
        return answers

    def check(self, kills):
        server = self.images()
        self.port = server.server_port
        self.write(self.port)
        made = subprocess.run(self.indexing(), capture_output=True, text=True)
        self.say("the shop is indexed", made.returncode == 0, made.stderr[-400:])
        process, port = self.serve(self.index)
        photo = (self.pictures / self.names[0]).read_bytes()
        status, text = self.form(port, "/v1/entities/product/pup", [
            ("entity", "application/json", json.dumps({"title": "Uploaded"}).encode()), ("image", "image/jpeg", photo)])
        self.say("an image is uploaded", status in (200, 201), (status, text[:300]))
        rules = {"schema": "vq.rules/1", "rules": [{"name": "first", "pin": [{"entity": "product:p3", "position": 1}], "when": {"labels": ["lamp"]}}]}
        status, text = self.ask(port, "PUT", "/v1/rules", json.dumps(rules).encode())
        self.rules = status
        before = self.state(port)

        stop, rounds, runs = threading.Event(), [0], []

        def nights():
            random.seed(7)
            while not stop.is_set():
                rounds[0] += 1
                self.write(self.port, rounds[0])
                run = subprocess.Popen(self.indexing(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                if rounds[0] % 3 == 0:
                    time.sleep(random.random() * 0.5)
                    run.kill()
                run.wait()
                runs.append(run.returncode)

        def questions():
            while not stop.is_set():
                self.ask(port, "POST", "/v1/match", photo, "image/jpeg")

        workers = [threading.Thread(target=work) for work in (nights, questions)]
        for worker in workers:
            worker.start()
        random.seed(3)
        whole = killed = 0
        try:
            for number in range(kills * 2):
                target = self.folder / f"backup-{number}.vq"
                backup = subprocess.Popen([self.vq, "catalogue", "backup", str(target), "--index", str(self.index)],
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                if number % 2:
                    time.sleep(random.random() * 0.3)
                    backup.kill()
                said = backup.communicate()
                if target.exists():
                    sound = self.run("catalogue", "verify", index=target)
                    titles = set(re.findall(r'"title":"Product \d+ of round (\d+)"', self.run("catalogue", "export", index=target).stdout))
                    if sound.returncode or len(titles) != 1:
                        self.say(f"backup {number} is one sound generation", False, (sound.stdout, titles))
                    whole += 1
                elif number % 2 == 0:
                    self.say(f"backup {number} is made", False, said)
                else:
                    killed += 1
        finally:
            stop.set()
            for worker in workers:
                worker.join()
        self.say(f"{whole} backups beside {rounds[0]} runs are sound, {killed} that were killed are not there", whole >= kills)
        again = self.run("catalogue", "backup", self.folder / "backup-1.vq")
        self.say("a place where one was killed can be used", again.returncode == 0 or (self.folder / "backup-1.vq").exists(), again.stderr)

        # The shop as it is now, and its copy after all is gone.
        subprocess.run(self.indexing(), capture_output=True)
        before = self.state(port)
        statements, numbers = self.run("feedback", "export").stdout, None
        time.sleep(6)
        made = self.run("catalogue", "backup", self.folder / "last.vq")
        self.say("the last backup says what it has", made.returncode == 0 and "every byte was checked" in made.stdout, made.stdout + made.stderr)
        numbers = self.run("report", "--export", "-", index=self.folder / "last.vq").stdout
        self.say("the numbers of searches are in it", numbers.count("\n") > 1, numbers[:300])
        process.terminate()
        process.wait()
        server.shutdown()
        shutil.rmtree(self.index)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        os.rename(self.folder / "last.vq", elsewhere / "shop.vq")
        process, port = self.serve(elsewhere / "shop.vq")
        after = self.state(port)
        process.terminate()
        process.wait()
        wrong = [name for name in before if before[name] != after[name]]
        self.say(f"{len(before)} answers, thumbnails and rules are those of the original", not wrong, wrong[:4])
        self.say("each thumbnail is there", all(before[name][0] == 200 for name in before if name.startswith("thumbnail")),
                 [before[name][0] for name in before if name.startswith("thumbnail")])
        self.say("statements of people are the same", self.run("feedback", "export", index=elsewhere / "shop.vq").stdout == statements)
        shutil.rmtree(self.folder)


parser = argparse.ArgumentParser()
parser.add_argument("vq")
parser.add_argument("pictures")
parser.add_argument("--kills", type=int, default=6)
arguments = parser.parse_args()
drill = Drill(arguments.vq, arguments.pictures)
drill.check(arguments.kills)
sys.exit(drill.failures > 0)
