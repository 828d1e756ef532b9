// Requests to the server, with the key that the person has given.

let key = "";
let refused = () => {};

export const hasKey = () => Boolean(key);
export const setKey = (text) => { key = text; };
/** Sets what is called when a key is needed, with the reason. */
export const onRefused = (body) => { refused = body; };

/** A problem of RFC 9457, or a server that does not answer. */
export class Problem extends Error {
  constructor(title, detail, status = 0, retryAfter = null) {
    super(detail);
    Object.assign(this, { title, detail, status, retryAfter });
  }
}

const titles = {
  400: "The question was not understood", 401: "A key is needed", 403: "This key may not do that",
  404: "Not there", 410: "Too old", 413: "Too large", 415: "Not an image that can be read",
  422: "This cannot be used", 429: "Too many questions", 503: "Not now",
};

/** Asks the server; throws a Problem for every answer that is not a success. With `isQuiet`, nobody is asked for another key. */
export async function request(path, { isQuiet = false, ...options } = {}) {
  const headers = { ...options.headers };
  if (key) headers.Authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("No answer", "The server cannot be reached.");
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const wait = response.headers.get("Retry-After");
  const detail = (answer.detail ?? "") + (wait ? ` (in ${wait} s)` : "");
  if (!isQuiet && (response.status === 401 || response.status === 403)) refused(detail);
  throw new Problem(
    titles[response.status] ?? answer.title ?? "It failed", detail, response.status, wait && Number(wait));
}

export const getJSON = async (path, options) => (await request(path, options)).json();

export const postJSON = (path, document, options = {}) => getJSON(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(document), ...options,
});

/** Asks again while the server is busy, after the time that it names. */
export async function patiently(ask) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!error.retryAfter || attempt === 5) throw error;
      await new Promise((done) => setTimeout(done, 1000 * error.retryAfter));
    }
  }
}

let limits = null;
/** The limits of the server, asked for once. */
export async function serverLimits() {
  limits ??= await getJSON("v1/limits").catch(() => null);
  return limits;
}

// ---- Thumbnails -----------------------------------------------------------------------------------

const kept = new Map();
const keptLimit = 400;

// Loads an image by script instead of by the address of an <img>, because only a script can send the key, which goes
// into a header. An image at the shop's own address is also requested from this server, because the page loads nothing
// from other servers.
async function loadThumbnail(path) {
  const known = kept.get(path);
  if (known) return known;
  const url = URL.createObjectURL(await (await request(path)).blob());
  kept.set(path, url);
  if (kept.size > keptLimit) {
    const [oldest, old] = kept.entries().next().value;
    kept.delete(oldest);
    URL.revokeObjectURL(old);
  }
  return url;
}

/** The path of the thumbnail of an entity's image: by its address in the entity, or by its position. */
export function thumbnailPath(type, id, image = 0, size = "small") {
  const isOwn = typeof image === "string" && image.startsWith("/v1/entities/");
  const query = new URLSearchParams(isOwn ? image.split("?")[1] : { image: String(image) });
  query.set("size", size);
  return `v1/entities/${type}/${encodeURIComponent(id)}/thumbnail?${query}`;
}

/** An element that becomes the thumbnail when it has come, and stays blank if there is none. */
export function thumbnail(type, id, image, { size = "small", className = "thumbnail", alt = "" } = {}) {
  const place = document.createElement("div");
  place.className = `${className} blank`;
  loadThumbnail(thumbnailPath(type, id, image, size)).then((source) => {
    const picture = new Image();
    Object.assign(picture, { className, alt, src: source });
    place.replaceWith(picture);
  }).catch(() => {});
  return place;
}

/** The bytes of a thumbnail, or null if there is none. */
export const thumbnailBlob = (type, id, image, size) =>
  request(thumbnailPath(type, id, image, size)).then((response) => response.blob()).catch(() => null);

/** The position of an image of an entity in its answer. */
export function imagePosition(entity, image) {
  if (!image || image.startsWith("/v1/entities/")) return image ?? 0;
  return Math.max(0, ((entity.product ?? entity.store)?.images ?? []).indexOf(image));
}

/** Calls a body for each element, at most some at a time. */
export async function eachAtMost(count, elements, body) {
  const queue = [...elements].entries();
  await Promise.all(Array.from({ length: count }, async () => {
    for (const [index, element] of queue) await body(element, index);
  }));
}
