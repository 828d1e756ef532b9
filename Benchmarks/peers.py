"""Measures the time of a query beside public tools on the same catalogue: peers.py VQ TASK_DIR [--queries N] [--exhaustive N] [--rounds N]
[--edits LIST]
[--models DIR]

A TASK_DIR holds catalogue.jsonl and queries.jsonl as 'vq index' and 'vq eval' read them. Everything runs on one thread, in turn, and
is given the files of the queries; times are processor times, decoding included, starting and loading the catalogue not. Prints JSON:
for each tool the milliseconds a query (the median over the rounds), its share of vq's, the recall (the share of queries whose first answer is right), the
recall at 1 % false (only answers that are nearer than those to 99 of 100 queries of absent things, if the task has some), and the bytes that it keeps of an
image. ORB with exhaustive matching answers N queries only (3; none with 0), and those of absent things not at all. vq is asked as ever, when it may end
early, and for its likeliest answer, however unlikely, which is what counts for its recall at 1 % false. --edits asks only the queries with one of these edits.

imagehash.phash + numpy: 64 bits, the nearest by Hamming distance. PDQ + faiss: eight variants in IndexBinaryFlat. Meta's PDQ index: that of the package
threatexchange, as its Hasher-Matcher-Actioner (HMA) uses it: what differs by 31 bits or less, if the package is installed. ORB + BFMatcher: 400
keypoints of the query against 200 of each image, ratio test, the most pairs. SIFT + FLANN + RANSAC: 300 keypoints of each image in one forest of
kd-trees, the two nearest of each of the query's vote, and of the five images with the most votes the one with the most inliers of a homography wins.
image-match's method in SQLite: an image's signature is the grades of brightness between each of 81 points and its eight neighbors, which are looked up by
63 words of 16 grades each; the nearest of the images that share a word is the answer. Embedding + faiss: the 1280 numbers of EfficientNet-Lite0, which
encoder.py writes into DIR of --models, by ONNX Runtime on one thread, compared with all (IndexFlatIP) or by a graph (IndexHNSWFlat).
"""
import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
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

        self.bytes = 8

    def nearest(self, path):
        distances = np.bitwise_count(self.codes ^ phash(path))
        return int(np.argmin(distances)), float(distances.min())


class PDQ:
    name = "PDQ, 8 variants + faiss IndexBinaryFlat"

    def __init__(self, paths):
        self.index = faiss.IndexBinaryFlat(256)
        self.index.add(np.stack([pdq(path)[0] for path in paths]))
        self.bytes = 32

    def nearest(self, path):
        distances, found = self.index.search(pdq(path), 1)
        best = np.argmin(distances[:, 0])
        return int(found[best, 0]), float(distances[best, 0])


class MetaIndex:
    name = "PDQ + Meta's index (threatexchange)"

    def __init__(self, paths):
        from threatexchange.signal_type.pdq.pdq_index import PDQIndex
        self.index = PDQIndex.build([(self.hash(path), place) for place, path in enumerate(paths)])
        self.bytes = 32

    def hash(self, path):
        image = cv2.cvtColor(cv2.imread(path, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
        return np.packbits(np.array(pdqhash.compute(image)[0], np.uint8)).tobytes().hex()

    def nearest(self, path):
        found = [(result.similarity_info.distance, result.metadata) for result in self.index.query(self.hash(path))]
        return (min(found)[1], float(min(found)[0])) if found else (None, float("inf"))


class SIFT:
    name = "SIFT + FLANN + RANSAC"

    def __init__(self, paths):
        self.sift = cv2.SIFT_create(nfeatures=300)
        self.features = [self.describe(path) for path in paths]
        self.matcher = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 4}, {"checks": 64})
        self.matcher.add([codes for _, codes in self.features])
        self.matcher.train()
        self.bytes = round(np.mean([codes.nbytes + places.nbytes for places, codes in self.features]))

    def describe(self, path):
        points, codes = self.sift.detectAndCompute(cv2.imread(path, cv2.IMREAD_GRAYSCALE), None)
        places = np.float32([point.pt for point in points]).reshape(-1, 2)
        return places, codes if codes is not None else np.zeros((0, 128), np.float32)

    def nearest(self, path):
        places, codes = self.describe(path)
        votes = {}
        for pair in self.matcher.knnMatch(codes, k=2) if len(codes) else []:
            for match in pair:
                votes.setdefault(match.imgIdx, []).append(match)
        best = (None, 0.0)
        for image in sorted(votes, key=lambda image: -len(votes[image]))[:5]:
            if len(votes[image]) < 4:
                continue
            source = np.float32([places[match.queryIdx] for match in votes[image]])
            target = np.float32([self.features[image][0][match.trainIdx] for match in votes[image]])
            _, inliers = cv2.findHomography(source, target, cv2.RANSAC, 5.0)
            count = 0.0 if inliers is None else -float(inliers.sum())
            if count < best[1]:
                best = (image, count)
        return best


