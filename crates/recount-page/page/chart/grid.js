// The times at which all lines of a chart are drawn, and the values of each line at these times.

/** @import { Buckets, Points, Samples } from "../data/types.js" */
/** @import { Column } from "./types.js" */
import { typicalInterval } from "../data/points.js";

/** @typedef {{ highest: Column, lowest: Column, means: Column | null }} Rows */

const FEWEST_POINTS = 32;
// Distances of samples that are much more than those around them.
const FAR = 3;

/** @param {Buckets} buckets */
const endOf = ({ begin, step, lowest }) => begin + step * lowest.length;

/**
 * Where all are buckets of one stretch of time: the finest of them. Coarser ones hold their value over all grid points that their
 * bucket covers. Where all are coarse the grid is finer still, so that a bucket is seen as the stretch that it is, and not as a point.
 * @param {(Buckets | Samples)[]} known @param {number} begin @param {number} end of the whole time
 * @returns {number[] | null}
 */
export function wholeGrid(known, begin, end) {
  const buckets = known.flatMap((points) => (points.kind === "buckets" ? [points] : []));
  if (buckets.length < known.length) return null;
  const [first] = buckets;
  const span = first ? { begin: first.begin, end: endOf(first) } : { begin, end };
  const slack = (span.end - span.begin) * 1e-9;
  if (buckets.some((one) => Math.abs(one.begin - span.begin) > slack || Math.abs(endOf(one) - span.end) > slack)) return null;
  const most = Math.max(1, ...buckets.map((one) => one.lowest.length));
  const num = most * Math.ceil(FEWEST_POINTS / most);
  const width = (span.end - span.begin) / num;
  return Array.from({ length: num }, (_, k) => span.begin + (k + 0.5) * width);
}

/** @param {Points | null} points @param {number[]} grid @returns {Rows} */
export function onWholeGrid(points, grid) {
  if (!points || points.kind !== "buckets") return noRows(grid);
  const num = grid.length;
  const held = (/** @type {Column} */ values) => (values.length === num ? values : Array.from({ length: num }, (_, k) => values[Math.floor(((k + 0.5) * values.length) / num)]));
  return { highest: held(points.highest), lowest: held(points.lowest), means: points.means && held(points.means) };
}

/** @param {number[]} grid @returns {Rows} */
function noRows(grid) {
  const none = grid.map(() => null);
  return { highest: none, lowest: none, means: null };
}

/**
 * What a line has by itself.
 * @param {Points | null} points
 * @returns {Rows & { times: number[] }}
 */
function own(points) {
  if (!points || points.kind === "missing") return { times: [], highest: [], lowest: [], means: null };
  if (points.kind === "buckets") {
    const { begin, step, highest, lowest, means } = points;
    return { times: highest.map((_, k) => begin + (k + 0.5) * step), highest, lowest, means };
  }
  const { times, values } = withBreaks(points);
  return { times, highest: values, lowest: values, means: null };
}

/**
 * Samples that are much farther apart than those around them aren't joined by a line: nothing is known about the time
 * in between. Nor are those of two processes that had one name.
 * @param {Samples} samples
 * @returns {{ times: number[], values: Column }}
 */
function withBreaks({ times, values, ids }) {
  const typical = typicalInterval(times);
  if (typical === null) return { times, values };
  const isOther = (/** @type {number} */ k) => ids !== undefined && ids[k] !== ids[k - 1];
  const distance = (/** @type {number} */ k) => (k > 0 && k < times.length ? times[k] - times[k - 1] : Infinity);
  /** @type {number[]} */
  const allTimes = [];
  /** @type {Column} */
  const allValues = [];
  times.forEach((ms, k) => {
    const around = Math.min(distance(k - 1), distance(k + 1));
    if (k > 0 && (isOther(k) || distance(k) > FAR * Math.max(typical, around))) {
      allTimes.push((times[k - 1] + ms) / 2);
      allValues.push(null);
    }
    allTimes.push(ms);
    allValues.push(values[k]);
  });
  return { times: allTimes, values: allValues };
}

/**
 * A missing value is missing from the value before to the one after, whatever other lines have in between.
 * @param {Column} column
 */
function widened(column) {
  let isMissing = false;
  const spread = (/** @type {number} */ k) => {
    if (column[k] === undefined && isMissing) column[k] = null;
    isMissing = column[k] === null;
  };
  for (let k = 0; k < column.length; k++) spread(k);
  isMissing = false;
  for (let k = column.length - 1; k >= 0; k--) spread(k);
  return column;
}

/** @param {(Buckets | Samples)[]} known @returns {number[]} all their times */
export function unionGrid(known) {
  return [...new Set(known.flatMap((points) => own(points).times))].sort((a, b) => a - b);
}

/** @param {Points | null} points @param {number[]} grid @returns {Rows} each value at its own time */
export function spreadOn(points, grid) {
  const { times, highest, lowest, means } = own(points);
  const place = new Map(grid.map((ms, k) => [ms, k]));
  const spread = (/** @type {Column} */ values) => {
    /** @type {Column} */
    const column = new Array(grid.length).fill(undefined);
    times.forEach((ms, k) => { column[/** @type {number} */ (place.get(ms))] = values[k]; });
    return widened(column);
  };
  return { highest: spread(highest), lowest: spread(lowest), means: means && spread(means) };
}

/**
 * The value that covers each time: of the bucket that holds it; else of the next sample, since a value is about the time before it.
 * @param {Points | null} points @param {number[]} grid @returns {Rows}
 */
export function heldOn(points, grid) {
  if (!points || points.kind === "missing") return noRows(grid);
  const { times, highest, lowest, means } = own(points);
  let k = 0;
  const places = grid.map((ms) => {
    if (points.kind === "buckets") return Math.ceil((ms - points.begin) / points.step) - 1;
    while (k < times.length && times[k] < ms) k++;
    // Nothing is known about the time before the first.
    return k === 0 && times[0] !== ms ? -1 : k;
  });
  const held = (/** @type {Column} */ values) => places.map((place) => values[place] ?? null);
  return { highest: held(highest), lowest: held(lowest), means: means && held(means) };
}
