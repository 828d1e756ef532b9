// <visual-query-search server="https://search.shop.example" key="…">: a camera button beside a search field.
// The README beside this file has its attributes, events, slots and CSS variables. No dependencies.

/** The longer side of what is sent: further pixels are not used. */
const longerSide = 1024;
/** An image of more pixels is not opened: a browser would need gigabytes for it. */
const mostBytes = 60_000_000;

/** A refusal of the service, or a service that does not answer. `message` is a sentence for the visitor. */
export class VisualQueryError extends Error {
  constructor(message, status = 0, code = "unreachable") {
    super(message);
    Object.assign(this, { name: "VisualQueryError", status, code });
  }
}

/** Asks a service; usable without the element. */
export class VisualQueryClient {
  #server;
  #key;

  constructor(server, key = "") {
    this.#server = new URL(server, globalThis.location?.href).href.replace(/\/$/, "");
    this.#key = key;
  }

  /** Asks what of the shop is in an image. Resolves with the answer (`vq.match/1`); rejects with a VisualQueryError. */
  async match(image, { signal, ...question } = {}) {
    const form = new FormData();
    form.append("request", new Blob([JSON.stringify(question)], { type: "application/json" }), "request.json");
    form.append("image", image, "photo.jpg");
    return (await this.#ask("/v1/match", { method: "POST", body: form, signal })).json();
  }

  /** The address of a card's image: a blob: URL of the service's thumbnail, or the shop's own image if the service has none. */
  async image({ display }, { signal, size = "large" } = {}) {
    const address = display.thumbnail ?? display.image;
    if (!address) return null;
    const base = new URL(`${this.#server}/`);
    const url = new URL(address, base);
    // The service's images need its key, which only a script can send; others are the shop's own, and get none.
    if (url.origin !== base.origin) return url.href;
    url.searchParams.set("size", size);
    return URL.createObjectURL(await (await this.#ask(`${url.pathname}${url.search}`, { signal })).blob());
  }

  /** Tells that a visitor opened something; for the numbers of the shop, if the service keeps them. */
  opened(query, value) {
    const body = JSON.stringify({
      query, events: [{ id: crypto.randomUUID(), action: "opened", entity: `${value.type}:${value.id}` }],
    });
    // The page may be left at once.
    return this.#ask("/v1/events", {
      method: "POST", body, headers: { "Content-Type": "application/json" }, keepalive: true,
    }).then(() => true, () => false);
  }

  async #ask(path, { headers = {}, ...options }) {
    if (this.#key) headers.Authorization = `Bearer ${this.#key}`;
    let response;
    try {
      response = await fetch(this.#server + path, { ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new VisualQueryError(texts(undefined).unreachable);
    }
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    throw new VisualQueryError(
      problem.userMessage ?? texts(undefined).failed, response.status, problem.code ?? "unknown");
  }
}

/** Makes a JPEG of at most 1024 pixels, without anything that the file says besides: no place, no time, no camera. */
export async function reduced(file) {
  if (file.size > mostBytes) throw new VisualQueryError(texts(undefined).unreadable, 0, "unreadable");
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    throw new VisualQueryError(texts(undefined).unreadable, 0, "unreadable");
  }
  const scale = Math.min(1, longerSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((done, fail) => canvas.toBlob(
    (blob) => (blob ? done(blob) : fail(new VisualQueryError(texts(undefined).unreadable, 0, "unreadable"))), "image/jpeg", 0.9));
}

// ---- Words ----------------------------------------------------------------------------------------

const words = {
  en: {
    open: "Search with a photo", choose: "Take or choose a photo", drop: "or drop or paste one here", words: "Words beside the photo",
    part: "Part of the photo", parts: ["all of it", "left", "right", "top", "bottom", "middle"], drawn: "as drawn", ask: "Search again", close: "Close",
    searching: "Searching …", found: (n) => (n === 1 ? "1 result" : `${n} results`), none: "Nothing of the shop is like this photo.",
    cut: "There was not enough time for all of the search.", sure: "Found", possible: "Not sure, one of these", sibling: "In another color",
    similar: "Of the same kind", nothing: "None of these", thanks: "Thank you.", thing: (n) => `Thing ${n}`, all: "Everything", photo: "Your photo",
    unreachable: "The search cannot be reached. Check the connection and try again.", failed: "The search failed. Try again.",
    unreadable: "This image cannot be read. Try another one, such as a JPEG.", unset: "The search is not set up on this page.",
  },
  de: {
    open: "Mit einem Foto suchen", choose: "Foto aufnehmen oder wählen", drop: "oder hier ablegen oder einfügen", words: "Wörter zum Foto",
    part: "Teil des Fotos", parts: ["alles", "links", "rechts", "oben", "unten", "Mitte"], drawn: "wie gezeichnet", ask: "Noch einmal suchen", close: "Schließen",
    searching: "Suche läuft …", found: (n) => (n === 1 ? "1 Ergebnis" : `${n} Ergebnisse`), none: "Nichts im Shop gleicht diesem Foto.",
    cut: "Die Zeit reichte nicht für die ganze Suche.", sure: "Gefunden", possible: "Nicht sicher, eines davon", sibling: "In einer anderen Farbe",
    similar: "Von derselben Art", nothing: "Keines davon", thanks: "Danke.", thing: (n) => `Gegenstand ${n}`, all: "Alles", photo: "Dein Foto",
    unreachable: "Die Suche ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.", failed: "Die Suche ist fehlgeschlagen. Versuche es noch einmal.",
    unreadable: "Dieses Bild ist nicht lesbar. Versuche ein anderes, etwa ein JPEG.", unset: "Die Suche ist auf dieser Seite nicht eingerichtet.",
  },
  fr: {
    open: "Chercher avec une photo", choose: "Prendre ou choisir une photo", drop: "ou la déposer ou la coller ici", words: "Mots avec la photo",
    part: "Partie de la photo", parts: ["toute", "gauche", "droite", "haut", "bas", "milieu"], drawn: "comme dessiné", ask: "Chercher encore", close: "Fermer",
    searching: "Recherche …", found: (n) => (n === 1 ? "1 résultat" : `${n} résultats`), none: "Rien dans la boutique ne ressemble à cette photo.",
    cut: "Le temps n’a pas suffi pour toute la recherche.", sure: "Trouvé", possible: "Pas sûr, l’un de ceux-ci", sibling: "Dans une autre couleur",
    similar: "Du même genre", nothing: "Aucun de ceux-ci", thanks: "Merci.", thing: (n) => `Objet ${n}`, all: "Tout", photo: "Votre photo",
    unreachable: "La recherche est injoignable. Vérifiez la connexion et réessayez.", failed: "La recherche a échoué. Réessayez.",
    unreadable: "Cette image est illisible. Essayez-en une autre, par exemple un JPEG.", unset: "La recherche n’est pas configurée sur cette page.",
  },
};

const language = (element) => {
  const asked = [element?.closest("[lang]")?.lang, ...(globalThis.navigator?.languages ?? [])];
  return asked.map((tag) => tag?.toLowerCase().split("-")[0]).find((tag) => words[tag]) ?? "en";
};
const texts = (element) => words[language(element)];

// ---- The element ----------------------------------------------------------------------------------

const regions = [null, [0, 0, 0.5, 1], [0.5, 0, 0.5, 1], [0, 0, 1, 0.5], [0, 0.5, 1, 0.5], [0.25, 0.25, 0.5, 0.5]];

const sheet = `
:host { display: inline-block; font: inherit; color: var(--vq-text, CanvasText); --accent: var(--vq-accent, #0b57d0); }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
button, input, select { font: inherit; color: inherit; min-height: 2.75rem; border-radius: var(--vq-radius, .5rem); border: 1px solid var(--vq-line, #767676);
  background: var(--vq-background, Canvas); padding: .25rem .75rem; max-width: 100%; }
button { cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.open { min-width: 2.75rem; padding: .25rem; display: inline-grid; place-items: center; }
.open svg { width: 1.5rem; height: 1.5rem; }
dialog { width: min(60rem, 100vw); max-width: 100vw; max-height: 100dvh; border: 0; border-radius: var(--vq-radius, .5rem); padding: 1rem;
  background: var(--vq-background, Canvas); color: var(--vq-text, CanvasText); }
dialog::backdrop { background: rgb(0 0 0 / .5); }
.bar, form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
.bar { justify-content: space-between; align-items: center; }
h2, h3 { font-size: 1.1rem; margin: 1rem 0 .5rem; }
.bar h2 { margin: 0; }
label { display: grid; gap: .25rem; min-width: 0; }
.drop { border: 2px dashed var(--vq-line, #767676); border-radius: var(--vq-radius, .5rem); padding: 1rem; margin: 1rem 0; text-align: center; }
.drop.small { border: 0; padding: 0; }
.drop.small div { display: none; }
.drop.over { border-color: var(--accent); }
.drop input { position: absolute; width: 1px; height: 1px; opacity: 0; }
.drop label { display: inline-block; padding: .6rem 1rem; border-radius: var(--vq-radius, .5rem); background: var(--accent); color: var(--vq-on-accent, #fff); cursor: pointer; }
.drop input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: 2px; }
figure { position: relative; margin: 1rem auto; width: fit-content; max-width: 100%; touch-action: none; }
figure img { display: block; max-width: 100%; max-height: 40dvh; border-radius: var(--vq-radius, .5rem); user-select: none; }
.thing, .crop { position: absolute; border: 3px solid #fff; box-shadow: 0 0 0 1px #000; background: none; padding: 0; min-height: 24px; min-width: 24px; border-radius: .25rem; }
.thing span { background: #000; color: #fff; padding: 0 .4rem; position: absolute; top: 0; left: 0; }
.thing[aria-pressed=true] { border-color: var(--accent); }
.crop { border-style: dashed; pointer-events: none; }
ul { list-style: none; padding: 0; margin: 0; display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(9rem, 100%), 1fr)); }
li a, li > div { display: grid; gap: .25rem; color: inherit; text-decoration: none; border: 1px solid var(--vq-line, #ccc); border-radius: var(--vq-radius, .5rem); padding: .5rem; height: 100%; align-content: start; }
li a:hover b { text-decoration: underline; }
li img, .blank { width: 100%; aspect-ratio: 1; object-fit: contain; background: #fff; border-radius: .25rem; }
b { overflow-wrap: anywhere; }
small { overflow-wrap: anywhere; }
.error { color: var(--vq-error, #b3261e); }
@media (prefers-color-scheme: dark) { :host { --accent: var(--vq-accent, #a8c7fa); } .drop label { color: var(--vq-on-accent, #062e6f); } .error { color: var(--vq-error, #f2b8b5); } }
`;

const camera = `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true">
<path d="M3 8h4l2-3h6l2 3h4v11H3z"/><circle cx="12" cy="13" r="3.5"/></svg>`;

function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key in element && key !== "part") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// On a server, as of a framework that renders there, there is no element to extend; the client can be used all the same.
export class VisualQuerySearch extends (globalThis.HTMLElement ?? class {}) {
  static observedAttributes = ["server", "key"];

