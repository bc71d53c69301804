// Choices of the panels: an object, one of its counters, a side.

import { element } from "../../text/elements.js";

/**
 * @param {string} label
 * @param {(value: string) => void} onChange
 */
export function chooser(label, onChange) {
  const select = element("select", { "aria-label": label });
  select.addEventListener("change", () => onChange(select.value));
  return select;
}

/**
 * Sets the options and the chosen one, and leaves everything that is already right untouched, so that an open list
 * isn't closed.
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} options value and text
 * @param {string} chosen
 */
export function offer(select, options, chosen) {
  const key = JSON.stringify(options);
  if (select.dataset.key !== key) {
    select.replaceChildren(...options.map(([value, text]) => element("option", { value, dir: "auto" }, text)));
    select.dataset.key = key;
  }
  if (select.value !== chosen) select.value = chosen;
}
