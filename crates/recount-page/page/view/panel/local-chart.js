// A chart of values that the page has already: the answer to a query. It has the window and the cursor of all charts.

/** @import { Screen } from "../screen.js" */
/** @import { AnswerLine } from "./answer-chart.js" */
import { LiveChart } from "../board/live-chart.js";

export class LocalChart extends LiveChart {
  /** @param {Screen} screen @param {HTMLElement} host @param {AnswerLine[]} lines */
  constructor(screen, host, lines) {
    super(screen, host, {
      title: "the answer", height: 180, lines: lines.map(({ label, t, v }, s) => ({
        s, label, colour: s % 8, dash: s >= 4 ? [6, 3] : null, unit: "", scale: "y",
        about: { side: 0, path: label, object: "", instance: "", id: "", counter: label, host: "", unit: "" },
        answer: { unit: "", samples: { t, v, raw: [], status: [] } },
      })),
    });
  }

  // Everything is there.
  want() { this.host.setAttribute("data-chart", "drawn"); }
}
