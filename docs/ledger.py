#!/usr/bin/env python3
"""Makes docs/search-numbers.md of the numbers that are declared in the search, so that each is written once: in the code.

docs/ledger.py           writes the page
docs/ledger.py --check   fails if the page is not that of the code, if a number has no description, or if code has a number without a name

A number is a `static let` with digits in it, with its documentation before it. What is measured of it comes from
Benchmarks/runs/sensitivity.json, which Benchmarks/quality/sensitivity.py makes.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/search-numbers.md"
MEASURED = ROOT / "Benchmarks/runs/sensitivity.json"
COEFFICIENTS = ROOT / "Sources/CConfidence/files/confidence.txt"

# The parts of the page: a title, what a change of their numbers needs, and folders or files.
PARTS = [
    ("Signatures", "new signatures of all images, so another version of them", [
        "PixelMatch/Signatures", "PixelMatch/Geometry/ImageContent.swift"]),
    ("Scans and votes", "nothing: the next question has it", ["PixelMatch/Search"]),
    ("Geometry and colors", "nothing: the next question has it", ["PixelMatch/Geometry"]),
    ("Stages and regions", "nothing: the next question has it", ["VisualQuery/Search/Matching/Stages"] + [
        f"VisualQuery/Search/Matching/{name}.swift" for name in (
            "TypeSearch", "RegionSearch", "QueryState", "Standings", "Matcher+Preparing", "ImageComparison", "NearestImages")]),
    ("Evidence, confidence and lists", "a look at what was fitted with it", [
        f"VisualQuery/Search/Matching/{name}.swift" for name in (
            "MeasuredEvidence", "Calibration", "Calibration+Text", "VectorTestimony", "Rivals", "SamePictures", "Commonness", "PossibleEntities", "SimilarEntities",
            "MatchedObjects", "MatchAlignment", "VariantGroups", "StockedStores", "ActiveRules", "Matcher+Feedback", "Ranking")]),
]

# Numbers of a layout, which the table before it describes, are no choice of the search.
LAYOUT = re.compile(r"(ByteCount|byteCount|ByteLimit|Offset)$")

# Numbers of these files are of a query, although their folder is one of signatures.
QUERY_FILES = {"PageLayout.swift", "WindowKeypoints.swift", "QueryKeypoints.swift", "QuerySignature.swift", "QueryColors.swift",
               "QuerySignature+Content.swift", "PatchMarks.swift"}

# Where the experiments are with which the numbers of a file were chosen: a section of docs/quality-trials.md, or another page.
EXPERIMENTS = {
    "several-things-in-one-image": [
        "PageLayout", "WindowKeypoints", "WindowStage", "RegionStage", "RegionSearch", "QueryState", "Standings", "ImageClaim", "ContentBounds",
        "MatchAlignment", "MatchedObjects"],
    "keypoints": [
        "PlaneTransform", "Keypoint", "KeypointDetector", "KeypointHash", "QueryKeypoints", "VisualWord", "LumaPyramid", "GeometricCheck", "HashChunkVotes",
        "HashNeighbors", "KeypointVotes", "KeypointVoteStage", "Agreement", "TypeSearch"],
    "patches": ["PatchCheck", "PatchStage"],
    "colors-of-a-thing": [
        "AlignedColor", "AlignedColor+Contradiction", "AlignedColor+Registration", "AlignedColor+Gray", "PlainGround", "PlainPatches",
        "ImageContent", "ColorLayout", "QueryColors", "ImageComparison"],
    "light": ["LightStage", "PixelBuffer+Light"],
    "small-catalogues": ["AppearanceRarity"],
    "several-images-of-one-entity": ["NearestImages"],
    "embeddings": ["StrangerNearness", "VectorTestimony", "EmbeddingContrast", "EmbeddingDirections", "EmbeddingScanStage", "ImageEmbedding"],
    "labels": ["LabelStage", "LabelWordStage"],
    "confidence": ["Calibration", "Calibration+Text", "MeasuredEvidence", "Rivals", "SamePictures"],
    "what-many-products-share": ["Commonness"],
    "lists": ["PossibleEntities"],
}
PAGES = {
    "signature.md": ["ColorHistogram", "TextureHistogram", "HistogramGrade", "PDQHash", "PDQHasher", "PDQCoefficients", "JaroszFilter",
                     "Signature", "SignatureCoding", "QuerySignature", "QuerySignature+Coding", "QueryKeypoints+Coding", "PatchMarks", "PixelWeights"],
    "performance.md#a-search-that-ends-early": ["WholeImageStage", "CopySearch"],
    "performance.md": ["FlatScan", "SegmentScanner", "HashScanStage", "AppearanceScanStage", "GeometryStage", "SearchStage",
                       "Matcher+Preparing"],
    "models.md#asking": ["TextStage", "CodeStage", "UnmatchedCode"],
    "scale.md#engine-mode": ["StoredCandidateStage", "StoredEmbeddingStage"],
    "serve.md#feedback": ["Matcher+Feedback"],
    "serve-reference.md#similar": ["SimilarEntities"],
    "rules.md": ["ActiveRules", "Matcher+Rules"],
    "serve.md": ["Continuation", "Matcher+Continuing", "MatchResponse", "StockedStores", "VariantGroups"],
}

# Decimal numbers without a name: standards (the matrices of Oklab, the curve of sRGB), and parts of a formula that its comment explains.
UNNAMED = {
    "AlignedColor+Gray.swift": "Oklab and sRGB", "OklabPicture.swift": "sRGB", "AlignedColor.swift": "Oklab",
    "PDQCoefficients.swift": "PDQ",
}
# Literals that are arithmetic: halves, ends of shares, sums that begin at nothing, numbers that are no number (tuple fields).
ARITHMETIC = {"0.0", "0.5", "1.0", "2.0"}

DECLARATION = re.compile(
    r"^(?P<indent> *)(?:(?:public|package|private|fileprivate|internal) )?static let "
    r"(?P<names>[A-Za-z]\w*|\([\w, ]+\))(?P<type>: [^=]+?)? =(?P<value>.*)$")
OWNER = re.compile(r"^(?P<indent> *)(?:(?:public|package|private|fileprivate|indirect|final) )*(?:struct|enum|class|extension|actor) (?P<name>[\w.]+)")
DIGIT = re.compile(r"(?<![\w.])-?\d")
LITERAL = re.compile(r"(?<!\w)\d[\d_]*(?:\.\d[\d_]*)?")
DECIMAL = re.compile(r"(?<![\w.$])\d[\d_]*\.\d[\d_]*")


class Number:
    """A declaration: one number, or several in one tuple."""

    def __init__(self, path, line, owner, names, kind, value, text):
        self.path, self.line, self.owner, self.names, self.kind, self.value, self.text = path, line, owner, names, kind, value, text

    @property
    def key(self):
        return f"{self.owner}.{self.names}"

    @property
    def experiment(self):
        stem = self.path.stem
        cited = re.search(r"docs/([\w-]+\.md(?:#[\w-]+)?)", self.text)
        if cited and "#" in cited[1]:
            return cited[1]
        for section, files in EXPERIMENTS.items():
            if stem in files:
                return f"quality-trials.md#{section}"
        for page, files in PAGES.items():
            if stem in files:
                return page
        return cited[1] if cited else None


def value_of(lines, index, first):
    """The value from a line on, up to the end of its brackets."""
    value, depth = first.strip(), 0
    while True:
        depth = sum(value.count(c) for c in "([{") - sum(value.count(c) for c in ")]}")
        if (depth <= 0 and value and value[-1] not in "=,?:+-*/&|") or index + 1 >= len(lines):
            return re.sub(r"\s+", " ", value).strip()
        index += 1
        value += " " + lines[index].strip()


def inherited(name):
    """The description of a number that all stages have, from their protocol."""
    stage = (ROOT / "Sources/VisualQuery/Search/Matching/Stages/SearchStage.swift").read_text(encoding="utf-8")
    found = re.search(rf"((?:^ *///.*\n)+) *static var {name}:", stage, re.M)
    return " ".join(line.strip().lstrip("/ ") for line in found[1].splitlines()) if found else ""


def numbers_of(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    owners, text, found = [], [], []
    for index, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith("///"):
            text.append(stripped[3:].strip())
            continue
        owner = OWNER.match(line)
        if owner:
            depth = len(owner["indent"])
            owners = [o for o in owners if o[0] < depth] + [(depth, owner["name"])]
        match = DECLARATION.match(line)
        if match:
            value = value_of(lines, index, match["value"])
            depth = len(match["indent"])
            name = ".".join(o[1] for o in owners if o[0] < depth)
            if LAYOUT.search(match["names"]):
                text = []
                continue
            is_number = DIGIT.search(re.sub(r'"(?:[^"\\]|\\.)*"', "", value))
            if is_number and "{" not in value and "\"" not in value:
                found.append(Number(path, index + 1, name, match["names"], (match["type"] or "")[1:].strip(), value,
                                    " ".join(text) or inherited(match["names"])))
        if not stripped.startswith("@"):
            text = []
    return found


def files(parts):
    """The files of each part; a file is in the first part that names it."""
    seen = set()
    for title, needs, places in parts:
        own = []
        for place in places:
            path = ROOT / "Sources" / place
            for file in sorted(path.rglob("*.swift")) if path.is_dir() else [path]:
                if file not in seen:
                    own.append(file)
        # A file that a later part names by itself is left to that part.
        named = {ROOT / "Sources" / p for t, _, ps in parts if t != title for p in ps if p.endswith(".swift")}
        own = [f for f in own if f not in named or f in {ROOT / "Sources" / p for p in places}]
        seen.update(own)
        yield title, needs, own


def unnamed(path, numbers):
    """The decimal numbers of a file that no declaration has."""
    lines = path.read_text(encoding="utf-8").splitlines()
    declared, found = set(), []
    for number in numbers:
        rest = number.value.count(" ")
        for line in range(number.line, number.line + 1 + rest):
            declared.add(line)
            if line > number.line and lines[line - 1].strip().endswith(")"):
                break
    for index, line in enumerate(lines, 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', "", line.split("//")[0])
        if index in declared:
            continue
        for literal in DECIMAL.findall(code):
            if literal not in ARITHMETIC and not re.search(r"\$\d\.\d", code):
                found.append((index, literal, line.strip()))
    return found


def sentence(text):
    text = re.sub(r"\s*\(docs/[\w.#-]+[^)]*\)", "", text)
    text = re.sub(r"``([^`]+)``", lambda m: "`" + m[1].split("/")[-1] + "`", text)
    return text.replace("|", "\\|")


def measured_cell(entry, value):
    if entry is None:
        return "", ""
    def cell(side):
        part = entry.get(side)
        if part is None:
            return ""
        if "changed" not in part:
            return f"{part['value']}: impossible"
        counts = (f"{part[k]:+d}" if part[k] else "0" for k in ("first", "shown", "wrong"))
        text = ", ".join(counts) if part["changed"] else "none"
        return f"{part['value']}: {text}"
    stale = "" if entry["value"] == value else f" (when it was {entry['value']})"
    return cell("less") + stale, cell("more") + stale


def coefficients():
    """The tables of the fitted coefficients, how many numbers they have that are not zero, and the number of trees."""
    out, count, trees, text = [], 0, 0, []
    head, columns = None, None
    for line in COEFFICIENTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            text.append(line.lstrip("# "))
        elif line.startswith("["):
            head, columns, about = line.strip("[]"), None, " ".join(text)
            text = []
        elif not line:
            text = []
        elif head == "trees":
            trees += 1
        elif columns is None:
            columns = line.split()
            out += [f"\n*{head}*: {about}\n", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        else:
            name, *numbers = line.split()
            count += sum(float(number) != 0 for number in numbers)
            out.append(f"| `{name}` | " + " | ".join(numbers) + " |")
    return out, count, trees


HEAD = """# The numbers of the search

