#!/usr/bin/env python3
"""Sums up photos in general, for the fit of a shop's own images: general.py VQ TASK... [--indexes DIR] [--answers DIR] [--write] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl: photos of customers, not edits of the catalogue's images. The right first answers that are shown are sorted by their log-odds, and each
task counts alike. --write puts the log-odds of every fiftieth of them into Sources/VisualQuery/Search/Evaluation/GeneralPhotos.swift. Do so after a change of the calibration.
"""
import argparse
import math
import os
import pathlib
import tempfile

import measured

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = ROOT / "Sources/VisualQuery/Search/Evaluation/GeneralPhotos.swift"
CUT_OFF, COUNT = math.log(0.85 / 0.15), 50
HEAD = """/// Right answers to photos of customers in general that are shown: things in hands and on tables, bottles, packages, garments from another side.
///
/// Made by `Benchmarks/quality/general.py`.
enum GeneralPhotos {
  /// Their log-odds by the general calibration, in ascending order, each for as many photos.
  static let logOdds: [Double] = [
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--write", action="store_true")
    measured.add_options(parser)
    arguments = parser.parse_args()
    weighted = []
    with tempfile.TemporaryDirectory() as folder:
        for task in arguments.tasks:
            name = os.path.basename(os.path.normpath(task))
            found = measured.of(arguments.vq, task, name, arguments, folder)
            odds = [
                sum(term["weight"] for term in values[0]["evidence"]) for query, values in found
                if values and measured.is_right(values[0], query)]
            shown = [value for value in odds if value >= CUT_OFF]
            print(f"{name}: {len(shown)} of {len(odds)} right first answers are shown")
            weighted += [(value, 1 / len(shown)) for value in shown]
    weighted.sort()
    whole, sums, quantiles = sum(weight for _, weight in weighted), 0, []
    for value, weight in weighted:
        sums += weight
        while len(quantiles) < COUNT and sums >= (len(quantiles) + 0.5) * whole / COUNT:
            quantiles.append(f"{value:.2f}")
    print(", ".join(quantiles))
    if arguments.write:
        lines = [", ".join(quantiles[start : start + 10]) for start in range(0, COUNT, 10)]
        MADE.write_text(HEAD + "".join(f"    {line},\n" for line in lines) + "  ]\n}\n")


if __name__ == "__main__":
    main()
