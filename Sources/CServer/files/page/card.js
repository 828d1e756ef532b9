// The card of an answer, with its evidence.

import { address, link, make, percent } from "./dom.js";
import { imagePosition, thumbnail } from "./api.js";
import { details } from "./details.js";
import { word } from "./words.js";

/**
 * Makes the card of a match.
 *
 * - isSure: whether the shop would show it to a customer.
 * - doubt: the words for one that is not sure.
 * - titles: the titles of the products in the answer by their ids.
 * - choose: called when the person looks at it.
 * - correct: called when the person says that it is wrong (false) or right (true), or null.
 */
export function card(value, { isSure, doubt = "not sure", titles, choose, correct }) {
  const image = value.matchedImage ?? value.display.image;
  const element = make("li", { className: isSure ? "card" : "card guess" },
    thumbnail(value.type, value.id, imagePosition(value, image)),
    make("div", {},
      make("h3", { className: "title" },
        make("a", { href: address(value.type, value.id), textContent: value.display.title })),
      value.display.subtitle ? make("p", { className: "subtitle", textContent: value.display.subtitle }) : null,
      make("p", { className: "facts" },
        isSure ? null : make("span", { className: "tier doubt", textContent: doubt }),
        make("span", { className: "confidence", textContent: percent(value.confidence) }),
        make("meter", { min: 0, max: 1, value: value.confidence, "aria-label": "Confidence" }),
        make("span", { className: "tier", textContent: because(value, titles) })),
      details(value),
      link(value.url, "Open in the shop"),
      read(value.words, true, "Read, and its own"),
      read(value.words, false, "Read, but only others'"),
      variants(value),
      correct ? verdict(value, correct) : null),
    why(value.evidence));
  element.addEventListener("click", () => choose(element, value));
  element.addEventListener("focusin", () => choose(element, value));
  return element;
}

function because(value, titles) {
  if (!value.stocks) return word("tier", value.tier);
  return `has ${titles.get(value.stocks) ?? value.stocks} in stock`;
}

// Lists the words that were read and agree with the entity, or those that do not.
function read(words, agrees, title) {
  const list = (words ?? []).filter((word) => word.agrees === agrees).map((word) => word.text);
  return list.length ? make("p", { className: "subtitle", textContent: `${title}: ${list.join(", ")}` }) : null;
}

function verdict(value, correct) {
  const name = value.display.title;
  const wrong = make("button", {
    className: "quiet", type: "button", textContent: "This is wrong", "aria-label": `${name}: this is wrong`,
  });
  const right = make("button", {
    className: "quiet", type: "button", textContent: "This is right", "aria-label": `${name}: this is right`,
  });
  wrong.addEventListener("click", () => correct(value, false, wrong));
  right.addEventListener("click", () => correct(value, true, right));
  return make("p", { className: "verdict" }, wrong, right);
}

// The other colors of a product, beneath the one that matched.
function variants(value) {
  if (!value.variants) return null;
  const items = value.variants.map((variant) => {
    const names = Object.values(variant.product?.attributes ?? {}).join(", ");
    const text = names || variant.display.subtitle || variant.display.title;
    return make("li", {},
      thumbnail(value.type, variant.id, imagePosition(variant, variant.display.image), { className: "swatch" }),
      make("span", {},
        make("a", { href: address(value.type, variant.id), textContent: text }),
        variant.confidence
          ? make("span", { className: "subtitle", textContent: ` ${percent(variant.confidence)}` }) : null));
  });
  return make("ul", { className: "variants", "aria-label": "Other variants" }, ...items);
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
      make("th", { scope: "row", textContent: word("evidence", term.kind) }),
      make("td", { textContent: String(term.value) }),
      make("td", {}, make("span", { className: "bar", "aria-hidden": "true" }, bar)),
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
