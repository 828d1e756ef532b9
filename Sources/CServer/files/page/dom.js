// Elements, texts and links.

export const at = (id) => document.getElementById(id);

/** Makes an element. Properties that begin with "aria" or contain a dash become attributes. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (key.includes("-") || key === "role" || key === "for") element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const percent = (share) => `${Math.floor(share * 100)} %`;
export const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// The shop's catalogue contains the links. A link that would run as a script in this page is not
// shown.
export const isSafe = (url) =>
  Boolean(url) && /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^(javascript|data|vbscript|blob):/i.test(url);

export function link(url, text = url) {
  return isSafe(url)
    ? make("a", { className: "link", href: url, textContent: text, target: "_blank", rel: "noreferrer" })
    : make("p", { className: "subtitle", textContent: "No link to the shop" });
}

/** The address of an entity's own view. */
export const address = (type, id) => `#/entity/${type}/${encodeURIComponent(id)}`;

export const isPhone = () => matchMedia("(max-width: 55.99rem)").matches;

/** Scrolls to an element if its upper half is out of sight. */
export function reveal(element) {
  const box = element.getBoundingClientRect();
  if (box.top >= 0 && box.top < innerHeight / 2) return;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ behavior: isCalm ? "instant" : "smooth", block: "start" });
}

/** Gives a file to the person. */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