  #client = null;
  #shown = null;
  #photo = null;
  #answer = null;
  #thing = null;
  #region = null;
  #asking = null;
  #urls = [];
  #parts = {};

  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.addEventListener("paste", this.#paste);
  }

  disconnectedCallback() {
    this.removeEventListener("paste", this.#paste);
    this.close();
  }

  attributeChangedCallback() { this.#client = null; }

  /** Opens the dialog. */
  show() {
    this.#parts.dialog.showModal();
  }

  /** Closes it, ends a search that runs, and forgets the photo. */
  close() {
    this.#asking?.abort();
    this.#parts.dialog?.close();
    this.#forget();
  }

  /** Searches with a file; resolves with the answer, or null if it failed or another search took its place. */
  async search(file) {
    if (!this.#parts.dialog.open) this.show();
    this.#region = null;
    this.#parts.drawn.hidden = true;
    this.#parts.part.value = "0";
    this.#say(this.#texts.searching);
    try {
      this.#photo = await reduced(file);
    } catch (error) {
      this.#fail(error);
      return null;
    }
    this.#showPhoto();
    return this.#ask();
  }

  get #texts() { return texts(this); }

  #build() {
    const say = this.#texts;
    const root = this.attachShadow({ mode: "open" });
    const parts = this.#parts;
    root.append(make("style", { textContent: sheet }));
    parts.open = make("button", { type: "button", className: "open", part: "button", "aria-label": say.open, title: say.open });
    const slot = make("slot", { name: "button" });
    slot.innerHTML = camera;
    parts.open.append(slot);
    parts.file = make("input", { type: "file", accept: "image/*", id: "file" });
    parts.drop = make("div", { className: "drop", part: "drop" }, parts.file,
      make("label", { htmlFor: "file", textContent: say.choose }), make("div", { textContent: say.drop }));
    parts.words = make("input", { type: "search", maxLength: 200 });
    parts.drawn = make("option", { value: "drawn", textContent: say.drawn, hidden: true });
    parts.part = make("select", {}, ...say.parts.map((text, index) => make("option", { value: index, textContent: text })), parts.drawn);
    parts.form = make("form", { hidden: true },
      make("label", {}, say.words, parts.words), make("label", {}, say.part, parts.part),
      make("button", { type: "submit", textContent: say.ask }));
    parts.figure = make("figure", { hidden: true });
    parts.status = make("p", { role: "status", part: "status" });
    parts.results = make("div", { part: "results" });
    const close = make("button", { type: "button", textContent: say.close });
    parts.dialog = make("dialog", { part: "dialog", "aria-labelledby": "title" },
      make("div", { className: "bar" }, make("h2", { id: "title", textContent: say.open }), close),
      parts.drop, parts.figure, parts.form, parts.status, parts.results);
    root.append(parts.open, parts.dialog);

    parts.open.addEventListener("click", () => this.show());
    close.addEventListener("click", () => this.close());
    parts.dialog.addEventListener("cancel", () => { this.#asking?.abort(); this.#forget(); });
    parts.file.addEventListener("change", () => {
      const [file] = parts.file.files;
      parts.file.value = "";
      if (file) this.search(file);
    });
    parts.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (parts.part.value !== "drawn") this.#region = regions[Number(parts.part.value)];
      this.#ask();
    });
    parts.part.addEventListener("change", () => this.#outline(parts.part.value === "drawn" ? this.#region : regions[Number(parts.part.value)]));
    for (const name of ["dragenter", "dragover"]) {
      parts.dialog.addEventListener(name, (event) => { event.preventDefault(); parts.drop.classList.add("over"); });
    }
    parts.dialog.addEventListener("dragleave", () => parts.drop.classList.remove("over"));
    parts.dialog.addEventListener("drop", (event) => {
      event.preventDefault();
      parts.drop.classList.remove("over");
      const file = [...event.dataTransfer.files].find((one) => one.type.startsWith("image/"));
      if (file) this.search(file);
    });
    this.#watchCrop();
  }

  #paste = (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find((one) => one.type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    this.search(file);
  };

  // A rectangle that is drawn over the photo is what is meant. The list of parts says the same without drawing.
  #watchCrop() {
    const { figure } = this.#parts;
    let start = null;
    const place = (event) => {
      const box = figure.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].map((x) => Math.min(1, Math.max(0, x)));
    };
    const region = (event) => {
      const end = place(event);
      const [left, top] = [Math.min(start[0], end[0]), Math.min(start[1], end[1])];
      return [left, top, Math.abs(start[0] - end[0]), Math.abs(start[1] - end[1])];
    };
    figure.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.target.closest(".thing")) return;
      start = place(event);
      figure.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    figure.addEventListener("pointermove", (event) => { if (start) this.#outline(region(event)); });
    figure.addEventListener("pointercancel", () => { start = null; this.#outline(this.#region); });
    figure.addEventListener("pointerup", (event) => {
      if (!start) return;
      const drawn = region(event);
      start = null;
      // A tap is no rectangle.
      if (drawn[2] < 0.05 || drawn[3] < 0.05) return this.#outline(this.#region);
      this.#parts.drawn.hidden = false;
      this.#parts.part.value = "drawn";
      this.#region = drawn.map((value) => Math.round(value * 1e4) / 1e4);
      this.#ask();
    });
  }

  #outline(region) {
    const { figure } = this.#parts;
    figure.querySelector(".crop")?.remove();
    if (!region) return;
    const crop = make("div", { className: "crop" });
    this.#placeBox(crop, region);
    figure.append(crop);
  }

  #placeBox(element, [left, top, width, height]) {
    Object.assign(element.style, {
      left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * width}%`, height: `${100 * height}%`,
    });
  }

  #showPhoto() {
    const { figure, form } = this.#parts;
    const url = URL.createObjectURL(this.#photo);
    this.#urls.push(url);
    figure.replaceChildren(make("img", { src: url, alt: this.#texts.photo, draggable: false }));
    figure.hidden = form.hidden = false;
    this.#parts.drop.classList.add("small");
  }

  #forget() {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
    [this.#photo, this.#answer, this.#region, this.#thing] = [null, null, null, null];
    const { figure, form, results, status, words: field } = this.#parts;
    if (!figure) return;
    figure.replaceChildren();
    figure.hidden = form.hidden = true;
    this.#parts.drop.classList.remove("small");
    results.replaceChildren();
    status.textContent = "";
    field.value = "";
  }

  async #ask() {
    this.#asking?.abort();
    const asking = this.#asking = new AbortController();
    this.#say(this.#texts.searching);
    try {
      const server = this.getAttribute("server");
      if (!server) throw new VisualQueryError(this.#texts.unset, 0, "unset");
      this.#client ??= new VisualQueryClient(server, this.getAttribute("key") ?? "");
      const question = { locale: language(this), signal: asking.signal };
      const text = this.#parts.words.value.trim();
      if (text) question.text = text;
      if (this.#region) question.region = this.#region;
      const answer = await this.#client.match(this.#photo, question);
      if (asking.signal.aborted) return null;
      this.#answer = answer;
      this.#thing = null;
      this.#showThings();
      this.#showResults();
      this.dispatchEvent(new CustomEvent("vq-answer", { detail: answer, bubbles: true, composed: true }));
      return answer;
    } catch (error) {
      if (asking.signal.aborted) return null;
      this.#fail(error);
      return null;
    }
  }

  #say(text) {
    this.#parts.status.className = "";
    this.#parts.status.textContent = text;
  }

  #fail(error) {
    this.#parts.results.replaceChildren();
    this.#parts.status.className = "error";
    // A sentence of the service is in the language that was asked for; the others are in that of the page.
    const said = error instanceof VisualQueryError && error.status ? error.message : this.#texts[error.code];
    this.#parts.status.textContent = said ?? this.#texts.failed;
    this.dispatchEvent(new CustomEvent("vq-error", { detail: error, bubbles: true, composed: true }));
  }

  #showThings() {
    const { figure } = this.#parts;
    for (const old of figure.querySelectorAll(".thing")) old.remove();
    this.#outline(this.#region);
    const things = this.#answer.objects ?? [];
    if (things.length < 2) return;
    for (const thing of things) {
      const name = this.#texts.thing(thing.number);
      const button = make("button", { type: "button", className: "thing", "aria-label": name, "aria-pressed": "false" },
        make("span", { textContent: thing.number }));
      this.#placeBox(button, thing.box);
      button.addEventListener("click", () => {
        this.#thing = this.#thing === thing.number ? null : thing.number;
        for (const other of figure.querySelectorAll(".thing")) other.setAttribute("aria-pressed", String(other === button && this.#thing !== null));
        this.#showResults();
      });
      figure.append(button);
    }
  }

  #showResults() {
    const say = this.#texts;
    const answer = this.#answer;
    const ofThing = (values) => (values ?? []).filter((value) => this.#thing === null || value.object === this.#thing);
    const groups = [
      // Words alone prove nothing, so their matches are guesses.
      [say.sure, ofThing(answer.values).filter((value) => value.tier !== "label")],
      [say.possible, [...ofThing(answer.values).filter((value) => value.tier === "label"), ...(answer.possible ?? [])]],
      [say.sibling, answer.sibling ?? []], [say.similar, answer.similar ?? []],
    ].filter(([, values]) => values.length);
    const count = groups.reduce((sum, [, values]) => sum + values.length, 0);
    this.#say([count ? say.found(count) : say.none, answer.complete ? "" : say.cut].filter(Boolean).join(" "));
    const parts = groups.map(([title, values]) => make("section", {},
      make("h3", { textContent: title }), make("ul", {}, ...values.map((value) => this.#card(value)))));
    if (count) parts.push(this.#none());
    else parts.push(make("slot", { name: "empty" }));
    this.#parts.results.replaceChildren(...parts);
  }

  #card(value) {
    const link = /^https?:/.test(value.url ?? "") ? value.url : null;
    const image = make("div", { className: "blank" });
    const card = make(link ? "a" : "div", link ? { href: link, part: "card" } : { part: "card" },
      image, make("b", { textContent: value.display.title }),
      value.display.subtitle ? make("small", { textContent: value.display.subtitle }) : null);
    const client = this.#client;
    client.image(value, { size: "small" }).then((url) => {
      if (!url) return;
      if (url.startsWith("blob:")) this.#urls.push(url);
      image.replaceWith(make("img", { src: url, alt: "" }));
    }).catch(() => {});
    card.addEventListener("click", () => {
      client.opened(this.#answer?.continuation ?? "", value);
      this.dispatchEvent(new CustomEvent("vq-open", { detail: value, bubbles: true, composed: true }));
    });
    return make("li", {}, card);
  }

  #none() {
    const button = make("button", { type: "button", textContent: this.#texts.nothing });
    button.addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("vq-none", { detail: this.#answer, bubbles: true, composed: true }));
      this.#say(this.#texts.thanks);
      button.disabled = true;
    });
    return make("p", {}, button);
  }
}

globalThis.customElements?.define("visual-query-search", VisualQuerySearch);
