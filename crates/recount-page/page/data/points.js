// Values of a series at a time, or in a stretch of time.

/** @import { Stand } from "../chart/types.js" */
/** @import { Buckets, Points, Samples } from "./types.js" */
import { NONE, rangeText } from "../text/numbers.js";

/** @typedef {{ low: number | null, high: number | null, mean: number | null, raw: string | null, base: string | null, status: string, id: string | null }} At */

// Maximum shift of a time by rounding, in buckets.
const SLACK = 1e-6;

/** @param {Points | null} points @param {number} ms @returns {At | null} null: nothing is known of this time */
export function pointAt(points, ms) {
  if (!points || points.kind === "missing") return null;
  return points.kind === "buckets" ? bucketAt(points, ms) : sampleAt(points, ms);
}

/** @param {Buckets} buckets @param {number} ms @returns {At | null} */
function bucketAt({ begin, step, lowest, highest, means }, ms) {
  const place = (ms - begin) / step;
  if (place < -SLACK || place > lowest.length + SLACK) return null;
  const k = Math.min(Math.max(Math.ceil(place) - 1, 0), lowest.length - 1);
  return { low: lowest[k], high: highest[k], mean: means ? means[k] : null, raw: null, base: null, status: "", id: null };
}

// What a pointer at a time stands for: the nearest sample, or the bucket there if it has values.
/** @param {Points | null} points @param {number} ms @returns {Stand | null} */
export function standAt(points, ms) {
  if (!points || points.kind === "missing") return null;
  if (points.kind === "samples") {
    const k = sampleIndex(points.times, ms);
    return k === null ? null : { at: points.times[k], from: points.times[k], to: points.times[k] };
  }
  const { begin, step, lowest } = points;
  const place = (ms - begin) / step;
  if (place < -SLACK || place > lowest.length + SLACK) return null;
  const k = Math.min(Math.max(Math.ceil(place) - 1, 0), lowest.length - 1);
  return lowest[k] === null ? null : { at: begin + (k + 0.5) * step, from: begin + k * step, to: begin + (k + 1) * step };
}

// The nearest sample, unless the time is far from all.
/** @param {number[]} times @param {number} ms @returns {number | null} */
function sampleIndex(times, ms) {
  if (!times.length) return null;
  const k = nearest(times, ms);
  const interval = typicalInterval(times);
  return interval !== null && Math.abs(times[k] - ms) > 1.5 * interval ? null : k;
}

/** @param {Samples} samples @param {number} ms @returns {At | null} */
function sampleAt({ times, values, raws, bases, statuses, ids }, ms) {
  const k = sampleIndex(times, ms);
  if (k === null) return null;
  return { low: values[k], high: values[k], mean: values[k], raw: raws ? raws[k] : null, base: bases ? bases[k] : null, status: statuses[k] || "", id: ids ? ids[k] : null };
}

/** @param {number[]} times ascending, at least one @param {number} ms @returns {number} index of the one nearest to it */
export function nearest(times, ms) {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= ms) low = middle;
    else high = middle;
  }
  return Math.abs(times[low] - ms) <= Math.abs(times[high] - ms) ? low : high;
}

/** @param {number[]} times @returns {number | null} the median of the distances; null: there are none */
export function typicalInterval(times) {
  if (times.length < 2) return null;
  const distances = times.slice(1).map((ms, k) => ms - times[k]).sort((a, b) => a - b);
  return distances[distances.length >> 1];
}

// The time before or after one at which there is a value: a sample, or the middle of a bucket.
/** @param {(Points | null)[]} all @param {number} ms @param {1 | -1} direction @returns {number | null} null: there is none */
export function neighbour(all, ms, direction) {
  const times = all.map((points) => {
    if (!points || points.kind === "missing") return null;
    return points.kind === "samples" ? sampleBeside(points.times, ms, direction) : bucketBeside(points, ms, direction);
  }).filter((time) => time !== null);
  if (!times.length) return null;
  return direction > 0 ? Math.min(...times) : Math.max(...times);
}

/** @param {number[]} times ascending @param {number} ms @param {1 | -1} direction */
function sampleBeside(times, ms, direction) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (direction > 0 ? times[middle] <= ms : times[middle] < ms) low = middle + 1;
    else high = middle;
  }
  const found = direction > 0 ? times[low] : times[low - 1];
  return found === undefined ? null : found;
}

/** @param {Buckets} buckets @param {number} ms @param {1 | -1} direction */
function bucketBeside({ begin, step, lowest }, ms, direction) {
  const place = (ms - begin) / step - 0.5;
  let k = direction > 0 ? Math.floor(place + SLACK) + 1 : Math.ceil(place - SLACK) - 1;
  if (direction > 0) k = Math.max(k, 0);
  else k = Math.min(k, lowest.length - 1);
  while (k >= 0 && k < lowest.length && lowest[k] === null) k += direction;
  return k >= 0 && k < lowest.length ? begin + (k + 0.5) * step : null;
}

/** @param {Points | null} points @param {number} from @param {number} to @returns {{ low: number, high: number } | null} null: no values */
export function rangeIn(points, from, to) {
  if (!points || points.kind === "missing") return null;
  return points.kind === "buckets" ? bucketRange(points, from, to) : sampleRange(points, from, to);
}

/** @param {Buckets} buckets @param {number} from @param {number} to */
function bucketRange({ begin, step, lowest, highest }, from, to) {
  const first = Math.max(0, Math.floor((from - begin) / step + SLACK));
  const last = Math.min(lowest.length - 1, Math.max(first, Math.ceil((to - begin) / step - SLACK) - 1));
  let [low, high] = [Infinity, -Infinity];
  for (let k = first; k <= last; k++) {
    const [least, most] = [lowest[k], highest[k]];
    if (least === null || most === null) continue;
    low = Math.min(low, least);
    high = Math.max(high, most);
  }
  return low > high ? null : { low, high };
}

/** Milliseconds: ends of spans are sums of steps, which rounding may leave just before a sample. */
const NEAR = 1e-3;

// A value covers the time before it, so one at the start belongs to the preceding span, unless there is none.
/** @param {Samples} samples @param {number} from @param {number} to */
function sampleRange({ times, values }, from, to) {
  const isIn = (/** @type {number} */ k) => (times[k] > from + NEAR || (k === 0 && times[k] > from - NEAR)) && times[k] <= to + NEAR;
  const found = values.filter((value, k) => value !== null && isIn(k));
  if (!found.length) return null;
  const numbers = /** @type {number[]} */ (found);
  return { low: numbers.reduce((a, b) => Math.min(a, b)), high: numbers.reduce((a, b) => Math.max(a, b)) };
}

// The value at a time; for a single sample also why there is none, which process it is of if several had the name, and
// on request its raw value.
/** @param {Points | null} points @param {number} ms @param {string} unit @param {boolean} [isRaw] */
export function pointText(points, ms, unit, isRaw = false) {
  if (points && points.kind === "missing") return points.why;
  const at = pointAt(points, ms);
  // The window's samples are known: one without the series has no value.
  if (!at) return points && points.kind === "samples" ? `${NONE} not in this sample` : NONE;
  const text = rangeText(at.low, at.high, at.mean, unit);
  const raw = !isRaw || at.raw === null ? "" : `  raw ${at.raw}${at.base === null ? "" : ` / ${at.base}`}`;
  const id = at.id === null ? "" : `  (${at.id})`;
  return at.low === null && at.status ? `${text} ${at.status}${id}${raw}` : `${text}${id}${raw}`;
}
