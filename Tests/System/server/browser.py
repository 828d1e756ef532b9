#!/usr/bin/env python3
"""Drives the page in headless Chromium: browser.py URL PICTURE OUTPUT --expect TITLE --id ID [--key KEY]

Drops PICTURE, which shows the product TITLE with the id ID of the sample shop, on the page; searches with a part of it,
browses, evaluates, and uses the page by the keyboard alone. With a key that may write it also corrects an answer and
undoes that, adds a label to the bridge, edits and tries rules, and looks at the numbers. Looks for what leaves the origin,
and puts screenshots into the folder OUTPUT. Standard library only; Debian's chromium and chromium-driver do the rest.
"""
import argparse
import base64
import os
import sys

from webdriver import DROP, Checks, browser_session

TAB, ENTER, RIGHT = "\ue004", "\ue007", "\ue014"
#: The largest page with all its files, in bytes.
SIZE_LIMIT = 200_000


def look(browser, arguments, check):
    browser.resize(1280, 900)
    browser.open(arguments.url)
    browser.drop(arguments.picture)
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
    buttons = browser.run("return document.querySelectorAll('.verdict, #missing:not([hidden])').length")
    check("answers can be corrected where the server takes feedback", (buttons > 0) == bool(arguments.key), buttons)
    rows = browser.run("return document.querySelectorAll('.card details.why')[0].querySelectorAll('tbody tr').length")
    check("it says why, a bar a term", rows >= 5, rows)
    browser.run("fetch('v1/schema?locale=en').then((one) => one.json()).then((schema) => { window.words = schema.enumerations; })")
    raw = browser.wait("the words of the schema", """
        if (!window.words) return null;
        const known = (name) => Object.values(window.words[name]);
        const kinds = [...document.querySelectorAll('.card .why tbody th')].map((cell) => cell.textContent);
        const tier = document.querySelector('.card .tier:not(.doubt)').textContent;
        return { unknown: kinds.filter((kind) => !known('evidence').includes(kind)), tier, isKnown: known('tier').includes(tier) }""")
    check("values have the words of the schema", raw["unknown"] == [] and raw["isKnown"], raw)
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
    browser.open(arguments.url)
    reached = []
    for _ in range(30):
        browser.keys(TAB)
        reached.append(browser.run("return document.activeElement.id"))
        if reached[-1] == "labels":
            break
    check("labels, file and camera are reached with Tab",
          {"file", "camera", "labels"} <= set(reached), reached)
    browser.keys(*"drinkware", ENTER)
    browser.wait("an answer to labels", "return document.querySelector('.card')")
    titles = browser.run("return [...document.querySelectorAll('.title')].map((one) => one.textContent)")
    check("labels alone give what has them", any("mug" in title.lower() for title in titles), titles)
    browser.run("document.getElementById('more').focus()")
    browser.keys(ENTER)
    browser.wait("more results", f"return document.querySelectorAll('.card').length > {len(titles)}")
    check("more results are put behind", browser.run(
        f"return document.querySelectorAll('.card')[{len(titles)}].contains(document.activeElement)"))
    browser.run("document.getElementById('labels').value = ''")
    browser.run(DROP, base64.b64encode(b"no picture at all").decode(), "image/jpeg")
    problem = browser.wait("a problem", """
        const problem = document.getElementById('problem');
        return !problem.hidden && problem.textContent""")
    check("what is no picture is said to be none", "not supported" in problem, problem)


def takes_a_sample(browser, arguments, check):
    browser.open(arguments.url)
    browser.wait("pictures to try", "return document.querySelectorAll('.sample img').length >= 3")
    names = browser.run("return [...document.querySelectorAll('.sample')].map((one) => one.getAttribute('aria-label'))")
    check("pictures to try have names", all(name and "image of" in name for name in names), names)
    browser.click(".sample")
    browser.wait("the answer to a picture to try", "return document.querySelector('.card .title')")
    wanted = names[0].split("image of ")[1]
    titles = browser.run("return [...document.querySelectorAll('.card .title')].map((one) => one.textContent)")
    check("a picture to try finds what it shows", wanted in titles, titles)


