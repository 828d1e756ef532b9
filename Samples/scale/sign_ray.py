#!/usr/bin/env python3
"""Signs the images of a feed with Ray: sign_ray.py FEED IMAGES OUT [LINES]

FEED has one entity a line, and is read here. IMAGES is the folder of the images, mounted at the same path on every node, as is the
program `vq` (or the one that the environment variable VQ names). OUT gets one file for each LINES lines of the feed (1000), in the order
of the feed.

Each part goes through `vq sign`, whose lines depend on the part and its images only. So a part that was lost with its worker is signed
again with the same bytes. Parts that OUT has already are skipped, so a run that was stopped goes on where it was.
"""
import itertools
import os
import pathlib
import subprocess
import sys

import ray


@ray.remote(num_cpus=1, max_retries=5, retry_exceptions=True)
def sign(vq, images, lines):
    # A `vq` that was killed is an exception, and the part is signed again.
    return subprocess.run([vq, "sign", "-", "--images-root", images, "--threads", "1"], input=lines, stdout=subprocess.PIPE,
                          check=True).stdout


def parts(feed, count):
    with open(feed, "rb") as file:
        while lines := b"".join(itertools.islice(file, count)):
            yield lines


def keep(path, lines):
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(lines)
    unfinished.rename(path)


def main():
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    feed, images, out = sys.argv[1], os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3])
    count = int(sys.argv[4]) if len(sys.argv) == 5 else 1000
    out.mkdir(parents=True, exist_ok=True)
    ray.init()
    # Two parts wait for each core, so that neither the feed nor the signatures have to fit into memory.
    most = 3 * int(ray.cluster_resources()["CPU"])
    vq, running = os.environ.get("VQ", "vq"), {}

    def finish(most):
        while len(running) > most:
            done, _ = ray.wait(list(running), num_returns=1)
            keep(running.pop(done[0]), ray.get(done[0]))

    for number, lines in enumerate(parts(feed, count)):
        path = out / f"part-{number:05}"
        if not path.exists():
            finish(most - 1)
            running[sign.remote(vq, images, lines)] = path
    finish(0)


if __name__ == "__main__":
    main()
