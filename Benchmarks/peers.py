"""Measures the time of a query beside public tools on the same catalogue: peers.py VQ TASK_DIR [--queries N] [--exhaustive N] [--rounds N]
[--edits LIST]

A TASK_DIR holds catalogue.jsonl and queries.jsonl as 'vq index' and 'vq eval' read them. Everything runs on one thread, in turn, and
is given the files of the queries; times are processor times, decoding included, starting and loading the catalogue not. Prints JSON:
for each tool the milliseconds a query (the median over the rounds), the share of queries whose first answer is right, and the share of
vq's time that it takes. ORB with exhaustive matching answers N queries only (3; none with 0). vq is asked twice: for its likeliest answer, however
unlikely, and for what is sure only, which may end early; "firstIsRight" then counts what is shown. --edits asks only the queries with one of these edits.

imagehash.phash + numpy: 64 bits, the nearest by Hamming distance. PDQ + faiss: eight variants in IndexBinaryFlat. ORB + BFMatcher: 400
keypoints of the query against 200 of each image, ratio test, the most pairs. image-match's method in SQLite: an image's signature is the
grades of brightness between each of 81 points and its eight neighbors, which are looked up by 63 words of 16 grades each; the nearest
of the images that share a word is the answer.
"""
import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"
import cv2
import faiss
import imagehash
import numpy as np
import pdqhash
from PIL import Image

cv2.setNumThreads(1)
faiss.omp_set_num_threads(1)


def phash(path):
    with Image.open(path) as image:
        return np.packbits(imagehash.phash(image).hash.flatten()).view(np.uint64)[0]


