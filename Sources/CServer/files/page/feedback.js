// The view of what people said about answers.

import { address, at, counted, download, make } from "./dom.js";
import { getJSON, request, thumbnail } from "./api.js";
import { word } from "./words.js";

/** A link to an entity, named as product:mug-red, with its picture. */
export function entityLink(id) {
  const [type, ...rest] = id.split(":");
  const value = rest.join(":");
  return make("span", { className: "named" },
    thumbnail(type, value, 0, { className: "swatch" }),
    make("a", { href: address(type, value), textContent: value }));
}

/** The card of one statement. `removed` is called when it has been removed. */
export function feedbackCard(entry, removed = () => {}) {
  const status = make("p", { className: "small", role: "status" });
  const remove = make("button", { type: "button", className: "quiet", textContent: "Remove",
    "aria-label": `Remove statement ${entry.number}` });
  const accept = entry.state === "pending"
    ? make("button", { type: "button", textContent: "Accept", "aria-label": `Accept statement ${entry.number}` }) : null;
  const state = make("span", { className: "tier", textContent: word("feedbackState", entry.state) });
  const element = make("li", { className: "card plain" }, make("div", {},
    make("p", { className: "facts" }, make("strong", { textContent: `No. ${entry.number}` }), state,
      make("span", { className: "subtitle", textContent: `${entry.date.slice(0, 10)}${entry.author ? `, ${entry.author}` : ""}` })),
    entry.rejected.length ? make("p", { className: "names" }, "It is not ", ...entry.rejected.map(entityLink)) : null,
    entry.chosen ? make("p", { className: "names" }, "It is ", entityLink(entry.chosen)) : null,
    entry.labels.length ? make("p", { className: "subtitle", textContent: `Labels: ${entry.labels.join(", ")}` }) : null,
    entry.hasImage ? make("p", { className: "subtitle", textContent: "Its image is kept." }) : null,
    make("p", { className: "verdict" }, accept, remove), status));
  remove.addEventListener("click", async () => {
    try {
      await request(`v1/feedback/${entry.number}`, { method: "DELETE" });
      element.remove();
      removed();
    } catch (error) {
      status.textContent = error.detail;
    }
  });
  accept?.addEventListener("click", async () => {
    try {
      await request(`v1/feedback/${entry.number}/acceptance`, { method: "PUT" });
      state.textContent = word("feedbackState", "active");
      accept.remove();
    } catch (error) {
      status.textContent = error.detail;
    }
  });
  return element;
}

export async function openFeedback() {
  const view = at("feedback");
  const status = make("p", { className: "subtitle", role: "status", textContent: "Looking …" });
  const list = make("ul", { className: "cards", id: "statements" });
  const more = make("button", { type: "button", textContent: "More", hidden: true });
  const save = make("button", { type: "button", className: "quiet", textContent: "Save as queries for vq eval" });
  view.replaceChildren(make("h2", { textContent: "Feedback", tabIndex: -1 }),
    make("p", { textContent: "What people said about answers: pairs that never match again, and things that an image finds first." }),
    status, list, make("p", { className: "row" }, more, save));
  save.addEventListener("click", async () => {
    try {
      download("queries.jsonl", await (await request("v1/feedback/queries")).text(), "application/x-ndjson");
    } catch (error) {
      status.textContent = error.detail;
    }
  });
  const count = () => {
    const shown = list.childElementCount;
    status.textContent = shown ? counted(shown, "statement", "statements") : "Nobody has said anything yet.";
  };
  async function page(after) {
    try {
      const answer = await getJSON(`v1/feedback?limit=50${after ? `&before=${after}` : ""}`);
      list.append(...answer.feedback.map((entry) => feedbackCard(entry, count)));
      count();
      more.hidden = answer.next === null;
      more.onclick = () => page(answer.next);
    } catch (error) {
      status.textContent = `${error.title}. ${error.detail}`;
      save.hidden = true;
    }
  }
  await page(null);
}
