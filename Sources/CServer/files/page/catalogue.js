// The view that browses and searches the catalogue with images.

import { address, at, counted, make } from "./dom.js";
import { getJSON, imagePosition, thumbnail } from "./api.js";
import { availabilityText, priceText } from "./details.js";

const pageSize = 24;
let asking = new AbortController();

/** The card of an entity in a grid. */
export function tile(entity, note = null) {
  const { product, store } = entity;
  const facts = [priceText(product?.price), availabilityText(product?.availability), store?.address, note]
    .filter(Boolean).join(" · ");
  return make("li", { className: "tile" }, make("a", { href: address(entity.type, entity.id) },
    thumbnail(entity.type, entity.id, imagePosition(entity, entity.display.image), { size: "large", className: "tile-image" }),
    make("span", { className: "title", textContent: entity.display.title }),
    entity.display.subtitle ? make("span", { className: "subtitle", textContent: entity.display.subtitle }) : null,
    facts ? make("span", { className: "small", textContent: facts }) : null));
}

const view = () => at("catalogue");

function build() {
  const field = make("input", { type: "search", id: "words", placeholder: "mug", enterkeyhint: "search" });
  const type = make("select", { id: "kind" },
    make("option", { value: "", textContent: "Products and stores" }),
    make("option", { value: "product", textContent: "Products" }),
    make("option", { value: "store", textContent: "Stores" }));
  const form = make("form", { className: "fields wide", autocomplete: "off", role: "search" },
    make("label", { className: "grow" }, "Words", field), make("label", {}, "What", type),
    make("button", { type: "submit", textContent: "Find" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    if (field.value.trim()) query.set("q", field.value.trim());
    if (type.value) query.set("type", type.value);
    const hash = `#/catalogue${query.size ? `?${query}` : ""}`;
    if (location.hash === hash) list(query);
    else location.hash = hash;
  });
  type.addEventListener("change", () => form.requestSubmit());
  view().append(
    make("h2", { textContent: "Catalogue", tabIndex: -1 }), form,
    make("p", { id: "browsed", className: "subtitle", role: "status" }),
    make("ul", { id: "tiles", className: "tiles" }),
    make("button", { id: "further", type: "button", textContent: "More", hidden: true }));
}

export function openCatalogue(query) {
  if (!view().childElementCount) build();
  at("words").value = query.get("q") ?? "";
  at("kind").value = query.get("type") ?? "";
  return list(query);
}

async function list(query) {
  asking.abort();
  asking = new AbortController();
  at("tiles").replaceChildren();
  at("further").hidden = true;
  at("browsed").textContent = "Looking …";
  await page(query, "");
}

async function page(query, cursor) {
  const asked = new URLSearchParams({ limit: String(pageSize) });
  if (query.get("type")) asked.set("type", query.get("type"));
  // A search by words has a single page, of the best results; a list continues with its cursor.
  if (query.get("q")) asked.set("q", query.get("q"));
  else asked.set("cursor", cursor);
  let answer;
  try {
    answer = await getJSON(`v1/entities?${asked}`, { signal: asking.signal });
  } catch (error) {
    if (error.name !== "AbortError") at("browsed").textContent = `${error.title}. ${error.detail}`;
    return;
  }
  const tiles = answer.entities.map((entity) => tile(entity));
  at("tiles").append(...tiles);
  if (cursor && tiles.length) tiles[0].querySelector("a").focus();
  const shown = counted(at("tiles").childElementCount, "entity", "entities");
  at("browsed").textContent = query.get("q")
    ? `${shown} for “${query.get("q")}”${answer.entities.length === pageSize ? ", the best ones" : ""}`
    : `${shown}${answer.cursor ? " so far" : ""}`;
  at("further").hidden = !answer.cursor;
  at("further").onclick = () => page(query, answer.cursor);
}