def crops(browser, arguments, check):
    browser.resize(1280, 900)
    browser.open(arguments.url)
    browser.drop(arguments.picture)
    browser.wait("a card", "return document.querySelector('.card .title')")
    browser.run("""
        window.regions = [];
        const ask = window.fetch;
        window.fetch = (path, options) => {
          const part = options?.body instanceof FormData && options.body.get("request");
          if (part) part.text().then((text) => window.regions.push(JSON.parse(text).region ?? null));
          return ask(path, options);
        };""")
    browser.drag("#picture", (0.1, 0.1), (0.9, 0.95))
    region = browser.wait("a search with a part", "return window.regions.at(-1)")
    check("the part is where it was dragged",
          all(abs(a - b) < 0.03 for a, b in zip(region, (0.1, 0.1, 0.8, 0.85))), region)
    browser.wait("an answer to a part", "return document.querySelector('.card .title')")
    title = browser.run("return document.querySelector('.card .title').textContent")
    check("a part finds what it shows", title == arguments.expect, title)
    box = browser.run("""
        const part = document.getElementById('crop').getBoundingClientRect();
        const found = document.getElementById('region').getBoundingClientRect();
        return [found.left - part.left, found.top - part.top, part.right - found.right, part.bottom - found.bottom]""")
    check("what is found is drawn within the part", min(box) > -5, box)
    browser.click("#part summary")
    browser.click("#whole")
    browser.wait("a search with the whole", "return window.regions.at(-1) === null")
    browser.run("document.getElementById('left').focus()")
    browser.keys(*[RIGHT] * 5)
    region = browser.wait("a part by the keyboard", "return window.regions.at(-1)?.[0] === 0.05 && window.regions.at(-1)")
    check("an edge is moved by the keyboard", region == [0.05, 0, 0.95, 1], region)
    said = browser.run("return document.getElementById('left').getAttribute('aria-valuetext')")
    check("an edge says where it is", said == "5 %", said)


def shows_what_is_unsure(browser, arguments, check):
    browser.open(arguments.url)
    browser.click("#options summary")
    browser.run("""
        const field = document.getElementById('cutOff');
        field.value = 100;
        field.dispatchEvent(new Event('change'));""")
    browser.drop(arguments.picture)
    browser.wait("a guess", "return document.querySelector('.card.guess .title')")
    check("an unsure answer is marked so", browser.run(
        "return document.querySelector('.card.guess .doubt').textContent") == "not sure")
    check("an unsure answer is not among the sure ones", not browser.run(
        "return document.querySelector('#results .card')"))
    browser.run("document.getElementById('type').value = 'store';"
                "document.getElementById('type').dispatchEvent(new Event('change'))")
    browser.wait("an answer with stores only", """
        return document.getElementById('status').textContent !== 'Searching …'
          && ![...document.querySelectorAll('.card a[href]')].some((one) => one.hash.startsWith('#/entity/product'))""")


def scrolls_on_a_phone(browser, arguments, check):
    browser.resize(390, 844)
    browser.open(arguments.url)
    browser.wait("pictures to try", "return document.querySelectorAll('.sample img').length >= 3")
    browser.run("window.scrollTo(0, 0)")
    browser.drop(arguments.picture)
    browser.wait("a card in sight", """
        const box = document.querySelector('.card')?.getBoundingClientRect();
        return box && box.top >= 0 && box.top < innerHeight / 2""")
    check("the answer comes into sight on a phone", True)
    browser.resize(1280, 900)


