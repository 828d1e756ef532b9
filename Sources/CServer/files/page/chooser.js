// A field that finds an entity of the shop by words and shows images.

import { make } from "./dom.js";
import { getJSON, imagePosition, thumbnail } from "./api.js";

const count = 8;
let number = 0;

/** Makes a field; its `chosen` is the id such as product:mug-red, or null. */
export function makeChooser(label) {
  const name = `chooser${number += 1}`;
  const field = make("input", { type: "search", id: `${name}Text`, autocomplete: "off" });
  const list = make("ul", { className: "choices-list", role: "radiogroup", "aria-label": "Found" });
  const note = make("p", { className: "small", role: "status" });
  let asking = new AbortController();
  let waiting = null;

  function choice(entity) {
    const id = `${entity.type}:${entity.id}`;
    return make("li", {}, make("label", { className: "choice" },
      make("input", { type: "radio", name, value: id }),
      thumbnail(entity.type, entity.id, imagePosition(entity, entity.display.image), { className: "swatch" }),
      make("span", {}, entity.display.title,
        make("span", { className: "subtitle", textContent: ` ${entity.display.subtitle ?? ""} ${entity.id}` }))));
  }

  async function find() {
    asking.abort();
    asking = new AbortController();
    const text = field.value.trim();
    if (!text) {
      list.replaceChildren();
      note.textContent = "";
      return;
    }
    try {
      const query = new URLSearchParams({ q: text, limit: String(count) });
      const { entities } = await getJSON(`v1/entities?${query}`, { signal: asking.signal });
      list.replaceChildren(...entities.map(choice));
      note.textContent = entities.length ? "" : "Nothing in the shop has these words.";
    } catch (error) {
      if (error.name !== "AbortError") note.textContent = error.detail ?? "The server cannot be reached.";
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(find, 150);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    find();
  });
  const element = make("div", { className: "chooser" }, make("label", { for: field.id, textContent: label }), field, note, list);
  return {
    element,
    get chosen() { return list.querySelector("input:checked")?.value ?? null; },
  };
}