def pdq(path):
    image = cv2.cvtColor(cv2.imread(path, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return np.packbits(np.array(pdqhash.compute_dihedral(image)[0], np.uint8), axis=1)


def orb(path, count):
    _, codes = cv2.ORB_create(nfeatures=count).detectAndCompute(cv2.imread(path, cv2.IMREAD_GRAYSCALE), None)
    return codes if codes is not None else np.zeros((0, 32), np.uint8)


class Phash:
    name = "imagehash.phash + numpy"

    def __init__(self, paths):
        self.codes = np.array([phash(path) for path in paths])

    def nearest(self, path):
        return int(np.argmin(np.bitwise_count(self.codes ^ phash(path))))


class PDQ:
    name = "PDQ, 8 variants + faiss IndexBinaryFlat"

    def __init__(self, paths):
        self.index = faiss.IndexBinaryFlat(256)
        self.index.add(np.stack([pdq(path)[0] for path in paths]))

    def nearest(self, path):
        distances, found = self.index.search(pdq(path), 1)
        return int(found[np.argmin(distances[:, 0]), 0])


class ORB:
    name = "ORB + BFMatcher, exhaustive"

    def __init__(self, paths):
        self.codes = [orb(path, 200) for path in paths]
        self.matcher = cv2.BFMatcher(cv2.NORM_HAMMING)

    def nearest(self, path):
        own = orb(path, 400)

        def good(codes):
            if len(codes) < 2 or len(own) == 0:
                return 0
            return sum(len(pair) == 2 and pair[0].distance < 0.8 * pair[1].distance for pair in self.matcher.knnMatch(own, codes, k=2))

        return int(np.argmax([good(codes) for codes in self.codes]))


def grades(path):
    """Returns the signature of Wong, Bern and Goldberg ("An image signature for any kind of image", ICIP 2002), as image-match computes it:
    648 grades from -2 to 2."""
    gray = cv2.imread(path, cv2.IMREAD_GRAYSCALE).astype(np.float64)
    # Without the plain parts of the border: 5 % of all differences on each side.
    top, bottom = edges(np.abs(np.diff(gray, axis=1)).sum(1))
    left, right = edges(np.abs(np.diff(gray, axis=0)).sum(0))
    ys, xs = (np.linspace(a, b, 11)[1:-1].astype(int) for a, b in ((top, bottom), (left, right)))
    side = max(2, int(0.5 + min(gray.shape) / 20))
    means = cv2.blur(gray, (side, side))[np.ix_(ys, xs)]
    around = np.full((11, 11), np.nan)
    around[1:-1, 1:-1] = means
    steps = [(y, x) for y in (0, 1, 2) for x in (0, 1, 2) if (y, x) != (1, 1)]
    differences = np.stack([around[y:y + 9, x:x + 9] - means for y, x in steps], axis=2).flatten()
    differences = np.nan_to_num(differences)
    found = np.zeros(differences.shape, np.int64)
    for sign in (1, -1):
        large = differences * sign > 2
        if large.any():
            found[large] = np.where(differences[large] * sign > np.median(differences[large] * sign), 2, 1) * sign
    return found


def edges(changes):
    share = np.cumsum(changes) / max(changes.sum(), 1e-9)
    first, last = int(np.searchsorted(share, 0.05)), int(np.searchsorted(share, 0.95))
    return (first, last) if last > first + 10 else (0, len(changes) - 1)


class WordIndex:
    name = "image-match's method in SQLite"
    starts = np.linspace(0, 648 - 16, 63).astype(int)

    def __init__(self, paths):
        self.signatures = np.array([grades(path) for path in paths])
        self.database = sqlite3.connect(":memory:")
        self.database.execute("create table word(place integer, value integer, image integer, primary key(place, value, image)) without rowid")
        self.database.executemany("insert into word values(?, ?, ?)", (
            (place, value, image) for image, signature in enumerate(self.signatures) for place, value in self.words(signature)))

    def words(self, signature):
        """The words, of three grades a letter."""
        letters = np.clip(signature, -1, 1) + 1
        return [(place, int(letters[start:start + 16] @ 3 ** np.arange(16))) for place, start in enumerate(self.starts)]

    def nearest(self, path):
        own = grades(path)
        shared = sorted({image for word in self.words(own)
                         for image, in self.database.execute("select image from word where place = ? and value = ?", word)})
        if not shared:
            return None
        others = self.signatures[shared]
        sizes = np.linalg.norm(others, axis=1) + np.linalg.norm(own)
        return shared[int(np.argmin(np.linalg.norm(others - own, axis=1) / np.maximum(sizes, 1e-9)))]


def ours(vq, index, paths, *options):
    """Returns the processor milliseconds of each query, without those of starting, and the first answers."""
    def run(some):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([vq, "match", *some, "--index", index, "--json", "--threads", "1", *options], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    # The first query also pays for starting and for the first read of the index.
    start, _ = run(paths[:1])
    spent, text = run(paths[:1] + paths)
    lines = [json.loads(line) for line in text.splitlines()][1:]
    return 1e3 * (spent - start) / len(paths), [line["values"][0]["id"] if line["values"] else None for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("task")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--exhaustive", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--edits", type=lambda text: text.split(","))
    arguments = parser.parse_args()
    task = arguments.task
    rows = [json.loads(line) for line in open(f"{task}/catalogue.jsonl")]
    owners = [row["id"] for row in rows for _ in row["images"]]
    paths = [os.path.join(task, image) for row in rows for image in row["images"]]
    queries = [query for line in open(f"{task}/queries.jsonl") if (query := json.loads(line))["truth"]
               and (not arguments.edits or query.get("edit") in arguments.edits)]
    step = max(1, len(queries) // arguments.queries)
    queries = queries[::step][:arguments.queries]
    asked = [os.path.join(task, query["image"]) for query in queries]

    def right(answers):
        return round(statistics.mean(answer in query["truth"] for answer, query in zip(answers, queries)), 3)

    peers = [peer(paths) for peer in (Phash, PDQ, WordIndex, *([ORB] if arguments.exhaustive else []))]
    own = {"vq": ["--min-confidence", "0"], "vq, only what is sure": ["--answers", "sure"]}
    times, answers = {name: [] for name in [peer.name for peer in peers] + list(own)}, {}
    with tempfile.TemporaryDirectory() as folder:
        index = f"{folder}/i.vq"
        outside = [path for path in paths if os.path.isabs(os.path.relpath(path, task)) or os.path.relpath(path, task).startswith("..")]
        allowed = ["--allow-outside", os.path.commonpath(outside)] if outside else []
        subprocess.run([arguments.vq, "index", f"{task}/catalogue.jsonl", "--index", index, "--quiet", *allowed], check=True)
        for round_ in range(arguments.rounds):
            for peer in peers:
                some = asked[:arguments.exhaustive] if peer.name.startswith("ORB") else asked
                if some is not asked and round_ > 0:
                    continue
                start = time.process_time()
                nearest = [peer.nearest(path) for path in some]
                found = [None if place is None else owners[place] for place in nearest]
                times[peer.name].append(1e3 * (time.process_time() - start) / len(some))
                answers[peer.name] = found
            for name, options in own.items():
                spent, answers[name] = ours(arguments.vq, index, asked, *options)
                times[name].append(spent)
    own = statistics.median(times["vq"])
    print(json.dumps({"images": len(paths), "queries": len(asked), "rounds": arguments.rounds, "tools": {
        name: {"milliseconds": round(statistics.median(spent), 2), "shareOfOurs": round(statistics.median(spent) / own, 3),
               "queries": len(answers[name]), "firstIsRight": right(answers[name])} for name, spent in times.items()}}))


if __name__ == "__main__":
    main()
