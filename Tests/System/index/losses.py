#!/usr/bin/env python3
"""Nights of a shop, with feeds that are not quite right: losses.py VQ PICTURES [--kills 10]

After each night the index must answer what it answered before, unless that was asked for; the exit code, the message and the status
must say so; and `vq catalogue verify` must accept it. Then nights with kept values are killed at random moments. PICTURES is a folder
of JPEGs. Standard library only.
"""
import argparse
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time

COUNT = 120


class Nights:
    def __init__(self, vq, pictures):
        self.vq, self.failures = os.path.abspath(vq), 0
        self.pictures = os.path.abspath(pictures)
        self.names = sorted(name for name in os.listdir(pictures) if name.endswith(".jpg"))
        self.folder = tempfile.mkdtemp()
        self.index, self.feed = self.folder + "/shop.vq", self.folder + "/feed.csv"

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds

    def vq_run(self, *arguments):
        return subprocess.run([self.vq, *arguments, "--index", self.index], capture_output=True, text=True)

    def rows(self):
        return [{"id": f"p{n}", "title": f"Product {n}", "price": f"{n + 10}.90 EUR", "availability": "in stock",
                 "link": f"https://shop.example/p/{n}", "color": "red", "image": self.names[n % len(self.names)]}
                for n in range(COUNT)]

    def write(self, rows, rename=None):
        text = io.StringIO()
        fields = list(rows[0])
        writer = csv.DictWriter(text, fields)
        writer.writerow({name: (rename or {}).get(name, name) for name in fields})
        writer.writerows(rows)
        with open(self.feed, "w") as file:
            file.write(text.getvalue())

    def night(self, what, rows, code, after, *options, rename=None, says=""):
        """Indexes a feed; `after` has the numbers of entities with each field that the index must have then."""
        self.write(rows, rename)
        run = self.vq_run("index", self.feed, "--images-root", self.pictures, "--prune-missing", "--json", *options)
        found = self.coverage(run.stdout)
        wrong = {name: found.get(name) for name, value in after.items() if found.get(name) != value}
        sound = self.vq_run("catalogue", "verify").returncode == 0
        said = says in run.stderr
        self.say(what, run.returncode == code and not wrong and sound and said, (run.returncode, wrong, sound, run.stderr[-300:]))

    @staticmethod
    def coverage(text):
        try:
            document = json.loads(text)
        except ValueError:
            return {}
        return {field["field"]: field["after"] for kind in document["coverage"] for field in kind["fields"]}

    def check(self, kills):
        full = dict(entities=COUNT, image=COUNT, signature=COUNT, price=COUNT, availability=COUNT, link=COUNT, color=COUNT)
        rows = self.rows()

        def every(count):
            return {name: count for name in full}

        self.night("the first night", rows, 0, full)
        self.night("nothing changed", rows, 0, full)
        for name in ("image", "price", "availability", "link", "color"):
            # Without its links, the feed looks like one of another format, of which nothing is taken.
            after, option = ({}, "--accept-feed") if name == "link" else (full, f"--accept-loss {name}")
            self.night(f"the column {name} has another name", rows, 3, after, rename={name: "zz_" + name}, says=option)
            self.night(f"the column {name} is empty", [dict(row, **{name: ""}) for row in rows], 3, full, says=f"--accept-loss {name}")
        self.night("two columns have other names", rows, 3, full, rename={"image": "x1", "price": "x2"}, says="--accept-loss image,price")
        self.night("prices without a currency", [dict(row, price=row["price"][:-4]) for row in rows], 3, full, says="price of")
        self.night("prices times 100", [dict(row, price=row["price"].replace(".", "")) for row in rows], 3, full, says="rose to more")
        self.night("prices with a tax", [dict(row, price=f"{float(row['price'][:-4]) * 1.19:.2f} EUR") for row in rows], 3, full, says="one factor")
        # These are other feeds than last time, of which nothing is taken.
        self.night("prices in another currency", [dict(row, price=row["price"].replace("EUR", "USD")) for row in rows], 3, {}, says="had prices in EUR")
        self.night("all other ids", [dict(row, id="q" + row["id"]) for row in rows], 3, {}, says="had 120 entities")
        self.night("the feed of the first night", rows, 0, full)
        most = [row if n % 5 == 0 else dict(row, id="q" + row["id"]) for n, row in enumerate(rows)]
        self.night("most other ids", most, 3, every(COUNT + COUNT * 4 // 5), says="lacks 96 of 120")
        self.night("without them again, as asked", rows, 0, full, "--max-removed", "100")
        self.night("half of the feed", rows[: COUNT // 2], 3, full, says="lacks 60 of 120")
        self.night("a healthy night", rows, 0, full)
        self.night("a sale of ten things", [dict(row, price="1.00 EUR") if n < 10 else row for n, row in enumerate(rows)], 0, full)
        self.night("ten prices less", [dict(row, price="") if n < 10 else row for n, row in enumerate(rows)], 0, dict(full, price=COUNT - 10))
        self.night("twenty prices less", [dict(row, price="") if n < 20 else row for n, row in enumerate(rows)], 0, dict(full, price=COUNT - 20))
        thirty = [dict(row, price="") if n < 30 else row for n, row in enumerate(rows)]
        self.night("thirty prices less in three nights", thirty, 3, dict(full, price=COUNT - 20), says="seven nights")
        self.night("thirty prices less, as asked", thirty, 0, dict(full, price=COUNT - 30), "--accept-loss", "price")
        self.night("all prices again", rows, 0, full)
        self.night("nine things less", rows[9:], 0, every(COUNT - 9))
        self.night("eighteen things less", rows[18:], 0, every(COUNT - 18))
        self.night("twenty-seven things less in three nights", rows[27:], 3, every(COUNT - 18), says="seven nights")
        self.night("twenty-seven things less, as asked", rows[27:], 0, every(COUNT - 27), "--accept-loss", "entities")
        status = json.loads(self.vq_run("catalogue", "status", "--json").stdout)["lastRuns"]
        self.say("the status knows the last run", len(status) == 1 and status[0]["outcome"] == "done", status)
        self.kill(kills, rows)

    def kill(self, kills, rows):
        generator = random.Random(1)
        self.night("all things again", rows, 0, {})
        lost = 0
        for _ in range(kills):
            self.write(rows, rename={"image": "x1", "price": "x2"})
            run = subprocess.Popen([self.vq, "index", self.feed, "--images-root", self.pictures, "--index", self.index, "-q"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(generator.uniform(0, 0.3))
            run.kill()
            run.wait()
            lines = map(json.loads, self.vq_run("catalogue", "export").stdout.splitlines()[1:])
            lost += sum("price" not in line["entity"] or not line["images"] for line in lines)
            lost += self.vq_run("catalogue", "verify").returncode != 0
        self.say(f"{kills} kills take nothing", lost == 0, lost)
        self.night("the night after", rows, 0, dict(image=COUNT, price=COUNT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("pictures")
    parser.add_argument("--kills", type=int, default=10)
    arguments = parser.parse_args()
    nights = Nights(arguments.vq, arguments.pictures)
    nights.check(arguments.kills)
    sys.exit(nights.failures > 0)


main()
