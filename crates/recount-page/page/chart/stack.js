// Lines on top of each other, per axis.

/** @import { Rows } from "./grid.js" */
/** @import { Column, Line, ValueAxis } from "./types.js" */

/**
 * Each line's mean is added to what is below it; its lowest and highest stand upon the same, so that a peak is seen however short it
 * was. Where there are no means, the highest are added. What is missing or hidden adds nothing.
 * @param {{ line: Line, axis: ValueAxis }[]} given
 * @param {Rows[]} rows on one grid
 * @returns {{ highest: Column, lowest: Column, middle: Column, below: Column }[]}
 */
export function stacked(given, rows) {
  /** @type {Map<string, number[]>} */
  const sums = new Map();
  return rows.map(({ highest, lowest, means }, k) => {
    const { line, axis } = given[k];
    const sum = sums.get(axis.key) || highest.map(() => 0);
    const added = means || highest;
    const upon = (/** @type {Column} */ values) => values.map((value, at) => (value === null || value === undefined ? null : sum[at] + value));
    const below = added.map((value, at) => (value === null || value === undefined ? null : sum[at]));
    if (!line.isHidden) sums.set(axis.key, sum.map((height, at) => height + (added[at] || 0)));
    return { highest: upon(highest), lowest: upon(lowest), middle: upon(added), below };
  });
}
