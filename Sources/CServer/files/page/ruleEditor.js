// The dialog that edits a rule. The server checks it before it is taken.

import { at, make } from "./dom.js";
import { entityLink } from "./feedback.js";
import { makeChooser } from "./chooser.js";
import { tryRules } from "./ruleTrial.js";

const lists = ["labels", "categories", "pages", "languages"];

/**
 * Edits a rule, or a new one.
 *
 * - rules: all rules of the draft.
 * - index: the position of the rule, or null for a new one.
 * - done: called with all rules, once the server finds nothing wrong with this one.
 */
export function editRule({ rules, index, opener, done }) {
  const dialog = at("ruleDialog");
  const rule = index === null ? { name: "", do: "pin" } : rules[index];
  const fields = {};
  const entities = [...rule.entities ?? []];
  const field = (name, label, value, properties = {}) => {
    fields[name] = make("input", { type: "text", id: `rule-${name}`, value: value ?? "", autocomplete: "off", ...properties });
    return make("label", {}, label, fields[name]);
  };
  const list = (name, label, values, placeholder) => field(name, label, (values ?? []).join(", "), { placeholder });
  const kind = make("select", { id: "ruleKind" }, ...[["pin", "Put it first"], ["boost", "Move it forward or back"], ["hide", "Hide it"]]
    .map(([value, textContent]) => make("option", { value, textContent, selected: value === rule.do })));
  const boost = make("div", { className: "fields" },
    field("factor", "Factor, 0.1 to 10; below 1 it moves back", rule.factor, { inputMode: "decimal", placeholder: "1.3" }),
    field("byField", "Growing with a number field, if any", rule.by?.field, { placeholder: "margin" }),
    field("byFrom", "from the value", rule.by?.from, { inputMode: "decimal" }),
    field("byTo", "to the value", rule.by?.to, { inputMode: "decimal" }));
  const showKind = () => { boost.hidden = kind.value !== "boost"; };
  kind.addEventListener("change", showKind);
  showKind();
  const group = (legend, text, ...children) => make("fieldset", {}, make("legend", { textContent: legend }),
    make("p", { className: "small", textContent: text }), ...children);
  const problem = make("p", { className: "against", role: "alert" });
  const take = make("button", { type: "submit", textContent: "Take it" });
  const cancel = make("button", { type: "button", className: "quiet", textContent: "Cancel" });
  const form = make("form", {},
    make("h2", { id: "ruleDialogName", textContent: index === null ? "A new rule" : `Edit ${rule.name}` }),
    make("div", { className: "fields" }, field("name", "Name, which apps see", rule.name, { maxLength: 100, required: true }),
      make("label", {}, "What it does", kind)),
    boost,
    group("What it is about", "What is named here, and what meets all of the conditions below.",
      chosenEntities(entities),
      make("div", { className: "fields" },
        field("where", "Conditions, with a semicolon between them", (rule.where ?? []).join("; "),
          { placeholder: "availability=inStock; price<20" }),
        list("withLabel", "One of these labels of the shop", rule.withLabel, "mug, cup"),
        field("newField", "New by this date field", rule.newerThan?.field, { placeholder: "added" }),
        field("newDays", "for so many days", rule.newerThan?.days, { inputMode: "numeric", placeholder: "30" }))),
    group("When", "Empty fields are for all searches. With a comma between several words, one of them is enough.",
      make("div", { className: "fields" },
        list("labels", "The search has the label", rule.when?.labels, "mug"),
        list("categories", "The surest match is a", rule.when?.categories, "drinkware"),
        list("pages", "Page of the app", rule.when?.pages, "home"),
        list("languages", "Language", rule.when?.languages, "de"),
        field("from", "From this day (UTC)", rule.from, { placeholder: "2026-11-23" }),
        field("until", "Until this day, not included", rule.until, { placeholder: "2026-11-30" }))),
    problem, make("p", { className: "row" }, take, cancel));
  dialog.replaceChildren(form);
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => opener?.focus(), { once: true });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const edited = read(fields, kind.value, entities, rule.off);
    const all = index === null ? [...rules, edited] : rules.map((one, place) => (place === index ? edited : one));
    take.disabled = true;
    problem.textContent = "";
    try {
      // A search without effect: what counts is whether the server accepts the rules.
      const { missing } = await tryRules(all, { labels: [edited.name || "x"], deadlineMs: 500 });
      const lost = missing.filter((id) => entities.includes(id));
      if (lost.length && take.dataset.warned !== lost.join()) {
        take.dataset.warned = lost.join();
        problem.textContent = `The shop does not have ${lost.join(", ")}. Take it again if that comes later.`;
      } else {
        dialog.close();
        done(all);
      }
    } catch (error) {
      problem.textContent = error.detail ?? error.message;
    }
    take.disabled = false;
  });
  dialog.showModal();
}

/** The entities that are named, with a field that finds further ones. */
function chosenEntities(entities) {
  const named = make("ul", { className: "names" });
  const chooser = makeChooser("Add an entity: type a word of its title");
  const add = make("button", { type: "button", className: "quiet", textContent: "Add it" });
  const show = () => named.replaceChildren(...entities.map((id, index) => {
    const remove = make("button", { type: "button", className: "quiet", textContent: "×", "aria-label": `Leave out ${id}` });
    remove.addEventListener("click", () => {
      entities.splice(index, 1);
      show();
      chooser.element.querySelector("input").focus();
    });
    return make("li", { className: "named" }, entityLink(id), remove);
  }));
  add.addEventListener("click", () => {
    const { chosen } = chooser;
    if (chosen && !entities.includes(chosen)) entities.push(chosen);
    show();
  });
  show();
  return make("div", { className: "part-body" }, named, chooser.element, add);
}

/** The rule that the fields say. Numbers that are not ones go as they are, so that the server names the field. */
function read(fields, kind, entities, off) {
  const text = (name) => fields[name].value.trim();
  const words = (name, separator = ",") => text(name).split(separator).map((word) => word.trim()).filter(Boolean);
  const number = (name) => (text(name) !== "" && Number.isFinite(Number(text(name))) ? Number(text(name)) : text(name) || null);
  const rule = { name: text("name"), do: kind };
  if (kind === "boost") {
    rule.factor = number("factor");
    if (text("byField") || text("byFrom") || text("byTo")) {
      rule.by = { field: text("byField"), from: number("byFrom"), to: number("byTo") };
    }
  }
  if (entities.length) rule.entities = [...entities];
  if (words("where", ";").length) rule.where = words("where", ";");
  if (words("withLabel").length) rule.withLabel = words("withLabel");
  if (text("newField") || text("newDays")) rule.newerThan = { field: text("newField"), days: number("newDays") };
  const scope = Object.fromEntries(lists.map((name) => [name, words(name)]).filter(([, values]) => values.length));
  if (Object.keys(scope).length) rule.when = scope;
  for (const name of ["from", "until"]) if (text(name)) rule[name] = text(name);
  if (off) rule.off = true;
  return rule;
}
