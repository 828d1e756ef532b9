// The part of an image that is searched: a box to drag, or four edges to move.

import { at } from "./dom.js";

const edges = ["left", "right", "top", "bottom"];
/** The smallest side of a part, as a share of the picture's. */
const least = 0.04;

/** Makes the box of the frame; calls `changed` when the person has chosen another part. */
export function makeCrop(changed) {
  let part = null; // left, top, right, bottom in shares
  let origin = null;

  const isWhole = () => !part || (part[0] <= 0 && part[1] <= 0 && part[2] >= 1 && part[3] >= 1);

  function draw() {
    at("crop").hidden = isWhole();
    const [left, top, right, bottom] = part ?? [0, 0, 1, 1];
    Object.assign(at("crop").style, {
      left: `${left * 100}%`, top: `${top * 100}%`,
      width: `${(right - left) * 100}%`, height: `${(bottom - top) * 100}%`,
    });
    const values = { left, right, top, bottom };
    for (const edge of edges) {
      at(edge).value = Math.round(values[edge] * 100);
      at(edge).setAttribute("aria-valuetext", `${at(edge).value} %`);
    }
  }

  function place(event) {
    const box = at("picture").getBoundingClientRect();
    const share = (value, start, length) => Math.min(1, Math.max(0, (value - start) / length));
    return [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height)];
  }

  function end(event) {
    if (!origin) return;
    const [x, y] = place(event);
    const dragged = [
      Math.min(x, origin.x), Math.min(y, origin.y), Math.max(x, origin.x), Math.max(y, origin.y),
    ];
    const isBox = dragged[2] - dragged[0] >= least && dragged[3] - dragged[1] >= least;
    part = event.type === "pointerup" && isBox ? dragged : origin.former;
    origin = null;
    draw();
    if (part === dragged) changed();
  }

  // A finger scrolls the page unless the controls of the part are open.
  at("frame").addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || (event.pointerType === "touch" && !at("part").open)) return;
    event.preventDefault();
    const [x, y] = place(event);
    origin = { x, y, former: part };
    at("frame").setPointerCapture(event.pointerId);
  });
  at("frame").addEventListener("pointermove", (event) => {
    if (!origin) return;
    const [x, y] = place(event);
    part = [Math.min(x, origin.x), Math.min(y, origin.y), Math.max(x, origin.x), Math.max(y, origin.y)];
    draw();
  });
  at("frame").addEventListener("pointerup", end);
  at("frame").addEventListener("pointercancel", end);
  at("part").addEventListener("toggle", () => at("frame").classList.toggle("cropping", at("part").open));

  for (const edge of edges) {
    at(edge).addEventListener("input", () => {
      const [left, right, top, bottom] = edges.map((name) => Number(at(name).value) / 100);
      part = [left, top, right, bottom];
      // The edge that is moved stops at the opposite one.
      if (edge === "left") part[0] = Math.min(left, right - least);
      if (edge === "right") part[2] = Math.max(right, left + least);
      if (edge === "top") part[1] = Math.min(top, bottom - least);
      if (edge === "bottom") part[3] = Math.max(bottom, top + least);
      draw();
    });
    at(edge).addEventListener("change", changed);
  }
  at("whole").addEventListener("click", () => {
    if (isWhole()) return;
    part = null;
    draw();
    changed();
  });

  draw();
  return {
    /** Left, top, width and height in shares, or null for the whole picture. */
    get region() {
      if (isWhole()) return null;
      return [part[0], part[1], part[2] - part[0], part[3] - part[1]].map((share) => Number(share.toFixed(4)));
    },
    reset() {
      part = null;
      draw();
    },
  };
}
