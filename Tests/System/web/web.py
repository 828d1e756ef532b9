#!/usr/bin/env python3
"""The search by photo on a shop's own page, in a browser: web.py VQ INDEX AXE SCREENSHOTS

The sample page is served from an origin of its own. A visitor chooses, drops and pastes photos, taps a thing, draws around one, takes a part from the list,
adds words, opens a card, says that nothing fits, sends what is no image, and loses the connection; in English and German, light and dark, at four widths.
One line a check; exit code 1 if one fails.
"""
import base64
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading

TOP = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(TOP / "Tests/System/server"))
from webdriver import Checks, browser_session  # noqa: E402

VQ, INDEX, AXE, SCREENSHOTS = sys.argv[1:5]
check = Checks()
ELEMENT = "document.querySelector('visual-query-search')"
ROOT = ELEMENT + ".shadowRoot"


def photo(name):
    return base64.b64encode((TOP / "Samples/queries" / name).read_bytes()).decode()


FILE = """
const [data, how, kind] = arguments;
const element = document.querySelector('visual-query-search'), root = element.shadowRoot;
const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
const transfer = new DataTransfer();
transfer.items.add(new File([bytes], 'photo.jpg', { type: kind }));
if (how === 'choose') {
  root.querySelector('input[type=file]').files = transfer.files;
  root.querySelector('input[type=file]').dispatchEvent(new Event('change'));
} else if (how === 'drop') {
  root.querySelector('dialog').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
} else {
  element.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: transfer }));
}
"""


