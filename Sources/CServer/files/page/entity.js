// The view of one entity: all images, its details, its variants, its nearest neighbors, its history, and feedback about
// it.

import { at, link, make } from "./dom.js";
import { getJSON, hasKey, imagePosition, postJSON, thumbnail, thumbnailBlob } from "./api.js";
import { availabilityText, priceText } from "./details.js";
import { tile } from "./catalogue.js";
import { feedbackCard } from "./feedback.js";
import { take } from "./search.js";

const neighborCount = 12;
let shown = "";

export async function openEntity(type, id) {
  const view = at("entity");
  shown = `${type}:${id}`;
  const isCurrent = () => shown === `${type}:${id}`;
  const title = make("h2", { textContent: id, tabIndex: -1 });
  const status = make("p", { className: "subtitle", role: "status", textContent: "Looking …" });
  view.replaceChildren(title, status);
  let answer;
  try {
    answer = await getJSON(`v1/entities/${type}/${encodeURIComponent(id)}`);
  } catch (error) {
    if (isCurrent()) status.textContent = `${error.title}. ${error.detail}`;
    return;
  }
  if (!isCurrent()) return;
  const { entity } = answer;
  title.textContent = entity.display.title;
  status.textContent = entity.display.subtitle ?? "";
  document.title = `${entity.display.title} – VisualQuery`;
  view.append(pictures(entity), facts(entity));
  const others = await Promise.all([variants(entity), neighbors(entity), history(entity), statements(entity)]);
  if (isCurrent()) view.append(...others.filter(Boolean));
}

function pictures(entity) {
  const images = (entity.product ?? entity.store)?.images ?? [];
  if (!images.length) return make("p", { className: "against", textContent: "It has no image that can be found." });
  const items = images.map((image, index) => {
    const position = imagePosition(entity, image);
    const search = make("button", {
      type: "button", className: "quiet", textContent: "Search with it", "aria-label": `Search with image ${index + 1}`,
    });
    search.addEventListener("click", async () => {
      const blob = await thumbnailBlob(entity.type, entity.id, position, "extraLarge");
      if (!blob) return;
      location.hash = "#/";
      take(blob);
    });
    return make("li", {}, thumbnail(entity.type, entity.id, position, {
      size: "large", className: "large-image", alt: `${entity.display.title}, image ${index + 1}`,
    }), search);
  });
  return make("ul", { className: "gallery", "aria-label": "Images" }, ...items);
}

function facts(entity) {
  const { product, store } = entity;
  const rows = [
    ["Id", `${entity.type}:${entity.id}`],
    ["Price", priceText(product?.price)],
    ["Availability", availabilityText(product?.availability)],
    ["Brand", product?.brand],
    ["Group", product?.group],
    ...Object.entries(product?.attributes ?? {}),
    ["Address", store?.address],
    ["Opening hours", store?.openingHours?.join(", ")],
    ["Labels", (product ?? store)?.labels?.join(", ")],
    ["Also called", (product ?? store)?.synonyms?.join(", ")],
    ["Languages", Object.keys((product ?? store)?.localized ?? {}).join(", ")],
    ...Object.entries((product ?? store)?.extra ?? {}).map(([name, value]) =>
      [name, typeof value === "string" ? value : JSON.stringify(value)]),
  ].filter(([, value]) => value);
  return make("section", { "aria-label": "Details" },
    make("dl", { className: "facts-list" }, ...rows.flatMap(([name, value]) =>
      [make("dt", { textContent: name }), make("dd", { textContent: value })])),
    link(entity.url));
}

const section = (name, note, ...children) => make("section", { className: "part" },
  make("h3", { textContent: name }), note ? make("p", { className: "small", textContent: note }) : null, ...children);

async function variants(entity) {
  if (!entity.product?.group) return null;
  const answer = await postJSON("v1/entities:query", {
    comparators: [{ property: "group", comparison: "equalTo", value: entity.product.group }], type: "product", limit: 50,
  }).catch(() => null);
  const others = (answer?.entities ?? []).filter((other) => other.id !== entity.id);
  if (!others.length) return null;
  return section("The same in other variants", null,
    make("ul", { className: "tiles" }, ...others.map((other) => tile(other))));
}

async function neighbors(entity) {
  const path = `v1/entities/${entity.type}/${encodeURIComponent(entity.id)}/neighbors?limit=${neighborCount}`;
  const answer = await getJSON(path).catch(() => null);
  if (!answer?.neighbors.length) return null;
  return section("What looks most like it", "By its first image. Answers that are wrong are mostly among the nearest.",
    make("ul", { className: "tiles", id: "neighbors" }, ...answer.neighbors.map((neighbor) =>
      tile(neighbor.entity, neighbor.sharesDetails ? "shares details" : null))));
}

/** A generation with its time, or a range of them. */
function when({ firstGeneration, generation, date }) {
  const time = new Date(date).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return firstGeneration === generation ? `generation ${generation}, ${time}`
    : `one of the generations ${firstGeneration} to ${generation}, until ${time}`;
}

async function history(entity) {
  const answer = await getJSON(`v1/entities/${entity.type}/${encodeURIComponent(entity.id)}/history`).catch(() => null);
  if (!answer?.changed) return null;
  const isUnchanged = answer.added?.generation === answer.changed.generation;
  const rows = [["Added", answer.added && when(answer.added)], ["Changed last", isUnchanged ? "not since" : when(answer.changed)]];
  return section("History", `The catalogue is at generation ${answer.generation}: each run of vq index or change makes one.`,
    make("dl", { className: "facts-list", id: "history" }, ...rows.filter(([, text]) => text).flatMap(([name, text]) =>
      [make("dt", { textContent: name }), make("dd", { textContent: text })])));
}

async function statements(entity) {
  if (!hasKey()) return null;
  const query = new URLSearchParams({ entity: `${entity.type}:${entity.id}` });
  const answer = await getJSON(`v1/feedback?${query}`).catch(() => null);
  if (!answer?.feedback.length) return null;
  return section("What was said about it", null,
    make("ul", { className: "cards" }, ...answer.feedback.map((entry) => feedbackCard(entry))));
}
