#!/usr/bin/env python3
"""The lists that are given if no answer is sure: possible.py VQ TASK... [--indexes DIR] [--answers DIR] [--fit] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl (`vq index` and `vq eval` describe them). Prints for each how many lists are
given, the share that holds the right entity, their mean length, the share of queries whose right entity is shown or listed, and the share
of the queries without a right entity that get a list. `vq eval` prints the same figures of the program as it is; here they follow from
the candidates that `vq match` measures, so that other coefficients can be tried without a build.

--fit fits the coefficients first, by maximum likelihood: a conditional logit over the ten best candidates of a query and none of them
(McFadden, "Conditional logit analysis of qualitative choice behavior", 1974). A task counts by the share of its queries, an absent
thing twice, and tasks whose absent things are other colors of what the catalogue has are left out (names that contain one of --colors): a
color that contradicts belongs into the confidence. Then `none` is raised, and `several` lowered, until the lists for absent things are
within the limits below. Put the printed numbers into Sources/VisualQuery/Search/Matching/PossibleEntities.swift.

The factor of text is not fitted: the tasks are asked without models.

--indexes keeps the indexes, and --answers the candidates of all queries. Remove the latter after a change of the confidence.
"""
import argparse
import math
import os
import tempfile

import numpy
from scipy.optimize import minimize

import measured

CUT_OFF = 0.85
# As in PossibleEntities.swift.
LIMIT, COVERAGE, LEAST, CANDIDATES = 8, 0.9, 0.5, 10
CODED = {"logOdds": 0.97, "several": -0.8, "none": -0.1}
# The largest share of absent things that get a list: photos of other things, and other products of the same kind.
OTHER_THINGS, SAME_KIND = 0.05, 0.15


def candidates(vq, task, name, arguments, folder):
    """The candidates of each query of a task: [(log-odds, has several images, confidence, is right)], the surest first."""
    found = []
    for query, values in measured.of(vq, task, name, arguments, folder):
        rows = []
        for value in values:
            terms = {term["kind"]: term for term in value["evidence"]}
            if "color" not in terms:
                continue  # It is not a candidate by its image.
            odds = sum(term["weight"] for term in terms.values())
            rows.append((odds, float("support" in terms), value["confidence"], measured.is_right(value, query)))
        found.append({"present": bool(query["truth"]), "values": rows})
    return found


def utilities(query, c):
    rows = numpy.array([value[:2] for value in query["values"]], float).reshape(-1, 2)
    order = numpy.argsort(-(rows @ [c["logOdds"], c["several"]]), kind="stable")[:CANDIDATES]
    return order, (rows @ [c["logOdds"], c["several"]])[order]


def listed(query, c):
    """The places of what is listed among the values; none if something is sure."""
    if not query["values"] or query["values"][0][2] >= CUT_OFF:
        return []
    order, u = utilities(query, c)
    shares = numpy.exp(u - max(u.max(), c["none"]))
    shares /= shares.sum() + math.exp(c["none"] - max(u.max(), c["none"]))
    held, length = 0.0, 0
    while length < min(LIMIT, len(shares)) and held < COVERAGE * shares.sum():
        held += shares[length]
        length += 1
    return list(order[:length]) if held >= LEAST else []


def figures(queries, c):
    present = [query for query in queries if query["present"]]
    absent = [query for query in queries if not query["present"]]
    shown = sum(1 for q in present if q["values"] and q["values"][0][2] >= CUT_OFF and q["values"][0][3])
    lists = [(q, places) for q in present for places in [listed(q, c)] if places]
    right = sum(1 for q, places in lists if any(q["values"][place][3] for place in places))
    share = lambda a, b: a / b if b else None
    return {
        "present": len(present), "shown": share(shown, len(present)), "either": share(shown + right, len(present)), "lists": len(lists),
        "right": share(right, len(lists)), "length": share(sum(len(places) for _, places in lists), len(lists)), "absent": len(absent),
        "given": share(sum(1 for q in absent if listed(q, c)), len(absent)),
    }


