"use strict";

const at = (id) => document.getElementById(id);
const tiers = {
  exact: "the same picture",
  near: "the same picture, edited or partly seen",
  similar: "looks alike",
  label: "only the words agree",
};
const kinds = {
  prior: "before looking", hash: "whole picture", color: "colors", texture: "texture",
  votes: "corners alike", inliers: "corners in place", agreement: "share in place",
  alignedColor: "colors in place", offColor: "another color", inlierLead: "keypoints ahead of others", labels: "labels", stock: "its product", lead: "lead over others",
};
const reasons = {
  nothingAboveConfidence: "Nothing in this shop is likely enough to be it.",
  noUsableSignal: "There is nothing in this question to search by.",
  filteredOut: "No entity passes the filters.",
  filterTimedOut: "The filters took too long.",
  emptyCatalogue: "The catalogue is empty.",
  deadlinePassed: "The picture was not decoded in time. A smaller one takes less.",
};

let picture = null; // the Blob that is searched with
let continuation = null;
let key = "";
let limits = null;
let asking = new AbortController();
let shown = []; // object URLs to give back

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
};
const percent = (share) => `${Math.floor(share * 100)} %`;

// ---- Asking ---------------------------------------------------------------------------------------

async function fetched(path, options = {}) {
  const headers = { ...options.headers };
  if (key) headers.Authorization = `Bearer ${key}`;
  return fetch(path, { ...options, headers, signal: asking.signal });
}

const labels = () => at("labels").value.split(",").map((label) => label.trim()).filter(Boolean);

async function search() {
  asking.abort();
  asking = new AbortController();
  clear();
  if (!picture && !labels().length) return say("Nothing has been asked yet.");
  say("Searching …");
  if (picture) {
    const query = new URLSearchParams({ deadlineMs: "2000", group: "true" });
    if (labels().length) query.set("labels", labels().join(","));
    await ask(`v1/match?${query}`, { headers: { "Content-Type": picture.type }, body: picture });
  } else {
    await askJSON({ labels: labels(), deadlineMs: 2000, group: true });
  }
}

const askJSON = (question) => ask("v1/match", {
  headers: { "Content-Type": "application/json" }, body: JSON.stringify(question),
});

async function ask(path, options) {
  try {
    const response = await fetched(path, { method: "POST", ...options });
    const answer = await response.json();
    if (response.ok) return show(answer);
    at("access").hidden = response.status !== 401;
    if (response.status === 401) at("key").focus();
    const wait = response.headers.get("Retry-After");
    complain(answer.title, answer.detail + (wait ? ` (in ${wait} s)` : ""));
  } catch (error) {
    if (error.name !== "AbortError") complain("No answer", "The server cannot be reached.");
  }
}

// What the server does not read and the browser does is made a JPEG here; so is what is too large.
async function readable(file) {
  limits ??= await fetched("v1/limits").then((response) => response.ok ? response.json() : null)
    .catch(() => null);
  const isRead = (limits?.pictureTypes ?? ["image/jpeg", "image/png"]).includes(file.type);
  if (isRead && file.size <= (limits?.bodyBytes ?? Infinity)) return file;
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, 2048 / Math.max(bitmap.width, bitmap.height));
  const canvas = make("canvas", {
    width: Math.max(1, Math.round(bitmap.width * scale)),
    height: Math.max(1, Math.round(bitmap.height * scale)),
  });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.92));
}

async function take(file) {
  if (!file) return;
  clear();
  try {
    picture = await readable(file);
  } catch {
    picture = null;
    at("figure").hidden = true;
    return complain("Not a picture", `This browser cannot read ${file.name || "this file"}.`);
  }
  URL.revokeObjectURL(at("picture").src);
  at("picture").src = URL.createObjectURL(picture);
  at("figure").hidden = false;
  at("hint").textContent = "Another one: drop or paste it here, or";
  await search();
}

