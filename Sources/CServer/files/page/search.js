// The view that searches with an image and shows what was found.

import { at, make, percent, counted, reveal, isPhone } from "./dom.js";
import { getJSON, postJSON, request, Problem } from "./api.js";
import { readable } from "./picture.js";
import { makeCrop } from "./crop.js";
import { card } from "./card.js";
import { showSamples } from "./samples.js";
import { askForCorrection } from "./correction.js";
import { word } from "./words.js";

const deadline = 2000;

let picture = null; // the Blob that is searched with
let asked = null; // the region of the question, and the number of cards that were shown
let continuation = null;
let standardCutOff = 0.85;
let takesFeedback = false;
let asking = new AbortController();
const crop = makeCrop(() => search());

// ---- The question ---------------------------------------------------------------------------------

const words = (id, separator) => at(id).value.split(separator).map((word) => word.trim()).filter(Boolean);
const labels = () => words("labels", ",");
const cutOff = () => Number(at("cutOff").value) / 100;

/** The fields of the question besides the picture. */
function question() {
  const where = words("where", ";");
  if (at("price").value !== "") where.push(`price<=${at("price").value}`);
  if (at("inStock").checked) where.push("availability=inStock");
  const isProduct = at("price").value !== "" || at("inStock").checked;
  const near = words("near", ",");
  const fields = { deadlineMs: deadline, group: true, at: new Date().toISOString() };
  if (labels().length) fields.labels = labels();
  const text = at("text").value.trim();
  if (text) fields.text = text;
  if (where.length) fields.where = where;
  if (at("type").value || isProduct) fields.type = at("type").value || "product";
  if (at("language").value.trim()) fields.locale = at("language").value.trim();
  if (near.length === 2) fields.near = { latitude: Number(near[0]), longitude: Number(near[1]) };
  if (picture) fields.minConfidence = cutOff();
  if (picture && crop.region) fields.region = crop.region;
  return fields;
}

export async function search() {
  asking.abort();
  asking = new AbortController();
  clear();
  if (!picture && !labels().length && !at("text").value.trim()) return say("Nothing has been asked yet.");
  say("Searching …");
  const fields = question();
  asked = { region: fields.region ?? null, shown: 0 };
  if (!picture) return ask(fields);
  const form = new FormData();
  form.set("image", picture);
  form.set("request", new Blob([JSON.stringify(fields)], { type: "application/json" }));
  return ask(null, { body: form });
}

async function ask(document, options = {}) {
  const signal = asking.signal;
  try {
    const answer = document
      ? await postJSON("v1/match", document, { signal })
      : await (await request("v1/match", { method: "POST", signal, ...options })).json();
    show(answer);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Problem)) throw error;
    complain(error.title, error.detail);
  }
}

/** Takes a picture and searches with it. */
export async function take(file) {
  if (!file) return;
  clear();
  try {
    picture = await readable(file);
  } catch {
    picture = null;
    at("figure").hidden = true;
    return complain("Not an image", `This browser cannot read ${file.name || "this file"}.`);
  }
  URL.revokeObjectURL(at("picture").src);
  at("picture").src = URL.createObjectURL(picture);
  at("figure").hidden = false;
  crop.reset();
  at("hint").textContent = "Another one: drop or paste it here, or";
  await search();
}

// ---- The answer -----------------------------------------------------------------------------------

const say = (text) => { at("status").textContent = text; };

function complain(title, detail) {
  say("");
  at("problem").hidden = false;
  at("problem").firstElementChild.textContent = title;
  at("problem").lastElementChild.textContent = detail;
  if (isPhone()) reveal(at("answer"));
}

function clear() {
  for (const id of ["problem", "region", "more", "unsure", "colors", "alike", "missing"]) at(id).hidden = true;
  at("results").replaceChildren();
  at("guesses").replaceChildren();
  at("lines").replaceChildren();
  at("siblings").replaceChildren();
  at("similar").replaceChildren();
}

function show(answer) {
  continuation = answer.continuation;
  const before = asked.shown;
  const sure = answer.values;
  const guesses = before ? [] : answer.possible ?? [];
  const siblings = before ? [] : answer.sibling ?? [];
  const similar = before ? [] : answer.similar ?? [];
  const titles = new Map(answer.values.map((value) => [value.id, value.display.title]));
  const made = (isSure, doubt) => (value) => card(value, {
    isSure, doubt, titles, choose,
    correct: continuation && takesFeedback ? (wrong, isRight, opener) => correct(wrong, isRight, opener) : null,
  });
  const cards = sure.map(made(true));
  at("results").append(...cards);
  at("guesses").replaceChildren(...guesses.map(made(false)));
  at("unsure").hidden = !guesses.length;
  at("siblings").replaceChildren(...siblings.map(made(false, "another color")));
  at("colors").hidden = !siblings.length;
  at("similar").replaceChildren(...similar.map(made(false, "similar")));
  at("alike").hidden = !similar.length;
  at("missing").hidden = !continuation || !takesFeedback || before > 0;
  at("more").hidden = !answer.hasMore;
  asked.shown += sure.length;
  const first = [...sure, ...guesses, ...siblings][0];
  const list = sure.length ? "results" : guesses.length ? "guesses" : "siblings";
  if (!before && first) choose(at(list).firstElementChild, first);
  if (before && cards.length) cards[0].querySelector("a, summary").focus();
  say(summary(answer, sure, guesses, siblings, before));
  if (!before && isPhone()) reveal(at("answer"));
}