def browses(browser, arguments, check):
    browser.open(arguments.url)
    browser.click("nav a[href='#/catalogue']")
    browser.wait("the catalogue", "return document.querySelectorAll('.tile img').length >= 12")
    check("the view says where it is", browser.run(
        "return document.querySelector('nav [aria-current=page]').textContent") == "Catalogue")
    check("the view's name has the focus", browser.run(
        "return document.activeElement.tagName") == "H2")
    count = browser.run("return document.querySelectorAll('.tile').length")
    browser.click("#further")
    browser.wait("the next page", f"return document.querySelectorAll('.tile').length > {count}")
    browser.write("#words", arguments.expect + ENTER)
    browser.wait("what was searched for", """
        return document.querySelector('.tile .title')?.textContent === arguments[0]""", arguments.expect)
    browser.click(".tile a")
    browser.wait("an entity", "return document.querySelector('#entity h2')?.textContent === arguments[0]", arguments.expect)
    browser.wait("its pictures", "return document.querySelector('.gallery img')?.naturalWidth > 100")
    browser.wait("its neighbors", "return document.querySelectorAll('#neighbors .tile').length >= 3")
    text = browser.run("return document.querySelector('.facts-list').textContent")
    check("an entity shows its id", f"product:{arguments.id}" in text, text)
    browser.screenshot(os.path.join(arguments.output, "entity-1280.png"))
    browser.click(".gallery button")
    browser.wait("a search with its picture", """
        return document.querySelector('#results .card .title')?.textContent === arguments[0]""", arguments.expect)
    check("a picture of an entity finds it", True)


