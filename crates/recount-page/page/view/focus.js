// The subject of requests: the pressed time, the chosen span, and the chart pointed at.

/** @import { Chart } from "../chart/chart.js" */
/** @import { SeriesInfo } from "./data/catalogue.js" */
/** @import { Screen } from "./screen.js" */
/** @import { BoardChart } from "./state/board.js" */
import { spanAround } from "./state/span.js";

export class Focus {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.timeline = screen.timeline;
    /** The time that was pressed. @type {number | null} */
    this.pinned = null;
    /** A span that was chosen without zooming. @type {{from: number, to: number} | null} */
    this.chosen = null;
    /** The chart that was pointed at last. @type {number | null} */
    this.pointed = null;
    /** Whether that chart offers actions. */
    this.isAsking = false;
  }

  /** @param {number | null} at ms @param {"machine" | "history" | ""} [by] who pins, if not a person */
  pin(at, by = "") {
    const { screen, timeline } = this;
    this.pinned = at === null ? null : Math.min(Math.max(at, timeline.begin), timeline.end);
    if (by !== "history") this.chosen = null;
    timeline.restAt(this.pinned);
    screen.boardView.showPin();
    if (by !== "machine") screen.dock.renew();
    // Stepping through samples isn't worth an entry each.
    if (by !== "history") screen.keep(false);
  }

  // A chart was pressed: its time is pinned, and it offers its actions.
  /** @param {Chart} chart @param {number} at */
  press(chart, at) {
    this.isAsking = this.screen.boardView.pointAt(chart);
    this.pin(at);
  }

  // A span of a chart was chosen: questions are about it now.
  /** @param {Chart} chart @param {{from: number, to: number}} span */
  choose(chart, span) {
    this.isAsking = this.screen.boardView.pointAt(chart);
    this.take(span);
    this.screen.dock.renew();
    this.screen.keep();
  }

  /** @param {{from: number, to: number}} span */
  take(span) {
    this.chosen = span;
    this.pinned = null;
    this.timeline.restAt(null);
    this.screen.boardView.showPin();
  }

  // What the address says.
  /** @param {number | null} at @param {{from: number, to: number} | null} span */
  restore(at, span) {
    const { begin, end } = this.timeline;
    const isThere = span !== null && span.to > begin && span.from < end;
    if (isThere) this.take({ from: Math.max(span.from, begin), to: Math.min(span.to, end) });
    else {
      this.chosen = null;
      this.pin(at, "history");
    }
  }

  clear() {
    this.chosen = null;
    this.pin(null);
  }

  get isSet() { return this.pinned !== null || this.chosen !== null; }

  // The chosen span, that around the pinned time, or the window.
  span() {
    if (this.chosen) return this.chosen;
    const { timeline } = this;
    if (this.pinned === null) return { from: timeline.from, to: timeline.to };
    return spanAround(this.pinned, timeline, this.screen.page.step);
  }

  // The moment that a table of one sample is about.
  moment() {
    if (this.pinned !== null) return this.pinned;
    return this.chosen ? this.chosen.to : this.timeline.to;
  }

  /** @param {number} side @returns {SeriesInfo | null} what the chart that was pointed at shows first */
  series(side) {
    const { board, catalogue } = this.screen;
    const chart = board.chart(this.pointed) || board.chart(board.selected) || board.charts[0];
    const series = chart && (chart.series.find((one) => one.side === side) || chart.series[0]);
    return series ? { ...catalogue.about(series.side, series.path), side } : null;
  }

  // A panel about a chart.
  /** @param {string} panel @param {BoardChart} chart */
  ask(panel, chart) {
    const { screen } = this;
    this.pointed = chart.id;
    // The earlier choice concerned another chart.
    screen.more = screen.more.side ? { side: screen.more.side } : {};
    screen.dock.show(panel);
    screen.boardView.reveal(chart.id);
  }
}
