"use strict";

// Sorts and filters the tables of a report. Without scripts, a table shows all rows in the order of
// the run.
for (const part of document.querySelectorAll(".sortable")) {
  const body = part.querySelector("tbody");
  const rows = [...body.rows];
  const words = part.querySelector(".words");
  const kinds = part.querySelector(".kinds");

  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = (kinds.value && row.dataset.kind !== kinds.value) || !wanted.every((word) => text.includes(word));
      count += !row.hidden;
    }
    part.querySelector(".count").textContent = `${count} of ${rows.length} rows`;
  };
  words.addEventListener("input", filter);
  kinds.addEventListener("change", filter);

  for (const button of part.querySelectorAll("th button")) {
    const head = button.parentElement;
    button.addEventListener("click", () => {
      const isDescending = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      const value = (row) => row.cells[head.cellIndex].textContent;
      const compare = button.dataset.sort === "number"
        ? (a, b) => (parseFloat(value(a)) || 0) - (parseFloat(value(b)) || 0)
        : (a, b) => value(a).localeCompare(value(b));
      rows.sort((a, b) => (isDescending ? -1 : 1) * compare(a, b));
      body.append(...rows);
    });
  }
}
