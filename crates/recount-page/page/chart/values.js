// The values of a chart as a table, for users who can't see it or want to copy numbers. Rows are made when it is
// opened.

/** @import { Chart } from "./chart.js" */
import { pointText, rangeIn, typicalInterval } from "../data/points.js";
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

  table() {
    const times = this.sampleTimes();
    return times ? this.tableOfSamples(times) : this.tableOfSteps();
  }

  // Where the window has few samples, and all lines have them: their times.
  /** @returns {number[] | null} */
  sampleTimes() {
    const { points, timeline } = this.chart;
    /** @type {Set<number>} */
    const times = new Set();
    for (const one of points) {
      if (!one || one.kind === "missing") continue;
      if (one.kind === "buckets") return null;
      // The window begins and ends at whole milliseconds, samples don't.
      for (const ms of one.times) if (Math.ceil(ms) >= timeline.from && Math.floor(ms) <= timeline.to) times.add(ms);
    }
    return times.size && times.size <= MOST_ROWS ? [...times].sort((a, b) => a - b) : null;
  }

  /** @param {number[]} times */
  tableOfSamples(times) {
    const { lines, points, timeline, clock } = this.chart;
    /** @param {number} k @param {number} ms */
    const cell = (k, ms) => {
      const own = points[k];
      const isThere = own && own.kind === "samples" && own.times.includes(ms);
      return isThere ? pointText(own, ms, lines[k].unit, this.chart.page.charts.isRaw) : NONE;
    };
    const rows = times.map((ms) => element("tr", {}, element("th", { scope: "row" }, clock.full(ms, timeline.begin, timeline.end, timeline.shownStep)),
      lines.map((_line, k) => element("td", { class: "number" }, cell(k, ms)))));
    return this.sheet("Every sample", "Time", rows);
  }

  /** @param {string} told @param {string} first @param {HTMLElement[]} rows */
  sheet(told, first, rows) {
    const head = element("tr", {}, element("th", { scope: "col" }, first),
      this.chart.lines.map((line) => element("th", { scope: "col", class: "number" }, named(line.label))));
    return element("table", { class: "sheet" }, element("caption", {}, told), element("thead", {}, head), element("tbody", {}, rows));
  }

  // As many rows as the window has buckets, or fewer of several buckets each.
  tableOfSteps() {
    const { lines, timeline, clock } = this.chart;
    const width = Math.min(...lines.map((_, k) => this.step(k)));
    const num = Math.max(1, Math.min(MOST_ROWS, Math.round(timeline.length / width)));
    const step = timeline.length / num;
    const rows = Array.from({ length: num }, (_, row) => {
      const from = timeline.from + row * step;
      return element("tr", {}, element("th", { scope: "row" }, clock.full(from, timeline.begin, timeline.end, step)),
        lines.map((_line, k) => element("td", { class: "number" }, this.cell(k, from, from + step))));
    });
    return this.sheet(`Lowest and highest value in steps of ${lengthText(step)}`, "From", rows);
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
