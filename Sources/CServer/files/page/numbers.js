// The view of the numbers: what people searched and opened.

import { at, counted, make } from "./dom.js";
import { getJSON } from "./api.js";

const spans = [["7", "The last 7 days"], ["30", "The last 30 days"], ["90", "The last 90 days"], ["", "All days"]];
const outcomes = [["sure", "a sure answer"], ["list", "a list of what it may be"], ["empty", "nothing"]];
const actions = ["shown", "opened", "added", "ordered"];

const share = (count, all) => (all ? `${(100 * count / all).toFixed(1)} %` : "–");

export function openNumbers() {
  const view = at("numbers");
  if (!view.childElementCount) {
    const span = make("select", { id: "numberDays" }, ...spans.map(([value, textContent]) =>
      make("option", { value, textContent, selected: value === "30" })));
    span.addEventListener("change", load);
    view.append(make("h2", { textContent: "Numbers", tabIndex: -1 }),
      make("p", { className: "small", textContent: "Sums by day, as 'vq report' has them. Nothing tells of a person." }),
      make("div", { className: "fields" }, make("label", {}, "Days, in UTC", span)),
      make("p", { id: "numbersStatus", className: "subtitle", role: "status" }),
      make("div", { id: "numbersBody", className: "part-body" }));
  }
  return load();
}

async function load() {
  const days = at("numberDays").value;
  at("numbersStatus").textContent = "Looking …";
  try {
    const report = await getJSON(`v1/numbers${days ? `?days=${days}` : ""}`);
    at("numbersBody").replaceChildren(...(report.total.searches || report.from ? parts(report) : []));
    at("numbersStatus").textContent = report.from
      ? `${counted(report.total.searches, "search", "searches")} from ${report.from} to ${report.until}.`
      : "No searches were counted yet.";
  } catch (error) {
    at("numbersBody").replaceChildren();
    at("numbersStatus").textContent = /without --numbers/.test(error.detail ?? "")
      ? "This server keeps no numbers. Start it with 'vq serve --numbers'."
      : `${error.title}. ${error.detail}`;
  }
}

const part = (name, ...children) => make("section", { className: "part" }, make("h3", { textContent: name }), ...children);

function parts(report) {
  const { total } = report;
  const figures = [
    ["Searches", String(total.searches)],
    ...outcomes.map(([key, name]) => [`with ${name}`, share(total[key], total.searches)]),
    ...actions.map((key) => [key, String(total[key])]),
  ];
  const groups = [["By key", report.byKey], ["By language", report.byLanguage], ["By rule", report.byRule],
    ["By model", report.byModel], ["Two settings side by side", report.byArm]];
  return [
    make("dl", { className: "figures" }, ...figures.map(([name, value]) =>
      make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: value })))),
    part("By day", days(report.byDay), make("details", {}, make("summary", { textContent: "As a table" }), table(report.byDay, "Day"))),
    ...groups.filter(([, rows]) => rows.length > 1 || rows[0]?.name).map(([name, rows]) =>
      part(name, table(rows, name.startsWith("By ") ? name.slice(3) : "Side"), rows === report.byArm ? difference(report) : "")),
    report.ranks.length ? part("What was opened, by rank", ranks(report.ranks)) : "",
    part("Labels that find nothing", empty(report.emptyLabels, "label", "Label", "Give such a label a meaning under Check.")),
    part("Parts of images that find nothing", empty(report.emptyRegions, "region", "Part",
      "People marked these parts of their images. Large ones may show things that the shop does not have.")),
    report.excess ? part("More than a day may have", excess(report.excess)) : "",
  ].filter(Boolean);
}

function excess(found) {
  const kinds = [["merged", "sums were added up as 'other'"], ["events", "events were not counted"],
    ["labels", "searches were left out of the labels that find nothing"], ["sides", "searches count for no side"]];
  const said = kinds.filter(([key]) => found[key]).map(([key, meaning]) => `${found[key]} ${meaning}`);
  const [first, last] = [found.days[0], found.days.at(-1)];
  return make("p", { textContent: `${first === last ? first : `${first} to ${last}`}: ${said.join(", ")}.` });
}

