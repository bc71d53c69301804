// The legend below a chart: what each line is, what it is on the whole, and what it is at the cursor.

/** @import { Chart } from "./chart.js" */
/** @import { Line } from "./types.js" */
import { button, element, named, shape } from "../text/elements.js";
import { amount } from "../text/numbers.js";

export class Legend {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    this.rows = chart.lines.map((line) => this.row(line));
    this.node = element("ul", { class: "legend" }, this.rows.map((row) => row.node));
    this.showWhole();
  }

  /** @param {Line} line */
  row(line) {
    const sample = shape("svg", { class: `sample ${line.colour === "base" ? "base" : `series-${line.colour + 1}`}`, viewBox: "0 0 18 8", "aria-hidden": "true" },
      shape("line", { x1: 0, x2: 18, y1: 4, y2: 4, "stroke-dasharray": line.dash ? line.dash.join(" ") : null }));
    const value = element("span", { class: "value" });
    const toggle = button("", () => {
      this.chart.toggle(line);
      toggle.setAttribute("aria-pressed", String(!line.isHidden));
    }, { class: "line", "aria-pressed": "true", title: `${this.chart.capture.fullName(line.s)}\nshow or hide` });
    toggle.append(sample, named(line.label, this.chart.capture.fullName(line.s)));
    return { line, value, node: element("li", {}, toggle, value) };
  }

  showWhole() {
    const { columns } = this.chart.capture;
    for (const { line, value } of this.rows) {
      value.textContent = columns.n[line.s] === 0 ? "no values"
        : `mean ${amount(columns.mean[line.s], line.unit)}  max ${amount(columns.max[line.s], line.unit)}`;
      value.classList.remove("now");
    }
  }

  /** @param {number} ms */
  showAt(ms) {
    for (const { line, value } of this.rows) {
      value.textContent = this.chart.textAt(line, ms);
      value.classList.add("now");
    }
  }
}