// ---- Showing --------------------------------------------------------------------------------------

const say = (text) => { at("status").textContent = text; };

function complain(title, detail) {
  say("");
  at("problem").hidden = false;
  at("problem").firstElementChild.textContent = title;
  at("problem").lastElementChild.textContent = detail;
}

function clear() {
  at("problem").hidden = true;
  at("region").hidden = true;
  at("more").hidden = true;
  at("results").replaceChildren();
  shown.forEach(URL.revokeObjectURL);
  shown = [];
}

function show(answer) {
  at("access").hidden = true;
  continuation = answer.continuation;
  const first = at("results").childElementCount;
  const cards = answer.values.map(card);
  at("results").append(...cards);
  at("more").hidden = !answer.hasMore;
  if (!first && answer.values.length) choose(cards[0], answer.values[0]);
  if (first && cards.length) cards[0].querySelector("summary").focus();
  say(summary(answer, first));
}

function summary(answer, first) {
  const notes = [];
  if (answer.values.length) {
    const best = answer.values[0];
    const count = answer.values.length + first;
    notes.push(`${count} ${count === 1 ? "match" : "matches"}`
      + (first ? "." : `; best: ${best.display.title}, ${percent(best.confidence)}.`));
  } else if (first) {
    notes.push("There are no more.");
  } else {
    notes.push(reasons[answer.emptyReason] ?? "No match.");
    if (answer.nearMiss) {
      notes.push(`The closest was ${answer.nearMiss.title}, at ${percent(answer.nearMiss.confidence)}.`);
    }
  }
  if (answer.unmatchedLabels.length) {
    notes.push(`The shop does not know: ${answer.unmatchedLabels.join(", ")}.`);
  }
  if (!answer.complete) notes.push(`Time was up when ${percent(answer.coverage)} had been searched.`);
  return notes.join(" ");
}

function card(value) {
  const title = make("h3", { className: "title", textContent: value.display.title });
  const facts = make("p", { className: "facts" },
    make("span", { className: "confidence", textContent: percent(value.confidence) }),
    make("meter", { min: 0, max: 1, value: value.confidence, ariaLabel: "Confidence" }),
    make("span", { className: "tier", textContent: value.tier }),
    make("span", {
      className: "subtitle", textContent: value.stocks ? "by what it has in stock" : tiers[value.tier],
    }));
  const more = [
    value.stocks ? `Has ${value.stocks} in stock` : null,
    value.distanceMeters === undefined ? null : `${(value.distanceMeters / 1000).toFixed(1)} km away`,
    value.openNow === undefined ? null : value.openNow ? "Open now" : "Closed now",
  ].filter(Boolean).join(" · ");
  const image = make("div", { className: "blank" });
  const element = make("li", { className: "card" }, image, make("div", {},
    title,
    value.display.subtitle ? make("p", { className: "subtitle", textContent: value.display.subtitle }) : null,
    facts,
    more ? make("p", { textContent: more }) : null,
    link(value.url),
    variants(value)),
    why(value.evidence));
  element.addEventListener("click", () => choose(element, value));
  element.addEventListener("focusin", () => choose(element, value));
  thumbnail(value, value.matchedImage ?? value.display.image).then((source) => {
    if (source) image.replaceWith(make("img", { className: "thumbnail", alt: "", src: source }));
  });
  return element;
}

// The other colors of a product, beneath the one that matched.
function variants(value) {
  if (!value.variants) return null;
  const items = value.variants.map((variant) => {
    const names = Object.values(variant.product?.attributes ?? {}).join(", ");
    const image = make("span", { className: "swatch" });
    thumbnail({ ...variant, type: value.type }, variant.display.image).then((source) => {
      if (source) image.append(make("img", { alt: "", src: source }));
    });
    const text = names || variant.display.subtitle || variant.display.title;
    return make("li", {}, image, make("span", {},
      isSafe(variant.url)
        ? make("a", { href: variant.url, textContent: text, target: "_blank", rel: "noreferrer" })
        : make("span", { textContent: text }),
      variant.confidence ? make("span", { className: "subtitle", textContent: ` ${percent(variant.confidence)}` }) : null));
  });
  return make("ul", { className: "variants", ariaLabel: "Other variants" }, ...items);
}

