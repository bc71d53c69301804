// The options of one chart of the library: nothing here knows the page around it.

/** @import { Colours } from "../frame/theme.js" */
/** @import { Chart } from "./chart.js" */
/** @import { Line, Look } from "./types.js" */
import { lonely } from "./lines.js";
import { stepsOf, tickTexts, valueRange } from "./scales.js";
import { drawBehind, drawMarks } from "./shades.js";
import { thin } from "../frame/theme.js";
import { SECOND } from "../time/clock.js";

/** @param {Chart} chart @param {Look} look @returns {uPlot.Options} */
export function plotOptions(chart, look) {
  const { timeline, clock, unit } = chart;
  const { colours } = look;
  const k = look.scale;
  const axis = {
    stroke: colours.muted, font: `${Math.round(11 * k)}px system-ui, sans-serif`,
    grid: { stroke: colours.grid, width: k }, ticks: { stroke: colours.line, width: k, size: 4 * k }, gap: 4 * k,
  };
  /** @type {uPlot.Axis} */
  const timeAxis = {
    ...axis, size: 24 * k,
    splits: (plot) => clock.ticks(timeline.from, timeline.to, Math.max(2, plot.bbox.width / devicePixelRatio / (78 * k))).ticks,
    values: (plot, ticks) => clock.labels(ticks, ticks.length > 1 ? ticks[1] - ticks[0] : SECOND),
  };
  /** @type {uPlot.Axis} */
  const valueAxis = {
    ...axis, size: 64 * k, space: 28 * k, incrs: stepsOf(unit),
    values: (plot, ticks, at, space, step) => tickTexts(ticks, unit, step),
  };
  return {
    width: look.width, height: look.height, padding: [(chart.marks.length ? 16 : 8) * k, 20 * k, 0, 0],
    legend: { show: false },
    cursor: {
      y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: { dblclick: () => () => { timeline.reset(); return null; } },
    },
    scales: {
      x: { time: false, range: () => [timeline.from, timeline.to] },
      y: { range: (plot, low, high) => valueRange(unit, low, high) },
    },
    axes: [timeAxis, valueAxis],
    series: [{}, ...chart.lines.flatMap((line) => plottedSeries(line, look))],
    bands: chart.bands.map(({ line, series }) => ({ series, fill: thin(colourOf(line, colours), line.points && line.points.means ? 0.2 : 0.28) })),
    hooks: {
      drawClear: [(plot) => drawBehind(plot, colours, chart.gaps, chart.findings, k)],
      draw: [(plot) => drawMarks(plot, colours, chart.marks, k)],
      setSelect: [(plot) => chart.onSelect(plot)],
    },
  };
}

/** @param {Line} line @param {Colours} colours */
const colourOf = (line, colours) => (line.colour === "base" ? colours.base : colours.series[line.colour]);

// Maximum, minimum and, where there are any, means. The edges of a band are the line itself where there are no means.
/** @param {Line} line @param {Look} look */
function plottedSeries(line, look) {
  const stroke = colourOf(line, look.colours);
  const hasMeans = Boolean(line.points && line.points.means);
  const dash = line.dash ? line.dash.map((part) => part * look.scale) : undefined;
  /** @type {uPlot.Series.Points} */
  const points = { size: 4 * look.scale, width: 0, fill: stroke, space: 8 * look.scale,
    filter: (plot, at, isShown) => (isShown ? null : lonely(plot.data[at], ...(plot.series[0].idxs || [0, -1]))) };
  const edge = hasMeans
    ? { stroke: thin(stroke, 0.35), width: 0.5 * look.scale, points: { show: false } }
    : { stroke, width: 1.25 * look.scale, dash, points };
  const drawn = { show: !line.isHidden, spanGaps: false };
  const edges = [{ ...drawn, ...edge }, { ...drawn, ...edge }];
  return hasMeans ? [...edges, { ...drawn, stroke, width: 1.6 * look.scale, dash, points }] : edges;
}
