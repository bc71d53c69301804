// What one series has more than another at the same times: the second of two captures less the first.

/** @import { Points, Samples } from "./types.js" */
import { nearest, pointAt, typicalInterval } from "./points.js";

/**
 * At the times of the second, wherever the first has a value there. Buckets are compared by their means.
 * @param {Points | null} first @param {Points | null} second @returns {Points | null} null: not both are known
 */
export function differenceOf(first, second) {
  if (!first || !second) return null;
  if (first.kind === "missing" || second.kind === "missing") return { kind: "missing", why: "only one capture has it", isFault: false };
  const less = (/** @type {number | null} */ value, /** @type {number} */ ms) => {
    const other = first.kind === "samples" ? sampleNear(first, ms) : middleOf(first, ms);
    return value === null || other === null ? null : value - other;
  };
  if (second.kind === "samples") {
    const values = second.values.map((value, k) => less(value, second.times[k]));
    return { ...second, values, raws: null, bases: null, ids: undefined, statuses: values.map(() => "") };
  }
  const { begin, step } = second;
  const values = second.lowest.map((_, k) => less(middleOf(second, begin + (k + 0.5) * step), begin + (k + 0.5) * step));
  return { ...second, lowest: values, highest: values, means: values, isExact: second.isExact && (first.kind !== "buckets" || first.isExact) };
}

/** @param {Points} points @param {number} ms */
function middleOf(points, ms) {
  const at = pointAt(points, ms);
  return !at || at.low === null ? null : at.mean ?? (at.low === at.high ? at.low : null);
}

// A sample of about the same time: the next one belongs to the next value of the other.
/** @param {Samples} samples @param {number} ms */
function sampleNear({ times, values }, ms) {
  if (!times.length) return null;
  const k = nearest(times, ms);
  const interval = typicalInterval(times);
  return interval !== null && Math.abs(times[k] - ms) > interval / 2 + 1 ? null : values[k];
}