function summary(answer, sure, guesses, siblings, before) {
  const notes = [];
  if (sure.length) {
    const count = counted(sure.length + before, "match", "matches");
    notes.push(before ? `${count}.` : `${count}; best: ${sure[0].display.title}, ${percent(sure[0].confidence)}.`);
  } else if (before) {
    notes.push("There are no more.");
  } else if (guesses.length) {
    const what = guesses.length > 1 ? `One of ${guesses.length} is likely. The likeliest` : "Likely";
    notes.push(`Nothing is sure. ${what}: ${guesses[0].display.title}, ${percent(guesses[0].confidence)}.`);
  } else if (siblings.length) {
    notes.push(`Nothing is sure. The same thing in another color: ${siblings[0].display.title}, ${percent(siblings[0].confidence)}.`);
  } else {
    notes.push(word("emptyReason", answer.emptyReason) ?? "No match.");
  }
  if (answer.feedback?.suppressed.length) {
    notes.push(`Left out, since somebody said that it is not: ${
      answer.feedback.suppressed.map((one) => one.id).join(", ")}.`);
  }
  if (answer.unmatchedWords?.length) notes.push(`Nothing like it has: ${answer.unmatchedWords.join(", ")}.`);
  if (answer.unmatchedLabels.length) notes.push(`The shop does not know: ${answer.unmatchedLabels.join(", ")}.`);
  if (!answer.complete) notes.push(`Time was up when ${percent(answer.coverage)} had been searched.`);
  return notes.join(" ");
}

// Draws the outlines of the words that were read: of those that agree with the match, and of those that only agree with
// other entities.
function drawLines(words, [left, top, width, height]) {
  at("lines").replaceChildren(...words.filter((word) => word.corners.length === 4).map((word) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
    line.setAttribute("points", word.corners.map(([x, y]) => `${left + x * width},${top + y * height}`).join(" "));
    if (!word.agrees) line.classList.add("foreign");
    return line;
  }));
}

// Outlines the chosen match in the image. The outline of a match in a searched part is given in
// shares of that part.
function choose(element, value) {
  for (const other of document.querySelectorAll("#results > *, #guesses > *, #siblings > *")) {
    other.classList.toggle("chosen", other === element);
  }
  const part = asked.region ?? [0, 0, 1, 1];
  drawLines(picture ? value.words ?? [] : [], part);
  const found = picture ? value.alignment?.region : null;
  at("region").hidden = !found;
  if (!found) return;
  const [left, top, width, height] = part;
  const sides = { left: left + found[0] * width, top: top + found[1] * height,
    width: found[2] * width, height: found[3] * height };
  for (const [side, share] of Object.entries(sides)) at("region").style[side] = `${share * 100}%`;
}

function correct(value, isRight, opener) {
  askForCorrection({
    query: continuation, value, isRight, opener, picture: asked.region ? null : picture, done: search,
  });
}

// ---- Events ---------------------------------------------------------------------------------------

function showCutOff() {
  at("cutOffText").textContent = `${at("cutOff").value} %`;
}

// Says when the shop was indexed, and what went wrong if anything did.
function describeRun({ time, outcome, kept }) {
  const when = new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const what = {
    refused: "the feed lacked too much or was another one, so old values stay",
    failed: "it failed",
    interrupted: "it was interrupted",
  }[outcome] ?? (outcome ? "" : "it has not ended");
  const old = kept ? `${counted(kept, "old value was", "old values were")} kept` : "";
  const said = [what, old].filter(Boolean).join("; ");
  at("lastRun").textContent = `Last indexed: ${when}${said ? ` (${said})` : ""}.`;
  at("lastRun").hidden = false;
}

async function describeShop() {
  const shop = await getJSON("v1/catalogue").catch(() => null);
  if (!shop) return;
  standardCutOff = shop.minimumConfidence;
  takesFeedback = shop.feedback;
  at("cutOff").value = Math.round(standardCutOff * 100);
  showCutOff();
  if (shop.lastRun) describeRun(shop.lastRun);
  const stores = shop.stores ? ` and ${counted(shop.stores, "store", "stores")}` : "";
  at("shop").textContent =
    `Show it a picture: which of this shop's ${counted(shop.products, "product", "products")}${stores} is it?`;
}

export function startSearch() {
  at("cutOff").value = Math.round(standardCutOff * 100);
  showCutOff();
  at("form").addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  for (const id of ["file", "camera"]) {
    at(id).addEventListener("change", (event) => {
      take(event.target.files[0]);
      event.target.value = "";
    });
  }
  for (const id of ["type", "price", "inStock", "where", "language", "near", "cutOff"]) {
    at(id).addEventListener("change", () => search());
  }
  at("cutOff").addEventListener("input", showCutOff);
  at("here").addEventListener("click", () => navigator.geolocation.getCurrentPosition((position) => {
    const { latitude, longitude } = position.coords;
    at("near").value = `${latitude.toFixed(3)}, ${longitude.toFixed(3)}`;
    search();
  }, () => complain("No position", "The browser does not tell where you are. Type it: latitude, longitude.")));
  at("more").addEventListener("click", () => ask({ continuation, deadlineMs: deadline }));
  at("missing").addEventListener("click", (event) => correct(null, false, event.target));
  document.addEventListener("paste", (event) => {
    const file = [...event.clipboardData.files].find((one) => one.type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    location.hash = "#/";
    take(file);
  });
  for (const name of ["dragover", "drop", "dragleave"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      at("drop").classList.toggle("over", name === "dragover");
      if (name === "drop" && !at("search").hidden) take(event.dataTransfer.files[0]);
    });
  }
}

/** Fills in what the shop has, and pictures to try. */
export async function openSearch() {
  await describeShop();
  await showSamples(take);
}
