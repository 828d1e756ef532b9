#!/usr/bin/env python3
"""Measures how sensitive the answers are to the numbers of the search, for docs/search-numbers.md.

sensitivity.py patch TREE                     makes the numbers of a copy of the source tree depend on the environment; build `vq` there
sensitivity.py run VQ OUT NAME=QUERIES:INDEX… [--only PATTERN]   evaluates each number with a smaller and a larger value, by that program

The copy is for this only: the search itself reads nothing of the environment. Numbers of stored signatures are left out, because another
value needs another index, and so are the fitted coefficients of the confidence, for which there is confidence.py. OUT is written after each
number, and numbers that it has, with the value of today, are not measured again.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import ledger  # noqa: E402

LITERAL = re.compile(r"(?<![\w.)\]])-?\d[\d_]*(?:\.\d[\d_]*)?(?![\w(])")
RANGE = re.compile(r"^(-?[\d_.]*\d)(\.\.\.|\.\.<)(-?\d[\d_.]*)$")
UNMEASURED = "the numbers of stored signatures, the fitted coefficients, and those of text, codes, shards, feedback and rules, which the tasks have not"

SWEEP = """// Only in a copy of the tree that is made for a measurement.
#if canImport(Glibc)
  import Glibc
#endif

package enum Sweep {
  private static let values: [String: Double] = {
    guard let text = unsafe getenv("VQ_SWEEP") else { return [:] }
    var values: [String: Double] = [:]
    for pair in unsafe String(cString: text).split(separator: ",") {
      let parts = pair.split(separator: "=")
      if parts.count == 2 { values[String(parts[0])] = Double(parts[1]) }
    }
    return values
  }()

  package static func real<T: BinaryFloatingPoint>(_ name: String, _ value: T) -> T {
    values[name].map { T($0) } ?? value
  }

  package static func whole<T: BinaryInteger>(_ name: String, _ value: T) -> T {
    values[name].map { T($0) } ?? value
  }
}
"""


def is_measured(number, title):
    """Whether a number is a plain one, or a range or tuple of them, that a question uses."""
    stored = title == "Signatures" and number.path.name not in ledger.QUERY_FILES
    value = number.value.replace("_", "")
    parts = split(value)
    return (not stored and number.names.split(".")[-1] != "cost" and number.path.name not in SKIPPED
            and all(RANGE.match(p) or re.fullmatch(r"-?\d+(\.\d+)?", p) for p in parts))


SKIPPED = {"TextStage.swift", "Calibration+Text.swift", "CodeStage.swift", "StoredCandidateStage.swift", "Matcher+Feedback.swift",
           "LabelStage.swift", "LabelWordStage.swift", "NearestImages.swift", "EmbeddingScanStage.swift", "EmbeddingContrast.swift",
           "SegmentScanner.swift", "FlatScan.swift", "QuerySignature+Coding.swift", "Continuation.swift", "SimilarEntities.swift"}


def name(number):
    """The name of a declaration in the environment, without brackets and commas."""
    return number.key.replace("(", "").replace(")", "").replace(", ", "+")


def split(value):
    """The numbers and ranges of a declaration: one, or those of a tuple."""
    value = value.strip()
    return [p.strip() for p in value[1:-1].split(",")] if value.startswith("(") else [value]


def measured_numbers():
    for title, _, paths in ledger.files(ledger.PARTS):
        for path in paths:
            for number in ledger.numbers_of(path):
                if is_measured(number, title):
                    yield number


def variants(number):
    """The smaller and the larger value: as it is shown, and what each literal is to be."""
    parts = split(number.value.replace("_", ""))

    def moved(direction):
        shown, values = [], {}
        for index, part in enumerate(parts):
            match = RANGE.match(part)
            if match:
                low, high = float(match[1]), float(match[3])
                shift = direction * (high - low) / 4
                low, high = round(low + shift, 5), round(high + shift, 5)
                values[f"{name(number)}/{index}a"], values[f"{name(number)}/{index}b"] = low, high
                shown.append(f"{low:g}{match[2]}{high:g}")
            else:
                value = float(part)
                other = value * (1.25 if direction > 0 else 0.8)
                if "." not in part:
                    other = round(other)
                    if other == value:
                        other += direction
                    if other < 0 <= value:
                        return None
                values[f"{name(number)}/{index}"] = other
                shown.append(f"{other:g}")
        return ", ".join(shown), values
    return moved(-1), moved(1)


def patch(tree):
    tree = pathlib.Path(tree).resolve()
    if tree == ROOT:
        sys.exit("name a copy of the tree, not the tree itself")
    (tree / "Sources/PixelMatch/Kernels/Sweep.swift").write_text(SWEEP)
    changed = {}
    for number in measured_numbers():
        path = tree / number.path.relative_to(ROOT)
        lines = changed.setdefault(path, path.read_text().split("\n"))
        index = number.line - 1
        end = index
        while end + 1 < len(lines) and (
                lines[end].endswith("=") or "\n".join(lines[index:end + 1]).count("(") > "\n".join(lines[index:end + 1]).count(")")):
            end += 1
        text = "\n".join(lines[index:end + 1])
        head, _, value = text.partition(" =")
        parts, kind = split(" ".join(value.split())), number.kind

        def call(key, literal):
            is_real = "." in literal.replace("..", "") or kind in ("Double", "Float")
            return f'Sweep.{"real" if is_real else "whole"}("{key}", {literal})'
        made = []
        for place, part in enumerate(parts):
            match = RANGE.match(part.replace("_", ""))
            key = f"{name(number)}/{place}"
            if match:
                low, high = match[1], match[3]
                if "." in low + high:
                    low, high = (x if "." in x else x + ".0" for x in (low, high))
                made.append(f"{call(key + 'a', low)}{match[2]}{call(key + 'b', high)}")
            else:
                made.append(call(key, part))
        value = made[0] if len(made) == 1 else "(" + ", ".join(made) + ")"
        lines[index:end + 1] = [f"{head} = {value}"] + [""] * (end - index)
    for path, lines in changed.items():
        text = "\n".join(lines)
        if "PixelMatch/" not in str(path.relative_to(tree)) and not re.search(r"^(\w+ )?import PixelMatch$", text, re.M):
            text = "internal import PixelMatch\n" + text
        path.write_text(text)
    print(sum(1 for _ in measured_numbers()), "numbers of", len(changed), "files depend on VQ_SWEEP")


def evaluate(vq, tasks, values):
    """The counts of all tasks together, and all figures of them; nothing if the program cannot run with the values."""
    environment = dict(os.environ, VQ_SWEEP=",".join(f"{k}={v}" for k, v in values.items()))
    counts, figures = {"first": 0, "shown": 0, "wrong": 0}, []
    for _, queries, index in tasks:
        run = subprocess.run([vq, "eval", queries, "--index", index, "--without-labels", "--json", "-q"], env=environment,
                             capture_output=True, text=True, timeout=1800)
        if run.returncode:
            return None, None
        found = json.loads(run.stdout)
        figures.append({k: v for k, v in found.items() if k != "worst"})
        negatives = found.get("negatives", 0)
        counts["first"] += round(found["recallAt1"] * found["queries"])
        counts["shown"] += round(found["shownRight"] * found["queries"])
        counts["wrong"] += round(found["shownWrong"] * found["queries"])
        if negatives:
            counts["wrong"] += round((1 - found["negativesEmpty"]) * negatives)
    return counts, figures


def run(vq, out, names, only):
    tasks = [(n.partition("=")[0], *n.partition("=")[2].split(":")) for n in names]
    out = pathlib.Path(out)
    total = 0
    for _, queries, _ in tasks:
        total += sum(1 for line in open(queries) if line.strip())
    done = json.loads(out.read_text()) if out.exists() else {"numbers": {}}
    done |= {"day": time.strftime("%Y-%m-%d"),
             "tasks": " and ".join(f"*{name}*" for name, _, _ in tasks) + f" ({total} queries)"}
    base, figures = evaluate(vq, tasks, {})
    if base is None:
        sys.exit("the program cannot evaluate the tasks with the numbers of today")
    done["base"] = base
    for number in measured_numbers():
        known = done["numbers"].get(number.key)
        if not re.search(only, number.key) or (known and known["value"] == number.value):
            continue
        entry = {"value": number.value}
        for side, variant in zip(("less", "more"), variants(number)):
            if variant is None:
                continue
            shown, values = variant
            counts, other = evaluate(vq, tasks, values)
            entry[side] = {"value": shown}
            if counts is not None:
                entry[side] |= {"changed": other != figures} | {k: counts[k] - base[k] for k in base}
        done["numbers"][number.key] = entry
        print(number.key, json.dumps(entry), flush=True)
        left = sum(n.key not in done["numbers"] for n in measured_numbers())
        done["unmeasured"] = UNMEASURED + (f", and {left} more" if left else "")
        out.write_text(json.dumps(done, indent=1, sort_keys=True) + "\n")


def main():
    arguments = sys.argv[1:]
    only = ""
    if "--only" in arguments:
        place = arguments.index("--only")
        only = arguments[place + 1]
        del arguments[place:place + 2]
    if len(arguments) == 2 and arguments[0] == "patch":
        patch(arguments[1])
    elif len(arguments) > 3 and arguments[0] == "run":
        run(arguments[1], arguments[2], arguments[3:], only)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
