// A series in the height of a line of text: the band from its minima to its maxima. As SVG, so that it follows the theme and prints sharp.

/** @import { Capture } from "../data/capture.js" */
import { EMPTY_WORD, TOP_WORD } from "../data/capture.js";
import { shape } from "../text/elements.js";

const SPARK_WIDTH = 120;
const SPARK_HEIGHT = 22;
const SPARK_COLUMNS = 60;

// Lowest and highest in at most SPARK_COLUMNS columns, as shares of a range; null where there is no value.
/** @param {Capture} capture @param {number} s @param {[number, number]} range @returns {([number, number] | null | undefined)[]} null: no value; undefined: no sample */
function sparkColumns(capture, s, [bottom, top]) {
  const { columns } = capture;
  const [at, b, lo, hi] = [columns.at[s], columns.b[s], columns.lo[s], columns.hi[s]];
  if (at < 0) return [];
  /** @param {number} word */
  const share = (word) => (top === bottom ? 0.5 : (lo + ((hi - lo) * word) / TOP_WORD - bottom) / (top - bottom));
  const times = capture.times(s);
  if (times) return sparkSamples(capture, times, at, share);
  const num = Math.min(b, SPARK_COLUMNS);
  return Array.from({ length: num }, (_, column) => {
    let [low, high] = [EMPTY_WORD, -1];
    for (let k = Math.floor((column * b) / num); k < Math.floor(((column + 1) * b) / num); k++) {
      if (capture.words[at + k] === EMPTY_WORD) continue;
      low = Math.min(low, capture.words[at + k]);
      high = Math.max(high, capture.words[at + b + k]);
    }
    return high < 0 ? null : [share(low), share(high)];
  });
}

// Each sample in the column of its time; columns without one, up to the next sample, are bridged as the line of a chart is.
/** @param {Capture} capture @param {number[]} times @param {number} at @param {(word: number) => number} share @returns {([number, number] | null | undefined)[]} */
function sparkSamples(capture, times, at, share) {
  /** @type {([number, number] | null | undefined)[]} */
  const columns = new Array(SPARK_COLUMNS).fill(undefined);
  const whole = capture.end - capture.begin;
  times.forEach((ms, k) => {
    const column = Math.min(SPARK_COLUMNS - 1, Math.max(0, Math.floor(((ms - capture.begin) / whole) * SPARK_COLUMNS)));
    const word = capture.words[at + k];
    const there = columns[column];
    if (word === EMPTY_WORD) { if (!there) columns[column] = null; return; }
    const value = share(word);
    columns[column] = there ? [Math.min(there[0], value), Math.max(there[1], value)] : [value, value];
  });
  return columns;
}

// One closed path per stretch of columns with values: along the maxima and back along the minima. Its stroke makes it a line where both are one.
/** @param {([number, number] | null | undefined)[]} columns */
function sparkPath(columns) {
  /** @param {number} k @param {number} share */
  const point = (k, share) => `${(((k + 0.5) * SPARK_WIDTH) / columns.length).toFixed(1)} ${((SPARK_HEIGHT - 3) * (1 - share) + 1.5).toFixed(1)}`;
  let path = "";
  /** @type {[number, number, number][]} */
  let run = [];
  const close = () => {
    if (!run.length) return;
    const tops = run.map(([k, , high]) => point(k, high));
    const bottoms = run.map(([k, low]) => point(k, low)).reverse();
    path += `M${[...tops, ...bottoms].join("L")}Z`;
    run = [];
  };
  columns.forEach((column, k) => { if (column) run.push([k, ...column]); else if (column === null) close(); });
  close();
  return path;
}

// Two series in one place need one range; else it is the series' own.
/** @param {Capture} capture @param {number} s @param {string} [kind] @param {[number, number]} [range] */
export function sparkline(capture, s, kind, range) {
  const { lo, hi } = capture.columns;
  return shape("svg", { class: `spark ${kind || ""}`, viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    shape("path", { d: sparkPath(sparkColumns(capture, s, range || [lo[s], hi[s]])) }));
}
