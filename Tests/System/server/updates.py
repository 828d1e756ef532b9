#!/usr/bin/env python3
"""Changes of single entities through a server that is killed: updates.py VQ PICTURES [--kills 20]

Several clients PUT and DELETE entities, some with images, while the server is killed with SIGKILL at random moments and started
again, and `vq index` runs beside it. After each kill the index must be one that `vq catalogue verify` accepts, and have every
change that was answered. PICTURES is a folder of JPEGs. Standard library only.
"""
import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time


class Updates:
    def __init__(self, vq, pictures, kills):
        self.vq, self.kills, self.failures = os.path.abspath(vq), kills, 0
        self.pictures = [open(os.path.join(pictures, name), "rb").read()
                         for name in sorted(os.listdir(pictures)) if name.endswith(".jpg")]
        self.folder = tempfile.mkdtemp()
        self.index, self.keys = os.path.join(self.folder, "shop.vq"), os.path.join(self.folder, "keys.txt")
        self.generator = random.Random(1)
        self.key = self.run("key", self.keys, "--name", "writer", "--role", "write").stdout.strip()
        with open(os.path.join(self.folder, "feed.jsonl"), "w") as feed:
            json.dump({"type": "product", "id": "first", "title": "First"}, feed)
        self.feed = feed.name
        self.run("index", self.feed, "--index", self.index, "-q")

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def run(self, *arguments):
        return subprocess.run([self.vq, *arguments], capture_output=True, text=True)

    def start(self):
        server = subprocess.Popen(
            [self.vq, "serve", "--index", self.index, "--keys", self.keys, "--port", "0", "--quiet"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = int(re.search(r":(\d+)/", server.stdout.readline())[1])
        return server, port

    def ask(self, port, method, target, body=None, media="application/json"):
        """The status and the JSON of an answer, or None if the server died."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            headers = {"Authorization": f"Bearer {self.key}", "Content-Type": media}
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            return answer.status, json.loads(content) if content else {}
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def change(self, port, client, number, state):
        """Makes one change of an entity that is this client's own; `state` is what each must be, or may be."""
        generator = random.Random(client * 1_000_000 + number)
        name = f"c{client}-{generator.randrange(12)}"
        target = f"/v1/entities/product/{name}"
        # Until it is answered, a change may be there or not.
        before = state.setdefault(name, {None})
        if generator.random() < 0.2:
            wanted = None
            state[name] = before | {wanted}
            answer = self.ask(port, "DELETE", target)
        else:
            wanted = f"Title {number}"
            state[name] = before | {wanted}
            entity = json.dumps({"title": wanted, "labels": [f"label {number % 7}"]}).encode()
            media = "application/json"
            if generator.random() < 0.4:
                media = "multipart/form-data; boundary=part"
                entity = self.form(entity, self.pictures[generator.randrange(len(self.pictures))])
            answer = self.ask(port, "PUT", target, entity, media)
        if answer is None:
            return False
        if answer[0] in (200, 201, 204, 404):
            state[name] = {wanted}
        elif answer[0] == 503:
            state[name] = before
            time.sleep(0.05)
        else:
            self.say("a change is answered", False, answer)
        return True

    @staticmethod
    def form(entity, picture):
        parts = ((b"entity", entity), (b"photo", picture))
        return b"".join(b'--part\r\nContent-Disposition: form-data; name="' + name + b'"\r\n\r\n' + content + b"\r\n"
                        for name, content in parts) + b"--part--\r\n"

    def work(self, port, client, state, counts):
        while self.change(port, client, counts[client], state):
            counts[client] += 1

    def killed_servers_lose_nothing(self):
        states, counts = [{} for _ in range(4)], [0] * 4
        for kill in range(self.kills):
            server, port = self.start()
            threads = [threading.Thread(target=self.work, args=(port, client, states[client], counts))
                       for client in range(4)]
            for thread in threads:
                thread.start()
            other = subprocess.Popen([self.vq, "index", self.feed, "--index", self.index, "-q"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if kill % 4 == 3 else None
            time.sleep(0.1 + self.generator.random())
            server.send_signal(signal.SIGKILL)
            server.wait()
            for thread in threads:
                thread.join()
            if other:
                other.wait()
            verified = self.run("catalogue", "verify", "--index", self.index)
            if verified.returncode:
                return self.say(f"an index is sound after kill {kill + 1}", False, verified.stdout + verified.stderr)
            lost = self.lost(states)
            if lost:
                return self.say(f"every answered change is there after kill {kill + 1}", False, lost[:3])
        self.say(f"after {self.kills} kills and {sum(counts)} changes the index was sound and had every answered one", True)
        segments = len([name for name in os.listdir(self.index) if name.endswith(".segment")])
        self.say("the changes left few segments", segments < 40, segments)

    def lost(self, states):
        """The entities that are not as they must be. What may be either way is then as it is."""
        found = {}
        for line in self.run("catalogue", "export", "--index", self.index).stdout.splitlines():
            row = json.loads(line)
            entity = row.get("entity", row)
            if "id" in entity:
                found[entity["id"]] = entity["title"]
        lost = [(name, found.get(name), sorted(map(str, may)))
                for state in states for name, may in state.items() if found.get(name) not in may]
        for state in states:
            for name in state:
                state[name] = {found.get(name)}
        if "first" not in found:
            lost.append(("first", None, ["First"]))
        return lost

    def a_running_index_is_waited_for(self):
        """While another writer is at work, a change is refused with the time of the next try."""
        server, port = self.start()
        reader, writer = os.pipe()
        other = subprocess.Popen([self.vq, "index", "-", "--index", self.index, "-q"], stdin=reader,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reader)
        # The format is found in the first two megabytes; the writer is locked after it.
        feed = os.fdopen(writer, "wb")
        feed.write((b'{"type":"product","id":"first","title":"First"}' + b" " * 30_000 + b"\n") * 80)
        feed.flush()
        status, deadline = None, time.monotonic() + 20
        while status != 503 and time.monotonic() < deadline:
            answer = self.ask(port, "PUT", "/v1/entities/product/late", b'{"title":"Late"}')
            status = answer and answer[0]
        self.say("a change during an index run gets 503", status == 503, answer)
        self.say("with the code catalogueBusy", bool(answer) and answer[1].get("code") == "catalogueBusy", answer)
        feed.close()
        other.wait()
        answer = self.ask(port, "PUT", "/v1/entities/product/late", b'{"title":"Late again"}')
        self.say("and is taken after it", bool(answer) and answer[0] in (200, 201), answer)
        start = time.monotonic()
        found = self.ask(port, "POST", "/v1/entities:resolve", b'{"ids":["product:late"]}')
        self.say("and seen by the next request", bool(found) and [e["display"]["title"] for e in found[1]["entities"]]
                 == ["Late again"] and time.monotonic() - start < 10, found)
        server.terminate()
        self.say("the server ends with 0", server.wait() == 0, server.returncode)


def main():
    parser = argparse.ArgumentParser(description="Kills a server during changes of single entities.")
    parser.add_argument("vq", metavar="VQ")
    parser.add_argument("pictures", metavar="PICTURES", help="a folder of JPEGs")
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    updates = Updates(given.vq, given.pictures, given.kills)
    updates.a_running_index_is_waited_for()
    updates.killed_servers_lose_nothing()
    sys.exit(1 if updates.failures else 0)


if __name__ == "__main__":
    main()
