#!/usr/bin/env python3
"""Fits the confidence over tasks: confidence.py VQ TASK... [--indexes DIR] [--answers DIR] [--fit] [--allow-outside DIR]

Each TASK is a folder with catalogue.jsonl and queries.jsonl (`vq index` and `vq eval` describe them). Prints for each task the shares of
answers that are shown right and wrong and of absent things that are shown, the calibration error, and the share of answers of 0.9 and more that are
right; first as the program is, then with the coefficients that --fit finds.

--fit is a logistic regression of whether the first answer of a query is right, on what `vq match` measures: the second step of
Sources/CConfidence/files/confidence.txt, on the scales of MeasuredEvidence.swift. `vq eval --calibrate` fits both steps, and counts every query alike. Here a task counts
by the root of the number of its queries, and an absent thing twice, so that many easy copies do not decide about photos. No factor is below zero. What the
labels, other images and colors that contradict count is not fitted; hash and histograms counted nothing beside the rest, and are left out.
So are votes: where the candidates of a large catalogue come from another server, they are counted in a part of its words. The term of a lead beyond its limit (`farLead`) counts as one of `agreedLead` here.
"""
import argparse
import os
import tempfile

import numpy
from scipy.optimize import minimize

import measured

CUT_OFF = 0.85
COLUMN = "anything"
CODED = measured.coefficients(COLUMN)
PRIOR = CODED["prior"]
# What is fitted, and what is not.
CODED = {kind: CODED[kind] for kind in ("alignedColor", "offColor", "patches", "lead", "agreedLead", "inlierLead")}
FIXED = ("labels", "embedding", "support")
UNLIKELY = -1.5


def row(value):
    """The regressors of an answer, the log-odds of what is not fitted, and those of a contradiction."""
    terms = {term["kind"]: term for term in value["evidence"]}
    weight = lambda kind: terms[kind]["weight"] if kind in terms else 0.0
    seen = lambda kind: terms[kind]["value"] if kind in terms else 0.0
    scaled = {kind: weight(kind) / factor for kind, factor in CODED.items() if factor and kind != "agreedLead"}
    scaled["lead"] = seen("lead")
    scaled["agreedLead"] = (weight("lead") - CODED["lead"] * seen("lead")) / CODED["agreedLead"]
    fixed = weight("prior") - PRIOR + sum(weight(kind) for kind in FIXED)
    return [scaled[kind] for kind in CODED], fixed, -12.0 * seen("contradiction")


class Task:
    def __init__(self, found):
        found = [(query, values) for query, values in found if values and any(t["kind"] == "color" for t in values[0]["evidence"])]
        rows = [row(values[0]) for _, values in found]
        self.x = numpy.array([r[0] for r in rows], float).reshape(-1, len(CODED))
        self.fixed = numpy.array([r[1] for r in rows])
        self.contradiction = numpy.array([r[2] for r in rows])
        self.confidence = numpy.array([values[0]["confidence"] for _, values in found])
        self.right = numpy.array([measured.is_right(values[0], query) for query, values in found], bool)
        self.present = numpy.array([bool(query["truth"]) for query, _ in found], bool)

    def odds(self, p):
        """The log-odds, and where they follow the coefficients."""
        odds = p[0] + self.x @ p[1:] + self.fixed
        lowered = odds + numpy.maximum(self.contradiction, numpy.minimum(0, UNLIKELY - odds))
        return lowered, ~((self.contradiction < 0) & (odds > UNLIKELY) & (odds + self.contradiction < UNLIKELY))


def fit(tasks, ridge=1e-4):
    weights = [numpy.where(t.present, 1, 2) / numpy.sqrt(len(t.right)) for t in tasks]
    total = sum(w.sum() for w in weights)
    coded = numpy.array(list(CODED.values()))

    def surprise(p):
        away = p[1:] - coded
        value, gradient = ridge / 2 * (away**2).sum(), numpy.append(0, ridge * away)
        for t, w in zip(tasks, weights):
            odds, free = t.odds(p)
            sign = numpy.where(t.right, 1, -1)
            value += (numpy.logaddexp(0, -sign * odds) * w).sum() / total
            slope = -sign / (1 + numpy.exp(sign * odds)) * w * free / total
            gradient += numpy.append(slope.sum(), slope @ t.x)
        return value, gradient

    start = numpy.append(PRIOR, [0.1] * len(CODED))
    return minimize(surprise, start, jac=True, bounds=[(None, None)] + [(0, None)] * len(CODED), method="L-BFGS-B").x


def table(tasks, confidences):
    print("| task | shown right | shown wrong | absent shown | calibration error | of 0.9 and more, right |")
    print("|---|---|---|---|---|---|")
    text = lambda values: f"{values.mean():.3f}" if len(values) else "–"
    for (name, t), p in zip(tasks.items(), confidences):
        shown = p >= CUT_OFF
        bins = numpy.minimum(9, (p * 10).astype(int))
        error = sum(abs(p[bins == b].mean() - t.right[bins == b].mean()) * (bins == b).mean() for b in set(bins))
        columns = [text((shown & t.right)[t.present]), text((shown & ~t.right)[t.present]), text(shown[~t.present]), f"{error:.3f}", text(t.right[p >= 0.9])]
        print(f"| {name} | " + " | ".join(columns) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vq")
    parser.add_argument("tasks", nargs="+")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--measured-only", default="", help="names of tasks that are not fitted, with commas")
    parser.add_argument("--catalogued", action="store_true", help="of the queries with a right entity only, as for --subject catalogued")
    measured.add_options(parser)
    arguments = parser.parse_args()
    tasks = {}
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.tasks:
            name = os.path.basename(os.path.normpath(path))
            found = measured.of(arguments.vq, path, name, arguments, folder)
            tasks[name] = Task([pair for pair in found if pair[0]["truth"]] if arguments.catalogued else found)
    table(tasks, [t.confidence for t in tasks.values()])
    if arguments.fit:
        p = fit([t for name, t in tasks.items() if name not in arguments.measured_only.split(",")])
        print("prior", round(p[0], 3), " ".join(f"{kind} {factor:.3f}" for kind, factor in zip(CODED, p[1:])))
        table(tasks, [1 / (1 + numpy.exp(-t.odds(p)[0])) for t in tasks.values()])


if __name__ == "__main__":
    main()
