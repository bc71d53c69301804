// The options of a chart on the board: two axes, stacked, logarithmic.

/** @import { LiveChart } from "./live-chart.js" */
/** @import { LiveLine } from "./lines.js" */
/** @import { Look } from "../../chart/types.js" */
import { lonely } from "../../chart/lines.js";
import { stepsOf, tickTexts, valueRange } from "../../chart/scales.js";
import { drawBehind, drawMarks } from "../../chart/shades.js";
import { thin } from "../../frame/theme.js";
import { amount, UNITS } from "../../text/numbers.js";
import { SECOND } from "../../time/clock.js";

/** @param {LiveChart} chart @param {Look} look @returns {uPlot.Options} */
export function livePlotOptions(chart, look) {
  const { timeline, clock } = chart;
  const { colours, scale: k } = look;
  const axis = {
    stroke: colours.muted, font: `${Math.round(11 * k)}px system-ui, sans-serif`,
    grid: { stroke: colours.grid, width: k }, ticks: { stroke: colours.line, width: k, size: 4 * k }, gap: 4 * k,
  };
  const units = chart.units();
  return {
    width: look.width, height: look.height, padding: [(chart.marks.length ? 16 : 8) * k, (units.length > 1 ? 0 : 20) * k, 0, 0],
    legend: { show: false },
    cursor: {
      y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: { dblclick: () => () => { timeline.reset(); return null; } },
    },
    scales: {
      x: { time: false, range: () => [timeline.from, timeline.to] },
      ...Object.fromEntries(units.map(({ scale, unit }) => [scale, chart.isLog ? { distr: 3, range: logRange } : { range: rangeOf(unit) }])),
    },
    axes: [
      { ...axis, size: 24 * k,
        splits: (plot) => clock.ticks(timeline.from, timeline.to, Math.max(2, plot.bbox.width / devicePixelRatio / (78 * k))).ticks,
        values: (_, ticks) => clock.labels(ticks, ticks.length > 1 ? ticks[1] - ticks[0] : SECOND) },
      ...units.map(({ scale, unit }, side) => ({
        ...axis, scale, side: side === 0 ? 3 : 1, size: 64 * k, space: 28 * k, ...(side > 0 && { grid: { show: false } }),
        ...(chart.isLog ? { values: logTicks(unit) } : { incrs: stepsOf(unit), values: linearTicks(unit) }),
      })),
    ],
    series: [{}, ...chart.lines.flatMap((line) => drawnSeries(line, look, chart))],
    bands: chart.lines.map((line) => ({ series: [3 * line.s + 1, 3 * line.s + 2], fill: thin(colours.series[line.colour], chart.isStacked ? 0.45 : 0.2) })),
    hooks: {
      drawClear: [(plot) => drawBehind(plot, colours, chart.gaps, chart.findings, k)],
      draw: [(plot) => drawMarks(plot, colours, chart.marks, k)],
      setSelect: [(plot) => chart.onSelect(plot)],
    },
  };
}

/** @param {string} unit @returns {uPlot.Range.Function} */
const rangeOf = (unit) => (_, low, high) => /** @type {[number, number]} */ (valueRange(unit, low, high));

/** @type {uPlot.Range.Function} */
const logRange = (_, low, high) => {
  if (low === null || high === null || !(low > 0) || !(high > 0)) return [1, 10];
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  return [10 ** from, 10 ** Math.max(to, from + 1)];
};

/** @param {string} unit @returns {uPlot.Axis.DynamicValues} */
const linearTicks = (unit) => (_, ticks, at, space, step) => tickTexts(ticks, unit, step);

/** @param {string} unit @returns {uPlot.Axis.DynamicValues} */
const logTicks = (unit) => (_, ticks) => ticks.map((tick) => {
  const power = Math.log10(tick);
  return Math.abs(power - Math.round(power)) < 1e-9 ? amount(tick, UNITS.has(unit) ? unit : "") : "";
});

/** @param {LiveLine} line @param {Look} look @param {LiveChart} chart */
function drawnSeries(line, { colours, scale: k }, chart) {
  const stroke = colours.series[line.colour];
  const dash = line.dash ? line.dash.map((part) => part * k) : undefined;
  const isSamples = Boolean(line.answer && line.answer.samples);
  const drawn = { show: !line.isHidden, spanGaps: false, scale: line.scale };
  const edge = { ...drawn, stroke: chart.isStacked ? undefined : thin(stroke, 0.35), width: chart.isStacked ? 0 : 0.5 * k, points: { show: false } };
  /** @type {uPlot.Series.Points} */
  const points = isSamples ? { size: 5 * k, width: 0, fill: stroke, space: 9 * k }
    : { size: 4 * k, width: 0, fill: stroke, space: 8 * k, filter: (plot, at, isShown) => (isShown ? null : lonely(/** @type {any} */ (plot.data[at]), ...(plot.series[0].idxs || [0, -1]))) };
  return [edge, edge, { ...drawn, stroke, width: 1.6 * k, dash, points }];
}
