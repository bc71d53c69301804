// The options of one chart of the library, independent of the page around it.

/** @import { Colours } from "../frame/theme.js" */
/** @import { Chart } from "./chart.js" */
/** @import { Drawn, Line, Look, ValueAxis } from "./types.js" */
import { lonely } from "./columns.js";
import { logRange, logTickTexts, logTicks, tickTexts, valueRange, valueTicks } from "./scales.js";
import { drawBehind, drawMarks } from "./shades.js";
import { thin } from "../frame/theme.js";
import { SECOND } from "../time/clock.js";

const AXIS_WIDTH = 64;
const ROOM_RIGHT = 26;
const LABEL_WIDTH = 15;
const TIME_AXIS_HEIGHT = 24;
const ROOM_ABOVE = 8;
const ROOM_FOR_MARKS = 16;
// Between ticks of a value axis, in pixels.
const VALUE_SPACE = 28;

// Large values that differ little have many digits, none of which may be cut off. This is the width of a digit at the
// font's size.
/** @param {string[] | null} texts */
const axisWidth = (texts) => Math.max(AXIS_WIDTH, ...(texts || []).map((text) => 10 + 6.5 * text.length));

/** @param {Look} look @param {ValueAxis[]} axes @returns {number} of the plot without its axes, in pixels */
export function plotWidth(look, axes) {
  const labels = axes.filter(({ label }) => label).length * LABEL_WIDTH;
  return Math.max(1, Math.round(look.width - ((axes.length > 1 ? 2 * AXIS_WIDTH : AXIS_WIDTH + ROOM_RIGHT) + labels) * look.scale));
}

/** @param {Chart} chart @param {Look} look @returns {uPlot.Options} */
export function plotOptions(chart, look) {
  const { timeline, clock, axes } = chart;
  const { colours } = look;
  const k = look.scale;
  const axis = {
    stroke: colours.muted, font: `${Math.round(11 * k)}px system-ui, sans-serif`,
    grid: { stroke: colours.grid, width: k }, ticks: { stroke: colours.line, width: k, size: 4 * k }, gap: 4 * k,
  };
  /** @type {uPlot.Axis} */
  const timeAxis = {
    ...axis, size: TIME_AXIS_HEIGHT * k,
    splits: (plot) => clock.ticks(timeline.from, timeline.to, Math.max(2, plot.bbox.width / devicePixelRatio / (78 * k))).ticks,
    values: (plot, ticks) => clock.labels(ticks, ticks.length > 1 ? ticks[1] - ticks[0] : SECOND),
  };
  return {
    width: look.width, height: look.height, padding: [(chart.marks.length ? ROOM_FOR_MARKS : ROOM_ABOVE) * k, (axes.length > 1 ? 0 : ROOM_RIGHT) * k, 0, 0],
    legend: { show: false },
    cursor: {
      y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: { dblclick: () => () => { timeline.reset(); return null; } },
    },
    scales: {
      x: { time: false, range: () => [timeline.from, timeline.to] },
      ...Object.fromEntries(axes.map((one) => [one.key, valueScale(chart, one, mostSteps(chart, look))])),
    },
    axes: [timeAxis, ...axes.map((one) => ({ ...axis, size: (/** @type {uPlot} */ _, /** @type {string[] | null} */ texts) => axisWidth(texts) * k, space: VALUE_SPACE * k, ...labelOf(one, k), ...valueAxis(chart, one, axis.grid, mostSteps(chart, look)) }))],
    series: [{}, ...chart.drawn.flatMap((drawn) => plottedSeries(drawn, look))],
    bands: chart.drawn.flatMap((drawn) => bandsOf(drawn, colours)),
    hooks: {
      drawClear: [(plot) => drawBehind(plot, colours, chart.gaps, chart.findings, k)],
      draw: [(plot) => drawMarks(plot, colours, chart.marks, k)],
      setSelect: [(plot) => chart.onSelect(plot)],
    },
  };
}

// What 100 % is stands along the axis.
/** @param {ValueAxis} axis @param {number} k scale @returns {Partial<uPlot.Axis>} */
const labelOf = ({ label }, k) => (label ? { label, labelSize: LABEL_WIDTH * k, labelGap: 0, labelFont: `${Math.round(10 * k)}px system-ui, sans-serif` } : {});

