// "What would change": searches without and with the rules of the draft, which the server does not store.

import { at, counted, make } from "./dom.js";
import { eachAtMost, request } from "./api.js";
import { entityLink } from "./feedback.js";
import { reduced } from "./picture.js";

const photoLimit = 100;
const photoSide = 1024;
const deadline = 5000;

/** Asks the server for both answers to a search. */
export async function tryRules(rules, question, photo = null) {
  const form = new FormData();
  const json = (value) => new Blob([JSON.stringify(value)], { type: "application/json" });
  form.set("rules", json({ rules }));
  form.set("request", json(question));
  if (photo) form.set("image", await reduced(photo, photoSide));
  return (await request("v1/rules/trial", { method: "POST", body: form })).json();
}

/** Makes the part of the view; `rules` gives the rules to try. */
export function makeTrial(rules) {
  const labels = make("input", { type: "text", id: "trialLabels", placeholder: "mug, lamp", enterKeyHint: "search" });
  const photos = make("input", { type: "file", id: "trialPhotos", multiple: true, accept: "image/*" });
  const page = make("input", { type: "text", id: "trialPage", placeholder: "any" });
  const language = make("input", { type: "text", id: "trialLanguage", placeholder: "as your browser", maxLength: 35 });
  const day = make("input", { type: "date", id: "trialDay" });
  const form = make("form", { className: "part-body", autocomplete: "off" },
    make("div", { className: "fields" },
      make("label", {}, "Labels; each is a search", labels), make("label", {}, "On the day, if not now", day),
      make("label", {}, "Page of the app", page), make("label", {}, "Language", language)),
    make("div", { className: "choices start" }, make("button", { type: "submit", textContent: "Try labels", id: "tryRules" }),
      make("span", { className: "button camera" }, photos, make("label", { for: "trialPhotos", textContent: "Try photos" }))));
  const question = () => ({
    deadlineMs: deadline,
    ...(page.value.trim() ? { appPage: page.value.trim() } : {}),
    ...(language.value.trim() ? { locale: language.value.trim() } : {}),
    ...(day.value ? { at: `${day.value}T12:00:00Z` } : {}),
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = labels.value.split(",").map((word) => word.trim()).filter(Boolean);
    run(rules(), words.map((word) => ({ name: word, question: { ...question(), labels: [word] } })));
  });
  photos.addEventListener("change", () => {
    const chosen = [...photos.files].slice(0, photoLimit);
    photos.value = "";
    run(rules(), chosen.map((photo) => ({ name: photo.name, photo, question: question() })));
  });
  return make("section", { className: "part" }, make("h3", { textContent: "What would change" }),
    make("p", { className: "small", textContent: "Tries the rules above, saved or not. Nothing is stored, and customers see nothing of it." }),
    form, make("p", { id: "trialStatus", className: "subtitle", role: "status" }),
    make("ul", { id: "trials", className: "cards columns" }));
}

async function run(rules, searches) {
  const say = (text) => { at("trialStatus").textContent = text; };
  at("trials").replaceChildren();
  if (!searches.length) return say("Type a label, or choose photos.");
  const outcomes = [];
  say("Searching …");
  try {
    await eachAtMost(2, searches, async (search, index) => {
      outcomes[index] = { search, trial: await tryRules(rules, search.question, search.photo) };
      say(`${outcomes.filter(Boolean).length} of ${counted(searches.length, "search", "searches")}`);
    });
  } catch (error) {
    return say(error.detail ?? error.message);
  }
  const cards = outcomes.map(({ search, trial }) => trialCard(search, trial)).filter(Boolean);
  const late = outcomes.filter(({ trial }) => !trial.before.complete || !trial.after.complete).length;
  const missing = outcomes[0].trial.missing;
  say([
    cards.length ? `${cards.length} of ${counted(searches.length, "search", "searches")} would change.`
      : `Nothing changes in ${counted(searches.length, "search", "searches")}.`,
    late ? `${late} of them ran out of time, so they may differ for that.` : "",
    missing.length ? `The shop does not have ${missing.slice(0, 3).join(", ")}${missing.length > 3 ? " and others" : ""}.` : "",
  ].filter(Boolean).join(" "));
  at("trials").replaceChildren(...cards);
}

/** The entities that change places in a list, or leave it or come into it. */
function changes(before, after) {
  const name = (one) => `${one.type}:${one.id}`;
  const places = (list) => new Map(list.map((one, index) => [name(one), index + 1]));
  const [old, young] = [places(before), places(after)];
  const rules = new Map(after.map((one) => [name(one), one.rule]));
  return [...new Set([...before, ...after].map(name))].filter((id) => old.get(id) !== young.get(id))
    .map((id) => ({ id, before: old.get(id), after: young.get(id), rule: rules.get(id) }));
}

function trialCard({ name, photo }, { before, after }) {
  const moved = [
    ...changes(before.values, after.values),
    ...changes(before.possible, after.possible).map((one) => ({ ...one, isPossible: true })),
  ];
  if (!moved.length) return null;
  const rows = moved.map((one) => make("tr", {},
    make("td", { textContent: one.before ?? "–" }), make("td", { textContent: one.after ?? "gone" }),
    make("td", {}, entityLink(one.id)),
    make("td", { textContent: [one.rule, one.isPossible ? "not sure" : null].filter(Boolean).join(", ") })));
  const heads = ["Now", "Then", "What", "By the rule"].map((textContent) => make("th", { scope: "col", textContent }));
  return make("li", { className: "card plain" }, make("div", {},
    make("div", { className: "facts" },
      photo ? make("img", { className: "swatch", alt: "", src: URL.createObjectURL(photo) }) : null,
      make("h4", { textContent: name })),
    make("table", { className: "rows" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))));
}