class Embedding:
    """The vectors of a model, in an index of faiss."""

    vectors = {}

    def __init__(self, paths):
        if not self.vectors:
            self.vectors["all"] = np.stack([encode(path) for path in paths])
        self.index.add(self.vectors["all"])
        self.bytes = self.vectors["all"].shape[1] * 4 + self.links

    def nearest(self, path):
        scores, found = self.index.search(encode(path)[None], 1)
        return int(found[0, 0]), -float(scores[0, 0])


class FlatEmbedding(Embedding):
    name = "EfficientNet-Lite0 + faiss IndexFlatIP"
    links = 0

    def __init__(self, paths):
        self.index = faiss.IndexFlatIP(1280)
        super().__init__(paths)


class GraphEmbedding(Embedding):
    name = "EfficientNet-Lite0 + faiss IndexHNSWFlat"
    links = 2 * 32 * 4

    def __init__(self, paths):
        self.index = faiss.IndexHNSWFlat(1280, 32, faiss.METRIC_INNER_PRODUCT)
        super().__init__(paths)


def encode(path):
    """Returns the vector of an image, of length 1."""
    if encode.model is None:
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        encode.model = onnxruntime.InferenceSession(os.path.join(encode.folder, "image/model.onnx"), options)
    with Image.open(path) as image:
        image = image.convert("RGB")
        scale = 256 / min(image.size)
        image = image.resize([max(256, round(side * scale)) for side in image.size], Image.BICUBIC)
        left, top = (image.width - 224) // 2, (image.height - 224) // 2
        pixels = np.asarray(image.crop((left, top, left + 224, top + 224)), np.float32)
    values = ((pixels - 127) / 128).transpose(2, 0, 1)[None]
    vector = encode.model.run(None, {"pixel_values": values})[0][0]
    return vector / max(np.linalg.norm(vector), 1e-9)


encode.model = None


class ORB:
    name = "ORB + BFMatcher, exhaustive"

    def __init__(self, paths):
        self.codes = [orb(path, 200) for path in paths]
        self.matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
        self.bytes = round(np.mean([codes.nbytes for codes in self.codes]))

    def nearest(self, path):
        own = orb(path, 400)

        def good(codes):
            if len(codes) < 2 or len(own) == 0:
                return 0
            return sum(len(pair) == 2 and pair[0].distance < 0.8 * pair[1].distance for pair in self.matcher.knnMatch(own, codes, k=2))

        pairs = [good(codes) for codes in self.codes]
        return int(np.argmax(pairs)), -float(max(pairs))


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
        self.bytes = 648 + 63 * 12
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
            return None, float("inf")
        others = self.signatures[shared]
        sizes = np.linalg.norm(others, axis=1) + np.linalg.norm(own)
        distances = np.linalg.norm(others - own, axis=1) / np.maximum(sizes, 1e-9)
        return shared[int(np.argmin(distances))], float(distances.min())


