#!/usr/bin/env python3
"""What a fit of a shop's own photos brings: gallery.py VQ GROCERY [--models DIR] [--labels] [--halves N] [--absent SHARE] [--folder DIR]

GROCERY is the Grocery Store Dataset (Klasson, Zhang and Kjellström, "A hierarchical grocery store image dataset", 2019,
<https://github.com/marcusklasson/GroceryStoreDataset>), the folder with train.txt, val.txt and classes.csv. All training photos of the 81 products are
the catalogue. Half of the photos of val.txt are fitted (`vq fit`), the other half is judged before and after (`vq eval`), for N halves drawn at random.
The last line is the mean of all halves; wrong of what is shown is counted over all of them.

--models is a folder with an encoder of images, such as Benchmarks/quality/encoder.py writes. --labels asks with the coarse class of each photo.
--folder keeps the index.
"""
import argparse
import csv
import json
import os
import random
import subprocess
import tempfile


def split(folder, name):
    rows = [line.split(",") for line in open(f"{folder}/{name}.txt")]
    return [(f"{folder}/{row[0].strip()}", int(row[1])) for row in rows]


def write(path, rows):
    with open(path, "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def make(grocery, folder):
    """Writes the catalogue, and returns the queries."""
    classes = {}
    for row in csv.reader(open(f"{grocery}/classes.csv")):
        if not row[0].startswith("Class Name"):
            classes[int(row[1])] = (row[0].replace("-", " "), row[2].replace("-", " ").lower())
    photos = {}
    for path, number in split(grocery, "train"):
        photos.setdefault(number, []).append(path)
    write(f"{folder}/catalogue.jsonl", [
        {"type": "product", "id": f"g{number:02d}", "title": classes[number][0], "labels": [classes[number][1]], "images": paths}
        for number, paths in photos.items()])
    return [
        {"query": f"q{place}", "image": path, "truth": [f"g{number:02d}"], "labels": [classes[number][1]]}
        for place, (path, number) in enumerate(split(grocery, "val"))]


def run(words, codes=(0,)):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(words)}\n{done.stderr}")
    return done.stdout


def judged(vq, path, common):
    figures = json.loads(run([vq, "eval", path, "--json", "-q", *common]))
    count = figures["queries"]
    return round(figures["shownRight"] * count), round(figures["shownWrong"] * count), round(figures["recallAt1"] * count), count, figures["calibrationError"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vq")
    parser.add_argument("grocery")
    parser.add_argument("--models", default="none")
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--halves", type=int, default=4)
    parser.add_argument("--absent", default="0.1")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    vq, grocery = arguments.vq, os.path.abspath(arguments.grocery)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or temporary
        os.makedirs(folder, exist_ok=True)
        index = f"{folder}/gallery.vq"
        queries = make(grocery, folder)
        if not os.path.exists(index):
            run([vq, "index", f"{folder}/catalogue.jsonl", "--index", index, "--allow-outside", grocery, "--models", arguments.models, "-q"], (0, 1))
        common = ["--index", index, "--models", arguments.models] + ([] if arguments.labels else ["--without-labels"])
        print("| half | verdict | log loss falls by (95 %) | first | shown right | shown wrong | wrong of shown | calibration error | if the shop lacked it |")
        print("|---|---|---|---|---|---|---|---|---|")
        sums = [[0] * 5, [0] * 5]
        for half in range(arguments.halves):
            order = random.Random(half).sample(queries, len(queries))
            fitted = write(f"{temporary}/fitted.jsonl", order[: len(order) // 2])
            judge = write(f"{temporary}/judged.jsonl", order[len(order) // 2 :])
            before = judged(vq, judge, common)
            verdict = json.loads(run([vq, "fit", fitted, "--json", "-q", "--absent", arguments.absent, *common], (0, 1)))
            after = judged(vq, judge, common)
            if verdict["stored"]:
                run([vq, "fit", "--undo", "--index", index])
            for total, figures in zip(sums, (before, after)):
                for place, value in enumerate(figures):
                    total[place] += value
            gain = verdict["gain"]
            lacked = f"{verdict['before']['withoutOwnShown']:.3f} → {verdict['after']['withoutOwnShown']:.3f}"
            print(f"| {half} | {verdict['verdict']} | {gain['logLoss']:.3f} ({gain['low']:.3f} to {gain['high']:.3f}) | {row(before, after)} | {lacked} |", flush=True)
        for total in sums:
            total[4] /= arguments.halves
        print(f"| all | | | {row(*sums)} | |")


def row(before, after):
    def share(count, of):
        return f"{count / of:.3f}" if of else "–"

    both = list(zip(before, after))
    right, wrong, first, count, error = both
    cells = [" → ".join(share(value, of) for value, of in zip(values, count)) for values in (first, right, wrong)]
    cells.append(" → ".join(share(w, w + r) for w, r in zip(wrong, right)))
    cells.append(" → ".join(f"{value:.3f}" for value in error))
    return " | ".join(cells)


if __name__ == "__main__":
    main()
