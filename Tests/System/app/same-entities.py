#!/usr/bin/env python3
"""Compares the entities that 'vq codegen app-intents' writes with those of the sample client.

usage: same-entities.py GENERATED SAMPLE...

Everything that the sample's entities declare to the system must be in the generated source, too: conformances, properties with their
attributes, functions, and what Shortcuts can filter and sort by. Names of local variables may differ.
"""
import pathlib
import re
import sys

PATTERNS = [
    r"(?:struct|enum|extension) \w+: [^{]+\{",
    r"@(?:Property|ComputedProperty)\([^)]*\)",
    r"var \w+: [\w?]+",
    r"func \w+\([^)]*\) async throws -> [^{]+\{",
    r"static (?:var|let) \w+",
    r"\b(?:Property|SortableBy)\(\\\w+\.\$\w+\)",
    r"\b\w+Comparator \{ \(\w+: [\w?]+\) in PropertyQuestion\.Comparator\(\"\w+\", \.\w+",
    r"case \w+(?:, \w+)*",
    r'\.\w+: "[^"]+"',
    r'URLRepresentation \{ "[^"]+"',
]


def declared(path):
    # Not the slashes of addresses.
    text = re.sub(r"(?<!:)//[^\n]*", "", path.read_text())
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"Comparator \{ \(\w+:", "Comparator { (value:", text)
    return {found.strip() for pattern in PATTERNS for found in re.findall(pattern, text)}


def main():
    generated = declared(pathlib.Path(sys.argv[1]))
    sample = set().union(*(declared(pathlib.Path(path)) for path in sys.argv[2:]))
    missing = sorted(sample - generated)
    if len(sample) < 50:
        missing.append(f"only {len(sample)} declarations were found in the sample")
    for name in missing:
        print(f"codegen: not in the generated source: {name}", file=sys.stderr)
    sys.exit(1 if missing else 0)


main()
