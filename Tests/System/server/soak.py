#!/usr/bin/env python3
"""Runs a server under mixed load and watches it: soak.py VQ SAMPLES MINUTES [--seed N]

Good, bad, slow and aborted requests go to one `VQ serve` while its index is changed, compacted and rolled back and its keys
are replaced. Every answer is checked. Prints the server's memory, descriptors and threads over time, then a verdict;
exit code 1 if a criterion fails. Standard library only; loopback only.
"""
import argparse
import collections
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time

import soak_clients
from clients import Server
from soak_shop import Shop

# Criteria. Memory is compared between the second and the last quarter of the run, so that caches have been filled.
GROWTH_SHARE, GROWTH_BYTES = 0.20, 8 << 20
THREAD_ROOM, IDLE_DESCRIPTOR_ROOM = 4, 16


class Tally:
    """Counts of outcomes, and what was wrong."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.wrong = []

    def add(self, outcome):
        with self.lock:
            self.counts[outcome] += 1

    def fail(self, message):
        with self.lock:
            self.counts["wrong"] += 1
            self.wrong.append(message)


class Figures:
    """What the kernel says of the server's process."""

    def __init__(self, process):
        self.folder = f"/proc/{process.pid}"

    def read(self):
        with open(f"{self.folder}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        with open(f"{self.folder}/stat") as file:
            times = file.read().rsplit(")", 1)[1].split()[11:13]
        return {
            "rss": int(fields["VmRSS"].split()[0]) * 1024, "threads": int(fields["Threads"]),
            "descriptors": len(os.listdir(f"{self.folder}/fd")),
            "cpu": sum(map(int, times)) / os.sysconf("SC_CLK_TCK"),
        }


class Soak:
    def __init__(self, arguments, folder):
        self.minutes = arguments.minutes
        self.tally = Tally()
        self.stop = threading.Event()
        self.shop = Shop(arguments.vq, arguments.samples, folder, random.Random(arguments.seed))
        self.seed = arguments.seed
        self.samples = []
        self.failures = 0

    def run(self):
        self.shop.index()
        with Server(self.shop.vq, self.shop.directory, "--port", "0", "--quiet", "--keys", self.shop.keys,
                    "--max-deadline", "60000") as server:
            self.figures = Figures(server.process)
            context = soak_clients.Context(server, self.shop, self.tally, self.stop)
            soak_clients.warm_up(context)
            base = self.figures.read()
            threads = [threading.Thread(target=self.guarded, args=(client, context, self.seed + number))
                       for number, client in enumerate(soak_clients.MIX)]
            threads.append(threading.Thread(target=self.guarded, args=(self.administer, context, self.seed)))
            for thread in threads:
                thread.start()
            self.watch(server)
            self.stop.set()
            for thread in threads:
                thread.join(120)
            self.say("every client ended", not any(thread.is_alive() for thread in threads))
            self.judge(server, base, context)
        return 1 if self.failures else 0

    def guarded(self, work, context, seed):
        generator = random.Random(seed)
        while not self.stop.is_set():
            try:
                work(context, generator)
            except Exception as error:  # An answer that a client cannot read is wrong, too.
                self.tally.fail(f"{work.__name__}: {error!r}")
            self.stop.wait(generator.random() * 0.2)

    def administer(self, context, generator):
        """Changes the shop in turn. Only this thread writes, so it knows what each generation holds."""
        shop = self.shop
        for step in (shop.index, shop.rotate_key, shop.index, shop.roll_back, shop.roll_back, shop.compact,
                     shop.remove_noise):
            if self.stop.is_set():
                return
            problem = step(context)
            if problem:
                self.tally.fail(problem)
            self.tally.add("changes")
            self.stop.wait(1)

    # --- The table ---

    def watch(self, server):
        columns = ["s", "RSS MB", "fds", "threads", "CPU s", "generation", "matched", "read", "partial", "refused", "bad",
                   "slow", "aborted", "wrong"]
        print(" ".join(f"{name:>10}" for name in columns), flush=True)
        start = time.monotonic()
        end = start + 60 * self.minutes
        row_every = max(5.0, 60 * self.minutes / 30)
        next_row = start
        while time.monotonic() < end and server.process.poll() is None:
            figures = self.figures.read()
            now = time.monotonic()
            self.samples.append((now - start, figures))
            if now >= next_row:
                self.row(now - start, figures)
                next_row += row_every
            self.stop.wait(1)
        if server.process.poll() is None:
            self.row(time.monotonic() - start, self.figures.read())

    def row(self, seconds, figures):
        counts = self.tally.counts
        values = [f"{seconds:.0f}", f"{figures['rss'] / 1e6:.1f}", figures["descriptors"], figures["threads"],
                  f"{figures['cpu']:.0f}", self.shop.generation]
        values += [counts[name] for name in ("matched", "read", "partial", "refused", "bad", "slow", "aborted", "wrong")]
        print(" ".join(f"{value:>10}" for value in values), flush=True)

    # --- The verdict ---

    def say(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, f"({found})" if found != "" else "", flush=True)
        self.failures += not holds

    def judge(self, server, base, context):
        self.say("the server lives", server.process.poll() is None, server.process.poll())
        if server.process.poll() is not None:
            return
        for message in self.tally.wrong[:20]:
            print("wrong:", message)
        unknown = self.shop.check_late_answers(self.tally)
        counts = self.tally.counts
        self.say("no answer is wrong", counts["wrong"] == 0, counts["wrong"])
        self.say("every generation that answered is known", unknown == 0, unknown)
        for name in ("matched", "read", "bad", "slow", "aborted", "changes"):
            self.say(f"the run had some {name}", counts[name] > 0, counts[name])
        soak_clients.wait_until_idle(context)
        self.say("an app that kept up by /v1/sync has what the catalogue has",
                 context.synced == self.shop.entities(), len(context.synced))
        left = self.figures.read()
        self.say("no request is left", context.load() == 0, context.load())
        self.say(f"idle, at most {IDLE_DESCRIPTOR_ROOM} descriptors more than at the beginning",
                 left["descriptors"] <= base["descriptors"] + IDLE_DESCRIPTOR_ROOM,
                 f"{base['descriptors']} then, {left['descriptors']} now")
        most = max(figures["descriptors"] for _, figures in self.samples)
        bound = base["descriptors"] + soak_clients.SOCKET_LIMIT + IDLE_DESCRIPTOR_ROOM
        self.say(f"at most {bound} descriptors at any time", most <= bound, most)
        most = max(figures["threads"] for _, figures in self.samples)
        self.say(f"at most {THREAD_ROOM} threads more than at the beginning",
                 most <= base["threads"] + THREAD_ROOM, f"{base['threads']} then, {most} at most")
        self.judge_memory()
        self.say("it ends with 0 when told to stop", server.stop(signal.SIGTERM) == 0)

    def judge_memory(self):
        def part(first, last):
            return [figures["rss"] for _, figures in self.samples[first:last]]

        quarter = max(1, len(self.samples) // 4)
        early = statistics.median(part(quarter, 2 * quarter) or part(0, None))
        late = statistics.median(part(-quarter, None))
        later = [(seconds / 3600, figures["rss"] / 1e6) for seconds, figures in self.samples[2 * quarter:]]
        found = f"{early / 1e6:.1f} MB, then {late / 1e6:.1f} MB; peak {max(part(0, None)) / 1e6:.1f} MB"
        # A slope of a minute says nothing.
        if self.minutes >= 10:
            found += f"; {statistics.linear_regression(*zip(*later)).slope:+.1f} MB an hour in the second half"
        self.say(f"memory grows by at most {GROWTH_SHARE:.0%} and {GROWTH_BYTES >> 20} MB from the second to the last quarter",
                 late <= early * (1 + GROWTH_SHARE) + GROWTH_BYTES, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("samples")
    parser.add_argument("minutes", type=float)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        return Soak(arguments, folder).run()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
