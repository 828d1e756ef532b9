// The view that measures the search with a folder of photos. Each photo is matched like any other, and none is kept by
// the server.

import { address, at, counted, download, make, percent } from "./dom.js";
import { eachAtMost, hasKey, patiently, postJSON, request, serverLimits, thumbnail } from "./api.js";
import { fitPart, offerPhotos, openFit } from "./fit.js";
import { reduced } from "./picture.js";

const photoLimit = 500;
const photoSide = 1024;
// The longer side of the photos that are uploaded together for a report. If there are many, the
// smaller size is used.
const reportSides = [photoSide, 640];
const deadline = 5000;
const answerCount = 5;

let running = null;

const percentage = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);

export function openEvaluate() {
  const view = at("evaluate");
  if (view.childElementCount) return openFit();
  const folder = make("input", { type: "file", id: "folder", webkitdirectory: true, multiple: true });
  const files = make("input", { type: "file", id: "photos", multiple: true, accept: "image/*,.jsonl" });
  const stop = make("button", { type: "button", className: "quiet", textContent: "Stop", id: "stop", hidden: true });
  view.append(make("h2", { textContent: "Evaluate", tabIndex: -1 }),
    make("p", { textContent: "Choose photos whose right answer you know, and see how well the search finds it." }),
    make("p", { className: "small", textContent: "A photo in a folder that is named like an id shows that entity (mug-red/1.jpg), "
      + "and so does a photo whose name begins with the id and two underscores (mug-red__1.jpg). A folder named none has photos "
      + "of things that the shop does not have. A file queries.jsonl, as vq eval reads it, counts before names." }),
    make("div", { className: "choices start" },
      make("span", { className: "button" }, folder, make("label", { for: "folder", textContent: "Choose a folder" })),
      make("span", { className: "button camera" }, files, make("label", { for: "photos", textContent: "Choose photos" })), stop),
    make("progress", { id: "progress", max: 1, value: 0, hidden: true, "aria-label": "Photos that were searched with" }),
    make("p", { id: "progressText", role: "status" }),
    make("div", { id: "report" }), fitPart());
  for (const input of [folder, files]) {
    input.addEventListener("change", async () => {
      const chosen = [...input.files];
      input.value = "";
      await evaluate(chosen);
    });
  }
  stop.addEventListener("click", () => running?.abort());
  return openFit();
}

// ---- The right answers ----------------------------------------------------------------------------

const say = (text) => { at("progressText").textContent = text; };
const pathOf = (file) => file.webkitRelativePath || file.name;

/** The queries of some files: each photo with the ids that are right, or null if they are not known. */
async function queriesOf(files) {
  const photos = files.filter((file) => file.type.startsWith("image/"));
  const list = files.find((file) => file.name.endsWith(".jsonl"));
  const truths = new Map();
  if (list) {
    const folder = pathOf(list).slice(0, -list.name.length);
    for (const line of (await list.text()).split("\n").filter((one) => one.trim())) {
      const query = JSON.parse(line);
      if (query.image) truths.set(folder + query.image, query);
    }
  }
  return photos.map((file) => {
    const parts = pathOf(file).split("/");
    const listed = truths.get(pathOf(file));
    const name = file.name.includes("__") ? file.name.split("__")[0] : parts.at(-2);
    return { file, name: pathOf(file), labels: listed?.labels ?? [], edit: listed?.edit,
      truth: listed ? listed.truth : name === "none" ? [] : name ? [name] : null };
  });
}

/** Asks the server which of the right ids exist, so that a mistyped one is not counted as a miss. */
async function unknownIDs(queries) {
  const names = [...new Set(queries.flatMap((query) => query.truth ?? []))];
  const unknown = new Set(names);
  for (let start = 0; start < names.length; start += 200) {
    const ids = names.slice(start, start + 200).flatMap((id) => [`product:${id}`, `store:${id}`]);
    const answer = await postJSON("v1/entities:resolve", { ids });
    for (const entity of answer.entities) unknown.delete(entity.id);
  }
  return unknown;
}

