#!/usr/bin/env python3
"""Fits when siblings are an answer: siblings.py VQ TASK... [--indexes DIR] [--answers DIR] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl. Of each query in which nothing is sure, it looks at the candidate with the most keypoints that agree among those
whose patches were compared and whose colors differ: does the image show that thing, in whatever color? Things are the groups of the catalogue, else the titles. A query without
a right entity shows the thing whose group or title its name begins with, up to the first "-" (behind "q-"): the color that was removed.

Prints the coefficients of a logistic regression, for Sources/VisualQuery/Search/Matching/SiblingEntities.swift, in which a task counts by the root of its queries, and for each task how many
queries get siblings by them, and for how many of these they are of the right thing. Needs scikit-learn.
"""
import argparse
import os
import re
import tempfile

import numpy
from sklearn.linear_model import LogisticRegression

import measured

# As in SiblingEntities.swift and Calibration.swift.
CUT_OFF, LEAST, SAME_COLOR, CHANCE_INLIERS = 0.85, 0.85, 0.8, 8


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    measured.add_options(parser)
    arguments = parser.parse_args()
    asked, counts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.tasks:
            name = os.path.basename(os.path.normpath(path))
            things = {row["id"]: row.get("group") or row["title"] for row in measured.read(f"{path}/catalogue.jsonl")}
            for query, values in measured.of(arguments.vq, path, name, arguments, folder):
                counts[name, bool(query["truth"])] = counts.get((name, bool(query["truth"])), 0) + 1
                rows = []
                for value in values:
                    terms = {term["kind"]: term["value"] for term in value["evidence"]}
                    if "patches" in terms and terms.get("alignedColor", 0) < SAME_COLOR:
                        rows.append((terms.get("inliers", 0), terms["patches"], things[value["id"]]))
                if not rows or values[0]["confidence"] >= CUT_OFF:
                    continue
                inliers, patches, thing = max(rows, key=lambda row: row[:2])
                shown = things[query["truth"][0]] if query["truth"] else re.sub("^q-", "", query["query"]).split("-")[0]
                asked.append((name, bool(query["truth"]), (numpy.log(1 + max(0, inliers - CHANCE_INLIERS)), patches), thing == shown))
    names = [row[0] for row in asked]
    weights = numpy.array([names.count(name) ** -0.5 for name in names])
    features, right = numpy.array([row[2] for row in asked]), numpy.array([row[3] for row in asked])
    model = LogisticRegression(C=10).fit(features, right, sample_weight=weights / weights.mean())
    print(f"prior {model.intercept_[0]:.3f}, inliers {model.coef_[0][0]:.3f}, patches {model.coef_[0][1]:.3f}")
    given = model.predict_proba(features)[:, 1] >= LEAST
    print("| task | queries | siblings given | of the right thing |\n|---|---|---|---|")
    for (name, present), count in counts.items():
        own = numpy.array([row[0] == name and row[1] == present for row in asked]) & given
        print(f"| {name}, {'present' if present else 'absent'} | {count} | {own.sum()} | {(own & right).sum()} |")


if __name__ == "__main__":
    main()
