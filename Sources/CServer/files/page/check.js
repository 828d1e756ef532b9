// The view that shows what could be improved: the doctor's findings, labels that no entity has, and rejected rows.

import { address, at, counted, make } from "./dom.js";
import { getJSON, postJSON, thumbnail } from "./api.js";
import { word } from "./words.js";

const shownOfAKind = 6;

const part = (id, name, text) => {
  const status = make("p", { className: "subtitle", role: "status", textContent: "Looking …" });
  const body = make("div", { id, className: "part-body" });
  return { status, body, element: make("section", { className: "part" },
    make("h3", { textContent: name }), make("p", { className: "small", textContent: text }), status, body) };
};

async function fill({ status, body }, load) {
  try {
    status.textContent = await load(body);
  } catch (error) {
    status.textContent = `${error.title ?? "It failed"}. ${error.detail ?? error.message}`;
  }
}

export async function openCheck() {
  const doctor = part("findings", "What is hard to find or to show", "As 'vq doctor' finds it.");
  const labels = part("unknownLabels", "Labels that nothing has",
    "People's cameras sent these words, and nothing in the shop has them. The bridge maps them to labels of the shop.");
  const rows = part("refusedRows", "Rows and images that the last run rejected", "As 'rejected.jsonl' of the index has them.");
  at("check").replaceChildren(make("h2", { textContent: "Check", tabIndex: -1 }),
    doctor.element, labels.element, rows.element);
  await Promise.all([fill(doctor, showFindings), fill(labels, showLabels), fill(rows, showRows)]);
}

// ---- The doctor -----------------------------------------------------------------------------------

function side(id, image = 0) {
  const [type, ...rest] = id.split(":");
  const value = rest.join(":");
  return make("figure", { className: "side" },
    thumbnail(type, value, image, { size: "small" }),
    make("figcaption", {}, make("a", { href: address(type, value), textContent: value })));
}

const finding = (one) => make("li", { className: "card plain" }, make("div", {},
  make("div", { className: "sides" }, side(one.id, one.image), one.twin ? side(one.twin) : null),
  make("p", { textContent: one.detail }), make("p", { className: "subtitle", textContent: one.cure })));

async function showFindings(body) {
  const { findings, total } = await getJSON("v1/doctor");
  const kinds = new Map();
  for (const one of findings) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  const parts = [...kinds].sort((a, b) => b[1].length - a[1].length).map(([kind, all]) => {
    const list = make("ul", { className: "cards columns" }, ...all.slice(0, shownOfAKind).map(finding));
    const rest = all.slice(shownOfAKind);
    const more = rest.length
      ? make("button", { type: "button", className: "quiet", textContent: `${rest.length} more` }) : null;
    more?.addEventListener("click", () => {
      const items = rest.map(finding);
      list.append(...items);
      items[0].querySelector("a").focus();
      more.remove();
    });
    return make("section", { className: "kind" },
      make("h4", { textContent: `${word("findingKind", kind)} (${all.length})` }), list, more);
  });
  body.replaceChildren(...parts);
  if (!total) return "Nothing to correct.";
  return counted(total, "finding", "findings") + (total > findings.length ? `; the first ${findings.length} are shown` : "");
}

// ---- Labels ---------------------------------------------------------------------------------------

function unknownLabel({ label, queries }) {
  const field = make("input", { type: "text", placeholder: "labels of the shop, such as mug, cup",
    "aria-label": `Labels of the shop that ${label} means` });
  const status = make("span", { className: "small", role: "status" });
  const add = make("button", { type: "submit", textContent: "Add to the bridge", "aria-label": `Add ${label} to the bridge` });
  const form = make("form", { className: "bridge" },
    make("span", {}, make("strong", { textContent: label }),
      make("span", { className: "subtitle", textContent: ` ${counted(queries, "query", "queries")}` })), field, add, status);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const targets = field.value.split(",").map((word) => word.trim()).filter(Boolean);
    if (!targets.length) {
      status.textContent = "Type a label of the shop.";
      field.focus();
      return;
    }
    add.disabled = true;
    try {
      await postJSON("v1/labels/bridge", { label, labels: targets });
      status.textContent = `Added: ${label} now finds ${targets.join(", ")}.`;
      add.hidden = true;
      field.readOnly = true;
    } catch (error) {
      status.textContent = error.detail;
      add.disabled = false;
    }
  });
  return make("li", {}, form);
}

async function showLabels(body) {
  const { labels } = await getJSON("v1/labels/unknown");
  body.replaceChildren(make("ul", { className: "bridges" }, ...labels.map(unknownLabel)));
  return labels.length ? counted(labels.length, "label", "labels") : "None: every label that was asked for is known.";
}

// ---- Rejected rows --------------------------------------------------------------------------------

const rowCells = (row) => make("tr", {}, ...[row.line, row.id, row.field, row.reason]
  .map((value) => make("td", { textContent: value ?? "" })));

async function showRows(body) {
  const table = make("tbody");
  const more = make("button", { type: "button", textContent: "More" });
  let cursor = "";
  const add = async () => {
    const page = await getJSON(`v1/rejected?limit=200&cursor=${cursor}`);
    table.append(...page.rows.map(rowCells));
    cursor = page.cursor ?? "";
    more.hidden = !page.hasMore;
  };
  const told = () => counted(table.childElementCount, "row", "rows") + (more.hidden ? "" : "; there are more");
  await add();
  if (!table.childElementCount && more.hidden) {
    body.replaceChildren();
    return "None: the last run took everything.";
  }
  const heads = ["Line", "Entity", "Field", "Why"].map((textContent) => make("th", { scope: "col", textContent }));
  const status = body.parentElement.querySelector("[role=status]");
  more.addEventListener("click", () => fill({ status, body }, async () => {
    await add();
    return told();
  }));
  body.replaceChildren(make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Rejected rows" },
    make("table", { className: "rows" }, make("thead", {}, make("tr", {}, ...heads)), table)), more);
  return told();
}
