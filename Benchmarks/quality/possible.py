#!/usr/bin/env python3
"""Fits the lists that are given if no answer is sure: possible.py VQ TASK... [--indexes DIR] [--answers DIR] [--write] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl (`vq index` and `vq eval` describe them). Boosted trees (Friedman, "Greedy function
approximation: a gradient boosting machine", 2001) tell the odds that a candidate is the right one: each has three questions about its evidence and that of its
rivals. Candidates exclude each other, so their odds and those of none of them share one probability. The tasks are asked without labels and models, and the
program asks the trees unless labels or text speak, too; an embedding adds its lead to them. A task counts by the root of its queries.

Prints for each task how many lists are given, the share that holds the right entity, their mean length, the share of queries whose right entity is shown or
listed, and the share of the queries without a right entity that get a list; each entity is judged by trees that were fitted without it. `vq eval` prints the
figures of the program.

Then `none` is the smallest at which the lists for absent things are within the limits below. --write puts the trees of all tasks and `none` into
Sources/CConfidence/files/confidence.txt. Needs scikit-learn.

--indexes keeps the indexes, and --answers the candidates of all queries. Remove the latter after a change of the confidence.
"""
import argparse
import os
import pathlib
import re
import tempfile

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

import measured

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = ROOT / "Sources/CConfidence/files/confidence.txt"
CUT_OFF = 0.85
# As in PossibleEntities.swift.
LIMIT, COVERAGE, LEAST, CANDIDATES = 8, 0.9, 0.5, 10
# The evidence that is asked for, and whether more of it must not make a candidate less likely.
KINDS = {
    "hash": 0, "color": 0, "texture": 0, "votes": 1, "inliers": 1, "agreement": 0, "inlierLead": 0, "lead": 1, "alignedColor": 0, "offColor": 0, "patches": 1,
    "contradiction": 0, "support": 0,
}
# What is asked of a candidate beside its rivals: its log-odds, and how far it is before the best and the third of the others.
COMPARED = {"odds": 1, "oddsLead": 1, "thirdLead": 1, "inlierRatio": 1, "voteRatio": 1}
ROUNDS, LEAVES, RATE = 100, 4, 0.08
# The largest shares of absent things that get a list, by the names of tasks.
LIMITS = {"things": 0.05, "labels": 0.07, "packagesX": 0.15, "galleryX": 0.15, "iconicX": 0.15, "views": 0.15, "planar": 0.167, "copies": 0.12}


def rows(values):
    """What is asked of the candidates of one query, the likeliest first."""
    evidence = [{term["kind"]: term for term in value["evidence"]} for value in values]
    found = numpy.array([[terms[kind]["value"] if kind in terms else numpy.nan for kind in KINDS] for terms in evidence], float).reshape(-1, len(KINDS))
    odds = numpy.array([sum(term["weight"] for term in terms.values()) for terms in evidence])
    inliers, votes = (numpy.nan_to_num(found[:, list(KINDS).index(kind)]) for kind in ("inliers", "votes"))
    compared = []
    for place in range(len(values)):
        others = numpy.delete(numpy.arange(len(values)), place)
        best = numpy.sort(odds[others])[::-1]
        compared.append([
            odds[place], odds[place] - best[0] if len(best) else numpy.nan, odds[place] - best[2] if len(best) > 2 else numpy.nan,
            numpy.log((inliers[place] + 3) / (max(inliers[others], default=0) + 3)), numpy.log((votes[place] + 50) / (max(votes[others], default=0) + 50))])
    return numpy.hstack([found, numpy.array(compared).reshape(-1, len(COMPARED))])


def queries(vq, task, name, arguments, folder):
    found = []
    for query, values in measured.of(vq, task, name, arguments, folder):
        # A candidate without a color is none by its image.
        values = [value for value in values if any(term["kind"] == "color" for term in value["evidence"])][:CANDIDATES]
        found.append({
            "task": name, "entity": name + str(query["truth"] or query["query"]), "present": bool(query["truth"]), "rows": rows(values),
            "right": numpy.array([measured.is_right(value, query) for value in values], bool),
            "sure": bool(values) and values[0]["confidence"] >= CUT_OFF})
    return found


def fitted(known):
    """The trees of some queries."""
    count = {query["task"]: 0 for query in known}
    for query in known:
        count[query["task"]] += 1
    weights = numpy.concatenate([numpy.full(len(query["rows"]), count[query["task"]] ** -0.5) for query in known])
    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS, learning_rate=RATE, max_leaf_nodes=LEAVES, l2_regularization=5, min_samples_leaf=20, random_state=1,
        early_stopping=False, monotonic_cst=[*KINDS.values(), *COMPARED.values()])
    return model.fit(
        numpy.concatenate([query["rows"] for query in known]), numpy.concatenate([query["right"] for query in known]), sample_weight=weights / weights.mean())


