#!/usr/bin/env python3
"""The nightly run as systemd runs it: night.py VQ PICTURES

Takes the command, the folders and the exit codes from Packaging/vq-index.service, and nights of a shop whose feed is good, the same again,
faulty, cut off, gone and not named: each night's state must be the one that an operator expects, the report of the day must be there, and the
shop must answer as before after a night that failed. One line a check; exit code 1 if one fails.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

VQ, PICTURES = map(pathlib.Path, sys.argv[1:3])
UNIT = pathlib.Path(__file__).parents[3] / "Packaging/vq-index.service"
failures = 0


def say(name, holds, detail=""):
    global failures
    failures += not holds
    print(("ok    " if holds else "FAIL  ") + name + ("" if holds else f": {detail}"), flush=True)


def values(name):
    return [line.split("=", 1)[1] for line in UNIT.read_text().splitlines() if line.startswith(name + "=")]


def night(folder, feeds, options=""):
    """Runs a night, and returns the state that systemd would give the unit: skipped, success, again or failed."""
    state = folder / "state"
    for part in values("StateDirectory")[0].split():
        (folder / "lib" / part).mkdir(parents=True, exist_ok=True)
    state = folder / "lib/vq"
    environment = {
        "PATH": "/usr/bin:/bin", "VQ_FEEDS": feeds, "VQ_INDEX": str(folder / "shop.vq"), "VQ_INDEX_OPTIONS": options, "STATE_DIRECTORY": str(state)}
    condition = values("ExecCondition")[0].replace("${VQ_FEEDS}", feeds)
    if subprocess.run(["bash", "-c", condition]).returncode != 0:
        return "skipped", "", state
    # systemd writes %% for %, and gives the text between quotation marks as one word.
    script = re.fullmatch(r"/bin/sh -c '(.*)'", values("ExecStart")[0]).group(1).replace("%%", "%").replace("/usr/bin/vq", str(VQ))
    run = subprocess.run(["/bin/sh", "-c", script], env=environment, capture_output=True, text=True, timeout=600)
    good = {"0", *values("SuccessExitStatus")[0].split()}
    again = set(values("RestartForceExitStatus")[0].split())
    code = str(run.returncode)
    return ("success" if code in good else "again" if code in again else "failed"), run.stderr, state


def row(number, **fields):
    return {"type": "product", "id": f"p{number}", "title": f"Lamp {number}", "images": [f"{names[number % len(names)]}"], "price": "9.90 EUR", **fields}


names = sorted(path.name for path in PICTURES.glob("*.jpg"))[:12]
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    feed = folder / "feed.jsonl"

    def write(rows):
        feed.write_text("".join(json.dumps(one) + "\n" for one in rows))

    def entities():
        shown = subprocess.run([VQ, "catalogue", "status", "--json", "--index", folder / "shop.vq"], capture_output=True, text=True)
        return json.loads(shown.stdout)["products"]

    options = f"--images-root {PICTURES}"
    say("no feed is named: nothing happens", night(folder, "")[0] == "skipped")
    rows = [row(number) for number in range(40)]
    write(rows)
    state, said, kept = night(folder, str(feed), options)
    say("the first night", state == "success" and entities() == 40, said)
    reports = list((kept / "reports").glob("20??-??-??.html"))
    say("the report has the day as its name", len(reports) == 1 and "<html" in reports[0].read_text()[:400], reports)
    state, said, _ = night(folder, str(feed), options)
    say("the same again, without a word", state == "success" and not said, said)
    write(rows[:38] + [row(38, price="nothing"), {"type": "product", "id": "p39"}])
    state, said, _ = night(folder, str(feed), options)
    say("a row that is faulty is said, and no failure", state == "success" and "p39" in said, (state, said))
    write(rows[:20])
    state, said, _ = night(folder, str(feed), options)
    say("half of the feed is a failure that says what to do", state == "failed" and "--max-removed" in said, (state, said))
    say("the shop keeps what it had", entities() == 40, entities())
    feed.unlink()
    state, said, _ = night(folder, str(feed), options)
    say("a feed that is gone is a failure", state == "failed" and str(feed) in said, (state, said))
    say("the shop keeps what it had, again", entities() == 40, entities())
    page = reports[0].read_text()
    say("the report of the day is the one of the last night", "feed.jsonl" in page, page[:200])
    write(rows)
    say("the next good night is one", night(folder, str(feed), options)[0] == "success" and entities() == 40)
sys.exit(failures > 0)
