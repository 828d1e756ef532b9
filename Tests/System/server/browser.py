#!/usr/bin/env python3
"""Drives the demo page in headless Chromium: browser.py URL PICTURE OUTPUT --expect TITLE

Drops PICTURE on the page, reads the first card, searches by the keyboard alone, looks for what leaves the
origin, and puts screenshots into the folder OUTPUT. Standard library only; Debian's chromium and
chromium-driver do the rest.
"""
import argparse
import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

DROP = """
const [data, type] = arguments;
const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
const transfer = new DataTransfer();
transfer.items.add(new File([bytes], "photo", { type }));
for (const name of ["dragenter", "dragover", "drop"]) {
  document.getElementById("drop").dispatchEvent(
    new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: transfer }));
}
"""


class Browser:
    """A session of the WebDriver protocol (W3C)."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]}
        value = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += f"/session/{value['sessionId']}"

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()}") from None

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height):
        # The window has edges: what counts is the page.
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def wait(self, what, script):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError(f"{what} did not come within 10 s")

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))


class Checks:
    def __init__(self):
        self.failures = 0

    def __call__(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds


def look(browser, arguments, check):
    browser.resize(1280, 900)
    browser.call("POST", "/url", {"url": arguments.url})
    with open(arguments.picture, "rb") as file:
        data = file.read()
    kind = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
    browser.run(DROP, base64.b64encode(data).decode(), kind)
    browser.wait("a card", "return document.querySelector('.card .title')")
    title = browser.run("return document.querySelector('.card .title').textContent")
    check("the first card is what the picture shows", title == arguments.expect, title)
    confidence = browser.run("return document.querySelector('.card .confidence').textContent")
    check("it says how sure it is", confidence.rstrip(" %").isdigit(), confidence)
    status = browser.run("return document.getElementById('status').textContent")
    check("the status names it", arguments.expect in status, status)
    check("the status is read out", browser.run(
        "return document.getElementById('status').getAttribute('aria-live')") == "polite")
    width = browser.wait("the thumbnail", """
        const image = document.querySelector('.card img.thumbnail');
        return image?.complete && image.naturalWidth""")
    check("the thumbnail is shown", width > 0, width)
    box = browser.run("""
        const box = document.getElementById('region').getBoundingClientRect();
        const picture = document.getElementById('picture').getBoundingClientRect();
        return [box.width, box.height, box.left - picture.left, picture.right - box.right]""")
    check("the matched region is drawn in the picture",
          box[0] > 10 and box[1] > 10 and box[2] >= -4 and box[3] >= -4, box)
    link = browser.run("return document.querySelector('.card a.link')?.href")
    check("the card has its link", (link or "").startswith("https://"), link)
    browser.run("document.querySelector('.card details.why').open = true")
    rows = browser.run("return document.querySelectorAll('.card details.why')[0].querySelectorAll('tbody tr').length")
    check("it says why, a bar a term", rows >= 5, rows)
    for name, scheme in (("light-1280", "light"), ("dark-1280", "dark")):
        browser.devtools("Emulation.setEmulatedMedia",
                         features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.screenshot(os.path.join(arguments.output, name + ".png"))
    for width in (1280, 360):
        browser.resize(width, 900)
        wide = browser.run("return document.documentElement.scrollWidth")
        check(f"nothing is wider than a page of {width} pixels", wide <= width, wide)
    browser.devtools("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "light"}])
    browser.screenshot(os.path.join(arguments.output, "light-360.png"))


def by_keyboard(browser, arguments, check):
    browser.resize(1280, 900)
    browser.call("POST", "/url", {"url": arguments.url})
    tab, enter = "\ue004", "\ue007"
    reached = []
    for _ in range(12):
        browser.keys(tab)
        reached.append(browser.run("return document.activeElement.id"))
        if reached[-1] == "labels":
            break
    check("labels, file and camera are reached with Tab",
          {"file", "camera", "labels"} <= set(reached), reached)
    browser.keys(*"drinkware", enter)
    browser.wait("an answer to labels", "return document.querySelector('.card')")
    titles = browser.run("return [...document.querySelectorAll('.title')].map((one) => one.textContent)")
    check("labels alone give what has them", any("mug" in title.lower() for title in titles), titles)
    browser.run("document.getElementById('more').focus()")
    browser.keys(enter)
    browser.wait("more results", f"return document.querySelectorAll('.card').length > {len(titles)}")
    check("more results are put behind", browser.run(
        f"return document.querySelectorAll('.card')[{len(titles)}].contains(document.activeElement)"))
    browser.run("document.getElementById('labels').value = ''")
    browser.run(DROP, base64.b64encode(b"no picture at all").decode(), "image/jpeg")
    problem = browser.wait("a problem", """
        const problem = document.getElementById('problem');
        return !problem.hidden && problem.textContent""")
    check("what is no picture is said to be none", "not supported" in problem, problem)


def leaves_nothing(browser, arguments, check):
    origin = browser.run("return location.origin")
    names = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
    away = [name for name in names if not name.startswith((origin, "blob:" + origin))]
    check("nothing is asked of other servers", not away, away)
    entries = browser.call("POST", "/se/log", {"type": "browser"})
    bad = [entry["message"] for entry in entries
           if entry["level"] == "SEVERE" and "status of 4" not in entry["message"]]
    check("the console has no error and no violation of the policy", not bad, bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("picture")
    parser.add_argument("output")
    parser.add_argument("--expect", required=True, metavar="TITLE")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
    check = Checks()
    browser = None
    try:
        for _ in range(100):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.1)
        browser = Browser(port)
        look(browser, arguments, check)
        by_keyboard(browser, arguments, check)
        leaves_nothing(browser, arguments, check)
    finally:
        if browser:
            with contextlib.suppress(Exception):
                browser.call("DELETE", "")
        driver.kill()
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
