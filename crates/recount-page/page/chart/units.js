// A chart has at most two units: the first has the left axis, the second the right one.

/** @import { Line, ValueAxis } from "./types.js" */

import { hundredText } from "./hundred.js";

const MOST_UNITS = 2;

/** @param {Line[]} lines @returns {string[]} all of them, in the order of the lines */
export const unitsOf = (lines) => [...new Set(lines.map((line) => line.unit))];

/** @param {Line[]} lines @returns {ValueAxis[]} at least one */
export function axesOf(lines) {
  const [left = "", right] = unitsOf(lines);
  const label = (/** @type {string} */ unit) => hundredText(lines, unit);
  /** @type {ValueAxis} */
  const first = { key: "y", unit: left, label: label(left) };
  return right === undefined ? [first] : [first, { key: "y2", unit: right, label: label(right) }];
}

/** @param {string} unit */
const called = (unit) => unit || "plain numbers";

/** @param {Line[]} lines @param {string} unit @returns {string} why a line of this unit can't be added, or "" */
export function refusal(lines, unit) {
  const units = unitsOf(lines);
  if (units.length < MOST_UNITS || units.includes(unit)) return "";
  return `A chart has at most two units. This one has ${units.slice(0, MOST_UNITS).map(called).join(" and ")}, so ${called(unit)} can't be added.`;
}

/** @param {Line[]} lines @returns {string} which lines aren't drawn, and why, or "" */
export function leftOut(lines) {
  const drawn = axesOf(lines).map((axis) => axis.unit);
  const others = lines.filter((line) => !drawn.includes(line.unit));
  if (!others.length) return "";
  const names = others.map((line) => `${line.label} (${called(line.unit)})`);
  return `A chart has at most two units. Not drawn: ${names.join(", ")}.`;
}
