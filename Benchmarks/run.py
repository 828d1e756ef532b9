"""Runs vq-bench and the peers in turn, one thread each, and prints one table of ratios.

Images and codes are made here from fixed seeds. Each round runs vq-bench and the peer once, in turn,
so that a change of the machine's speed affects both; the quoted ratio is the median over the rounds.
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
import faiss
import imagehash
import numpy as np
from PIL import Image

ROUNDS = int(sys.argv[1])
BENCH = ".build/release/vq-bench"
WORK = ".build/inputs"
CODES = 1_000_000


def photo(width, height, noise):
    """Returns a photo-like image: smooth color, edges and fine grain."""
    rng = np.random.default_rng(12)
    small = rng.uniform(30, 220, (height // 250, width // 250, 3))
    smooth = np.asarray(Image.fromarray(small.astype(np.uint8)).resize((width, height), Image.BICUBIC)).astype(np.int16)
    y, x = np.mgrid[0:height, 0:width]
    edges = ((x // 97 + y // 131) % 7 == 0)[..., None] * 40
    grain = np.kron(rng.normal(0, noise, (height // 2, width // 2, 1)), np.ones((2, 2, 1)))
    return Image.fromarray(np.clip(smooth + edges + grain, 0, 255).astype(np.uint8))


def timed(body):
    start = time.perf_counter()
    body()
    return (time.perf_counter() - start) * 1e3


def signature_rows():
    # Entropy decoding costs in proportion to the file, and no reduced size avoids it.
    for noise in (0, 2):
        path = f"{WORK}/photo-{noise}.jpg"
        if not os.path.exists(path):
            photo(4000, 3000, noise).save(path, quality=90)
        megabytes = os.path.getsize(path) / 1e6
        ours, peer = [], []
        for _ in range(ROUNDS):
            out = subprocess.run([BENCH, "signature", path, "5"], check=True, capture_output=True, text=True).stdout
            ours.append(json.loads(out))
            peer.append(statistics.median(timed(lambda: imagehash.phash(Image.open(path))) for _ in range(3)))
        middle = lambda key: statistics.median(o[key] for o in ours)
        ratio = statistics.median(p / o["decodeAndSignature"] for p, o in zip(peer, ours))
        alone = statistics.median(p / o["libjpegEighth"] for p, o in zip(peer, ours))
        name = f"decode + full signature, 12 megapixels in {megabytes:.1f} MB"
        yield name, "imagehash.phash", f"{ratio:.1f} × faster (libjpeg 1/8 decode alone: {alone:.1f} ×)", "≥ 8 × faster"
        yield name, "libjpeg-turbo's own 1/8 decode", f"{middle('ratioToLibjpegEighth'):.2f} × its time", "≤ 1.10 × its time"
        parts = ", ".join(f"{key} {middle(key):.2f}" for key in ours[0] if "ratio" not in key)
        print(f"{megabytes:.1f} MB, ms: {parts}, imagehash {statistics.median(peer):.1f}", file=sys.stderr)
    path = f"{WORK}/photo.png"
    if not os.path.exists(path):
        photo(1000, 1000, 2).resize((600, 600), Image.LANCZOS).save(path)
    ratios = [json.loads(subprocess.run([BENCH, "signature", path, "9"], check=True, capture_output=True, text=True).stdout)["ratioToLibpng"]
              for _ in range(ROUNDS)]
    yield "decode + full signature, PNG of 600 × 600 pixels", "libpng's own decode", f"{statistics.median(ratios):.2f} × its time", "≤ 1.3 × its time"


def scan_rows():
    faiss.omp_set_num_threads(1)
    path = f"{WORK}/codes.bin"
    bench = subprocess.Popen([BENCH, "scan", str(CODES), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert bench.stdout.readline().strip() == "ready"

    def ask(word):
        bench.stdin.write(word + "\n")
        bench.stdin.flush()
        return bench.stdout.readline().split()

    codes = np.fromfile(path, dtype=np.uint8).reshape(-1, 32)
    index = faiss.IndexBinaryFlat(256)
    index.add(codes[:CODES])
    queries = codes[CODES:]
    single, batch, ratios = [], [], []
    for round_ in range(ROUNDS + 1):
        milliseconds, sums = ask("single")
        found = []

        def search():
            for query in queries:
                found.append(index.search(query[None], 8)[0].sum())

        peer = timed(search) / len(queries)
        # A benchmark with other results measures nothing.
        assert [int(s) for s in sums.split(",")] == [int(f) for f in found], "the two do not find the same distances"
        if round_ == 0:
            continue
        single.append(float(milliseconds))
        batch.append(float(ask("batch")[0]) / float(milliseconds))
        ratios.append(float(milliseconds) / peer)
    bench.stdin.close()
    bench.wait()
    yield "exact top 8 of 1 M 256-bit codes, one thread", "faiss IndexBinaryFlat", f"{statistics.median(ratios):.2f} × its time", "≤ 0.7 × its time"
    yield "16 codes of one query over 1 M", "our single scan", f"{statistics.median(batch):.1f} single scans", "≤ 4"
    print(f"scan, ms: ours {statistics.median(single):.3f}", file=sys.stderr)


os.makedirs(WORK, exist_ok=True)
rows = list(signature_rows()) + list(scan_rows())
commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
print(f"`Benchmarks/run.sh {ROUNDS}`, commit {commit}, {time.strftime('%Y-%m-%d')}, {platform.machine()}, median of {ROUNDS} rounds\n")
print("| what | against | measured | to reach |\n|---|---|---|---|")
for row in rows:
    print("| " + " | ".join(row) + " |")
