// The part of the view Evaluate that lets the shop learn from labelled photos. Each photo is asked once more, also as if the shop
// did not have its thing; the server gives back what it says, sealed, and keeps nothing. The last request has all of that.

import { at, counted, make } from "./dom.js";
import { eachAtMost, getJSON, hasKey, patiently, postJSON, request } from "./api.js";
import { reduced } from "./picture.js";

const photoLimit = 500;
const photoSide = 1024;
const needed = "100 photos of 10 products";
const offer = "With a key that may write, the shop can learn from photos whose right answer you know.";

// The numbers that are fitted: the value in general, and what it does to the log-odds of a confidence.
const meanings = {
  prior: ["0", "is added to all answers"], temperature: ["1", "multiplies all evidence"],
  labels: ["1", "also multiplies what labels say"], text: ["1", "also multiplies what text in the image says"],
  vector: ["0", "counts how much nearer than usual the vector is"],
};

let photos = [];
let statements = [];
let fits = [];
let running = null;

const number = (value) => value.toFixed(3).replace("-", "\u2212");
const say = (text) => { at("fitStatus").textContent = text; };
const failure = (error) => `${error.title ?? "It failed"}. ${error.detail ?? error.message}`;

function button(id, textContent, act, properties = {}) {
  const element = make("button", { type: "button", id, textContent, ...properties });
  element.addEventListener("click", act);
  return element;
}

/** The part, which is empty until it is opened. */
export const fitPart = () => make("section", { className: "part", "aria-labelledby": "fitName" },
  make("h3", { id: "fitName", tabIndex: -1, textContent: "Learn from photos" }),
  make("p", { id: "fitOffer", className: "small", textContent: offer }),
  make("div", { id: "fitTools", className: "part-body", hidden: true },
    make("p", { className: "small", textContent: `Fits five numbers of the confidence to photos whose right answer you know, from ${needed} on, `
      + "and keeps them only if they are better on products that they have not seen. The photos are asked and forgotten." }),
    make("div", { id: "fitNow", className: "part-body" }),
    make("p", { id: "fitPhotos" }),
    make("label", { id: "fitSaid", className: "check", hidden: true }, make("input", { type: "checkbox", id: "fitFeedback" }),
      make("span", {})),
    make("div", { className: "choices start" }, button("fitStart", "Fit the confidence", fit),
      button("fitStop", "Stop", () => running?.abort(), { className: "quiet", hidden: true })),
    make("progress", { id: "fitProgress", max: 1, value: 0, hidden: true, "aria-label": "Photos that were asked for the fit" }),
    make("p", { id: "fitStatus", role: "status" }),
    make("div", { id: "fitVerdict", className: "part-body" })));

/** Shows the fit that the shop has, if the key may see it. */
export async function openFit() {
  if (running || !hasKey()) return;
  try {
    showFits(await getJSON("v1/fit", { isQuiet: true }));
    statements = await keptPhotos();
  } catch (error) {
    at("fitTools").hidden = true;
    at("fitOffer").textContent = [401, 403].includes(error.status) ? offer : failure(error);
    at("fitOffer").hidden = false;
    return;
  }
  at("fitOffer").hidden = true;
  at("fitTools").hidden = false;
  at("fitFeedback").onchange = showPhotos;
  showPhotos();
}

/** Takes the photos that were evaluated as those to fit to. */
export function offerPhotos(queries) {
  running?.abort();
  photos = queries;
  at("fitVerdict").replaceChildren();
  say("");
  showPhotos();
}

/** The numbers of the accepted statements that say what is right, and whose photos people gave to be kept. */
async function keptPhotos() {
  const numbers = [];
  let before = null;
  do {
    const page = await getJSON(`v1/feedback?limit=1000${before ? `&before=${before}` : ""}`, { isQuiet: true });
    numbers.push(...page.feedback.filter((one) => one.state === "active" && one.chosen && one.hasImage).map((one) => one.number));
    before = page.next;
  } while (before !== null && numbers.length < photoLimit);
  return numbers;
}