// As many steps as have room for their labels, at least two.
/** @param {Chart} chart @param {Look} look */
function mostSteps(chart, look) {
  const room = look.height / look.scale - TIME_AXIS_HEIGHT - (chart.marks.length ? ROOM_FOR_MARKS : ROOM_ABOVE);
  return Math.max(2, Math.floor(room / VALUE_SPACE));
}

/** @param {Chart} chart @param {ValueAxis} axis @param {number} most steps @returns {uPlot.Scale} */
function valueScale(chart, { unit }, most) {
  /** @type {[number, number] | null} */
  let before = null;
  /** @type {uPlot.Range.Function} */
  const range = (plot, low, high) => {
    // There may be no points in the window until its own arrive: the axis waits for them.
    const isEmpty = low === null || low === undefined || !Number.isFinite(low);
    if (isEmpty && before && chart.feed.isBusy) return before;
    before = chart.isLogarithmic ? logRange(low, high) : valueRange(unit, low, high, most);
    return before;
  };
  // Zero and less have no place on a logarithmic axis: they are drawn along its foot.
  return chart.isLogarithmic ? { distr: 3, range, clamp: (plot, value, least) => least } : { range };
}

/** @param {Chart} chart @param {ValueAxis} axis @param {uPlot.Axis.Grid} grid @param {number} most steps @returns {uPlot.Axis} */
function valueAxis(chart, { key, unit }, grid, most) {
  /** @type {uPlot.Axis} */
  const texts = chart.isLogarithmic
    ? { splits: (plot, at, low, high) => logTicks(low, high, plot.bbox.height / devicePixelRatio / VALUE_SPACE), filter: (plot, ticks) => ticks,
      values: (plot, ticks) => logTickTexts(ticks, unit) }
    : { splits: (plot, at, low, high) => valueTicks(unit, low, high, most),
      values: (plot, ticks) => tickTexts(ticks, unit, ticks.length > 1 ? ticks[1] - ticks[0] : 1) };
  // One grid is enough, and it is that of the left axis.
  return key === "y" ? { scale: key, grid, ...texts } : { scale: key, side: 1, grid: { show: false }, ...texts };
}

/** @param {Line} line @param {Colours} colours */
const colourOf = (line, colours) => (line.colour === "base" ? colours.base : colours.series[line.colour]);

// In the order of their columns. The edges of a band are the line itself where there are no means.
/** @param {Drawn} drawn @param {Look} look @returns {uPlot.Series[]} */
function plottedSeries({ line, axis, shape, below }, look) {
  const k = look.scale;
  const stroke = colourOf(line, look.colours);
  const dash = line.dash ? line.dash.map((part) => part * k) : undefined;
  /** @type {uPlot.Series.Points} */
  const points = { size: (shape === "dots" ? 5 : 4) * k, width: 0, fill: stroke, space: (shape === "dots" ? 9 : 8) * k,
    // Buckets that are held over several places of the grid aren't so many values.
    filter: (plot, at, isShown) => (isShown && shape === "dots" ? null : lonely(plot.data[at], ...(plot.series[0].idxs || [0, -1]))) };
  const shown = { show: !line.isHidden, spanGaps: false, scale: axis.key };
  const middle = { ...shown, stroke, width: 1.6 * k, dash, points };
  const edge = { ...shown, stroke: thin(stroke, 0.35), width: 0.5 * k, points: { show: false } };
  if (below !== null) return [edge, edge, middle, { ...shown, width: 0, points: { show: false } }];
  if (shape === "dots") return [middle];
  if (shape === "band") return [edge, edge, middle];
  const bare = { ...shown, stroke, width: 1.25 * k, dash, points };
  return [bare, bare];
}

/** @param {Drawn} drawn @param {Colours} colours @returns {uPlot.Band[]} */
function bandsOf({ line, shape, highest, lowest, middle, below }, colours) {
  const colour = colourOf(line, colours);
  /** @type {uPlot.Band[]} */
  const bands = below === null || middle === null ? [] : [{ series: [middle, below], fill: thin(colour, 0.45) }];
  if (highest !== lowest) bands.push({ series: [highest, lowest], fill: thin(colour, shape === "edges" ? 0.28 : 0.2) });
  return bands;
}
