// The values of a chart as a table, for users who can't see it or want to copy numbers. Rows are made when it is
// opened.

/** @import { Chart } from "./chart.js" */
import { rangeIn, typicalInterval } from "../data/points.js";
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
    this.chart.want();
    this.refresh();
  }

  refresh() {
    if (this.isOpen) this.node.replaceChildren(this.table());
  }

  // As many rows as the window has buckets, or fewer of several buckets each.
  table() {
    const { lines, timeline, clock } = this.chart;
    const width = Math.min(...lines.map((_, k) => this.step(k)));
    const num = Math.max(1, Math.min(MOST_ROWS, Math.round(timeline.length / width)));
    const step = timeline.length / num;
    const head = element("tr", {}, element("th", { scope: "col" }, "From"),
      lines.map((line) => element("th", { scope: "col", class: "number" }, named(line.label))));
    const rows = Array.from({ length: num }, (_, row) => {
      const from = timeline.from + row * step;
      return element("tr", {}, element("th", { scope: "row" }, clock.full(from, timeline.begin, timeline.end, step)),
        lines.map((_line, k) => element("td", { class: "number" }, this.cell(k, from, from + step))));
    });
    const caption = element("caption", {}, `Lowest and highest value in steps of ${lengthText(step)}`);
    return element("table", { class: "sheet" }, caption, element("thead", {}, head), element("tbody", {}, rows));
  }

  /** @param {number} k @returns {number} from one value of a line to the next, in milliseconds */
  step(k) {
    const points = this.chart.points[k];
    if (!points || points.kind === "missing") return Infinity;
    return points.kind === "buckets" ? points.step : typicalInterval(points.times) || Infinity;
  }

  /** @param {number} k @param {number} from @param {number} to */
  cell(k, from, to) {
    const range = rangeIn(this.chart.points[k], from, to);
    if (!range) return NONE;
    const { unit } = this.chart.lines[k];
    const [a, b] = [amount(range.low, unit), amount(range.high, unit)];
    return a === b ? a : `${a} \u2026 ${b}`;
  }
}
