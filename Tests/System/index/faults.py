#!/usr/bin/env python3
"""What may happen to an index while it is made: faults.py VQ PICTURES [--kills 200]

Kills runs at random moments and resumes them, fills the disk, takes rights away, writes twice at once, lets pictures vanish and change.
After each the index must be one that `vq catalogue verify` accepts. PICTURES is a folder of JPEGs. Standard library only.
"""
import argparse
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time


class Faults:
    def __init__(self, vq, pictures, kills):
        self.vq, self.kills, self.failures = os.path.abspath(vq), kills, 0
        self.pictures = sorted(os.path.join(os.path.abspath(pictures), name) for name in os.listdir(pictures)
                               if name.endswith(".jpg"))
        self.folder = tempfile.mkdtemp()
        # Rows name pictures by their full paths.
        self.places = ["--allow-outside", os.path.abspath(pictures), "--allow-outside", self.folder]
        self.generator = random.Random(1)

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, **options):
        return subprocess.run([self.vq, *arguments], capture_output=True, text=True, **options)

    def index(self, catalogue, index, *options):
        return self.run("index", catalogue, "--index", index, "-q", *self.places, *options)

    def is_sound(self, index):
        verified = self.run("catalogue", "verify", "--index", index)
        return verified.returncode == 0, verified.stdout + verified.stderr

    def export(self, index):
        return self.run("catalogue", "export", "--index", index).stdout

    def catalogue(self, name, count, change=""):
        """`count` products, most with a picture or two, and stores that stock them."""
        path = self.path(name)
        with open(path, "w") as file:
            for number in range(count):
                images = [self.pictures[(number * step) % len(self.pictures)] for step in (1, 7)][: 1 + number % 2]
                json.dump({"type": "product", "id": f"p{number}", "title": f"Product {number}{change}",
                           "labels": [f"label {number % 9}"], "images": images}, file)
                file.write("\n")
            for number in range(5):
                json.dump({"type": "store", "id": f"s{number}", "title": f"Store {number}",
                           "stock": [f"p{number}", f"p{count - 1}"], "images": [self.pictures[number]]}, file)
                file.write("\n")
        return path

    def killed_runs_resume(self):
        first = self.catalogue("first.jsonl", 120)
        second = self.catalogue("second.jsonl", 140, " changed")
        expected = []
        for catalogue in (first, second):
            self.index(catalogue, self.path("whole.vq"))
            expected.append(self.export(self.path("whole.vq")))
        start = time.monotonic()
        self.index(first, self.path("timed.vq"))
        took = time.monotonic() - start
        index, equal, thumbnails, killed, runs = self.path("killed.vq"), True, True, 0, 0
        while killed < self.kills:
            runs += 1
            # By turns a first build, and a second one over it.
            turn = killed // 5 % 2
            process = subprocess.Popen([self.vq, "index", (first, second)[turn], "--index", index, "-q",
                                        "--thumbnails", "32", *self.places],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(self.generator.random() * took)
            process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL:
                # It was done before: from the beginning, or from the first build.
                shutil.rmtree(index)
                if turn:
                    self.index(first, index)
                continue
            killed += 1
            if os.path.exists(os.path.join(index, "catalogue.sqlite")):
                holds, found = self.is_sound(index)
                # A first build that is killed before its tables leaves a file that holds nothing yet, and says so.
                empty = turn == 0 and ("has only" in found or "first index run was interrupted" in found)
                if not holds and not empty:
                    return self.say(f"an index is sound after kill {killed}", False, found)
            if killed % 5 == 0:
                self.index((first, second)[turn], index, "--thumbnails", "32")
                thumbnails &= self.keeps_thumbnails(index)
                equal &= self.export(index) == expected[turn]
                if turn:
                    shutil.rmtree(index)
        self.say(f"after {killed} kills at random moments of {runs} runs the index was sound", True)
        self.say("resumed, it equals one that nobody disturbed, byte for byte", equal)
        self.say("and every picture has its thumbnail", thumbnails)

    def keeps_thumbnails(self, index):
        connection = sqlite3.connect(os.path.join(index, "catalogue.sqlite"))
        connection.execute("ATTACH ? AS kept", (os.path.join(index, "thumbnails.sqlite"),))
        missing, = connection.execute(
            """SELECT count(*) FROM images i WHERE NOT EXISTS (SELECT 1 FROM kept.thumbnails t
               WHERE t.entity = i.entity AND t.contentHash = i.contentHash AND t.side = 32)""").fetchone()
        connection.close()
        return missing == 0

    def a_second_writer_is_refused(self):
        index = self.path("two.vq")
        catalogue = self.catalogue("long.jsonl", 100)
        first = subprocess.Popen([self.vq, "index", "-", "--index", index, "-q", "--images-root", self.folder, *self.places],
                                 stdin=subprocess.PIPE)
        # The format is found in the first two megabytes; the writer is locked after it.
        rows = [row.rstrip() + b" " * 30_000 + b"\n" for row in open(catalogue, "rb").read().splitlines(True)]
        sent = 90
        first.stdin.write(b"".join(rows[:sent]))
        first.stdin.flush()
        while not os.path.exists(os.path.join(index, "writer.lock")):
            time.sleep(0.005)
        time.sleep(0.2)
        second = self.index(catalogue, index)
        self.say("a second writer is told to wait",
                 second.returncode == 5 and "locked by another" in second.stderr, second.stderr)
        first.stdin.write(b"".join(rows[sent:]))
        first.stdin.close()
        self.say("the first one finishes", first.wait() == 0 and self.is_sound(index)[0])

    def an_interrupted_run_says_how_to_go_on(self):
        index = self.path("interrupted.vq")
        catalogue = self.catalogue("interrupted.jsonl", 3000)
        process = subprocess.Popen([self.vq, "index", catalogue, "--index", index, "-q", *self.places],
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        errors = process.communicate()[1]
        self.say("Ctrl-C ends with 130 and says how to go on",
                 process.returncode == 130 and "to continue" in errors, (process.returncode, errors))
        status = json.loads(self.run("catalogue", "status", "--json", "--index", index).stdout)
        self.say("what was done is kept", 0 < status["products"] < 3000 and self.is_sound(index)[0], status)

    def a_full_disk_loses_nothing(self):
        if os.geteuid() != 0:
            return print("skip  a full disk: only root may mount one")
        disk = self.path("disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], capture_output=True).returncode:
            return print("skip  a full disk: none may be mounted here")
        try:
            index = os.path.join(disk, "full.vq")
            small = self.index(self.catalogue("small.jsonl", 40), index)
            before = self.export(index)
            full = self.index(self.catalogue("large.jsonl", 800), index)
            self.say("a full disk is told", small.returncode == 0 and full.returncode == 1
                     and "No space left" in full.stderr, (small.returncode, full.returncode, full.stderr))
            self.say("what was there is there", self.export(index) == before)
            holds, found = self.is_sound(index)
            self.say("and sound", holds, found)
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
            refused = self.index(self.catalogue("ro.jsonl", 40, " new"), index)
            self.say("an index that may not be written is told",
                     refused.returncode == 5 and "cannot" in refused.stderr, refused.stderr)
            self.say("and can be read", self.export(index) == before and self.is_sound(index)[0])
            changed = self.catalogue("dry.jsonl", 40, " new")
            dry = self.index(changed, index, "--dry-run", "--json")
            self.say("a dry run tells what would change there", dry.returncode == 0
                     and json.loads(dry.stdout.splitlines()[-1])["changed"] == 40, (dry.returncode, dry.stdout, dry.stderr))
            subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
            self._a_full_disk_is_searched(index, disk)
        finally:
            subprocess.run(["umount", disk], check=True)

    def _a_full_disk_is_searched(self, index, disk):
        """Once somebody has said something, feedback.sqlite is read beside each search, which needs no room."""
        photo, nothing = self.pictures[0], self.path("nothing")
        open(nothing, "w").close()
        said = self.run("feedback", "import", nothing, "--index", index)
        filler = os.open(os.path.join(disk, "filler"), os.O_CREAT | os.O_WRONLY)
        try:
            while os.write(filler, bytes(4096)):
                pass
        except OSError:
            os.close(filler)
        found = self.run("match", photo, "--index", index)
        self.say("a search on a full disk ends well", said.returncode == 0 and found.returncode == 0,
                 (said.stderr, found.returncode, found.stderr))

    def few_open_files_are_no_damage(self):
        """A lack of files passes, so nobody is told to undo a run."""
        index = self.path("few.vq")
        self.index(self.catalogue("few.jsonl", 40), index)
        photo = self.pictures[0]
        wrong = []
        # With fewer, the system's own dispatch library ends the process, because it cannot wait for Ctrl-C.
        for limit in range(12, 40):
            few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            found = self.run("match", photo, "--index", index, preexec_fn=few)
            # 4: the photo itself could not be opened.
            if "rollback" in found.stderr or found.returncode not in (0, 1, 4):
                wrong.append((limit, found.returncode, found.stderr))
        self.say("few open files are no damage", not wrong, wrong[:2])

    def pictures_that_vanish_or_change_end_well(self):
        folder, index = self.path("pictures"), self.path("vanish.vq")
        os.mkdir(folder)
        names = []
        with open(self.path("vanish.jsonl"), "w") as file:
            for number in range(300):
                name = os.path.join(folder, f"{number}.jpg")
                shutil.copy(self.pictures[number % len(self.pictures)], name)
                names.append(name)
                json.dump({"type": "product", "id": str(number), "title": "T", "images": [name]}, file)
                file.write("\n")
        stop = threading.Event()

        def disturb():
            while not stop.is_set():
                name = self.generator.choice(names)
                with open(self.generator.choice(self.pictures), "rb") as source:
                    data = source.read()
                # Written in place, so that it may be read half old and half new; or gone.
                with open(name, "wb") as target:
                    target.write(data[: len(data) // 2])
                    target.flush()
                    target.write(data[len(data) // 2:])
                if self.generator.random() < 0.2:
                    os.unlink(name)

        thread = threading.Thread(target=disturb)
        thread.start()
        run = self.run("index", self.path("vanish.jsonl"), "--index", index, "--json", *self.places)
        stop.set()
        thread.join()
        summary = json.loads(run.stdout)
        self.say("pictures that change meanwhile end no run", run.returncode == 0 and summary["entities"] == 300)
        self.say("the index is sound", self.is_sound(index)[0])
        for name in names:
            shutil.copy(self.pictures[0], name)
        again = json.loads(self.run("index", self.path("vanish.jsonl"), "--index", index, "--json",
                                    *self.places).stdout)
        self.say("the next run takes what they are now", again["refused"] == 0 and self.is_sound(index)[0], again)

    def a_huge_row_is_passed_over(self):
        path = self.path("huge.jsonl")
        with open(path, "w") as file:
            file.write('{"type":"product","id":"a","title":"A"}\n')
            file.write('{"type":"product","id":"b","title":"' + "x" * 10_000_000 + '"}\n')
            file.write('{"type":"product","id":"c","title":"C"}\n')
        run = self.run("index", path, "--index", self.path("huge.vq"), "--json")
        summary = json.loads(run.stdout)
        self.say("a row of 10 MB is refused, its neighbours are not",
                 summary["entities"] == 2 and summary["refused"] == 1 and "line 2" in run.stderr, run.stderr[:300])

    def many_missing_pictures_end_well(self, count=1_000_000):
        path, rejected = self.path("missing.jsonl"), self.path("rejected.jsonl")
        with open(path, "w") as file:
            for number in range(count):
                file.write(f'{{"type":"product","id":"{number}","title":"T","images":["none/{number}.jpg"]}}\n')
        with open(self.path("errors"), "w") as errors:
            run = subprocess.run([self.vq, "index", path, "--index", self.path("missing.vq"), "--json",
                                  "--rejected", rejected], stdout=subprocess.PIPE, stderr=errors, text=True)
        summary = json.loads(run.stdout)
        with open(rejected) as file:
            lines = sum(1 for _ in file)
        self.say(f"{count} rows with a missing picture each are all told, and all go in",
                 summary["entities"] == count and lines == count, summary)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("pictures")
    parser.add_argument("--kills", type=int, default=200, metavar="N")
    parser.add_argument("--only", metavar="TEXT", default="")
    parser.add_argument("--rows", type=int, default=1_000_000, metavar="N", help="rows with missing pictures")
    arguments = parser.parse_args()
    faults = Faults(arguments.vq, arguments.pictures, arguments.kills)
    try:
        for name in [name for name in vars(Faults) if name.count("_") > 1 and not name.startswith("_")]:
            if arguments.only in name:
                if name == "many_missing_pictures_end_well":
                    faults.many_missing_pictures_end_well(arguments.rows)
                else:
                    getattr(faults, name)()
    finally:
        shutil.rmtree(faults.folder)
    return 1 if faults.failures else 0


if __name__ == "__main__":
    sys.exit(main())
