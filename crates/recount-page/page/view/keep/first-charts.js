// Which charts a screen begins with: those of the address, of the view file, or of the overview.

/** @import { CaptureAnswer } from "../types.js" */
/** @import { Catalogue } from "../data/catalogue.js" */
/** @import { ChartState } from "../state/address.js" */
import { chartState } from "../state/address.js";
import { MAX_LINES } from "../state/board.js";
import { parseTime } from "../state/typed-time.js";

/** @param {CaptureAnswer} capture @param {Catalogue} catalogue @returns {ChartState[]} */
export function overviewCharts(capture, catalogue) {
  return capture.overview.map(({ title, unit, series, wide }) => chartState({ title, series: catalogue.onAllSides(series), wide, ...(unit && { unit }) }));
}

/** @param {CaptureAnswer} capture @param {Catalogue} catalogue @returns {ChartState[] | null} null: no view was given */
export function viewCharts({ view }, catalogue) {
  if (!view || !view.chart.length) return null;
  return view.chart.map(({ title, counters, stacked, logarithmic }) => {
    const paths = counters.flatMap((counter) => catalogue.matching(0, counter, MAX_LINES)).slice(0, MAX_LINES);
    return chartState({ title, series: catalogue.onAllSides(paths.map((path) => ({ side: 0, path }))), stacked, logarithmic });
  });
}

/**
 * The window of the view file.
 * @param {CaptureAnswer} capture @param {import("../state/typed-time.js").TimeFrame} frame
 * @returns {{from: number | null, to: number | null}}
 */
export function viewWindow({ view }, frame) {
  if (!view) return { from: null, to: null };
  const time = (/** @type {string | undefined} */ text) => (text ? parseTime(text, frame) : null);
  return { from: time(view.view.begin), to: time(view.view.end) };
}
