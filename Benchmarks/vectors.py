#!/usr/bin/env python3
"""Compares the exact scan of vectors with faiss's flat index of 8 bits: vectors.py [COUNT [DIMENSIONS]]

Draws COUNT unit vectors (1000000) of DIMENSIONS numbers (512) around 2000 centers, and 16 queries of the same kind. Both programs answer each query
in turn with its best eight, on one thread: `ck_cosine_scan` as `FlatScan` calls it, in chunks of 2048 rows with the bound of the best so far, and
`IndexScalarQuantizer` (QT_8bit, inner product). Prints the median processor time of a query of each, their ratio, and the share of the
true best eight, by single precision, that each finds. Vectors of more than 512 numbers are projected to 512 as by `ImageEmbedding`.

    pip install numpy faiss-cpu
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time

import faiss
import numpy as np

HEAD, COMPONENTS, BEST, QUERIES, CENTERS, BLOCK, ROUNDS = 16, 512, 8, 16, 2000, 50_000, 5

# Keeps the best rows in ascending order of their distance, ties by row.
DRIVER = r"""
#include <string.h>
#include "CKernels.h"
void best_rows(const uint8_t *rows, size_t count, size_t width, const uint8_t *query, uint32_t *best, uint32_t *far) {
  static uint32_t hits[2048], distances[2048];
  const uint32_t level = ck_kernel_level();
  size_t kept = 0;
  for (size_t start = 0; start < count; start += 2048) {
    const size_t part = count - start < 2048 ? count - start : 2048;
    const uint32_t bound = kept < BEST ? UINT32_MAX : far[BEST - 1];
    if (bound == 0) return;
    const size_t found = ck_cosine_scan(rows + start * width, part, width, query, width, kept < BEST ? bound : bound - 1, hits,
                                        distances, level);
    for (size_t i = 0; i < found; i++) {
      if (kept == BEST && distances[i] >= far[BEST - 1]) continue;
      size_t place = kept < BEST ? kept++ : BEST - 1;
      for (; place > 0 && far[place - 1] > distances[i]; place--) far[place] = far[place - 1], best[place] = best[place - 1];
      far[place] = distances[i], best[place] = (uint32_t)(start + hits[i]);
    }
  }
}
"""


def kernels():
    """Compiles the kernel with the flags of the package."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Sources", "CKernels")
    folder = tempfile.mkdtemp()
    driver = os.path.join(folder, "driver.c")
    with open(driver, "w") as file:
        file.write(DRIVER)
    library = os.path.join(folder, "vectors.so")
    subprocess.run(
        [os.environ.get("CC", "clang"), "-O2", "-shared", "-fPIC", f"-DBEST={BEST}", f"-I{source}/include", f"-I{source}", driver,
         f"{source}/cosine_scan.c", f"{source}/kernel_level.c", "-o", library], check=True)
    return ctypes.CDLL(library)


def projection(dimensions):
    """Returns a function that reduces vectors to at most 512 numbers: random signs, a Hadamard transform, and a random part of it."""
    if dimensions <= COMPONENTS:
        return lambda vectors: vectors
    side = COMPONENTS
    while side < dimensions:
        side *= 2
    random = np.random.default_rng(side)
    signs = random.choice(np.float32([-1, 1]), dimensions)
    places = random.permutation(side)[:COMPONENTS]

    def reduced(vectors):
        values = np.zeros((len(vectors), side), np.float32)
        values[:, :dimensions] = vectors * signs
        half = 1
        while half < side:
            pairs = values.reshape(len(vectors), -1, 2, half)
            values = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2).reshape(len(vectors), side)
            half *= 2
        return values[:, places]
    return reduced


def stored(vectors):
    """Returns vectors in the form of a segment: model, one over the length, number of components, and these in eight bits."""
    components = np.rint(vectors / np.abs(vectors).max(1, keepdims=True) * 127).astype(np.int8)
    count = (components.shape[1] + 7) // 8 * 8
    rows = np.zeros((len(vectors), HEAD + count), np.uint8)
    rows[:, 0] = 1
    lengths = np.sqrt((components.astype(np.int32) ** 2).sum(1))
    rows[:, 8:12] = (1 / lengths).astype("<f4").view(np.uint8).reshape(-1, 4)
    rows[:, 12:14] = np.frombuffer(np.uint16(components.shape[1]).tobytes(), np.uint8)
    rows[:, HEAD:HEAD + components.shape[1]] = components.view(np.uint8)
    return rows


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    dimensions = int(sys.argv[2]) if len(sys.argv) > 2 else 512
    random = np.random.default_rng(51)
    centers = random.standard_normal((CENTERS, dimensions), dtype=np.float32)

    def drawn(number):
        vectors = centers[random.integers(0, CENTERS, number)] + 1.2 * random.standard_normal((number, dimensions), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    queries, reduced = drawn(QUERIES), projection(dimensions)
    index = faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    faiss.omp_set_num_threads(1)
    rows = None
    true = [[] for _ in range(QUERIES)]
    for start in range(0, count, BLOCK):
        block = drawn(min(BLOCK, count - start))
        if start == 0:
            index.train(block[:20_000])
        index.add(block)
        own = stored(reduced(block))
        if rows is None:
            rows = np.empty((count, own.shape[1]), np.uint8)
        rows[start:start + len(own)] = own
        cosines = queries @ block.T
        for number, line in enumerate(cosines):
            best = np.argpartition(-line, BEST)[:BEST]
            true[number] = sorted(true[number] + [(-line[i], start + i) for i in best])[:BEST]
    asked, library = stored(reduced(queries)), kernels()
    best, far = np.zeros(BEST, np.uint32), np.zeros(BEST, np.uint32)
    times, found = {"vq": [], "faiss": []}, {"vq": 0, "faiss": 0}

    def ask(number):
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (rows, asked[number], best, far)]
        library.best_rows(pointers[0], ctypes.c_size_t(count), ctypes.c_size_t(rows.shape[1]), *pointers[1:])
        return best

    for round_number in range(ROUNDS + 1):
        for number in range(QUERIES):
            truth = {row for _, row in true[number]}
            for name, run in (("vq", lambda: ask(number)), ("faiss", lambda: index.search(queries[number:number + 1], BEST)[1][0])):
                start = time.process_time()
                answer = run()
                spent = time.process_time() - start
                if round_number == 0:  # The first round reads the memory for the first time.
                    found[name] += len(truth.intersection(int(row) for row in answer))
                else:
                    times[name].append(1000 * spent)
    medians = {name: float(np.median(values)) for name, values in times.items()}
    print(json.dumps({
        "vectors": count, "dimensions": dimensions, "vqMilliseconds": round(medians["vq"], 2),
        "faissMilliseconds": round(medians["faiss"], 2), "timesFaiss": round(medians["vq"] / medians["faiss"], 3),
        "vqRecall": round(found["vq"] / (BEST * QUERIES), 3), "faissRecall": round(found["faiss"] / (BEST * QUERIES), 3)}))


if __name__ == "__main__":
    main()
