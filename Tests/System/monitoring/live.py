#!/usr/bin/env python3
"""The board and the alerts over a server that runs: live.py VQ

A real Prometheus watches a server with the rules and the settings of Packaging/monitoring, while photos, damaged photos and unknown paths are
asked, and a run over a feed that was cut off fails. Each expression of the board must be understood and, but for those of parts that this
server lacks, have a value; each rule must be evaluated without an error, and the failed run must be an alert. One line a check; exit code 1 if one fails.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

TOP = pathlib.Path(__file__).parents[3]
VQ = sys.argv[1]
FOLDER = TOP / "Packaging/monitoring"
# Of a server without PostgreSQL, shards, traces and crashes.
LACKING = {"Libraries that were replaced, an hour", "Copies behind PostgreSQL", "Answers that lack a shard", "spans"}
failures = 0


def say(name, holds, detail=""):
    global failures
    failures += not holds
    print(("ok    " if holds else "FAIL  ") + name + ("" if holds else f": {detail}"), flush=True)


def port():
    """A port that is free now."""
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def get(address, **query):
    try:
        with urllib.request.urlopen(f"{address}?{urllib.parse.urlencode(query)}", timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def ask(base, path, body=None):
    try:
        urllib.request.urlopen(urllib.request.Request(base + path, body, {"Content-Type": "image/jpeg"} if body else {}), timeout=60).read()
    except urllib.error.HTTPError:
        pass


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    index, feed = folder / "shop.vq", folder / "feed.jsonl"
    rows = (TOP / "Samples/shop/catalogue.jsonl").read_text().splitlines(True)
    images = ["--images-root", TOP / "Samples/shop", "--index", index, "--quiet"]
    feed.write_text("".join(rows))
    subprocess.run([VQ, "index", feed, *images], check=True)
    log = open(folder / "log", "w")
    server = subprocess.Popen([VQ, "serve", "--index", index, "--port", "0"], stdout=subprocess.PIPE, stderr=log, text=True)
    base = server.stdout.readline().strip().rstrip("/")
    watched = port()
    settings = (FOLDER / "prometheus.yml").read_text()
    settings = settings.replace("15s", "1s").replace("127.0.0.1:8080", base.split("//")[1])
    settings = settings.replace("[alerts.yml]", f"[{FOLDER / 'alerts.yml'}]")
    (folder / "prometheus.yml").write_text(settings)
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
         f"--web.listen-address=127.0.0.1:{watched}"], stdout=log, stderr=log)
    api = f"http://127.0.0.1:{watched}/api/v1"
    try:
        photo = (TOP / "Samples/queries/q06-oats.jpg").read_bytes()
        ends = time.monotonic() + 15
        while time.monotonic() < ends:
            ask(base, "/v1/match", photo)
            ask(base, "/v1/match?labels=nothing", photo[:2000])
            ask(base, "/v1/unknown")
            time.sleep(0.3)
        feed.write_text("".join(rows[:12]))
        failed = subprocess.run([VQ, "index", feed, "--prune-missing", *images], capture_output=True, text=True)
        say("the run over a feed that was cut off fails", failed.returncode == 3, failed.stderr)
        for _ in range(60):
            rules = [rule for group in get(f"{api}/rules")["data"]["groups"] for rule in group["rules"]]
            states = {rule["name"]: rule["state"] for rule in rules}
            if states.get("VisualQueryRunFailed") in ("pending", "firing"):
                break
            time.sleep(1)
        faults = [(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"]
        say(f"{len(rules)} rules are evaluated without an error", not faults and len(rules) > 10, faults)
        say("the failed run is an alert", states.get("VisualQueryRunFailed") in ("pending", "firing"), states)
        others = {name for name, state in states.items() if state == "firing"} - {"VisualQueryRunFailed"}
        say("nothing else is", not others, others)
        board = json.loads((FOLDER / "dashboard.json").read_text())
        count, lacking = 0, []
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                count += 1
                text = target["expr"].replace("$__rate_interval", "10s").replace("$instance", ".*")
                answer = get(f"{api}/query", query=text)
                if answer["status"] != "success":
                    lacking.append((panel["title"], answer["error"]))
                elif not answer["data"]["result"] and not {panel["title"], target["legendFormat"]} & LACKING:
                    lacking.append((panel["title"], target["expr"]))
        say(f"{count} expressions of the board are understood and have values", not lacking and count > 20, lacking)
        # A figure that no panel and no rule shows is one that operators never see.
        text = urllib.request.urlopen(base + "/metrics").read().decode()
        shown = (FOLDER / "dashboard.json").read_text() + (FOLDER / "alerts.yml").read_text()
        unseen = {name for name in re.findall(r"^# TYPE (\w+)", text, re.M) if name not in shown} - {
            "vq_workers", "vq_model_workers", "process_start_time_seconds", "vq_index_last_run_timestamp_seconds"}
        say("each figure of the server is on the board or in a rule", not unseen, unseen)
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        say("the figures follow the rules of Prometheus", checked.returncode == 0 and not checked.stderr, checked.stderr)
    finally:
        for process in (prometheus, server):
            process.terminate()
            process.wait()
sys.exit(failures > 0)