// ---- Asking ---------------------------------------------------------------------------------------

async function evaluate(files) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  at("report").replaceChildren();
  offerPhotos([]);
  try {
    const all = (await queriesOf(files)).slice(0, photoLimit);
    const unknown = await unknownIDs(all);
    const isUsable = (query) => query.truth && !query.truth.some((id) => unknown.has(id));
    const queries = all.filter(isUsable);
    const skipped = all.filter((query) => !isUsable(query));
    if (!queries.length) {
      return say(`No photo says what it shows${skipped.length
        ? `; for example, ${skipped[0].name} is not of an id of the shop` : ""}.`);
    }
    at("progress").hidden = false;
    at("stop").hidden = false;
    const outcomes = await ask(queries, signal);
    const answered = outcomes.filter((outcome) => outcome.answers);
    const notes = [
      ...skipped.map((query) => `${query.name}: not of an id of the shop`),
      ...outcomes.filter((outcome) => outcome.error).map((outcome) => `${outcome.query.name}: ${outcome.error}`),
    ];
    if (!answered.length) return say(notes.length ? `No photo was searched with; for example, ${notes[0]}` : "Stopped.");
    show(answered, await figuresOf(answered), notes);
    offerPhotos(answered.map((outcome) => outcome.query));
  } catch (error) {
    say(error instanceof SyntaxError ? "queries.jsonl has a line that is not JSON." : error.detail ?? error.message);
  } finally {
    at("progress").hidden = true;
    at("stop").hidden = true;
  }
}

async function ask(queries, signal) {
  const outcomes = [];
  await eachAtMost(2, queries, async (query, index) => {
    if (signal.aborted) return;
    outcomes[index] = { query, ...await answerTo(query, signal) };
    const count = outcomes.filter(Boolean).length;
    at("progress").value = count / queries.length;
    say(`${count} of ${counted(queries.length, "photo", "photos")}`);
  });
  return outcomes.filter((outcome) => outcome?.answers || outcome?.error);
}

async function answerTo(query, signal) {
  try {
    const form = new FormData();
    form.set("image", await reduced(query.file, photoSide));
    form.set("request", new Blob([JSON.stringify({
      labels: query.labels, minConfidence: 0, deadlineMs: deadline, limit: answerCount, products: answerCount,
      feedback: false,
    })], { type: "application/json" }));
    const answer = await patiently(async () => (await request("v1/match", { method: "POST", body: form, signal })).json());
    return { answers: answer.values, isComplete: answer.complete };
  } catch (error) {
    return error.name === "AbortError" ? {} : { error: error.detail || error.message };
  }
}

// ---- The report -----------------------------------------------------------------------------------

/** The figures of answered queries, which the server computes as vq eval does. */
const figuresOf = (answered) => postJSON("v1/evaluations:figures", {
  queries: answered.map(({ query, answers, isComplete }) => ({
    truth: query.truth, complete: isComplete,
    answers: answers.map(({ type, id, confidence }) => ({ id: `${type}:${id}`, confidence })),
  })),
});