def fit(tasks):
    """Maximum likelihood."""
    x, right, real, weight = [], [], [], []
    for queries in tasks.values():
        for query in queries:
            values = query["values"][:CANDIDATES]
            pad = CANDIDATES - len(values)
            x.append([value[:2] for value in values] + [(0, 0)] * pad)
            right.append([value[3] for value in values] + [False] * pad)
            real.append([True] * len(values) + [False] * pad)
            weight.append((1 if query["present"] else 2) / len(queries))
    x, right, real, weight = (numpy.array(a) for a in (x, right, real, weight))
    chosen = numpy.concatenate([right, ~right.any(1, keepdims=True)], 1)

    def surprise(p):
        u = numpy.concatenate([numpy.where(real, x @ p[:2], -1e9), numpy.full((len(x), 1), p[2])], 1)
        e = numpy.exp(u - u.max(1, keepdims=True))
        likely = numpy.where(chosen, e, 0)
        gradient = (likely / likely.sum(1, keepdims=True).clip(1e-300) - e / e.sum(1, keepdims=True)) * weight[:, None]
        value = (weight * (numpy.log(likely.sum(1).clip(1e-300)) - numpy.log(e.sum(1)))).sum()
        return -value, -numpy.append(numpy.einsum("ij,ijk->k", gradient[:, :-1], x), gradient[:, -1].sum())

    found = minimize(surprise, [1.0, 0.0, 0.0], jac=True, method="L-BFGS-B").x
    return dict(zip(("logOdds", "several", "none"), map(float, found)))


def limited(c, tasks, arguments):
    """Raises `none` and lowers `several` until the lists for absent things are within the limits."""
    c = dict(c)

    def exceeds(names, limit):
        absent = [q for name in names for q in tasks[name] if not q["present"]]
        return absent and sum(1 for q in absent if listed(q, c)) > limit * len(absent)

    several = [n for n, queries in tasks.items() if sum(v[1] for q in queries for v in q["values"]) > 0]
    groups = [([n for n in tasks if n in arguments.other], OTHER_THINGS)]
    groups += [([n], SAME_KIND) for n in tasks if n in arguments.same and n not in several]
    while any(exceeds(names, limit) for names, limit in groups):
        c["none"] += 0.02
    while any(exceeds([n], SAME_KIND) for n in tasks if n in arguments.same and n in several):
        c["several"] -= 0.02
    return c


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    measured.add_options(parser)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--colors", default="colors,variants,colourway", help="parts of the names of tasks that are not fitted")
    parser.add_argument("--other", default="things,things3,labels", help="tasks whose absent things are other things")
    parser.add_argument("--same", default="packagesX,galleryX,iconicX", help="tasks whose absent things are of the same kind")
    arguments = parser.parse_args()
    arguments.other, arguments.same = arguments.other.split(","), arguments.same.split(",")
    with tempfile.TemporaryDirectory() as folder:
        tasks = {}
        for task in arguments.tasks:
            name = os.path.basename(os.path.normpath(task))
            tasks[name] = candidates(arguments.vq, task, name, arguments, folder)
    c = CODED
    if arguments.fit:
        skipped = arguments.colors.split(",")
        c = fit({name: queries for name, queries in tasks.items() if not any(part in name for part in skipped)})
        print("most likely:", {key: round(value, 2) for key, value in c.items()})
        c = limited(c, tasks, arguments)
    c = {key: round(value, 2) for key, value in c.items()}
    print("coefficients:", c)
    text = lambda value: "–" if value is None else f"{value:.3f}"
    print("| task | present | shown right | shown or listed | lists | hold the right one | mean length | absent | lists for absent |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, queries in tasks.items():
        f = figures(queries, c)
        row = [name, f["present"], text(f["shown"]), text(f["either"]), f["lists"], text(f["right"]), text(f["length"]), f["absent"], text(f["given"])]
        print("| " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    main()
