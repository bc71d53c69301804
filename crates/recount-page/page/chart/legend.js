// The legend below a chart: the name of each line, its overall figures, and its value at the cursor.

/** @import { Chart } from "./chart.js" */
/** @import { Line } from "./types.js" */
import { leftOut } from "./units.js";
import { button, element, inMiddle, named, shape } from "../text/elements.js";

// Longer names are cut: several lines of the legend are enough for one.
const MAX_NAME = 120;

export class Legend {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    this.rows = chart.lines.map((line) => this.row(line));
    const refused = leftOut(chart.lines);
    this.node = element("ul", { class: "legend" }, this.rows.map((row) => row.node), refused ? element("li", { class: "refused", role: "status" }, refused) : null);
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
    }, { class: "line", "aria-pressed": String(!line.isHidden), title: `${line.name}\nshow or hide` });
    toggle.append(sample, named(inMiddle(line.label, MAX_NAME), line.name));
    return { line, value, node: element("li", {}, toggle, value) };
  }

  showWhole() { this.show((k) => this.chart.wholeText(k), false); }

  /** @param {number} ms */
  showAt(ms) { this.show((k) => this.chart.textAt(k, ms), true); }

  /** @param {(k: number) => string} textOf @param {boolean} isNow */
  show(textOf, isNow) {
    this.rows.forEach(({ value }, k) => {
      const points = this.chart.points[k];
      const text = textOf(k);
      value.textContent = text;
      // The room of the overall figures is kept, so that the page doesn't move with the cursor.
      if (!isNow) value.style.minWidth = `min(100%, ${text.length}ch)`;
      // What doesn't fit in the line.
      value.title = text;
      value.classList.toggle("now", isNow);
      value.classList.toggle("wrong", points !== null && points.kind === "missing" && points.isFault);
    });
  }
}
