// "This is wrong, it should be …": a dialog that sends what a person says about an answer.

import { at, make } from "./dom.js";
import { postJSON, request, Problem } from "./api.js";
import { makeChooser } from "./chooser.js";
import { reduced } from "./picture.js";

/** The longer side of a picture that is kept. */
const keptSide = 1024;

/**
 * Asks what an answer should be, and sends it.
 *
 * - query: the token of the question.
 * - value: the match, or null if none of the answers is meant.
 * - isRight: whether the match is right.
 * - picture: the whole picture that was searched with, or null if it cannot be kept.
 * - done: called when the server has it.
 */
export function askForCorrection({ query, value, isRight, opener, picture, done }) {
  const dialog = at("correction");
  const id = value && `${value.type}:${value.id}`;
  const chooser = isRight ? null : makeChooser("What is it? Type a word of its title, or leave this empty");
  const keep = picture && make("input", { type: "checkbox", id: "keepPicture" });
  const problem = make("p", { className: "against", role: "alert" });
  const send = make("button", { type: "submit", textContent: "Send" });
  const cancel = make("button", { type: "button", className: "quiet", textContent: "Cancel" });
  const form = make("form", {},
    make("h2", { id: "correctionName", textContent: heading(value, isRight) }),
    make("p", { className: "small", textContent: isRight
      ? "This image then finds it first."
      : "This image then never finds it again, and finds first what you choose." }),
    chooser?.element ?? null,
    keep && make("label", { className: "check" }, keep, " Keep this image, too, to evaluate the search with it later"),
    make("p", { className: "small", textContent: "What you say is kept with a signature of the image, and can be undone. "
      + "Without the check mark above, the image itself is not kept." }),
    problem,
    make("p", { className: "row" }, send, cancel));
  dialog.replaceChildren(form);

  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => opener?.focus(), { once: true });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const document = { query };
    if (isRight) document.chosen = id;
    else if (id) document.rejected = [id];
    if (chooser?.chosen) document.chosen = chooser.chosen;
    if (!document.chosen && !document.rejected) {
      problem.textContent = "Choose what it is.";
      return;
    }
    if (document.chosen && document.rejected?.includes(document.chosen)) {
      problem.textContent = "This is what you say is wrong. Choose something else.";
      return;
    }
    send.disabled = true;
    try {
      show(dialog, await post(document, keep?.checked ? picture : null), done);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problem.textContent = `${error.title}. ${error.detail}`;
      send.disabled = false;
      if (error.status === 401 || error.status === 403) dialog.close();
    }
  });
  dialog.showModal();
}

function heading(value, isRight) {
  if (!value) return "What should it be?";
  return isRight ? `It is ${value.display.title}` : `It is not ${value.display.title}`;
}

async function post(document, picture) {
  if (!picture) return postJSON("v1/feedback", document);
  const form = new FormData();
  form.set("feedback", new Blob([JSON.stringify(document)], { type: "application/json" }));
  form.set("image", await reduced(picture, keptSide));
  return (await request("v1/feedback", { method: "POST", body: form })).json();
}

function show(dialog, entry, done) {
  const undo = make("button", { type: "button", className: "quiet", textContent: "Undo it" });
  const close = make("button", { type: "button", textContent: "Close" });
  const text = make("p", { role: "status", textContent: entry.state === "active"
    ? "Thank you. It counts from now on."
    : "Thank you. It counts once somebody of the shop has accepted it." });
  dialog.replaceChildren(
    make("h2", { id: "correctionName", textContent: "Kept" }), text, make("p", { className: "row" }, close, undo));
  close.addEventListener("click", () => dialog.close());
  undo.addEventListener("click", async () => {
    try {
      await request(`v1/feedback/${entry.number}`, { method: "DELETE" });
      undo.hidden = true;
      text.textContent = "Undone: as if it had never been said.";
    } catch (error) {
      text.textContent = error.detail;
    }
  });
  dialog.addEventListener("close", done, { once: true });
  close.focus();
}
