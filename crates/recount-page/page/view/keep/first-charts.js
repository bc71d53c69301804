// Which charts a screen begins with: those of the address, of the view file, or of the overview.

/** @import { CaptureAnswer } from "../types.js" */
/** @import { Catalogue } from "../data/catalogue.js" */
/** @import { ChartState } from "../state/address.js" */
import { MAX_LINES } from "../state/board.js";
import { parseTime } from "../state/typed-time.js";

const PLAIN = { stacked: false, logarithmic: false, wide: false };

/** @param {CaptureAnswer} capture @param {Catalogue} catalogue @returns {ChartState[]} */
export function overviewCharts(capture, catalogue) {
  return capture.overview.map(({ title, unit, series, wide }) => ({
    ...PLAIN, title, wide, ...(unit && { unit }),
    // Both captures, where the server names the series of the first only.
    series: catalogue.onAllSides(series),
  }));
}

/** @param {CaptureAnswer} capture @param {Catalogue} catalogue @returns {ChartState[] | null} null: no view was given */
export function viewCharts({ view }, catalogue) {
  const charts = view && (view.chart || view.charts);
  if (!charts) return null;
  return charts.map(({ title, counters, stacked, logarithmic }) => {
    const paths = counters.flatMap((counter) => catalogue.matching(0, counter, MAX_LINES)).slice(0, MAX_LINES);
    return { ...PLAIN, title: title || "", series: catalogue.onAllSides(paths.map((path) => ({ side: 0, path }))), stacked: Boolean(stacked), logarithmic: Boolean(logarithmic) };
  });
}

/**
 * The window of the view file.
 * @param {CaptureAnswer} capture @param {import("../state/typed-time.js").TimeFrame} frame
 * @returns {{from: number | null, to: number | null}}
 */
export function viewWindow({ view }, frame) {
  if (!view) return { from: null, to: null };
  const given = { ...view, ...view.view };
  const time = (/** @type {number | null | undefined} */ ms, /** @type {string | undefined} */ text) => (typeof ms === "number" ? ms : text ? parseTime(text, frame) : null);
  return { from: time(view.begin_ms, given.begin), to: time(view.end_ms, given.end) };
}
