// The views, and the navigation between them.

import { at } from "./dom.js";
import { onRefused, setKey } from "./api.js";
import { openSearch, search, startSearch } from "./search.js";
import { openCatalogue } from "./catalogue.js";
import { openEntity } from "./entity.js";
import { openFeedback } from "./feedback.js";
import { openCheck } from "./check.js";
import { openRules } from "./rules.js";
import { openNumbers } from "./numbers.js";
import { openEvaluate } from "./evaluate.js";
import { loadWords } from "./words.js";

const views = {
  search: { title: "Search", open: openSearch },
  catalogue: { title: "Catalogue", open: openCatalogue },
  entity: { title: "Catalogue", open: (query, [type, id]) => openEntity(type, id) },
  feedback: { title: "Feedback", open: openFeedback },
  check: { title: "Check", open: openCheck },
  rules: { title: "Rules", open: openRules },
  numbers: { title: "Numbers", open: openNumbers },
  evaluate: { title: "Evaluate", open: openEvaluate },
};

/** The view that an address names, with its query and the parts behind the view's name. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  return { name: name in views ? name : "search", query: new URLSearchParams(query ?? ""),
    rest: rest.map(decodeURIComponent) };
}

function open(isFirst) {
  const { name, query, rest } = place();
  for (const id of Object.keys(views)) at(id).hidden = id !== name;
  for (const anchor of document.querySelectorAll("nav a")) {
    const isHere = anchor.dataset.view === (name === "entity" ? "catalogue" : name);
    if (isHere) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  document.title = name === "search" ? "VisualQuery" : `${views[name].title} – VisualQuery`;
  Promise.resolve(views[name].open(query, rest)).catch((error) => { throw error; });
  if (isFirst) return;
  window.scrollTo(0, 0);
  (at(name).querySelector("h2[tabindex]") ?? at("main")).focus();
}

function showAccess(reason) {
  at("access").hidden = false;
  at("keys").setAttribute("aria-expanded", "true");
  at("wanted").textContent = reason;
  at("key").focus();
}

at("keys").addEventListener("click", () => {
  at("access").hidden = !at("access").hidden;
  at("keys").setAttribute("aria-expanded", String(!at("access").hidden));
  at("wanted").textContent = "";
  if (!at("access").hidden) at("key").focus();
});
at("access").addEventListener("submit", async (event) => {
  event.preventDefault();
  setKey(at("key").value.trim());
  at("access").hidden = true;
  at("keys").setAttribute("aria-expanded", "false");
  at("keys").textContent = at("key").value.trim() ? "Key ✓" : "Key";
  await loadWords();
  open(false);
  if (!at("search").hidden) search();
});
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("main").focus();
});
window.addEventListener("hashchange", () => open(false));
onRefused(showAccess);
startSearch();
loadWords().then(() => open(true));
