"""A session of the WebDriver protocol with headless Chromium, for the tests of pages. Standard library only."""
import base64
import contextlib
import json
import socket
import subprocess
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

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def element(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def click(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/click", {})

    def write(self, selector, text):
        self.call("POST", f"/element/{self.element(selector)}/value", {"text": text})

    def drag(self, selector, start, end):
        """Drags from one place to another; places are shares of the element's sides."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", selector)
        left, top, width, height = self.run("""
            const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return [box.left, box.top, box.width, box.height]""", selector)
        places = [(round(left + x * width), round(top + y * height)) for x, y in (start, end)]
        moves = [{"type": "pointerMove", "duration": 100, "x": x, "y": y} for x, y in places]
        self.call("POST", "/actions", {"actions": [{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
            "actions": [moves[0], {"type": "pointerDown", "button": 0}, moves[1], {"type": "pointerUp", "button": 0}]}]})

    def drop(self, path):
        with open(path, "rb") as file:
            data = file.read()
        kind = "image/png" if data.startswith(b"\x89PNG") else "image/jpeg"
        self.run(DROP, base64.b64encode(data).decode(), kind)

    def wait(self, what, script, *arguments):
        end = time.monotonic() + 40
        while time.monotonic() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError(f"{what} did not come within 40 s")

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))


class Checks:
    def __init__(self):
        self.failures = 0

    def __call__(self, what, holds, found=""):
        print("ok   " if holds else "FAIL ", what, "" if holds else f"(found {found!r})", flush=True)
        self.failures += not holds


@contextlib.contextmanager
def browser_session():
    """A browser that ends with the block."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
    browser = None
    try:
        for _ in range(100):
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.1)
        browser = Browser(port)
        yield browser
    finally:
        if browser:
            with contextlib.suppress(Exception):
                browser.call("DELETE", "")
        driver.kill()
