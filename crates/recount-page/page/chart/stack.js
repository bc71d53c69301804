// Lines on top of each other, per axis.

/** @import { Rows } from "./grid.js" */
/** @import { Column, Line, ValueAxis } from "./types.js" */

/**
 * Each line's mean is added to the sum below it; its lowest and highest values start from the same sum, so that a peak
 * is visible however short it was. If there are no means, the highest values are added. Missing and hidden values add
 * nothing.
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
