// From points to the columns that the chart library draws: one grid of times for all lines of a chart.
//
// In a column, null means that a value is missing, and the line ends there; undefined means that the line has no point
// at this time, and continues.

/** @import { Points } from "../data/types.js" */
/** @import { Column, Drawn, Line, ValueAxis } from "./types.js" */
import { heldOn, onWholeGrid, spreadOn, wholeGrid, unionGrid } from "./grid.js";
import { stacked } from "./stack.js";

/** @param {Points | null} points @returns {Drawn["shape"]} */
export function shapeOf(points) {
  if (points && points.kind === "samples") return "dots";
  return points && points.kind === "buckets" && points.means ? "band" : "edges";
}

/**
 * @param {Line[]} lines
 * @param {(Points | null)[]} points of each line
 * @param {{ axes: ValueAxis[], isStacked: boolean, begin: number, end: number }} how the whole time is where there are no points at all
 * @returns {{ columns: [number[], ...Column[]], drawn: Drawn[] }} lines of units without an axis are left out
 */
export function columnsOf(lines, points, { axes, isStacked, begin, end }) {
  const given = lines.flatMap((line, k) => {
    const axis = axes.find(({ unit }) => unit === line.unit);
    return axis ? [{ line, axis, points: points[k] || null, shape: shapeOf(points[k] || null) }] : [];
  });
  const known = given.flatMap(({ points: own }) => (own && own.kind !== "missing" ? [own] : []));
  const whole = wholeGrid(known, begin, end);
  const grid = whole || unionGrid(known);
  const onGrid = whole ? onWholeGrid : isStacked ? heldOn : spreadOn;
  const rows = given.map(({ points: own }) => onGrid(own, grid));
  /** @type {[number[], ...Column[]]} */
  const columns = [grid];
  const add = (/** @type {Column} */ column) => columns.push(column) - 1;
  const heights = isStacked ? stacked(given, rows) : null;
  const drawn = given.map((one, k) => {
    if (heights) {
      const { highest, lowest, middle, below } = heights[k];
      return { ...one, highest: add(highest), lowest: add(lowest), middle: add(middle), below: add(below) };
    }
    const { highest, lowest, means } = rows[k];
    const top = add(highest);
    if (one.shape === "dots") return { ...one, highest: top, lowest: top, middle: top, below: null };
    return { ...one, highest: top, lowest: add(lowest), middle: means ? add(means) : null, below: null };
  });
  return { columns, drawn };
}

// Isolated values, which a line alone would not show.
/** @param {ArrayLike<number | null | undefined>} values @param {number} from @param {number} to */
export function lonely(values, from, to) {
  // Undefined entries belong to other lines: the line's own neighbour is further away.
  const isThere = (/** @type {number} */ at, /** @type {number} */ step) => {
    while (values[at] === undefined && at >= 0 && at < values.length) at += step;
    return values[at] !== null && values[at] !== undefined;
  };
  /** @type {number[]} */
  const found = [];
  for (let k = from; k <= to; k++) {
    const isValue = values[k] !== null && values[k] !== undefined;
    if (isValue && !isThere(k - 1, -1) && !isThere(k + 1, 1)) found.push(k);
  }
  return found;
}
