// The menu of a chart: its name, style, contents and position.

/** @import { Screen } from "../screen.js" */
/** @import { BoardChart } from "../state/board.js" */
import { oneChartPerLine, splitPerInstance } from "./split.js";
import { button, element, named } from "../../text/elements.js";

export class ChartMenu {
  /** @param {Screen} screen @param {BoardChart} chart */
  constructor(screen, chart) {
    this.screen = screen;
    this.chart = chart;
    this.node = element("div", { class: "menu", id: `menu-${chart.id}`, role: "group", "aria-label": "Chart" });
    this.node.hidden = true;
    this.toggle = button("\u22ef", () => this.flip(), { class: "quiet small menu-toggle", "aria-expanded": "false", "aria-controls": this.node.id, "aria-label": `Options of chart ${screen.titleOf(chart)}`, title: "Options of this chart" });
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.flip(false);
      this.toggle.focus();
    });
    this.onOutside = (/** @type {Event} */ event) => {
      if (event.target instanceof Node && !this.node.contains(event.target) && !this.toggle.contains(event.target)) this.flip(false);
    };
  }

  flip(isOpen = Boolean(this.node.hidden)) {
    this.node.hidden = !isOpen;
    this.toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) {
      this.fill();
      document.addEventListener("pointerdown", this.onOutside, true);
      this.node.querySelector("input")?.focus();
    } else document.removeEventListener("pointerdown", this.onOutside, true);
  }

  fill() {
    const { board } = this.screen;
    const { id } = this.chart;
    const name = element("input", { type: "text", "aria-label": "Name of the chart", value: this.chart.title, placeholder: this.screen.titleOf({ ...this.chart, title: "" }), maxlength: "200" });
    name.addEventListener("change", () => board.change(id, { title: name.value.trim() }));
    name.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); name.blur(); this.flip(false); this.toggle.focus(); } });
    /** @param {string} text @param {() => void} act @param {boolean} [isOff] */
    const item = (text, act, isOff = false) => {
      const node = button(text, () => { this.flip(false); act(); }, { class: "item" });
      node.disabled = isOff;
      return element("li", {}, node);
    };
    const at = board.charts.findIndex((chart) => chart.id === id);
    const hasInstances = this.chart.series.some(({ side, path }) => this.screen.catalogue.about(side, path).instance !== "");
    this.node.replaceChildren(name,
      element("div", { class: "checks" }, this.check("Stacked", "stacked"), this.check("Logarithmic", "logarithmic"), this.check("Wide", "wide")),
      element("ul", { class: "items" },
        item("Split per instance", () => splitPerInstance(this.screen, id), !hasInstances),
        item("A chart per line", () => oneChartPerLine(this.screen, id), this.chart.series.length < 2),
        item("What happened here?", () => this.screen.focus.ask("moved", this.chart)),
        item("Who was it? (Top)", () => this.screen.focus.ask("top", this.chart)),
        item("Move to the front", () => board.move(id, -1), at <= 0),
        item("Move to the back", () => board.move(id, 1), at === board.charts.length - 1),
        item("Remove the chart", () => board.remove(id))),
      this.lines());
  }

  /** @param {string} text @param {"stacked" | "logarithmic" | "wide"} key */
  check(text, key) {
    const box = element("input", { type: "checkbox", "data-key": key });
    box.checked = Boolean(key === "logarithmic" ? this.screen.boardView.drawnOf(this.chart.id)?.isLogarithmic : this.chart[key]);
    // A stack is never logarithmic: its heights would not add up.
    box.disabled = key === "logarithmic" && this.chart.stacked;
    box.addEventListener("change", () => {
      this.screen.board.change(this.chart.id, { [key]: box.checked });
      if (key !== "stacked") return;
      for (const other of this.node.querySelectorAll("input")) if (other.dataset.key === "logarithmic") other.disabled = box.checked;
    });
    return element("label", {}, box, ` ${text}`);
  }

  lines() {
    if (!this.chart.series.length) return element("p", { class: "muted" }, "No series yet.");
    return element("ul", { class: "held", "aria-label": "Series of the chart" }, this.chart.series.map((series) => {
      const remove = button("\u00d7", () => { this.screen.board.removeSeries(this.chart.id, series); this.fill(); }, { class: "quiet small", "aria-label": `Remove ${series.path}`, title: "Remove from the chart" });
      return element("li", {}, remove, named(series.path));
    }));
  }

  close() { document.removeEventListener("pointerdown", this.onOutside, true); }
}
