// The values of a chart as a table, for those who can't see it or want to copy numbers. Rows are made when it is opened.

/** @import { Chart } from "./chart.js" */
/** @import { Line } from "./types.js" */
import { button, element, named } from "../text/elements.js";
import { NONE, amount } from "../text/numbers.js";
import { lengthText } from "../time/clock.js";

const MOST_ROWS = 48;

export class ValueTable {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    this.isOpen = false;
    this.node = element("div", { class: "scroll values", tabindex: "0", role: "region", "aria-label": `Values of ${chart.title}` });
    this.node.hidden = true;
    this.toggle = button("Values", () => this.flip(), { class: "quiet", "aria-expanded": "false" });
  }

  flip() {
    this.isOpen = !this.isOpen;
    this.toggle.setAttribute("aria-expanded", String(this.isOpen));
    this.node.hidden = !this.isOpen;
    this.refresh();
  }

  refresh() {
    if (this.isOpen) this.node.replaceChildren(this.table());
  }

  // As many rows as the window has buckets, or fewer of several buckets each.
  table() {
    const { chart } = this;
    const { capture, timeline, clock } = chart;
    const width = Math.min(...chart.lines.map((line) => capture.width(line.s)));
    const num = Math.max(1, Math.min(MOST_ROWS, Math.round(timeline.length / width)));
    const step = timeline.length / num;
    const head = element("tr", {}, element("th", { scope: "col" }, "From"),
      chart.lines.map((line) => element("th", { scope: "col", class: "number" }, named(line.label))));
    const rows = Array.from({ length: num }, (_, k) => {
      const from = timeline.from + k * step;
      return element("tr", {}, element("th", { scope: "row" }, clock.full(from, capture.begin, capture.end, step)),
        chart.lines.map((line) => element("td", { class: "number" }, this.cell(line, from, from + step))));
    });
    const caption = element("caption", {}, `Lowest and highest value in steps of ${lengthText(step)}`);
    return element("table", { class: "sheet" }, caption, element("thead", {}, head), element("tbody", {}, rows));
  }

  /** @param {Line} line @param {number} from @param {number} to */
  cell(line, from, to) {
    const { capture } = this.chart;
    const points = this.chart.pointsOf(line);
    if (!points) return NONE;
    const width = capture.width(line.s);
    const first = Math.max(0, Math.floor((from - capture.begin) / width + 1e-6));
    const last = Math.min(points.num - 1, Math.max(first, Math.ceil((to - capture.begin) / width - 1e-6) - 1));
    let [low, high] = [Infinity, -Infinity];
    for (let k = first; k <= last; k++) {
      const [lowest, highest] = [points.lowest[k], points.highest[k]];
      if (lowest === null || highest === null) continue;
      low = Math.min(low, lowest);
      high = Math.max(high, highest);
    }
    if (low > high) return NONE;
    const [a, b] = [amount(low, line.unit), amount(high, line.unit)];
    return a === b ? a : `${a} \u2026 ${b}`;
  }
}
