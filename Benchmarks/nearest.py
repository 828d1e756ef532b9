#!/usr/bin/env python3
"""How many of the nearest vectors engine mode proposes: nearest.py VQ BINARIES INDEX [QUERIES]

INDEX has vectors (`vq index --models DIR`). It is copied into a PostgreSQL of its own, whose programs with pgvector are in BINARIES. Evenly spaced
vectors of the index are asked for, each with `hnsw.ef_search` and the limit of `vq`, and without the index, which is exact.
"""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/System/postgres"))
from servers import Server, temporary_folder

COUNT = 128


def main():
    vq, binaries, index = sys.argv[1:4]
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    with temporary_folder() as folder:
        server = Server(folder / "a", binaries)
        try:
            url = server.url()
            subprocess.run([vq, "postgres", "init", "--index", url], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([vq, "copy", index, url], check=True, stdout=subprocess.DEVNULL)
            begin = time.monotonic()
            subprocess.run([vq, "postgres", "init", "--index", url, "--shard", "self"], check=True)
            print(f"{time.monotonic() - begin:.1f} s to fill the tables")
            total = int(server.sql("select count(*) from vq.embedding")[0])
            vectors = server.sql(f"select vector from vq.embedding where row % {max(1, total // wanted)} = 0 order by segment, row")
            found = {10: 0, COUNT: 0}
            for vector in vectors:
                query = f"select segment, row from vq.embedding order by vector <=> '{vector}'::halfvec(512) limit {COUNT}"
                exact = server.sql("set enable_indexscan = off", "set enable_bitmapscan = off", query)
                near = server.sql("set enable_seqscan = off", f"set hnsw.ef_search = {COUNT}", "set hnsw.iterative_scan = relaxed_order", query)
                for count in found:
                    found[count] += len(set(exact[:count]) & set(near)) / count
            for count, sum_ in found.items():
                print(f"of the {count} nearest of {total} vectors, proposed: {sum_ / len(vectors):.4f} ({len(vectors)} queries)")
            plan = server.sql("set enable_seqscan = off", f"explain {query}")
            print(next(line.strip() for line in plan if "Scan" in line)[:60])
        finally:
            server.stop("immediate")


if __name__ == "__main__":
    main()
