// The view of the shop's rules: a draft of all of them, which counts once it is saved.

import { at, counted, download, make } from "./dom.js";
import { getJSON, request } from "./api.js";
import { entityLink } from "./feedback.js";
import { editRule } from "./ruleEditor.js";
import { makeTrial } from "./ruleTrial.js";

const shownEntities = 4;
const effects = { pin: "Comes first", hide: "Is hidden", boost: "Moves" };

let stored = []; // the rules of the server
let draft = null; // the rules as they are edited
let previous = null; // the rules before they were last saved

const copy = (value) => JSON.parse(JSON.stringify(value));
// The text of a value whatever the order of its fields.
const text = (value) => JSON.stringify(value, (_, one) => (one && typeof one === "object" && !Array.isArray(one)
  ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));
const isChanged = () => text(draft) !== text(stored);
const say = (text) => { at("rulesStatus").textContent = text; };

export async function openRules() {
  const view = at("rules");
  if (!view.childElementCount) build(view);
  // A draft stays while other views are looked at.
  if (draft && isChanged()) return show();
  say("Looking …");
  try {
    const { rules, generation } = await getJSON("v1/rules");
    [stored, draft] = [rules, copy(rules)];
    say(`${counted(rules.length, "rule", "rules")}, generation ${generation}.`);
    show();
  } catch (error) {
    say(`${error.title}. ${error.detail}`);
  }
}

function build(view) {
  const add = make("button", { type: "button", textContent: "Add a rule", id: "addRule" });
  const save = make("button", { type: "button", className: "quiet", textContent: "Export" });
  const file = make("input", { type: "file", id: "importRules", accept: ".json,application/json" });
  add.addEventListener("click", () => edit(null));
  save.addEventListener("click", () => download("rules.json", JSON.stringify({ rules: draft ?? [] }, null, 1), "application/json"));
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    file.value = "";
    if (chosen) take(await chosen.text(), chosen.name);
  });
  view.append(make("h2", { textContent: "Rules", tabIndex: -1 }),
    make("p", { textContent: "What answers show first, and what they leave out: a sale, what is in stock, a recall." }),
    make("p", { className: "small", textContent: "A rule never makes an unsure answer sure, and never takes out what was "
      + "photographed, unless it hides it. Of two rules, the upper one counts first." }),
    make("p", { id: "rulesStatus", className: "subtitle", role: "status" }),
    make("ol", { id: "ruleList", className: "cards" }),
    make("div", { className: "choices start" }, add, save,
      make("span", { className: "button camera" }, file, make("label", { for: "importRules", textContent: "Import" }))),
    make("div", { id: "ruleDraft", className: "draft", hidden: true, role: "region", "aria-label": "Changes" }),
    makeTrial(() => draft ?? []));
}

/** Takes the rules of a file as the draft. */
function take(content, name) {
  try {
    const { rules } = JSON.parse(content);
    if (!Array.isArray(rules) || !rules.every((rule) => rule && typeof rule === "object")) throw new SyntaxError();
    draft = rules;
    say(`${name} has ${counted(rules.length, "rule", "rules")}. They count once they are saved.`);
    show();
  } catch {
    say(`${name} is not a file of rules: {"rules":[…]}, as Export makes it.`);
  }
}

// ---- The list -------------------------------------------------------------------------------------

function show(focused) {
  // The last trial was of other rules, so its result is removed.
  at("trials").replaceChildren();
  at("trialStatus").textContent = "";
  at("ruleList").replaceChildren(...draft.map(ruleCard));
  if (focused !== undefined) (at("ruleList").children[focused]?.querySelector("h3") ?? at("addRule")).focus();
  const bar = at("ruleDraft");
  bar.hidden = !isChanged();
  if (!isChanged() && !previous) return bar.replaceChildren();
  bar.hidden = false;
  bar.replaceChildren(...(isChanged() ? changed() : saved()));
}

function button(textContent, name, act, className = "quiet") {
  const element = make("button", { type: "button", className, textContent, "aria-label": name });
  element.addEventListener("click", act);
  return element;
}

function changed() {
  return [make("p", { textContent: "Changed, and not saved yet: customers still see the rules of before." }),
    make("p", { className: "row" }, button("Save", "Save the rules", () => save(draft), ""),
      button("Discard", "Discard the changes", () => {
        draft = copy(stored);
        say("The changes are discarded.");
        show();
      }))];
}

