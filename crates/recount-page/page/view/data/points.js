// What the server answers about a series in a window, as columns to draw and as values at a time.
//
// Either buckets (lowest, highest and mean of equal parts of the window) or, near enough, the samples themselves.

/**
 * @typedef {(number | null)[]} Values
 * @typedef {object} Buckets
 * @property {number} begin_ms
 * @property {number} step_ms
 * @property {Values} min
 * @property {Values} max
 * @property {Values} mean
 *
 * @typedef {object} Samples
 * @property {number[]} t ms
 * @property {Values} v
 * @property {(string | null)[]} raw whole numbers, which may be larger than a number here can be
 * @property {(string | null)[]} [base]
 * @property {string[]} status "" or why there is no value
 *
 * @typedef {object} PointsAnswer
 * @property {string} [error]
 * @property {string} [unit]
 * @property {number} [count]
 * @property {boolean} [exact]
 * @property {Buckets} [buckets]
 * @property {Samples} [samples]
 */

/** @param {Buckets} buckets */
const middles = ({ begin_ms, step_ms, min }) => min.map((_, k) => begin_ms + (k + 0.5) * step_ms);

/** @param {PointsAnswer | undefined} answer @returns {{t: number[], columns: Values[]}} highest, lowest and, of buckets, means */
function drawnOf(answer) {
  if (answer && answer.buckets) return { t: middles(answer.buckets), columns: [answer.buckets.max, answer.buckets.min, answer.buckets.mean] };
  if (answer && answer.samples) return { t: answer.samples.t, columns: [answer.samples.v, answer.samples.v, answer.samples.v] };
  return { t: [], columns: [[], [], []] };
}

/** @param {number[]} a @param {number[]} b */
const isSameGrid = (a, b) => a.length === b.length && a[0] === b[0] && a[a.length - 1] === b[b.length - 1];

/**
 * One column of times for all series, and three columns each. `undefined` is where a series has nothing of its own and its line
 * goes on; `null` is where a value is missing, and the line ends.
 * @param {(PointsAnswer | undefined)[]} answers
 * @returns {{t: number[], series: (number | null | undefined)[][][]}}
 */
export function joined(answers) {
  const drawn = answers.map(drawnOf);
  const filled = drawn.filter(({ t }) => t.length);
  if (!filled.length) return { t: [], series: drawn.map(({ columns }) => columns) };
  if (filled.every(({ t }) => isSameGrid(t, filled[0].t))) {
    const [{ t }] = filled;
    return { t, series: drawn.map((one) => (one.t.length ? one.columns : one.columns.map(() => t.map(() => null)))) };
  }
  const t = [...new Set(filled.flatMap((one) => one.t))].sort((a, b) => a - b);
  const place = new Map(t.map((ms, k) => [ms, k]));
  return { t, series: drawn.map((one) => one.columns.map((column) => spread(one.t, column, t.length, place))) };
}

/** @param {number[]} times @param {Values} values @param {number} num @param {Map<number, number>} place */
function spread(times, values, num, place) {
  const column = new Array(num).fill(undefined);
  times.forEach((ms, k) => { column[/** @type {number} */ (place.get(ms))] = values[k]; });
  return column;
}

/**
 * @typedef {{low: number, high: number, mean: number | null, raw: string, status: string} | {low: null, status: string}} Found
 * What a series has at a time: of the bucket that holds it, or of the nearest sample.
 * @param {PointsAnswer | undefined} answer
 * @param {number} ms
 * @returns {Found | null} null: nothing is known
 */
export function pointAt(answer, ms) {
  if (answer && answer.buckets) {
    const { begin_ms, step_ms, min, max, mean } = answer.buckets;
    const k = Math.min(Math.max(Math.ceil((ms - begin_ms) / step_ms) - 1, 0), min.length - 1);
    const [low, high] = [min[k], max[k]];
    return low === null || low === undefined || high === null ? { low: null, status: "" } : { low, high, mean: mean[k], raw: "", status: "" };
  }
  if (!answer || !answer.samples || !answer.samples.t.length) return null;
  const { t, v, raw, base, status } = answer.samples;
  const k = nearest(t, ms);
  const value = v[k];
  const told = raw && raw[k] !== null && raw[k] !== undefined ? `${raw[k]}${base && base[k] ? ` / ${base[k]}` : ""}` : "";
  if (value === null) return { low: null, status: status[k] || "" };
  return { low: value, high: value, mean: value, raw: told, status: "" };
}

/** @param {number[]} t ascending @param {number} ms */
export function nearest(t, ms) {
  let [low, high] = [0, t.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= ms) low = middle;
    else high = middle;
  }
  return Math.abs(t[low] - ms) <= Math.abs(t[high] - ms) ? low : high;
}

/**
 * Lowest, highest and mean of what is there, for the legend. The mean is that of the means, as exact as the window's parts are equal.
 * @param {PointsAnswer | undefined} answer
 */
export function whole(answer) {
  const { columns } = drawnOf(answer);
  const filled = (/** @type {Values} */ column) => /** @type {number[]} */ (column.filter((value) => value !== null));
  const [highs, lows] = [filled(columns[0]), filled(columns[1])];
  if (!highs.length) return null;
  return { low: lows.reduce((a, b) => Math.min(a, b)), high: highs.reduce((a, b) => Math.max(a, b)) };
}