class Site:
    """The sample page with the address of a service and a key."""

    def __init__(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                text = (TOP / "Samples/web/index.html").read_text()
                text = text.replace("http://127.0.0.1:8080", site.service).replace("<visual-query-search", f'<visual-query-search key="{site.key}"')
                if self.path.startswith("/de"):
                    text = text.replace('<html lang="en">', '<html lang="de">')
                body = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def cards(browser):
    return browser.run(f"""return [...{ROOT}.querySelectorAll('li')].map((card) => ({{
        title: card.querySelector('b').textContent, link: card.querySelector('a')?.href ?? null, group: card.closest('section').querySelector('h3').textContent }}))""")


def status(browser):
    return browser.run(f"return {ROOT}.querySelector('[role=status]').textContent")


def settled(browser):
    return browser.wait("the answer", f"const text = {ROOT}.querySelector('[role=status]').textContent; return !/^Search|^Such/.test(text) && text")


def accessible(browser, name, dark=False):
    """The violations that axe finds, with the dialog open."""
    browser.run((pathlib.Path(AXE)).read_text())
    browser.run("window.found = null; axe.run(document, { resultTypes: ['violations'] }).then((answer) => { window.found = answer.violations; })")
    found = browser.wait("axe", "return window.found && { violations: window.found }")["violations"]
    check(f"axe finds nothing at {name}", not found, [(one["id"], one["nodes"][0]["html"][:120]) for one in found])


with tempfile.TemporaryDirectory() as folder:
    site = Site()
    keys = f"{folder}/keys.txt"
    site.key = subprocess.run([VQ, "key", keys, "--name", "web", "--role", "app"], capture_output=True, text=True, check=True).stdout.strip()
    server = subprocess.Popen([VQ, "serve", "--index", INDEX, "--port", "0", "--keys", keys, "--numbers", "--deadline", "10000", "--max-deadline", "10000",
                               "--allow-origin", site.address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    site.service = server.stdout.readline().strip().rstrip("/")
    try:
        with browser_session() as browser:
            browser.open(site.address + "/")
            browser.wait("the element", f"return Boolean({ELEMENT}?.shadowRoot)")
            browser.run("window.seen = []; for (const name of ['vq-answer', 'vq-open', 'vq-none', 'vq-error']) "
                        "document.addEventListener(name, (event) => window.seen.push(name));"
                        "const own = window.fetch; window.sent = []; window.fetch = (address, options) => { window.sent.push([String(address), options]); return own(address, options); };")
            check("the button has a name", browser.run(f"return {ROOT}.querySelector('.open').getAttribute('aria-label')") == "Search with a photo")
            browser.run(f"{ROOT}.querySelector('.open').click()")
            check("it opens a dialog", browser.run(f"return {ROOT}.querySelector('dialog').open"))
            browser.run(FILE, photo("q06-oats.jpg"), "choose", "image/jpeg")
            said = settled(browser)
            shown = cards(browser)
            check("a photo that is chosen is answered", "Honey oats" in [card["title"] for card in shown] and "result" in said, (said, shown))
            check("cards open the shop's pages", any(card["link"] and "/oats" in card["link"] for card in shown), shown)
            browser.wait("thumbnails", f"return [...{ROOT}.querySelectorAll('li img')].filter((image) => image.naturalWidth > 0).length >= 2")
            check("cards have images", True)
            sent = browser.run("return window.sent.map(([address, options]) => [address, options?.headers?.Authorization ?? null])")
            check("the key goes to the service alone", all((key is not None) == address.startswith(site.service) for address, key in sent), sent)
            size = browser.run("window.bytes = null; window.sent.find(([address]) => address.endsWith('/v1/match'))[1].body.get('image').arrayBuffer()"
                               ".then((bytes) => { window.bytes = [...new Uint8Array(bytes)]; })")
            sent = bytes(browser.wait("the bytes", "return window.bytes"))
            check("what is sent is a small JPEG without EXIF", sent[:2] == b"\xff\xd8" and b"Exif" not in sent and len(sent) < 500_000, len(sent))
            things = browser.run(f"return [...{ROOT}.querySelectorAll('.thing')].map((thing) => thing.getAttribute('aria-label'))")
            check("the things of the photo have numbers", things == ["Thing 1", "Thing 2"], things)
            browser.run(f"{ROOT}.querySelectorAll('.thing')[1].click()")
            only = [card["title"] for card in cards(browser)]
            check("a thing that is tapped has its cards alone", 0 < len(only) < len(shown) and "Honey oats" not in only, only)
            browser.run(f"{ROOT}.querySelectorAll('.thing')[1].click()")
            check("tapped again, all cards are there", len(cards(browser)) == len(shown))
            browser.run(f"{ROOT}.querySelector('select').value = '1'; {ROOT}.querySelector('form').requestSubmit()")
            browser.wait("the part", "return window.seen.filter((name) => name === 'vq-answer').length === 2")
            titles = [card["title"] for card in cards(browser)]
            check("a part from the list is searched alone", "Honey oats" in titles and len(titles) < len(shown), titles)
            box = browser.run(f"const box = {ROOT}.querySelector('figure').getBoundingClientRect(); return [box.left, box.top, box.width, box.height]")
            moves = [{"type": "pointerMove", "duration": 100, "x": round(box[0] + x * box[2]), "y": round(box[1] + y * box[3])} for x, y in ((0.98, 0.98), (0.7, 0.4))]
            browser.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                         "actions": [moves[0], {"type": "pointerDown", "button": 0}, moves[1], {"type": "pointerUp", "button": 0}]}]})
            browser.wait("what is drawn around", "return window.seen.filter((name) => name === 'vq-answer').length === 3")
            titles = [card["title"] for card in cards(browser)]
            part = browser.run(f"return {ROOT}.querySelector('select').selectedOptions[0].textContent")
            check("what is drawn around is searched alone, and said", "Honey oats" not in titles and part == "as drawn", (titles, part))
            browser.run(f"{ELEMENT}.addEventListener('click', (event) => event.preventDefault()); {ROOT}.querySelector('li a').click()")
            check("a card that is opened is told", browser.run("return window.seen.includes('vq-open')"))
            counted = browser.wait("the event", "return window.sent.some(([address]) => address.endsWith('/v1/events'))")
            browser.run(f"[...{ROOT}.querySelectorAll('button')].find((button) => button.textContent === 'None of these').click()")
            check("none of these is told, and thanked for", browser.run("return window.seen.includes('vq-none')") and status(browser) == "Thank you.")
            for width in (320, 390, 768, 1280):
                browser.resize(width, 800)
                check(f"nothing is cut off at {width} pixels", browser.run(f"const dialog = {ROOT}.querySelector('dialog'); return dialog.scrollWidth <= dialog.clientWidth"
                                                                           " && document.documentElement.scrollWidth <= innerWidth"))
                small = browser.run(f"""return [...{ROOT}.querySelectorAll('dialog button, dialog select, dialog a')].map((one) => [one.className || one.tagName, one.getBoundingClientRect()])
                    .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24)).map(([name]) => name)""")
                check(f"what can be tapped has 24 pixels at {width}", not small, small)
                if width in (320, 1280):
                    accessible(browser, f"{width} pixels")
                browser.screenshot(f"{SCREENSHOTS}/web-{width}.png")
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            accessible(browser, "1280 pixels, dark")
            browser.screenshot(f"{SCREENSHOTS}/web-dark.png")
            browser.devtools("Emulation.setEmulatedMedia", features=[])
            browser.run(f"{ROOT}.querySelector('.bar button').click()")
            check("closed, the photo is forgotten", browser.run(f"return !{ROOT}.querySelector('dialog').open && !{ROOT}.querySelector('figure img')"))
            browser.run(FILE, photo("q01-mug.jpg"), "paste", "image/jpeg")
            settled(browser)
            check("a photo that is pasted is answered", "Camp mug" in [card["title"] for card in cards(browser)], cards(browser))
            browser.run(f"{ROOT}.querySelector('input[type=search]').value = 'in blue'; {ROOT}.querySelector('form').requestSubmit()")
            browser.wait("the words", "return window.seen.filter((name) => name === 'vq-answer').length === 5")
            browser.run(FILE, photo("q08-lantern.jpg"), "drop", "image/jpeg")
            browser.wait("the drop", "return window.seen.filter((name) => name === 'vq-answer').length === 6")
            check("a photo that is dropped is answered", "Storm lantern" in [card["title"] for card in cards(browser)], cards(browser))
            browser.run(FILE, base64.b64encode(b"no image").decode(), "choose", "image/jpeg")
            browser.wait("the error", "return window.seen.includes('vq-error')")
            check("what is no image is said", "cannot be read" in status(browser), status(browser))
            answer = browser.run(f"{ELEMENT}.setAttribute('key', 'wrong')")
            browser.run(FILE, photo("q01-mug.jpg"), "choose", "image/jpeg")
            browser.wait("the refusal", "return window.seen.filter((name) => name === 'vq-error').length === 2")
            check("a key that is refused is a sentence of the service", len(status(browser)) > 10 and "401" not in status(browser), status(browser))
            browser.open(site.address + "/de")
            browser.wait("the element", f"return Boolean({ELEMENT}?.shadowRoot)")
            check("a German page is German", browser.run(f"return {ROOT}.querySelector('.open').getAttribute('aria-label')") == "Mit einem Foto suchen")
            server.terminate()
            server.wait()
            browser.run(FILE, photo("q01-mug.jpg"), "paste", "image/jpeg")
            said = settled(browser)
            check("a service that is away is said in German", "nicht erreichbar" in said, said)
    finally:
        server.kill()
        server.wait()
sys.exit(check.failures > 0)
