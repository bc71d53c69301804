// A chart on the board: its title, its menu, the chart itself, and its drop targets and buttons.

/** @import { Screen } from "../screen.js" */
/** @import { BoardChart } from "../state/board.js" */
import { ChartMenu } from "./menu.js";
import { PinLayer } from "./pin.js";
import { droppable } from "../find/drag.js";
import { button, element, named } from "../../text/elements.js";

export class Card {
  /** @param {Screen} screen @param {BoardChart} chart */
  constructor(screen, chart) {
    this.screen = screen;
    this.chart = chart;
    this.key = "";
    /** @type {import("../../chart/chart.js").Chart | null} */
    this.drawn = null;
    this.menu = new ChartMenu(screen, chart);
    this.pin = new PinLayer(screen, chart);
    this.title = button("", () => screen.board.select(screen.board.selected === chart.id ? null : chart.id), { class: "title", "aria-pressed": "false", title: "Choose this chart: what is found is added to it" });
    this.plot = element("div", { class: "plot" });
    this.frame = element("div", { class: "plot-frame" }, this.plot, this.pin.node, this.pin.bubble);
    this.caption = element("figcaption", {}, element("h3", { class: "cut" }, this.title), this.menu.toggle);
    this.node = element("figure", { class: "card chart", "data-chart-id": chart.id }, this.caption, this.menu.node, this.frame);
    droppable(this.node, (series) => screen.add(series, chart.id));
    // Charts that the pointer merely passes don't become the subject of panels.
    for (const kind of ["pointerdown", "wheel", "focusin"]) this.node.addEventListener(kind, () => { screen.focus.pointed = chart.id; }, { capture: true, passive: true });
    this.update();
  }

  update() {
    const { chart, screen } = this;
    this.node.classList.toggle("wide", chart.wide);
    this.title.replaceChildren(named(screen.titleOf(chart)));
    this.menu.toggle.setAttribute("aria-label", `Options of chart ${screen.titleOf(chart)}`);
    this.select();
    const key = JSON.stringify([screen.board.stateOf(chart), screen.page.findings.length, screen.page.marks.length]);
    if (key === this.key) return;
    this.key = key;
    if (!chart.series.length) {
      this.close();
      this.plot.replaceChildren(element("p", { class: "empty muted" }, "Empty. Find a counter with ", element("kbd", {}, "/"), " and press Enter, or drag one here."));
    } else if (this.drawn) this.drawn.set(screen.boardView.contentOf(chart));
    else {
      this.drawn = screen.boardView.draw(this.plot, chart);
      this.menu.toggle.before(this.drawn.raw, this.drawn.table.toggle);
    }
    // For tests from outside the page: the drawn values can be read there.
    Object.assign(this.frame, { chart: this.drawn });
  }

  select() {
    const isSelected = this.screen.board.selected === this.chart.id;
    this.node.classList.toggle("selected", isSelected);
    this.title.setAttribute("aria-pressed", String(isSelected));
  }

  close() {
    if (this.drawn) {
      this.drawn.close();
      this.drawn.table.toggle.remove();
      this.drawn.raw.remove();
    }
    this.drawn = null;
    this.plot.removeAttribute("data-chart");
  }

  showPin() {
    const { screen, drawn } = this;
    const place = drawn ? drawn.place(this.frame) : null;
    const isPinned = screen.focus.isSet;
    const span = screen.focus.chosen || (["top", "moved"].includes(screen.dock.open) && screen.focus.pinned !== null ? screen.focus.span() : null);
    this.pin.show(place, screen.focus.pinned, span, isPinned && screen.focus.pointed === this.chart.id && screen.focus.isAsking);
  }

  remove() {
    this.close();
    this.menu.close();
    this.node.remove();
  }
}