function showPhotos() {
  at("fitSaid").hidden = !statements.length;
  at("fitSaid").lastChild.textContent = `Also ${counted(statements.length, "photo", "photos")} that people gave with accepted feedback`;
  at("fitPhotos").textContent = photos.length
    ? `${counted(photos.length, "photo is", "photos are")} chosen.` : "Choose photos above first.";
  at("fitStart").disabled = !chosen().length || Boolean(running);
}

// ---- Asking ---------------------------------------------------------------------------------------

/** The photos to ask: each with its name, and its request. */
function chosen() {
  const own = photos.map((query) => ({ name: query.name, options: async () => {
    const form = new FormData();
    form.set("query", new Blob([JSON.stringify({ truth: query.truth, labels: query.labels, edit: query.edit })],
      { type: "application/json" }));
    form.set("image", await reduced(query.file, photoSide));
    return { body: form };
  } }));
  const said = (at("fitFeedback").checked ? statements : []).map((statement) => ({ name: `The photo of statement ${statement}`,
    options: () => ({ body: JSON.stringify({ statement }), headers: { "Content-Type": "application/json" } }) }));
  return [...own, ...said];
}

async function fit() {
  running = new AbortController();
  const { signal } = running;
  const all = chosen();
  const asked = all.slice(0, photoLimit);
  const notes = all.slice(photoLimit).map(({ name }) => `${name}: a fit takes at most ${photoLimit} photos`);
  at("fitVerdict").replaceChildren();
  at("fitStart").disabled = true;
  at("fitStop").hidden = at("fitProgress").hidden = false;
  at("fitProgress").value = 0;
  try {
    const sealed = await ask(asked, notes, signal);
    signal.throwIfAborted();
    if (!sealed.length) return say(`No photo was asked; for example, ${notes[0]}`);
    // From here on it is too late to stop: the fit might be stored already.
    at("fitStop").hidden = true;
    say("The server fits, and judges …");
    showVerdict(await postJSON("v1/fit", { photos: sealed }), notes);
    showFits(await getJSON("v1/fit", { isQuiet: true }));
  } catch (error) {
    say(error.name === "AbortError" ? "Stopped. Nothing was changed." : failure(error));
  } finally {
    at("fitStop").hidden = at("fitProgress").hidden = true;
    running = null;
    showPhotos();
  }
}

/** What the photos say, sealed, in their order. Why one says nothing is added to the notes. */
async function ask(asked, notes, signal) {
  const sealed = [];
  const names = new Map();
  let count = 0;
  await eachAtMost(2, asked, async ({ name, options }, index) => {
    if (signal.aborted) return;
    try {
      const sent = await options();
      const answer = await patiently(async () => (await request("v1/fit/photos", { method: "POST", signal, ...sent })).json());
      if (names.has(answer.id)) {
        notes.push(`${name}: the same photo as ${names.get(answer.id)}`);
      } else {
        names.set(answer.id, name);
        sealed[index] = answer.photo;
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      // If the key may not do this, no other photo will be asked either.
      if ([401, 403].includes(error.status)) throw error;
      notes.push(`${name}: ${error.detail || error.message}`);
    }
    count += 1;
    at("fitProgress").value = count / asked.length;
    say(`${count} of ${counted(asked.length, "photo", "photos")} asked`);
  });
  return sealed.filter(Boolean);
}

// ---- The verdict ----------------------------------------------------------------------------------

const places = { everything: "in all", absent: "for photos of what the shop does not have" };

function reason({ verdict, photos: count, products, worseAt }) {
  switch (verdict) {
    case "better": return "Kept: it is better, and nothing is worse than chance explains. It counts from the next search on.";
    case "tooFew": return `Not kept: ${counted(count, "photo", "photos")} of ${counted(products, "product", "products")} `
      + `${count === 1 ? "is" : "are"} too few to tell. A fit needs ${needed}.`;
    case "worse": return "Not kept: more of what is shown would be wrong than chance explains, "
      + `${worseAt.map((one) => places[one] ?? `for the photos named ${one}`).join(", ")}.`;
    default: return "Not kept: the gain may be chance.";
  }
}

const table = (heads, rows) => make("table", { className: "rows" },
  make("thead", {}, make("tr", {}, ...heads.map((textContent) => make("th", { scope: "col", textContent })))),
  make("tbody", {}, ...rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row", textContent: name }),
    ...cells.map((textContent) => make("td", { textContent }))))));