def ours(vq, index, paths, *options):
    """Returns the processor milliseconds of each query, without those of starting, and the first answers, each with a distance."""
    def run(some):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([vq, "match", *some, "--index", index, "--json", "--threads", "1", *options], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    # The first query also pays for starting and for the first read of the index.
    start, _ = run(paths[:1])
    spent, text = run(paths[:1] + paths)
    values = [json.loads(line)["values"] for line in text.splitlines()][1:]
    return 1e3 * (spent - start) / len(paths), [(own[0]["id"], -own[0]["confidence"]) if own else (None, float("inf")) for own in values]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("task")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--exhaustive", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--edits", type=lambda text: text.split(","))
    parser.add_argument("--models")
    arguments = parser.parse_args()
    task = arguments.task
    rows = [json.loads(line) for line in open(f"{task}/catalogue.jsonl")]
    owners = [row["id"] for row in rows for _ in row["images"]]
    paths = [os.path.join(task, image) for row in rows for image in row["images"]]
    everything = [json.loads(line) for line in open(f"{task}/queries.jsonl")]
    queries = [query for query in everything
               if query["truth"] and (not arguments.edits or query.get("edit") in arguments.edits)]
    step = max(1, len(queries) // arguments.queries)
    queries = queries[::step][:arguments.queries]
    asked = [os.path.join(task, query["image"]) for query in queries]
    absent = [os.path.join(task, query["image"]) for query in everything if not query["truth"]]

    def recall(answers, least=float("inf")):
        return round(statistics.mean(
            answer in query["truth"] and distance < least for (answer, distance), query in zip(answers, queries)), 3)

    def nearest_of_absent(distances):
        """Returns the distance that 1 % of the answers to absent things come below."""
        return sorted(distances)[max(0, len(distances) // 100 - 1)] if distances else float("inf")

    kinds = [Phash, PDQ, MetaIndex, WordIndex, SIFT]
    if arguments.models:
        encode.folder = arguments.models
        kinds += [FlatEmbedding, GraphEmbedding]
    if arguments.exhaustive:
        kinds.append(ORB)
    peers, left_out = [], []
    for kind in kinds:
        try:
            peers.append(kind(paths))
        except ImportError as error:
            left_out.append(kind.name)
            print(f"{kind.name}: {error}", file=sys.stderr)
    own = {"vq": [], "vq, its likeliest answer": ["--min-confidence", "0"]}
    times, answers, absents = {name: [] for name in [peer.name for peer in peers] + list(own)}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        index = f"{folder}/i.vq"
        outside = [path for path in paths if os.path.isabs(os.path.relpath(path, task)) or os.path.relpath(path, task).startswith("..")]
        allowed = ["--allow-outside", os.path.commonpath(outside)] if outside else []
        subprocess.run([arguments.vq, "index", f"{task}/catalogue.jsonl", "--index", index, "--quiet", *allowed], check=True)
        kept = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(index) for name in names)
        for round_ in range(arguments.rounds):
            for peer in peers:
                some = asked[:arguments.exhaustive] if isinstance(peer, ORB) else asked
                if some is not asked and round_ > 0:
                    continue
                start = time.process_time()
                found = [peer.nearest(path) for path in some]
                times[peer.name].append(1e3 * (time.process_time() - start) / len(some))
                answers[peer.name] = [(None if place is None else owners[place], distance) for place, distance in found]
                if round_ == 0 and not isinstance(peer, ORB):
                    absents[peer.name] = [peer.nearest(path)[1] for path in absent]
            for name, options in own.items():
                spent, answers[name] = ours(arguments.vq, index, asked, *options)
                times[name].append(spent)
                if round_ == 0 and absent:
                    absents[name] = [distance for _, distance in ours(arguments.vq, index, absent, *options)[1]]
    own_time = statistics.median(times["vq"])
    sizes = {peer.name: peer.bytes for peer in peers} | {name: round(kept / len(paths)) for name in own}
    print(json.dumps({
        "images": len(paths), "queries": len(asked), "absent": len(absent), "rounds": arguments.rounds, "leftOut": left_out, "tools": {
            name: {"milliseconds": round(statistics.median(spent), 2), "shareOfOurs": round(statistics.median(spent) / own_time, 3),
                   "queries": len(answers[name]), "recall": recall(answers[name]),
                   "recallAt1PercentFalse": recall(answers[name], nearest_of_absent(absents[name])) if name in absents else None,
                   "bytesPerImage": sizes[name]} for name, spent in times.items()}}))


if __name__ == "__main__":
    main()
