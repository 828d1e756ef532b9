// Images to try: those of the shop, shown as a photo of the thing on a table would show them.

import { at, make } from "./dom.js";
import { getJSON, imagePosition, thumbnailBlob } from "./api.js";
import { drawn } from "./picture.js";

const count = 6;
const tables = ["#b79f83", "#8d9aa3", "#c9c2b4", "#7f8f7d"];

/** Draws a picture turned and cut off at an edge, on a table. */
async function photo(blob, index) {
  const bitmap = await createImageBitmap(blob);
  return drawn(640, 480, (context, canvas) => {
    context.fillStyle = tables[index % tables.length];
    context.fillRect(0, 0, canvas.width, canvas.height);
    const scale = 470 / Math.max(bitmap.width, bitmap.height);
    context.translate(canvas.width / 2 + (index % 2 ? 40 : -40), canvas.height / 2 + 20);
    context.rotate((index % 2 ? 1 : -1) * (0.08 + 0.03 * (index % 3)));
    context.drawImage(
      bitmap, -bitmap.width * scale / 2, -bitmap.height * scale / 2, bitmap.width * scale, bitmap.height * scale);
  });
}

/** Shows pictures to try; calls `take` with the one that is chosen. */
export async function showSamples(take) {
  const list = at("samples").querySelector("ul");
  if (list.childElementCount) return;
  const answer = await getJSON(`v1/entities/suggested?type=product&limit=${count}`).catch(() => null);
  const items = await Promise.all((answer?.entities ?? []).map(async (entity, index) => {
    const blob = await thumbnailBlob(entity.type, entity.id, imagePosition(entity, entity.display.image), "large");
    const file = blob && await photo(blob, index).catch(() => null);
    if (!file) return null;
    const image = make("img", { alt: "", src: URL.createObjectURL(file) });
    const button = make("button", {
      className: "sample", type: "button", "aria-label": `Search with an image of ${entity.display.title}`,
    }, image);
    button.addEventListener("click", () => take(file));
    return make("li", {}, button);
  }));
  const shown = items.filter(Boolean);
  list.replaceChildren(...shown);
  at("samples").hidden = !shown.length;
}
