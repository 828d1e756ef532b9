// Converts images to a form that the server can read.

import { serverLimits } from "./api.js";

const longerSide = 2048;

/** Draws on a canvas and gives a JPEG. */
export function drawn(width, height, draw) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) });
  draw(canvas.getContext("2d"), canvas);
  return new Promise((done, fail) => canvas.toBlob(
    (blob) => (blob ? done(blob) : fail(new Error("the browser cannot draw it"))), "image/jpeg", 0.92));
}

/** A file as the server reads it: one that it does not read and the browser does, or that is too large, is made a JPEG. */
export async function readable(file) {
  const limits = await serverLimits();
  const isRead = (limits?.pictureTypes ?? ["image/jpeg", "image/png"]).includes(file.type);
  if (isRead && file.size <= (limits?.bodyBytes ?? Infinity)) return file;
  return reduced(file, longerSide);
}

/** A picture whose sides have at most some pixels, as a JPEG. */
export async function reduced(file, side) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  return drawn(bitmap.width * scale, bitmap.height * scale, (context, canvas) => {
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  });
}
