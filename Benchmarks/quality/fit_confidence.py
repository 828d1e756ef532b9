#!/usr/bin/env python3
"""Fits the coefficients of Sources/VisualQuery/Matching/Calibration.swift, and says how well they hold.

usage: fit_confidence.py VQ TASK_DIR...        needs numpy and scikit-learn

Each TASK_DIR holds catalogue.jsonl and queries.jsonl as answers.py takes them. The coefficients that
are checked in come from four tasks on the Grocery Store Dataset (Klasson, Zhang, Kjellström, WACV 2019;
81 products): 767 pictures against 640 edited copies (16 kinds of edit) and 300 photos of absent
products; 31 packaged products in four colours each against 124 edited copies; 81 shop pictures, and
2640 phone photos, against 296 other phone photos, those two with and without a coarse label.

Step 1 fits, over the 100 best entities of every query, which of them are right. Step 2 fits, over the
three best of every query, how likely they are right, from the score and its lead over the best other.
The figures printed are of the odd queries with coefficients fitted on the even ones; the coefficients
printed are fitted on all.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.linear_model import LogisticRegression

HERE = os.path.dirname(os.path.abspath(__file__))


def load(vq, task, with_labels):
    with tempfile.NamedTemporaryFile() as out:
        flags = ["--raw", "--limit", "100"] + (["--labels"] if with_labels else [])
        command = [sys.executable, f"{HERE}/answers.py", vq, task, out.name] + flags
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        queries = []
        for line in open(out.name):
            answer = json.loads(line)
            terms, right = [], []
            for value in answer["values"]:
                if value["tier"] == "label":
                    continue
                evidence = {e["kind"]: e["value"] for e in value["evidence"]}
                color = -math.log(max(0.02, 1 - evidence["color"]))
                terms.append([evidence["hash"], color, evidence.get("labels", 0.0)])
                right.append(value["id"] in answer["truth"])
            if terms:
                queries.append((np.array(terms), np.array(right), bool(answer["truth"])))
        return queries


def fit(tasks, with_lead=True):
    """Step 1, then step 2 on its scores; without the lead, that column counts for nothing."""
    queries = [q for task in tasks.values() for q in task]
    step1 = LogisticRegression(C=100, max_iter=5000)
    step1.fit(np.concatenate([q[0] for q in queries]), np.concatenate([q[1] for q in queries]))
    weights = step1.coef_[0]
    rows, right = [], []
    for terms, is_right, _ in queries:
        order, features = best(terms, weights)
        rows += list(features)
        right += list(is_right[order])
    columns = np.array(rows) * [1, 1 if with_lead else 0]
    step2 = LogisticRegression(C=1e6, max_iter=5000).fit(columns, right)
    return weights, step2


def best(terms, weights):
    """The three best entities: score, and lead over the best other."""
    scores = terms @ weights
    order = np.argsort(-scores)[:3]
    rows = []
    for index in order:
        others = np.delete(scores, index)
        lead = scores[index] - others.max() if len(others) else 0
        rows.append([scores[index], min(6, max(-3, lead))])
    return order, np.array(rows)


def report(tasks, weights, step2):
    pairs = []
    for name, queries in tasks.items():
        tops, negatives = [], []
        for terms, right, has_truth in queries:
            order, features = best(terms, weights)
            confidence = step2.predict_proba(features)[:, 1]
            top = (confidence[0], bool(right[order[0]]))
            pairs.append(top)
            (tops if has_truth else negatives).append(top)
        line = f"{name:28} recall@1 {np.mean([r for _, r in tops]):.3f}"
        if negatives:
            cut = sorted((c for c, _ in negatives), reverse=True)[max(0, math.ceil(len(negatives) * 0.01) - 1)]
            line += f", at 1 % false {np.mean([r and c > cut for c, r in tops]):.3f} (confidence > {cut:.2f})"
            line += f", negatives empty at 0.7: {np.mean([c < 0.7 for c, _ in negatives]):.3f}"
        print(line)
    print(f"expected calibration error {reliability(pairs):.3f}")


def reliability(pairs):
    """Prints how often answers of each confidence are right; gives the mean gap."""
    confidence, right = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs], float)
    error = 0
    print("confidence   answers   mean confidence   right")
    for low in np.arange(0, 1, 0.1):
        inside = (confidence >= low) & (confidence < low + 0.1 + (low > 0.85))
        if inside.any():
            print(f"{low:.1f} - {low + 0.1:.1f} {inside.sum():10} {confidence[inside].mean():16.2f} {right[inside].mean():9.2f}")
            error += inside.mean() * abs(confidence[inside].mean() - right[inside].mean())
    return error


tasks = {}
for task in sys.argv[2:]:
    name = os.path.basename(task.rstrip("/"))
    tasks[name] = load(sys.argv[1], task, False)
    if any(json.loads(line)["labels"] for line in open(f"{task}/queries.jsonl")):
        tasks[name + ", labels"] = load(sys.argv[1], task, True)
even = {name: queries[0::2] for name, queries in tasks.items()}
print("== without the lead")
report({name: queries[1::2] for name, queries in tasks.items()}, *fit(even, with_lead=False))
print("== with it")
weights, step2 = fit(even)
report({name: queries[1::2] for name, queries in tasks.items()}, weights, step2)
weights, step2 = fit(tasks)
print("step 1: hash %.2f, color %.2f, labels %.2f" % tuple(weights))
print("step 2: prior %.2f, score %.3f, lead %.2f" % (step2.intercept_[0], *step2.coef_[0]))
