#!/usr/bin/env python3
"""Reads the reports of the command line in headless Chromium: reports.py VQ OUTPUT

Writes the reports of `vq eval`, `match`, `why-not` and `doctor` for the sample shop, opens them as files, sorts and filters by
the keyboard alone, looks for errors and for what is asked of others, and puts screenshots into the folder OUTPUT: light and
dark, 1280 and 390 pixels wide. Standard library only.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from webdriver import Checks, browser_session

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "Samples"
TAB, ENTER = "\ue004", "\ue007"


def asked(folder):
    """Writes the sample queries with one that is answered wrong: of the photo of two things, the smaller one is expected. Returns the file."""
    rows = [json.loads(line) for line in open(SAMPLES / "queries/queries.jsonl")]
    for row in rows:
        row["image"] = str(SAMPLES / "queries" / row["image"])
        if row["query"] == "q06-oats":
            row["truth"] = ["coffee-tin"]
    path = pathlib.Path(folder) / "queries.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def written(vq, folder):
    """Writes the reports; returns their names."""
    index = ["--index", f"{folder}/shop.vq"]

    def run(*words, status=0):
        done = subprocess.run([vq, *map(str, words), *index], capture_output=True, text=True)
        if done.returncode != status:
            raise SystemExit(f"vq {words[0]} ended with {done.returncode}: {done.stderr}")
    run("index", SAMPLES / "shop/catalogue.jsonl", "--quiet")
    queries = SAMPLES / "queries"
    run("eval", asked(folder), "--without-labels", "--quiet", "--report", f"{folder}/eval.html")
    run("match", *sorted(queries.glob("*.jpg")), "--report", f"{folder}/match.html")
    run("why-not", queries / "q03-bottle.jpg", "--expect", "bottle-orange", "--report", f"{folder}/why-not.html")
    run("doctor", "--report", f"{folder}/doctor.html")
    return ["eval", "match", "why-not", "doctor"]


def look(browser, name, output, check):
    """Takes the screenshots of an open report, and checks what holds for every one."""
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for width in (1280, 390):
            browser.resize(width, 900)
            browser.screenshot(os.path.join(output, f"report-{name}-{scheme}-{width}.png"))
            wide = browser.run("return document.documentElement.scrollWidth")
            check(f"{name}: nothing is wider than {width} pixels", wide <= width, wide)
    names = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    check(f"{name}: nothing is asked of anyone", all(one.startswith("data:") for one in names), names)
    bad = [entry["message"] for entry in browser.call("POST", "/se/log", {"type": "browser"})]
    check(f"{name}: the console is empty", not bad, bad)
    style = browser.run("return getComputedStyle(document.body).fontFamily")
    check(f"{name}: the policy lets its own style in", "system-ui" in style, style)
    unnamed = browser.run("return [...document.querySelectorAll('svg[role=img]')].filter((one) => !one.ariaLabel).length")
    check(f"{name}: every drawing has a name", unnamed == 0, unnamed)


def evaluation(browser, check):
    """Reads the report of an evaluation as a person does, without a mouse."""
    browser.resize(1280, 900)
    drawn = browser.run("""
        const card = document.querySelector('.card');
        const picture = card.querySelector('.drawing').getBoundingClientRect();
        const outline = card.querySelector('.outline').getBoundingClientRect();
        return [card.querySelector('h3').textContent, card.querySelectorAll('h4').length, picture.width, outline.width,
                outline.left - picture.left, card.querySelectorAll('.pair').length]""")
    check("the worst miss is the photo of two things, beside both",
          drawn[0] == "q06-oats" and drawn[1] == 2 and drawn[2] > 300, drawn)
    check("the thing is outlined in it, and its keypoints lead to the catalogue's image",
          20 < drawn[3] < drawn[2] / 2 and drawn[4] > 0 and drawn[5] > 10, drawn)
    plots = browser.run("return document.querySelectorAll('.plot').length")
    check("reliability and distributions are drawn", plots == 2, plots)
    rows = "return [...document.querySelectorAll('.sortable tbody tr')].filter((row) => !row.hidden).map((row) => row.cells[%d].textContent)"
    check("every query has a row", len(browser.run(rows % 0)) == 10)
    browser.run("document.querySelectorAll('.sortable th button')[4].focus()")
    browser.keys(ENTER)
    found = [float(cell) for cell in browser.run(rows % 4)]
    check("Enter sorts by confidence", found == sorted(found) and found[0] < found[-1], found)
    browser.keys(ENTER)
    check("and once more the other way", [float(cell) for cell in browser.run(rows % 4)] == found[::-1])
    order = browser.run("return document.querySelectorAll('.sortable th')[4].ariaSort")
    check("the order is told to who does not see it", order == "descending", order)
    browser.run("document.querySelector('.words').focus()")
    browser.keys(*"belowcut")
    names = browser.run(rows % 0)
    check("words filter the rows", 0 < len(names) < 10 and "q06-oats" not in names, names)
    count = browser.run("return document.querySelector('.count').textContent")
    check("their number is told", count == f"{len(names)} of 10 rows", count)
    browser.keys(TAB)
    reached = browser.run("return document.activeElement.className")
    check("Tab leads to the kinds", reached == "kinds", reached)
    browser.run("""
        const words = document.querySelector('.words');
        words.value = '';
        words.dispatchEvent(new Event('input'));
        const kinds = document.querySelector('.kinds');
        kinds.value = 'wrong and shown';
        kinds.dispatchEvent(new Event('change'))""")
    check("a kind filters them, too", browser.run(rows % 0) == ["q06-oats"], browser.run(rows % 0))
    browser.run("document.querySelector('summary').focus()")
    browser.keys(ENTER)
    bars = browser.run("return document.querySelectorAll('details[open] .bar').length")
    check("Enter opens the evidence, a bar for each term", bars >= 5, bars)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    vq, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    check = Checks()
    with tempfile.TemporaryDirectory() as folder, browser_session() as browser:
        for name in written(vq, folder):
            browser.call("POST", "/url", {"url": f"file://{folder}/{name}.html"})
            look(browser, name, output, check)
            if name == "eval":
                evaluation(browser, check)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