// Links come from the shop's own catalogue; what would run in this page is none.
const isSafe = (url) =>
  url && /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript|blob):/i.test(url);

function link(url) {
  return isSafe(url)
    ? make("a", { className: "link", href: url, textContent: url, target: "_blank", rel: "noreferrer" })
    : make("p", { className: "subtitle", textContent: "No link" });
}

// Not an <img> of its own address: a key goes along in a header only. An image at an address of the shop's own is asked
// of this server, too: the page loads nothing from others.
async function thumbnail(value, image) {
  if (!image) return null;
  const path = `v1/entities/${value.type}/${encodeURIComponent(value.id)}/thumbnail`;
  const isOwn = image.startsWith("/v1/entities/");
  const query = new URLSearchParams(isOwn ? image.split("?")[1] : "");
  query.set("size", "small");
  if (!isOwn) {
    const entity = value.product ?? value.store ?? {};
    query.set("image", Math.max(0, (entity.images ?? []).indexOf(image)));
  }
  try {
    const response = await fetched(`${path}?${query}`);
    if (!response.ok) return null;
    shown.push(URL.createObjectURL(await response.blob()));
    return shown.at(-1);
  } catch {
    return null;
  }
}

function why(evidence) {
  const most = Math.max(...evidence.map((term) => Math.abs(term.weight)), 1);
  const rows = evidence.map((term) => {
    const bar = make("span", { className: term.weight < 0 ? "against" : "" });
    const width = 50 * Math.abs(term.weight) / most;
    bar.style.width = `${width}%`;
    bar.style.left = `${term.weight < 0 ? 50 - width : 50}%`;
    const weight = `${term.weight < 0 ? "−" : "+"}${Math.abs(term.weight).toFixed(2)}`;
    return make("tr", {},
      make("th", { scope: "row", textContent: kinds[term.kind] ?? term.kind }),
      make("td", { textContent: String(term.value) }),
      make("td", {}, make("span", { className: "bar", ariaHidden: "true" }, bar)),
      make("td", { textContent: weight }));
  });
  const sum = evidence.reduce((total, term) => total + term.weight, 0);
  const heads = ["Evidence", "Measured", "", "Weight"].map((text) =>
    make("th", { scope: "col", textContent: text }));
  return make("details", { className: "why" },
    make("summary", { textContent: "Why" }),
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)),
    make("p", { className: "small", textContent: `Together ${sum.toFixed(2)}: the log-odds of the confidence.` }));
}

// Draws where the chosen match lies in the picture.
function choose(element, value) {
  for (const other of at("results").children) other.classList.toggle("chosen", other === element);
  const region = picture ? value.alignment?.region : null;
  at("region").hidden = !region;
  if (!region) return;
  ["left", "top", "width", "height"].forEach((side, index) => {
    at("region").style[side] = `${region[index] * 100}%`;
  });
}

// ---- Events ---------------------------------------------------------------------------------------

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  key = at("key").value.trim();
  search();
});
for (const id of ["file", "camera"]) {
  at(id).addEventListener("change", (event) => {
    take(event.target.files[0]);
    event.target.value = "";
  });
}
at("more").addEventListener("click", () => askJSON({ continuation, deadlineMs: 2000 }));
document.addEventListener("paste", (event) => {
  const file = [...event.clipboardData.files].find((one) => one.type.startsWith("image/"));
  if (file) {
    event.preventDefault();
    take(file);
  }
});
for (const name of ["dragover", "drop", "dragleave"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", name === "dragover");
    if (name === "drop") take(event.dataTransfer.files[0]);
  });
}