def evaluates(browser, arguments, check):
    browser.open(arguments.url)
    if arguments.key:
        unlock(browser, arguments)
    browser.open(arguments.url + "#/evaluate")
    with open(arguments.picture, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    browser.wait("the view", "return document.getElementById('photos')")
    browser.run("""
        const bytes = Uint8Array.from(atob(arguments[0]), (letter) => letter.charCodeAt(0));
        const transfer = new DataTransfer();
        const truth = { image: "listed.jpg", truth: ["wrong"] };
        for (const name of [`${arguments[1]}__1.jpg`, `${arguments[1]}__2.jpg`, "nothing-known__1.jpg", "listed.jpg"]) {
          transfer.items.add(new File([bytes], name, { type: "image/jpeg" }));
        }
        transfer.items.add(new File([JSON.stringify({ ...truth, truth: [arguments[1]] })], "queries.jsonl"));
        const input = document.getElementById("photos");
        input.files = transfer.files;
        input.dispatchEvent(new Event("change"));""", data, arguments.id)
    browser.wait("the report", "return document.querySelector('#report .rows')")
    rows = dict(browser.run("""
        return [...document.querySelectorAll('#report .rows tr')].map((row) => [...row.cells].map((one) => one.textContent))"""))
    check("each photo with a right answer is counted", rows.get("Photos") == "3", rows)
    check("the right answer is found", rows.get("Right answer first") == "100.0 %", rows)
    left_out = browser.run("return document.querySelector('#report details')?.textContent ?? ''")
    check("a photo of an unknown id is left out and said", "nothing-known" in left_out, left_out)
    browser.screenshot(os.path.join(arguments.output, "evaluation-1280.png"))
    if arguments.key:
        fits(browser, arguments, check)
        saves_the_report(browser, arguments, check)


def fits(browser, arguments, check):
    """The shop learns from the photos that were evaluated. These are too few, and the verdict says so."""
    now = browser.wait("the present fit", "return document.getElementById('fitNow')?.textContent")
    check("the page says that there is no fit", "has no fit" in now, now)
    chosen = browser.run("return document.getElementById('fitPhotos').textContent")
    check("the photos of the evaluation are those to fit to", chosen == "3 photos are chosen.", chosen)
    browser.click("#fitStart")
    browser.wait("the verdict", "return document.querySelector('#fitVerdict h4')")
    verdict = browser.run("return document.querySelector('#fitVerdict h4').textContent")
    # The three are one file, which counts once.
    check("the verdict is in plain words", verdict.startswith("Not kept: 1 photo of 1 product is too few"), verdict)
    check("the verdict has the focus", browser.run(
        "return document.activeElement === document.querySelector('#fitVerdict h4')"))
    left_out = browser.run("return document.querySelector('#fitVerdict details:last-child')?.textContent ?? ''")
    check("photos that are the same are left out and said", "2 photos left out" in left_out and "the same photo as" in left_out, left_out)
    rows = browser.run("return document.querySelectorAll('#fitVerdict > table tbody tr').length")
    check("it shows before and after", rows == 7, rows)
    status = browser.run("return [document.getElementById('fitStatus').getAttribute('role'), document.getElementById('fitStatus').textContent]")
    check("the end is read out", status == ["status", "Done: nothing was changed."], status)
    is_not_wider(browser, arguments, check, "the fit is", "fit", (1280, 360))


def saves_the_report(browser, arguments, check):
    """The server makes the report of `vq eval --report` of the same photos."""
    browser.run("""
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.saved = blob; return make.call(URL, blob); };
        document.getElementById("saveReport").click();""")
    browser.wait("the report", "return document.querySelector('#saveReport + [role=status]').textContent.startsWith('The report has')")
    status = browser.run("return document.querySelector('#saveReport + [role=status]').textContent")
    check("the report has all photos", status == "The report has 3 photos.", status)
    browser.run("window.saved.text().then((text) => { window.report = text; })")
    browser.wait("the text", "return Boolean(window.report)")
    report = browser.run("return window.report")
    check("the report is that of vq eval", "<h1>vq eval</h1>" in report and "recall@1" in report and arguments.id in report,
          report[:200])
    path = os.path.join(arguments.output, "evaluation.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(report)
    browser.open("file://" + os.path.abspath(path))
    browser.wait("the table", "return document.querySelectorAll('.sortable tbody tr').length === 3")
    browser.screenshot(os.path.join(arguments.output, "evaluation-report-1280.png"))
    browser.open(arguments.url)


def unlock(browser, arguments):
    browser.wait("the question for a key", "return !document.getElementById('access').hidden")
    browser.write("#key", arguments.key + ENTER)


def corrects(browser, arguments, check):
    browser.open(arguments.url)
    browser.drop(arguments.picture)
    unlock(browser, arguments)
    first = "return document.querySelector('.card .title')?.textContent"
    browser.wait("an answer with a key", first)
    check("the answer is right at first", browser.run(first) == arguments.expect)
    browser.click(".verdict button")
    browser.wait("the dialog", "return document.getElementById('correction').open")
    check("the dialog has a name", browser.run(
        "return document.getElementById('correctionName').textContent") == f"It is not {arguments.expect}")
    check("the picture is not kept unless somebody says so", not browser.run(
        "return document.getElementById('keepPicture').checked"))
    browser.write("#correction input[type=search]", "oats")
    browser.wait("something to choose", "return document.querySelector('#correction input[type=radio]')")
    browser.screenshot(os.path.join(arguments.output, "correction-1280.png"))
    browser.click("#correction input[type=radio]")
    browser.click("#correction button[type=submit]")
    browser.wait("the confirmation", "return document.getElementById('correctionName').textContent === 'Kept'")
    browser.keys(ENTER)
    browser.wait("the corrected answer", "return document.querySelector('.card .title')?.textContent === 'Honey oats'")
    titles = browser.run("return [...document.querySelectorAll('.card .title')].map((one) => one.textContent)")
    check("what is wrong does not return", arguments.expect not in titles, titles)
    status = browser.run("return document.getElementById('status').textContent")
    check("the answer says what was left out", arguments.id in status, status)
    browser.click("nav a[href='#/feedback']")
    browser.wait("the list", "return document.querySelectorAll('#statements .card').length === 1")
    browser.screenshot(os.path.join(arguments.output, "feedback-1280.png"))
    browser.click("#statements button[aria-label^=Remove]")
    browser.wait("the removal", "return !document.querySelector('#statements .card')")
    browser.click("nav a[href='#/']")
    browser.run("document.getElementById('form').requestSubmit()")
    browser.wait("the answer as before", "return document.querySelector('.card .title')?.textContent === arguments[0]",
                 arguments.expect)
    check("an answer that was corrected is as before after the removal", True)


def checks_the_shop(browser, arguments, check):
    browser.open(arguments.url)
    unlock(browser, arguments)
    browser.write("#labels", "goblet" + ENTER)
    browser.wait("an answer", "return document.getElementById('status').textContent.includes('goblet')")
    browser.click("nav a[href='#/check']")
    browser.wait("the unknown label", "return document.querySelector('.bridge strong')?.textContent === 'goblet'")
    browser.wait("the findings", "return document.querySelector('#findings').previousElementSibling.textContent !== 'Looking …'")
    browser.screenshot(os.path.join(arguments.output, "check-1280.png"))
    browser.write(".bridge input", "chalice" + ENTER)
    browser.wait("the refusal", "return document.querySelector('.bridge [role=status]').textContent.includes('not a label')")
    browser.run("document.querySelector('.bridge input').value = ''")
    browser.write(".bridge input", "mug" + ENTER)
    browser.wait("the bridge", "return document.querySelector('.bridge [role=status]').textContent.startsWith('Added')")
    browser.click("nav a[href='#/']")
    browser.run("document.getElementById('form').requestSubmit()")
    browser.wait("what the label means now", """
        return [...document.querySelectorAll('.title')].some((one) => one.textContent.includes('mug'))""")
    check("a label that nothing had finds what it means", True)


def edits_rules(browser, arguments, check):
    browser.open(arguments.url)
    unlock(browser, arguments)
    browser.open(arguments.url + "#/rules")
    browser.wait("the rules", "return document.getElementById('rulesStatus')?.textContent.startsWith('0 rules')")
    browser.click("#addRule")
    browser.write("#rule-name", "sale")
    browser.click("#ruleDialog button[type=submit]")
    browser.wait("the refusal", "return document.querySelector('#ruleDialog [role=alert]').textContent.includes('names no entities')")
    browser.write("#ruleDialog input[type=search]", "mug")
    browser.wait("something to choose", "return document.querySelector('#ruleDialog input[type=radio]')")
    second = browser.run("""
        const choice = document.querySelectorAll('#ruleDialog input[type=radio]')[1];
        choice.click();
        [...document.querySelectorAll('#ruleDialog button')].find((one) => one.textContent === 'Add it').click();
        return choice.value""")
    browser.write("#rule-labels", "mug")
    browser.screenshot(os.path.join(arguments.output, "rule-1280.png"))
    browser.click("#ruleDialog button[type=submit]")
    browser.wait("the draft", "return !document.getElementById('ruleDraft').hidden && document.querySelector('#ruleList h3')")
    found = browser.run(FIRST, arguments.key)
    check("a draft changes nothing for customers", found != second, found)
    browser.write("#trialLabels", "mug, lamp" + ENTER)
    status = browser.wait("the trial", """
        const text = document.getElementById('trialStatus').textContent;
        return text.includes('change') && text""")
    check("a trial says what would change", status.startswith("1 of 2 searches would change"), status)
    rules = browser.run("return [...document.querySelectorAll('#trials td:last-child')].map((one) => one.textContent)")
    check("a trial names the rule", "sale" in rules, rules)
    is_not_wider(browser, arguments, check, "the rules are", "rules", (1280, 390))
    press(browser, "Save the rules")
    browser.wait("the saved rules", "return document.getElementById('rulesStatus').textContent.includes('The next search')")
    found = browser.run(FIRST, arguments.key)
    check("saved rules count at once", found == second, found)
    browser.click("#ruleList input[type=checkbox]")
    press(browser, "Save the rules")
    browser.wait("the rule that is off", "return document.querySelector('#ruleList .guess')")
    browser.wait("the saved rules", "return document.querySelector('#ruleDraft [aria-label^=Undo]')")
    found = browser.run(FIRST, arguments.key)
    check("a rule that is off has no effect", found != second, found)
    press(browser, "Undo the last change of the rules")
    browser.wait("the rule that is on again", "return !document.querySelector('#ruleList .guess')")
    browser.run("""
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then((text) => { window.exported = text; }); return make.call(URL, blob); };
        [...document.querySelectorAll('#rules button')].find((one) => one.textContent === 'Export').click();""")
    exported = browser.wait("the export", "return window.exported")
    press(browser, "Remove sale")
    press(browser, "Save the rules")
    browser.wait("no rules", "return document.getElementById('rulesStatus').textContent.startsWith('0 rules')")
    browser.run("""
        const transfer = new DataTransfer();
        transfer.items.add(new File([arguments[0]], "mine.json", { type: "application/json" }));
        const input = document.getElementById("importRules");
        input.files = transfer.files;
        input.dispatchEvent(new Event("change"));""", exported)
    browser.wait("the imported rule", "return document.querySelector('#ruleList h3')?.textContent === 'sale'")
    press(browser, "Discard the changes")
    browser.wait("no rules again", "return !document.querySelector('#ruleList h3')")
    check("rules are exported, removed, imported, and discarded", True)


#: The first entity that customers find for a label; the argument is a key.
FIRST = """
const body = JSON.stringify({ labels: ["mug"] });
const headers = { "Content-Type": "application/json", Authorization: `Bearer ${arguments[0]}` };
return fetch("v1/match", { method: "POST", headers, body }).then((one) => one.json())
  .then(({ values: [first] }) => `${first.type}:${first.id}`);
"""


def is_not_wider(browser, arguments, check, what, name, widths):
    """Pages of these widths show it whole; each is kept as a picture."""
    for width in widths:
        browser.resize(width, 900)
        wide = browser.run("return document.documentElement.scrollWidth")
        check(f"{what} not wider than a page of {width} pixels", wide <= width, wide)
        browser.screenshot(os.path.join(arguments.output, f"{name}-{width}.png"))
    browser.resize(1280, 900)


def press(browser, name):
    browser.run("document.querySelector(`[aria-label='${arguments[0]}']`).click()", name)


def shows_numbers(browser, arguments, check):
    browser.open(arguments.url)
    unlock(browser, arguments)
    browser.run("""
        const headers = { "Content-Type": "application/json", Authorization: `Bearer ${arguments[0]}` };
        const ask = (label) => fetch("v1/match", { method: "POST", headers, body: JSON.stringify({ labels: [label] }) });
        return Promise.all([...Array(10).fill("chalice"), "mug"].map(ask)).then(() => true);""", arguments.key)
    browser.open(arguments.url + "#/numbers")
    browser.wait("the numbers", "return document.querySelectorAll('#numbersBody .plot rect.sure').length")
    figures = browser.run("return document.querySelector('.figures dd').textContent")
    check("searches are counted", int(figures) >= 11, figures)
    text = browser.run("return document.getElementById('numbersBody').textContent")
    check("a label that ten searches did not find is shown", "chalice" in text, text[-200:])
    check("the plot has its days as a table", browser.run("return document.querySelector('#numbersBody details tbody tr')"))
    is_not_wider(browser, arguments, check, "the numbers are", "numbers", (1280, 390))


def has_names(browser, arguments, check):
    """Each control has a name for screen readers, in every view."""
    for view in ("", "catalogue", f"entity/product/{arguments.id}", "feedback", "check", "rules", "numbers", "evaluate"):
        browser.open(arguments.url + "#/" + view)
        browser.wait("the view", "return document.querySelector('.view:not([hidden])')?.childElementCount")
        nameless = browser.run("""
            return [...document.querySelectorAll('button, input, select, a[href], meter, [role=region]')]
              .filter((one) => !(one.getAttribute('aria-label') || one.labels?.[0]?.textContent.trim()
                || one.textContent.trim() || one.title))
              .map((one) => one.outerHTML.slice(0, 100))""")
        check(f"all controls of '{view or 'search'}' have names", not nameless, nameless)


def is_small(browser, arguments, check):
    browser.open(arguments.url)
    browser.wait("the page", "return document.readyState === 'complete'")
    size = browser.run("""
        const files = performance.getEntriesByType('resource').filter((one) => new URL(one.name).pathname.startsWith('/page/'));
        return [files.length, files.reduce((sum, one) => sum + one.decodedBodySize, document.documentElement.outerHTML.length)]""")
    check("the page with all its files is small", size[0] >= 15 and size[1] < SIZE_LIMIT, size)


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
    parser.add_argument("--id", required=True)
    parser.add_argument("--key", help="a key that may write, of a server with keys")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    check = Checks()
    paths = [corrects, checks_the_shop, edits_rules, shows_numbers, evaluates] if arguments.key else [
        look, by_keyboard, takes_a_sample, crops, shows_what_is_unsure, scrolls_on_a_phone, browses, evaluates, has_names,
        is_small]
    with browser_session() as browser:
        browser.resize(1280, 900)
        for path in paths:
            try:
                path(browser, arguments, check)
            except RuntimeError as error:
                check(path.__name__, False, str(error))
            leaves_nothing(browser, arguments, check)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
