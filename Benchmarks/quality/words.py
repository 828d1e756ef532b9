#!/usr/bin/env python3
"""Makes a task of images with words beside them from one whose products are variants: "in green" beside the image of a red one.

    words.py TASK OUT [--groups | --titles] [--absent]

TASK is a folder with catalogue.jsonl and queries.jsonl, as `vq eval` reads them, whose ids are NAME-VARIANT: v00-blue, mh01-black. OUT
gets both files. A query asks for another variant of what its image shows, drawn by a fixed seed. The variants are told by the
field `group` and the attribute `color`, or with --titles by the titles only. With --absent, every second name is left out of the
catalogue, and the queries are those of the names that are left out, so that none has a right answer.
"""
import json
import pathlib
import random
import sys

# The hues of the task colourway, by which its ids end.
HUES = {"0": "red", "45": "orange", "90": "green", "135": "teal"}


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def parts(name):
    """The name and the variant of an id, or of a query such as q-v00-blue-crop20.jpg."""
    words = name.removeprefix("q-").split("-")
    return words[0], HUES.get(words[1], words[1])


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    folders = [pathlib.Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    if len(folders) != 2 or not set(options) <= {"--groups", "--titles", "--absent"}:
        sys.exit(__doc__)
    task, out = folders
    draw = random.Random(7)
    entities = rows(task / "catalogue.jsonl")
    siblings = {}
    for entity in entities:
        name, variant = parts(entity["id"])
        siblings.setdefault(name, []).append((entity["id"], variant))
        if "--titles" in options:
            entity.pop("group", None)
            entity["title"] = f"{name} {variant}"
        else:
            entity.update(group=name, attributes={"color": variant})
    names = sorted(siblings)
    gone = set(names[::2]) if "--absent" in options else set()
    variants = sorted({variant for name in names if name not in gone for _, variant in siblings[name]})
    queries = []
    for query in rows(task / "queries.jsonl"):
        name, _ = parts(query["query"])
        others = [sibling for sibling in siblings.get(name, []) if sibling[0] not in query["truth"]]
        if gone:
            if name in gone:
                queries.append(query | {"truth": [], "text": f"in {draw.choice(variants)}", "edit": "absent"})
        elif others:
            meant, variant = draw.choice(others)
            edit = "there" if query["truth"] else "removed"
            queries.append(query | {"truth": [meant], "text": f"in {variant}", "edit": edit})
    out.mkdir(parents=True, exist_ok=True)
    kept = [entity for entity in entities if parts(entity["id"])[0] not in gone]
    for file, lines in [("catalogue.jsonl", kept), ("queries.jsonl", queries)]:
        (out / file).write_text("".join(json.dumps(line) + "\n" for line in lines))


main()