def listed(query, odds, none):
    """The places of what is listed among the candidates; none if something is sure."""
    if query["sure"] or not len(odds):
        return []
    shares = numpy.exp(odds - max(odds.max(), none))
    shares /= shares.sum() + numpy.exp(none - max(odds.max(), none))
    order = numpy.argsort(-shares, kind="stable")
    held, length = 0.0, 0
    while length < min(LIMIT, len(shares)) and held < COVERAGE * shares.sum():
        held += shares[order[length]]
        length += 1
    return list(order[:length]) if held >= LEAST else []


def given(asked, odds, none):
    """The share of the absent things among some queries that get a list."""
    absent = [listed(query, own, none) for query, own in zip(asked, odds) if not query["present"]]
    return sum(1 for places in absent if places) / len(absent) if absent else 0


def source(text, model, none):
    """The file of coefficients with other trees."""
    names = [*KINDS, *COMPARED]
    lines = []
    for (tree,) in model._predictors:
        nodes = tree.nodes
        inner = [place for place in range(len(nodes)) if not nodes[place]["is_leaf"]]
        step = lambda place: f"={nodes[place]['value']:.4f}" if nodes[place]["is_leaf"] else f"?{inner.index(place)}"
        questions = [
            f"{names[node['feature_idx']]}{'~' if node['missing_go_to_left'] else ''} {node['num_threshold']:.5g} {step(node['left'])} {step(node['right'])}"
            for node in (nodes[place] for place in inner)]
        if questions:
            lines.append("; ".join(questions) + "\n")
    base = float(numpy.ravel(model._baseline_prediction)[0])
    text = re.sub(r"(?m)^(none +).*$", rf"\g<1>{none:.2f}", text)
    text = re.sub(r"(?m)^(base +).*$", rf"\g<1>{base:.4f}", text)
    return text[:text.index("[trees]\n")] + "[trees]\n" + "".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    measured.add_options(parser)
    parser.add_argument("--write", action="store_true", help="put the trees into the file of coefficients")
    arguments = parser.parse_args()
    asked = []
    with tempfile.TemporaryDirectory() as folder:
        for task in arguments.tasks:
            asked += queries(arguments.vq, task, os.path.basename(os.path.normpath(task)), arguments, folder)
    asked = [query for query in asked if len(query["rows"]) or query["present"]]
    odds = [numpy.zeros(0)] * len(asked)
    for known, judged in GroupKFold(5).split(asked, groups=[query["entity"] for query in asked]):
        model = fitted([asked[place] for place in known if len(asked[place]["rows"])])
        for place in judged:
            if len(asked[place]["rows"]):
                odds[place] = model.decision_function(asked[place]["rows"])
    names = list(dict.fromkeys(query["task"] for query in asked))
    of = lambda name: [place for place, query in enumerate(asked) if query["task"] == name]
    final = fitted([query for query in asked if len(query["rows"])])
    own = [final.decision_function(query["rows"]) if len(query["rows"]) else numpy.zeros(0) for query in asked]
    # The trees of all queries know the absent things as well as the present ones, and give some of them a list that those of the others do not.
    none = next(
        none for none in numpy.arange(-2, 4, 0.05)
        if all(
            given([asked[p] for p in of(name)], [judged[p] for p in of(name)], none) <= LIMITS[name] + 1e-9
            for judged in (odds, own) for name in names if name in LIMITS))
    print(f"none: {none:.2f}")
    print("| task | present | shown right | shown or listed | lists | hold the right one | mean length | absent | lists for absent |")
    print("|---|---|---|---|---|---|---|---|---|")
    text = lambda value: "–" if value is None else f"{value:.3f}"
    share = lambda a, b: a / b if b else None
    for name in names:
        answers = [(asked[place], listed(asked[place], odds[place], none)) for place in of(name)]
        present = [(query, places) for query, places in answers if query["present"]]
        shown = sum(1 for query, _ in present if query["sure"] and query["right"][0])
        lists = [query["right"][places].any() for query, places in present if places]
        absent = [bool(places) for query, places in answers if not query["present"]]
        print("| " + " | ".join([
            name, str(len(present)), text(share(shown, len(present))), text(share(shown + sum(lists), len(present))), str(len(lists)),
            text(share(sum(lists), len(lists))), text(share(sum(len(places) for _, places in present), len(lists))), str(len(absent)),
            text(share(sum(absent), len(absent)))]) + " |")
    if arguments.write:
        MADE.write_text(source(MADE.read_text(encoding="utf-8"), final, none), encoding="utf-8")


if __name__ == "__main__":
    main()