// ---- Plots ----------------------------------------------------------------------------------------

function draw(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A column for each day from the first to the last, also for those without searches. */
function days(rows) {
  const byDay = new Map(rows.map(({ name, sums }) => [name, sums]));
  const all = [];
  for (let day = new Date(rows[0].name); day <= new Date(rows.at(-1).name); day.setUTCDate(day.getUTCDate() + 1)) {
    all.push(day.toISOString().slice(0, 10));
  }
  const most = Math.max(...rows.map(({ sums }) => sums.searches), 1);
  const columns = all.map((day, index) => {
    const sums = byDay.get(day);
    let top = 100;
    const bars = sums ? outcomes.map(([key]) => {
      const height = 100 * sums[key] / most;
      top -= height;
      return draw("rect", { class: key, x: index * 10 + 1, y: top, width: 8, height });
    }) : [];
    const title = draw("title", {});
    title.textContent = `${day}: ${counted(sums?.searches ?? 0, "search", "searches")}`;
    return draw("g", {}, title, draw("rect", { class: "room", x: index * 10, y: 0, width: 10, height: 100 }), ...bars);
  });
  const label = `Searches of each day, at most ${most}`;
  return make("figure", { className: "plot" },
    make("p", { className: "small", textContent: `${most} ${most === 1 ? "search" : "searches"}` }),
    draw("svg", { viewBox: `0 0 ${10 * all.length} 100`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...columns),
    make("p", { className: "small ends" }, make("span", { textContent: all[0] }),
      all.length > 1 ? make("span", { textContent: all.at(-1) }) : ""),
    make("figcaption", { className: "small legend" }, ...outcomes.map(([key, name]) =>
      make("span", {}, make("span", { className: `key ${key}`, "aria-hidden": "true" }), ` with ${name}`))));
}

function bar(value, most) {
  const inner = make("span", {});
  inner.style.width = `${most ? 100 * value / most : 0}%`;
  return make("span", { className: "amount", "aria-hidden": "true" }, inner);
}

// ---- Tables ---------------------------------------------------------------------------------------

function scroll(name, heads, rows) {
  return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": name },
    make("table", { className: "rows numbers" },
      make("thead", {}, make("tr", {}, ...heads.map((textContent) => make("th", { scope: "col", textContent })))),
      make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, index) =>
        make(index ? "td" : "th", index ? {} : { scope: "row" }, cell)))))));
}

function table(rows, name) {
  const most = Math.max(...rows.map(({ sums }) => sums.searches));
  return scroll(name, [name[0].toUpperCase() + name.slice(1), "Searches", "", "Sure", "List", "Nothing", "Opened"],
    rows.map((row) => [row.name || "–", String(row.sums.searches), bar(row.sums.searches, most),
      ...outcomes.map(([key]) => share(row.sums[key], row.sums.searches)), String(row.sums.opened)]));
}

function ranks(rows) {
  const most = Math.max(...rows.map(({ opened }) => opened));
  return scroll("Ranks", ["Rank", "Opened", "", "Shown", "Added", "Ordered"], rows.map((row) => [
    row.rank ? String(row.rank) : "list", String(row.opened), bar(row.opened, most), String(row.shown), String(row.added),
    String(row.ordered)]));
}

function difference({ difference: found }) {
  if (!found) return "";
  const signed = (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;
  const isChance = found.low <= 0 && found.high >= 0;
  return make("p", { textContent: `B opens ${signed(found.openedPerSearch)} more per search than A; 95 % interval ${
    signed(found.low)} to ${signed(found.high)}: ${isChance ? "this may be chance." : "this is hardly chance."}` });
}

function empty(rows, key, name, cure) {
  if (!rows.length) return make("p", { className: "subtitle", textContent: "None with ten searches or more." });
  return make("div", { className: "part-body" }, make("p", { className: "small", textContent: cure }),
    scroll(name, [name, "Searches"], rows.map((row) => [row[key], String(row.searches)])));
}
