#!/usr/bin/env python3
"""What lists could hold at best: best_lists.py VQ TASK... [--indexes DIR] [--answers DIR] [--queries N] [--allow-outside DIR]

For each TASK with absent things: the share of queries whose right entity is among five candidates, and the share for which these five would be listed if 0.05, 0.10, 0.15 and
0.20 of the absent things got a list as well; first in the order of the program's log-odds, then by boosted trees over all evidence of the four best candidates and
the number of the others, fitted to all tasks but the entities that are judged. It says how much the evidence could tell, whatever the model. Needs scikit-learn.
"""
import argparse
import os
import tempfile

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

import measured

KINDS = "hash color texture votes inliers agreement inlierLead lead alignedColor offColor patches contradiction support".split()
FEW, LISTED = 4, 5


def row(values):
    """The evidence of the best candidates and their log-odds, the latter last; what was not measured is not a number."""
    candidates = numpy.full((FEW, len(KINDS) + 1), numpy.nan)
    for place, value in zip(candidates, values):
        terms = {term["kind"]: term for term in value["evidence"]}
        place[:-1] = [terms[kind]["value"] if kind in terms else numpy.nan for kind in KINDS]
        place[-1] = sum(term["weight"] for term in terms.values())
    return numpy.append(candidates.ravel(), len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    measured.add_options(parser)
    arguments = parser.parse_args()
    rows, right, present, names, groups = [], [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.tasks:
            name = os.path.basename(os.path.normpath(path))
            for query, values in measured.of(arguments.vq, path, name, arguments, folder):
                values = [value for value in values if any(term["kind"] == "color" for term in value["evidence"])]
                rows.append(row(values))
                right.append(any(measured.is_right(value, query) for value in values[:LISTED]))
                present.append(bool(query["truth"]))
                names.append(name)
                groups.append(name + str(query["truth"] or query["query"]))
    rows, right, present, names = numpy.array(rows), numpy.array(right), numpy.array(present), numpy.array(names)
    weights = numpy.array([1 / numpy.sqrt((names == name).sum()) for name in names])
    weights /= weights.mean()
    boosted = numpy.zeros(len(rows))
    for known, judged in GroupKFold(5).split(rows, right, groups):
        model = HistGradientBoostingClassifier(
            max_iter=150, learning_rate=0.05, max_leaf_nodes=8, l2_regularization=5, min_samples_leaf=20, random_state=1)
        boosted[judged] = model.fit(rows[known], right[known], sample_weight=weights[known]).predict_proba(rows[judged])[:, 1]
    print("| task | right among five | by | lists for 0.05 | 0.10 | 0.15 | 0.20 of absent things |\n|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(names):
        absent, own = (names == name) & ~present, (names == name) & present
        if not absent.any():
            continue
        for by, scores in ("log-odds", numpy.nan_to_num(rows[:, len(KINDS)], nan=-99)), ("boosted trees", boosted):
            limits = [numpy.quantile(scores[absent], 1 - share) for share in (0.05, 0.1, 0.15, 0.2)]
            shares = [f"{((scores > limit) & right)[own].mean():.3f}" for limit in limits]
            print(f"| {name} | {right[own].mean():.3f} | {by} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