const saved = () => [make("p", { textContent: "Saved." }), make("p", { className: "row" },
  button("Undo", "Undo the last change of the rules", () => save(previous)))];

/** Stores rules, unless somebody else has changed them since they were loaded. */
async function save(rules) {
  try {
    const now = await getJSON("v1/rules");
    if (text(now.rules) !== text(stored)) {
      stored = now.rules;
      return say("Somebody else has changed the rules meanwhile. Discard your changes to see theirs (Export keeps yours), "
        + "or save again to replace them.");
    }
    const answer = await (await request("v1/rules", {
      method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ rules }),
    })).json();
    previous = stored;
    [stored, draft] = [answer.rules, copy(answer.rules)];
    say(`${counted(stored.length, "rule", "rules")}, generation ${answer.generation}. The next search has them.`);
    show();
  } catch (error) {
    say(`${error.title}. ${error.detail}`);
  }
}

function edit(index) {
  editRule({ rules: draft, index, opener: document.activeElement, done: (rules) => {
    draft = rules;
    say("");
    show(index ?? rules.length - 1);
  } });
}

function ruleCard(rule, index) {
  const isOn = make("input", { type: "checkbox", checked: !rule.off, "aria-label": `${rule.name} is on` });
  isOn.addEventListener("change", () => {
    const { off, ...others } = rule;
    draft[index] = isOn.checked ? others : { ...others, off: true };
    show();
    at("ruleList").children[index].querySelector("input").focus();
  });
  const move = () => {
    [draft[index - 1], draft[index]] = [draft[index], draft[index - 1]];
    show(index - 1);
  };
  const remove = () => {
    draft.splice(index, 1);
    show(Math.min(index, draft.length - 1));
  };
  const { entities = [] } = rule;
  return make("li", { className: rule.off ? "card plain guess" : "card plain" }, make("div", {},
    make("div", { className: "facts" }, make("h3", { textContent: rule.name, tabIndex: -1 }),
      make("span", { className: rule.do === "hide" ? "tier doubt" : "tier", textContent: effect(rule) }),
      make("label", { className: "check" }, isOn, rule.off ? " off" : " on")),
    entities.length ? make("p", { className: "names" }, ...entities.slice(0, shownEntities).map(entityLink),
      entities.length > shownEntities ? ` and ${entities.length - shownEntities} more` : "") : null,
    ...[belongs(rule), when(rule)].filter(Boolean).map((textContent) => make("p", { className: "subtitle", textContent })),
    make("p", { className: "verdict" }, button("Edit", `Edit ${rule.name}`, () => edit(index)),
      index ? button("Move up", `Move ${rule.name} up`, move) : null, button("Remove", `Remove ${rule.name}`, remove))));
}

/** The effect of a rule in words. */
function effect(rule) {
  if (rule.do !== "boost") return effects[rule.do] ?? rule.do;
  const by = rule.by ? ` as ${rule.by.field} grows from ${rule.by.from} to ${rule.by.to}` : "";
  return `${rule.factor < 1 ? "Moves back" : "Moves forward"} × ${rule.factor}${by}`;
}

/** The entities of a rule beside those that it names. */
function belongs({ where = [], withLabel = [], newerThan, entities = [] }) {
  const parts = [
    where?.length ? where.join(" and ") : null,
    withLabel?.length ? `labelled ${withLabel.join(" or ")}` : null,
    newerThan ? `${newerThan.field} within ${newerThan.days} days` : null,
  ].filter(Boolean);
  if (!parts.length) return entities?.length ? null : "Everything";
  return `${entities?.length ? "and all" : "All"} with ${parts.join(", ")}`;
}

/** The searches that a rule is for. */
function when({ when: scope, from, until }) {
  const names = { labels: "for", categories: "if the surest is", pages: "on the page", languages: "in" };
  const parts = Object.entries(names).filter(([key]) => scope?.[key]?.length)
    .map(([key, name]) => `${name} ${scope[key].join(" or ")}`);
  if (from) parts.push(`from ${from}`);
  if (until) parts.push(`until ${until}, which is not included`);
  return parts.length ? `Only ${parts.join(", ")}` : "In all searches";
}
