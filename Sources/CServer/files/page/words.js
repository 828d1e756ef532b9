// The words for the values in answers, such as tiers and kinds of evidence, which the server
// provides.

import { getJSON } from "./api.js";

let enumerations = {};
let loading = null;

/** Asks for the words, once. Without them, the page shows the values themselves. */
export function loadWords() {
  loading ??= getJSON("v1/schema?locale=en")
    .then((schema) => { enumerations = schema.enumerations; })
    .catch(() => { loading = null; });
  return loading;
}

/** The words for a value of an enumeration. */
export const word = (enumeration, value) => enumerations[enumeration]?.[value] ?? value;