function showVerdict(verdict, notes) {
  const { before, after, gain, absent } = verdict;
  const present = verdict.photos - absent;
  const of = (all) => (share) => (share === null ? "\u2013" : `${Math.round(share * all)} of ${all}`);
  const percentage = (share) => (share === null ? "\u2013" : `${(100 * share).toFixed(1)} %`);
  const rows = [
    ["First answer right", "recallAt1", of(present)], ["Shown and right", "shownRight", of(present)],
    ["Shown and wrong", "shownWrong", of(present)], ["Wrong, of all that is shown", "wrongOfShown", percentage],
    ["Something shown, though the shop does not have it", "absentShown", of(absent)],
    ["Something shown if the shop did not have these products", "withoutOwnShown", of(present)],
    ["Log loss", "logLoss", number],
  ].map(([name, key, text]) => [name, text(before[key]), text(after[key])]);
  const heading = make("h4", { textContent: reason(verdict), tabIndex: -1 });
  say(verdict.stored ? "Done: the fit is kept." : "Done: nothing was changed.");
  at("fitVerdict").replaceChildren(heading,
    verdict.verdict === "tooFew" ? "" : make("p", { textContent: `The log loss tells how far the confidences are from what was right. It falls by ${number(gain.logLoss)}, `
      + `and with other products of this kind by ${number(gain.low)} to ${number(gain.high)} in 95 of 100 cases; `
      + "a fit is kept only if all of this is above 0." }),
    table(["On products that it has not seen", "Before", "After"], rows),
    verdict.stored ? "" : make("details", {}, make("summary", { textContent: "The numbers that it would have had" }),
      coefficients(verdict.coefficients)),
    notes.length ? make("details", {}, make("summary", { textContent: `${counted(notes.length, "photo", "photos")} left out` }),
      make("ul", {}, ...notes.map((textContent) => make("li", { textContent })))) : "");
  heading.focus();
}

const coefficients = (values) => table(["Number", "In general", "Here", "What it does"], Object.entries(values).map(([name, value]) =>
  [name, meanings[name]?.[0] ?? "", number(value), meanings[name]?.[1] ?? ""]));

// ---- The present fit ------------------------------------------------------------------------------

function showFits(answer) {
  const { counts } = answer;
  ({ fits } = answer);
  const now = fits.at(-1);
  if (!now) return at("fitNow").replaceChildren(make("p", { textContent: "The shop has no fit: its confidences are those of all shops." }));
  const date = now.date ? ` on ${now.date.slice(0, 10)} at ${now.date.slice(11, 16)} UTC` : "";
  const former = fits.length > 1 ? `, and ${counted(fits.length - 1, "former one", "former ones")}` : "";
  at("fitNow").replaceChildren(
    make("p", { textContent: `The shop has a fit${former}: made${date} from ${counted(now.photos, "photo", "photos")} of `
      + `${counted(now.products, "product", "products")}, ${now.vectors ? `with the vectors of ${now.vectors}` : "without vectors"}.` }),
    counts ? "" : make("p", { className: "against", textContent: "It does not count, since it corrects another version of the program. Fit again." }),
    make("details", {}, make("summary", { textContent: "Its numbers" }), coefficients(now.coefficients)),
    button("fitUndo", fits.length > 1 ? "Undo it: the one before counts again" : "Undo it", undo, { className: "quiet" }));
}

async function undo() {
  at("fitUndo").disabled = true;
  try {
    const now = await getJSON("v1/fit");
    if (JSON.stringify(now.fits) !== JSON.stringify(fits)) {
      showFits(now);
      return say("Somebody else has changed the fit meanwhile, and nothing was undone. This is the one that counts now.");
    }
    const left = await (await request("v1/fit", { method: "DELETE" })).json();
    showFits(left);
    at("fitVerdict").replaceChildren();
    say(left.fits.length ? "Undone: the fit before counts again." : "Undone: the shop has no fit any more.");
    (at("fitUndo") ?? at("fitName")).focus();
  } catch (error) {
    say(failure(error));
    at("fitUndo").disabled = false;
  }
}
