#!/usr/bin/env python3
"""Signs the images of a feed with Spark: sign_spark.py FEED IMAGES OUT [PARTS]

    spark-submit --master spark://… sign_spark.py hdfs:///feed.jsonl /srv/pictures hdfs:///signed 4096

FEED has one entity a line. IMAGES is the folder of the images, mounted at the same path on every executor, as is the program `vq` (or
the one that the environment variable VQ names). OUT gets one file of lines for each part of the feed, in the order of the feed.

A part goes through `vq sign`, whose lines depend on the part and its images only. So a part that was lost with its executor is signed
again with the same bytes, wherever that is. If a part fails four times, the job fails (spark.task.maxFailures).
"""
import os
import shlex
import sys

from pyspark.sql import SparkSession


def main():
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    feed, images, out = sys.argv[1:4]
    parts = int(sys.argv[4]) if len(sys.argv) == 5 else 64
    # One thread each, since an executor has as many tasks as cores.
    command = [os.environ.get("VQ", "vq"), "sign", "-", "--images-root", images, "--threads", "1"]
    context = SparkSession.builder.appName("vq sign").getOrCreate().sparkContext
    # With checkCode, a part whose `vq` was killed fails, instead of ending early.
    signed = context.textFile(feed, minPartitions=parts).pipe(shlex.join(command), checkCode=True)
    signed.saveAsTextFile(out)


if __name__ == "__main__":
    main()
