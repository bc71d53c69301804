// A chart of values that the page has already: the answer to a query. It has the window and the cursor of all charts.

/** @import { Points, Provider } from "../../data/types.js" */
/** @import { LivePage } from "../live-page.js" */
/** @import { AnswerLine } from "./answer-chart.js" */
import { Chart } from "../../chart/chart.js";

/** @implements {Provider} */
class LocalPoints {
  /** @param {AnswerLine[]} lines */
  constructor(lines) {
    this.isImmediate = true;
    this.isClosed = false;
    this.version = 0;
    /** @type {Points[]} */
    this.held = lines.map(({ t, v }) => ({ kind: "samples", times: t, values: v, raws: null, bases: null, statuses: t.map(() => "") }));
  }

  /** @param {import("../../data/types.js").Question} question */
  points({ series }) { return series.map((s) => this.held[Number(s)]); }

  // The legend tells of the window.
  figures() { return null; }
}

/** @param {LivePage} page @param {HTMLElement} host @param {AnswerLine[]} lines */
export function localChart(page, host, lines) {
  /** @type {LivePage & {provider: Provider}} */
  const own = Object.create(page, { provider: { value: new LocalPoints(lines) } });
  const drawn = lines.map(({ label }, s) => ({ series: s, name: label, label, colour: s % 8, dash: s >= 4 ? [6, 3] : null, unit: "" }));
  return new Chart(own, host, { lines: drawn, title: "the answer", height: 180 });
}
