// Which charts a screen begins with: those of the address, of the view file, or of the overview.

/** @import { CaptureAnswer } from "../types.js" */
/** @import { Catalogue } from "../data/catalogue.js" */
/** @import { ChartState } from "../state/address.js" */
import { chartState } from "../state/address.js";

/** @param {CaptureAnswer} capture @param {Catalogue} catalogue @returns {ChartState[]} */
export function overviewCharts(capture, catalogue) {
  return capture.overview.map(({ title, unit, series }) => chartState({ title, series: catalogue.onAllSides(series), ...(unit && { unit }) }));
}

/** @param {CaptureAnswer} capture @param {Catalogue} catalogue @returns {ChartState[] | null} null: no view was given */
export function viewCharts({ view }, catalogue) {
  if (!view || !view.charts.length) return null;
  return view.charts.map(({ title, series, stacked, logarithmic }) => chartState({ title, series: catalogue.onAllSides(series), stacked, logarithmic }));
}
