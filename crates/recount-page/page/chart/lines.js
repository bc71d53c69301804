// From series to the columns that the chart library draws: one grid of times for all lines of a chart.

/** @import { Capture } from "../data/capture.js" */
/** @import { Band, Line } from "./types.js" */

// A unit that is given wins over the counters' own. A line: {s, label, colour (0..7 or "base"), dash}. Lines beyond the fourth are dashed, so that they differ without colour.
/** @param {Capture} capture @param {number[]} indices @param {string} [unit] @returns {Line[]} */
export function linesOf(capture, indices, unit) {
  const labels = labelsOf(capture, indices);
  return indices.map((s, k) => ({ s, label: labels[k], colour: k % 8, dash: k % 8 >= 4 ? [6, 3] : null, unit: unit || capture.unit(s) }));
}

// As short as tells the series of a chart apart.
/** @param {Capture} capture @param {number[]} indices */
function labelsOf(capture, indices) {
  /** @param {(s: number) => unknown} of */
  const differ = (of) => new Set(indices.map(of)).size > 1;
  const objects = differ((s) => capture.columns.o[s]);
  const counters = differ((s) => `${capture.columns.o[s]} ${capture.columns.c[s]}`);
  const instances = differ((s) => capture.instanceName(s));
  const hosts = capture.severalHosts && differ((s) => capture.host(s));
  return indices.map((s) => {
    const parts = [];
    const instance = capture.instanceName(s);
    if (hosts) parts.push(`${capture.host(s)}:`);
    if (objects) parts.push(capture.object(s).name);
    if (instance && (instances || !counters)) parts.push(instance);
    if (counters || instance === "") parts.push(capture.counter(s).name);
    return parts.join(" ");
  });
}

const FEWEST_POINTS = 32;

// The finest grid among the lines; coarser ones hold their value over all grid points that their bucket covers. Where all are
// coarse the grid is finer still, so that a bucket is seen as the stretch that it is, and not as a point.
/** @param {Capture} capture @param {Line[]} lines */
function gridOf(capture, lines) {
  const most = Math.max(1, ...lines.map((line) => capture.columns.b[line.s]));
  const num = most * Math.ceil(FEWEST_POINTS / most);
  const width = (capture.end - capture.begin) / num;
  return Array.from({ length: num }, (_, k) => capture.begin + (k + 0.5) * width);
}

/** @param {(number | null)[]} values @param {number} num */
function onGrid(values, num) {
  if (values.length === num) return values;
  return Array.from({ length: num }, (_, k) => values[Math.floor(((k + 0.5) * values.length) / num)]);
}

// Columns and series for uPlot, and what belongs to each line: `lines[k].points` and `lines[k].plotted` (indices in uPlot).
/** @param {Capture} capture @param {Line[]} lines */
export function columnsOf(capture, lines) {
  const grid = gridOf(capture, lines);
  /** @type {[number[], ...(number | null)[][]]} */
  const columns = [grid];
  /** @type {Band[]} */
  const bands = [];
  for (const line of lines) {
    line.points = capture.points(line.s);
    /** @type {number[]} */
    const plotted = [];
    line.plotted = plotted;
    const points = line.points || { lowest: grid.map(() => null), highest: grid.map(() => null), means: null };
    /** @param {(number | null)[]} values */
    const add = (values) => { plotted.push(columns.length); columns.push(onGrid(values, grid.length)); };
    add(points.highest);
    add(points.lowest);
    bands.push({ line, series: [plotted[0], plotted[1]] });
    if (points.means) add(points.means);
  }
  return { columns, bands };
}

// Values with nothing on either side, which a line alone would not show.
/** @param {ArrayLike<number | null | undefined>} values @param {number} from @param {number} to */
export function lonely(values, from, to) {
  /** @type {number[]} */
  const found = [];
  for (let k = from; k <= to; k++) {
    /** @param {number} at */
    const isThere = (at) => values[at] !== null && values[at] !== undefined;
    if (isThere(k) && !isThere(k - 1) && !isThere(k + 1)) found.push(k);
  }
  return found;
}