Made by `docs/ledger.py` from the code, which has each number once, beside what uses it; do not edit this page. CI fails if it is not that of the
code, if a number has no description, or if code has a decimal number without a name, other than halves and the constants of sRGB, Oklab and PDQ.

Each number has its place, its value, what it decides, and where the experiment is with which it was chosen. To try another value, change it there, and compare
`vq eval` before and after on the [tasks](quality.md#all-tasks).
"""

MEASURE = """
*Less* and *more* say how sensitive the answers are: with a value that is a fifth smaller, or a quarter larger (a whole number by at least one, a range moved by
a quarter of its width), how many more first answers are right, how many more right ones are shown, and how many more wrong ones; *none* if no figure of
`vq eval` differs. One or two of so few queries say that a number matters, not which value is better. Empty cells were not measured: {unmeasured}. Measured with
`Benchmarks/quality/sensitivity.py`, {day}, on {tasks}.
"""


def sections(path):
    """The names by which links lead to the sections of a page."""
    heads = [line.lstrip("# ").lower() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    return {re.sub(r"[^\w -]", "", head).strip().replace(" ", "-") for head in heads}


def page():
    measured = json.loads(MEASURED.read_text()) if MEASURED.exists() else None
    out, faults, count, values = [], [], 0, 0
    for place in [f"quality-trials.md#{s}" for s in EXPERIMENTS] + list(PAGES):
        name, _, section = place.partition("#")
        if section and section not in sections(ROOT / "docs" / name):
            faults.append(f"docs/{name} has no section {section}")
    for title, needs, paths in files(PARTS):
        rows = []
        for path in paths:
            numbers = numbers_of(path)
            for number in numbers:
                count += 1
                values += len(LITERAL.findall(number.value))
                place = path.relative_to(ROOT)
                if not number.text:
                    faults.append(f"{place}:{number.line}: {number.names} has no description")
                if number.experiment is None:
                    faults.append(f"{place}:{number.line}: {number.names} has no experiment; add its file to docs/ledger.py")
                    continue
                label = number.experiment.split("#")[-1].replace("-", " ").replace(".md", "")
                row = f"| `{number.key}` | `{number.value}` | {sentence(number.text)} | [{label}]({number.experiment}) |"
                if measured:
                    less, more = measured_cell(measured["numbers"].get(number.key), number.value)
                    row += f" {less} | {more} |"
                rows.append(row)
            for line, literal, code in unnamed(path, numbers):
                if path.name not in UNNAMED:
                    faults.append(f"{path.relative_to(ROOT)}:{line}: {literal} has no name: {code}")
        if rows:
            extra = " less | more |" if measured else ""
            rule = "---|---|" if measured else ""
            out.append(f"\n## {title}\n\nA change needs {needs}.\n\n| number | value | what it decides | experiment |{extra}\n|---|---|---|---|{rule}")
            out += rows
    head = HEAD
    if measured:
        head += MEASURE.format(unmeasured=measured["unmeasured"], day=measured["day"], tasks=measured["tasks"])
    fitted, coefficient_count, trees = coefficients()
    out.append(f"\n## Coefficients of the confidence\n\nFitted on tasks, not chosen one by one: `Sources/CConfidence/files/confidence.txt` has them, and {trees} trees for lists.")
    out += fitted
    head += f"\nThere are {count} declarations with {values} numbers, and {coefficient_count} fitted coefficients that are not zero.\n"
    return head + "\n".join(out) + "\n", faults


def main():
    text, faults = page()
    if "--check" in sys.argv:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            faults.append("docs/search-numbers.md is not that of the code; run docs/ledger.py")
        for fault in faults:
            print(fault, file=sys.stderr)
        if faults:
            sys.exit(1)
        print(text.split("There are ")[1].split(".\n")[0] + ", all described and in docs/search-numbers.md")
    else:
        PAGE.write_text(text, encoding="utf-8")
        for fault in faults:
            print(fault, file=sys.stderr)


if __name__ == "__main__":
    main()
