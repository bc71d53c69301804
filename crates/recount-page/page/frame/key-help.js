// The keys of a page, which `?` shows.

import { button, element, find } from "../text/elements.js";

/** @typedef {[keys: string, does: string]} KeyRow */

/** @type {KeyRow[]} */
export const CHART_KEYS = [
  ["\u2190 \u2192", "In a chart: the sample before, the sample after"],
  ["Shift \u2190 \u2192", "In a chart: earlier, later"],
  ["+ \u2212", "In a chart: less time, more time"],
  ["0", "In a chart: the whole time"],
  ["Ctrl and wheel", "Over a chart: zoom. The wheel alone scrolls the page"],
  ["Drag", "In a chart: show only this stretch of time"],
];

/** @type {KeyRow[]} */
export const FINDING_KEYS = [["f", "To the findings"], ["n, p", "The next finding, the previous one"]];

/** @param {EventTarget | null} target */
export const isTyped = (target) => target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** @param {KeyboardEvent} event a key without Ctrl and the like, pressed neither in a box nor in a dialog */
export const isPlainKey = (event) => !event.ctrlKey && !event.metaKey && !event.altKey && !isTyped(event.target) && document.querySelector("dialog[open]") === null;

/** @param {KeyRow[]} rows */
export function wireKeyHelp(rows) {
  const dialog = element("dialog", { class: "commands-dialog key-help", id: "key-help", "aria-labelledby": "key-help-title" });
  dialog.append(
    element("div", { class: "bar" }, element("h2", { id: "key-help-title" }, "Keys"), button("\u00d7", () => dialog.close(), { class: "quiet small", "aria-label": "Close" })),
    element("table", { class: "sheet" }, element("tbody", {}, rows.map(([keys, does]) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, keys)), element("td", { class: "words" }, does))))));
  document.body.append(dialog);
  const open = () => dialog.showModal();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || !isPlainKey(event)) return;
    event.preventDefault();
    open();
  });
  const opener = find("#key-help-opener");
  opener.addEventListener("click", open);
  opener.hidden = false;
}
