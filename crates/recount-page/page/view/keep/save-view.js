// The view as a file that opens again, on this capture or another: its span is one after the capture's beginning.

/** @import { Screen } from "../screen.js" */
import { saveAs } from "./download.js";
import { viewFile, viewFileName } from "./view-file.js";

/** @param {Screen} screen */
export function viewOf(screen) {
  const { timeline, board, capture } = screen;
  const after = (/** @type {number} */ ms) => `+${Math.max(0, Math.round(ms - timeline.begin))}ms`;
  const charts = board.charts.filter(({ series }) => series.length).map((chart) => ({
    title: screen.titleOf(chart), counters: chart.series.map(({ path }) => path), stacked: chart.stacked, logarithmic: screen.boardView.drawnOf(chart.id)?.isLogarithmic ?? Boolean(chart.logarithmic),
  }));
  return viewFile({ title: capture.title, begin: timeline.from > timeline.begin ? after(timeline.from) : null, end: timeline.to < timeline.end ? after(timeline.to) : null, charts });
}

/** @param {Screen} screen */
export function saveView(screen) {
  saveAs(new Blob([viewOf(screen)], { type: "application/toml" }), viewFileName(screen.capture.inputs[0] || screen.capture.title));
}
