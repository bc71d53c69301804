// From what the server answered to the columns that the chart library draws.

/** @import { LiveLine } from "./lines.js" */
import { joined } from "../data/points.js";

/** @typedef {(number | null | undefined)[]} Column */

/**
 * @param {LiveLine[]} lines
 * @param {{isStacked: boolean, isLog: boolean}} how
 * @returns {Column[]} times; then highest, lowest and mean of each line
 */
export function liveColumns(lines, { isStacked, isLog }) {
  const { t, series } = joined(lines.map(({ answer }) => answer));
  if (isStacked) return [t, ...stacked(lines, series, t.length)];
  // There is no place for zero and below on such an axis.
  const shown = isLog ? series.map((columns) => columns.map((column) => column.map((value) => (typeof value === "number" && value <= 0 ? null : value)))) : series;
  return [t, ...shown.flat()];
}

/**
 * Means on top of each other, per axis; what is missing or hidden adds nothing.
 * @param {LiveLine[]} lines @param {Column[][]} series @param {number} num
 */
function stacked(lines, series, num) {
  /** @type {Record<string, Float64Array>} */
  const sums = { y: new Float64Array(num), y2: new Float64Array(num) };
  return lines.flatMap((line, s) => {
    const sum = sums[line.scale];
    const below = Array.from(sum);
    const means = series[s][2];
    if (!line.isHidden) for (let k = 0; k < num; k++) sum[k] += means[k] || 0;
    const top = Array.from(sum, (value, k) => (means[k] === null || means[k] === undefined ? means[k] : value));
    // Where a line has nothing, its band has no height.
    return [top, below.map((value, k) => (top[k] === null || top[k] === undefined ? top[k] : value)), top];
  });
}