function show(answered, figures, notes) {
  const rows = [
    ["Photos", String(answered.length)],
    ["Right answer first", percentage(figures.recallAt1)],
    ["Right answer among the first five", percentage(figures.recallAt5)],
    ["Shown and right", percentage(figures.shownRight)],
    ["Shown and wrong", percentage(figures.shownWrong)],
    ["Not in the shop, and nothing shown", percentage(figures.negativesEmpty)],
    ["Stopped by the deadline", String(figures.incomplete)],
  ];
  const misses = figures.wrong.map((index) => answered[index]);
  const save = make("button", { type: "button", className: "quiet", textContent: "Save the figures" });
  save.addEventListener("click", () => download("evaluation.json", JSON.stringify({
    figures: Object.fromEntries(rows),
    photos: answered.map((outcome) => ({ photo: outcome.query.name, truth: outcome.query.truth,
      answers: outcome.answers.map(({ type, id, confidence }) => ({ type, id, confidence })) })),
    notes,
  }, null, 1), "application/json"));
  say(`Done: ${counted(answered.length, "photo", "photos")}. What people said about answers did not count.`);
  at("report").replaceChildren(
    make("section", { className: "part" }, make("h3", { textContent: "Figures", id: "figures" }),
      make("table", { className: "rows", "aria-labelledby": "figures" }, make("tbody", {}, ...rows.map(([name, value]) =>
        make("tr", {}, make("th", { scope: "row", textContent: name }), make("td", { textContent: value })))))),
    make("section", { className: "part" }, make("h3", { textContent: misses.length ? "Wrong, the surest first" : "Nothing is wrong" }),
      make("ul", { className: "cards columns" }, ...misses.slice(0, 60).map(miss))),
    notes.length ? make("details", {}, make("summary", { textContent: `${counted(notes.length, "photo", "photos")} left out` }),
      make("ul", {}, ...notes.map((textContent) => make("li", { textContent })))) : "",
    make("div", { className: "choices start" }, save, ...(hasKey() ? reportButton(answered.map((one) => one.query)) : [
      make("p", { className: "small", textContent: "With a key that may write, the server makes the report of vq eval --report." })])));
  at("report").querySelector("h3").tabIndex = -1;
  at("report").querySelector("h3").focus();
}

/** The form of a report, with as many photos as one request may have. */
async function reportForm(queries) {
  const room = 0.95 * ((await serverLimits())?.bodyBytes ?? 10_000_000) - 2048 * queries.length;
  let photos = [];
  for (const side of reportSides) {
    photos = [];
    let size = 0;
    for (const query of queries) {
      const photo = await reduced(query.file, side);
      size += photo.size;
      if (size > room) break;
      photos.push(photo);
    }
    if (photos.length === queries.length) break;
  }
  const form = new FormData();
  const lines = photos.map((_, index) => JSON.stringify({
    query: queries[index].name, image: `photo-${index}`, truth: queries[index].truth, labels: queries[index].labels,
  }));
  form.set("queries", new Blob([lines.join("\n")], { type: "application/x-ndjson" }));
  photos.forEach((photo, index) => form.append(`photo-${index}`, photo));
  return { form, count: photos.length };
}

/** A button that lets the server make the report of vq eval, and its status. */
function reportButton(queries) {
  const status = make("p", { className: "small", role: "status" });
  const button = make("button", { type: "button", className: "quiet", textContent: "Save the report", id: "saveReport" });
  button.addEventListener("click", async () => {
    button.disabled = true;
    status.textContent = "The server makes the report …";
    try {
      const { form, count } = await reportForm(queries);
      const report = await (await request("v1/evaluations", { method: "POST", body: form })).blob();
      download("evaluation.html", report, "text/html");
      status.textContent = count === queries.length ? `The report has ${counted(count, "photo", "photos")}.`
        : `The report has the first ${count} of ${queries.length} photos, since no more can be uploaded at once; `
          + "vq eval --report takes any number.";
    } catch (error) {
      status.textContent = `${error.title ?? "It failed"}. ${error.detail ?? error.message}`;
    }
    button.disabled = false;
  });
  return [button, status];
}

function miss({ query, answers }) {
  const photo = make("img", { className: "thumbnail", alt: `The photo ${query.name}`, src: URL.createObjectURL(query.file) });
  const first = answers[0];
  const entity = (id, value, note) => make("figure", { className: "side" },
    thumbnail(value?.type ?? "product", id, 0, {}),
    make("figcaption", {}, make("a", { href: address(value?.type ?? "product", id), textContent: id }), ` ${note}`));
  return make("li", { className: "card plain" }, make("div", {},
    make("div", { className: "sides" },
      make("figure", { className: "side" }, photo, make("figcaption", { textContent: query.name.split("/").at(-1) })),
      first ? entity(first.id, first, percent(first.confidence)) : null,
      query.truth.length ? entity(query.truth[0], answers.find((value) => value.id === query.truth[0]), "is right") : null)));
}
