#!/usr/bin/env python3
"""Draws the plots of README.md and writes its table of recall, from the records in Benchmarks/runs: plots.py [--check]

Writes docs/images/quality.svg, and the table below it, from peers-quality.json, the recall of public tools by Benchmarks/quality/peers.sh, and from
eval-TASK.json, that of vq by `Benchmarks/record.py eval-TASK vq eval TASK/queries.jsonl --index TASK.vq --without-labels --json`.
With --check it writes nothing, and fails if the file or the table differs. The record of the public tools is made by
`Benchmarks/record.py peers-quality Benchmarks/quality/peers.sh copies colourway`, whose row of vq is not used. Standard library only.
"""
import html
import json
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
#: The tasks by the names of their folders, with the titles of their panels.
TASKS = {"copies": "an edited copy, among 767", "colourway": "the right of 4 colors, among 124"}
#: The methods that are drawn, with their names; the table of the record has more.
METHODS = {
    "phash": "imagehash phash", "PDQ, 8 variants": "PDQ, 8 variants", "HSV histogram": "HSV histogram",
    "PDQ + HSV": "PDQ + HSV histogram", "ORB + RANSAC": "OpenCV ORB + RANSAC", "vq": "vq",
}
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1b1c1a; }
.soft { fill: #5c5f58; font-size: 12.5px; } .title { font-weight: 650; font-size: 15px; }
.track { fill: #e7e8e2; } .peer { fill: #b3b9ad; } .strict { fill: #7d8577; } .ours { fill: #5aa68f; } .oursStrict { fill: #0b6b53; }
@media (prefers-color-scheme: dark) {
  text { fill: #eceee8; } .soft { fill: #a7aca0; } .track { fill: #31352e; } .peer { fill: #6b7266; } .strict { fill: #99a192; }
  .ours { fill: #2f8069; } .oursStrict { fill: #5fd0ae; }
}
"""
NAMES, BAR, ROW, PANEL = 190, 240, 34, 340


def recorded(name):
    return json.loads((TOP / f"Benchmarks/runs/{name}.json").read_text())


def recalls():
    """Returns the recall of each method for each task, and at 1 % false positives or None; and where it comes from."""
    peers = recorded("peers-quality")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in peers["output"]]
    found, source = {}, f"peers: commit {peers['commit'][:7]}, {peers['date'][:10]}"
    for row in rows[2:]:
        for task, cell in zip(rows[0][1:], row[1:]):
            first, _, strict = cell.partition(" (")
            found[row[0], task] = (float(first), float(strict.rstrip(")")) if strict else None)
    for task in TASKS:
        ours = recorded(f"eval-{task}")
        found["vq", task] = (ours["output"]["recallAt1"], ours["output"]["recallAt1PercentFalse"])
    return found, f"{source}; vq: commit {ours['commit'][:7]}, {ours['date'][:10]}; without labels"


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>'


def bar(x, y, height, share, kind):
    return (f'<rect x="{x:.0f}" y="{y:.0f}" width="{BAR}" height="{height}" class="track"/>'
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{BAR * share:.1f}" height="{height}" class="{kind}"/>')


def drawing():
    recall, source = recalls()
    height = 64 + ROW * len(METHODS) + 34
    width = NAMES + PANEL * len(TASKS) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        "<title>Share of queries whose first answer is right, of public tools and of vq</title>", f"<style>{STYLE}</style>",
    ]
    for panel, (task, title) in enumerate(TASKS.items()):
        left = NAMES + PANEL * panel
        parts.append(text(left, 22, title, "title"))
        strict = any(recall[method, task][1] is not None for method in METHODS)
        parts.append(text(left, 42, "first answer right; below: at 1 % false positives" if strict else "first answer right", "soft"))
        for row, method in enumerate(METHODS):
            top = 64 + ROW * row
            first, sure = recall[method, task]
            isOurs = method == "vq"
            if panel == 0:
                parts.append(text(NAMES - 12, top + 13, METHODS[method], "title" if isOurs else "", "end"))
            parts.append(bar(left, top, 10, first, "ours" if isOurs else "peer"))
            parts.append(text(left + BAR + 8, top + 10, f"{first:.3f}", "soft"))
            if sure is not None:
                parts.append(bar(left, top + 12, 10, sure, "oursStrict" if isOurs else "strict"))
                parts.append(text(left + BAR + 8, top + 23, f"{sure:.3f}", "soft"))
    parts.append(text(NAMES, height - 10, source, "soft"))
    return "\n".join(parts + ["</svg>"]) + "\n"


#: The methods of README.md's table, with their names there.
TABLE = {
    "phash": "imagehash phash", "PDQ, 8 variants": "PDQ, 8 variants", "PDQ + HSV": "PDQ + HSV histogram",
    "ORB + RANSAC": "OpenCV ORB + RANSAC", "vq": "`vq`, without labels",
}


def table():
    """The table of README.md: recall@1 for each task, and that at 1 % false positives where it was measured."""
    recall, _ = recalls()
    columns = []
    for task, title in TASKS.items():
        columns.append((title, [f"{recall[method, task][0]:.3f}" for method in TABLE]))
        strict = [recall[method, task][1] for method in TABLE]
        if None not in strict:
            columns.append(("the same at 1 % false positives", [f"{share:.3f}" for share in strict]))
    rows = [[name, *(cells[row] for _, cells in columns)] for row, name in enumerate(TABLE.values())]
    def line(cells):
        return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|\n"

    heading = line(["", *(title for title, _ in columns)]) + "|" + "---|" * (1 + len(columns)) + "\n"
    return heading + "".join(line(row) for row in rows)


def with_table(readme):
    """README.md with the table in place of the one below the plot."""
    before, plot, rest = readme.partition("](docs/images/quality.svg)\n\n")
    _, _, after = rest.partition("\n\n")
    return before + plot + table() + "\n" + after


def main():
    readme = TOP / "README.md"
    file = TOP / "docs/images/quality.svg"
    if sys.argv[1:] == ["--check"]:
        if file.read_text() != drawing():
            raise SystemExit(f"{file.relative_to(TOP)} differs from its record; run docs/plots.py")
        if readme.read_text() != with_table(readme.read_text()):
            raise SystemExit("the table of recall in README.md differs from its records; run docs/plots.py")
    elif sys.argv[1:]:
        raise SystemExit(__doc__)
    else:
        file.parent.mkdir(exist_ok=True)
        file.write_text(drawing())
        readme.write_text(with_table(readme.read_text()))


if __name__ == "__main__":
    main()
