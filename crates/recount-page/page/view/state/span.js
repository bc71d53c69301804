// The span of time that a question is about.

/** How much of the window belongs to a time that was pressed. */
const SHARE = 0.02;
/** Minimum number of typical intervals, half of them on either side. */
const FEWEST_STEPS = 4;

/**
 * The stretch around a moment: some samples at least, and some pixels of the chart.
 * @param {number} at ms
 * @param {{begin: number, end: number, from: number, to: number}} window
 * @param {number} step typical interval, in ms
 */
export function spanAround(at, { begin, end, from, to }, step) {
  const length = Math.min(Math.max((to - from) * SHARE, FEWEST_STEPS * step), end - begin);
  const left = Math.min(Math.max(at - length / 2, begin), end - length);
  return { from: left, to: left + length };
}
