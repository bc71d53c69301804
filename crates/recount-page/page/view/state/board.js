// The charts of the screen: their order, contents and style, independent of elements.

/**
 * @typedef {import("./address.js").ChartState} ChartState
 * @typedef {import("./address.js").SeriesName} SeriesName
 * @typedef {ChartState & {id: number}} BoardChart
 */

import { chartState } from "./address.js";

/** As many as one request to the server may have, and fewer than a legend can distinguish. */
export const MAX_LINES = 24;

/** @param {SeriesName} a @param {SeriesName} b */
export const isSameSeries = (a, b) => a.side === b.side && a.path === b.path;

export class Board {
  constructor() {
    /** @type {BoardChart[]} */
    this.charts = [];
    this.nextId = 1;
    /** The chart that Enter adds to. @type {number | null} */
    this.selected = null;
    /** @type {Set<(kind: string) => void>} */
    this.listeners = new Set();
  }

  /** @param {string} kind "charts": a chart came, went or moved; "chart": one changed; "selected" */
  tell(kind) { for (const listen of this.listeners) listen(kind); }

  /** @param {number | null} id */
  chart(id) { return this.charts.find((chart) => chart.id === id) || null; }

  /**
   * All charts at once: at the start, and by history.
   * @param {ChartState[]} states
   */
  set(states) {
    // Unchanged charts keep their place on the screen, and their loaded points.
    const before = [...this.charts];
    this.charts = states.map(chartState).map((state) => {
      const at = before.findIndex((chart) => JSON.stringify(this.stateOf(chart)) === JSON.stringify(state));
      return at < 0 ? { ...state, id: this.nextId++ } : before.splice(at, 1)[0];
    });
    if (!this.chart(this.selected)) this.selected = null;
    this.tell("charts");
  }

  /** @returns {ChartState[]} */
  states() { return this.charts.map((chart) => this.stateOf(chart)); }

  /** @param {BoardChart} chart @returns {ChartState} */
  stateOf(chart) { return chartState(chart); }

  /**
   * @param {Partial<ChartState>} state
   * @param {number} [at] place among the charts; else at the end
   */
  addChart(state, at = this.charts.length) {
    const chart = { ...chartState(state), id: this.nextId++ };
    this.charts.splice(at, 0, chart);
    this.selected = chart.id;
    this.tell("charts");
    return chart;
  }

  /**
   * @param {number} id
   * @param {SeriesName[]} series
   * @returns {string} why not all were added, or ""
   */
  addSeries(id, series) {
    const chart = this.chart(id);
    if (!chart) return "the chart is gone";
    const fresh = series.filter((one) => !chart.series.some((other) => isSameSeries(one, other)));
    if (!fresh.length) return "it is in the chart already";
    const room = MAX_LINES - chart.series.length;
    // A chart's own unit is that of the counters with which it began.
    delete chart.unit;
    chart.series = [...chart.series, ...fresh.slice(0, room)];
    this.tell("chart");
    return fresh.length > room ? `a chart holds at most ${MAX_LINES} series` : "";
  }

  /** @param {number} id @param {SeriesName} series */
  removeSeries(id, series) {
    const chart = this.chart(id);
    if (!chart) return;
    chart.series = chart.series.filter((one) => !isSameSeries(one, series));
    this.tell("chart");
  }

  /** @param {number} id @param {Partial<ChartState>} change */
  change(id, change) {
    const chart = this.chart(id);
    if (!chart) return;
    Object.assign(chart, change);
    this.tell("chart");
  }

  /** @param {number} id */
  remove(id) {
    this.charts = this.charts.filter((chart) => chart.id !== id);
    if (this.selected === id) this.selected = null;
    this.tell("charts");
  }

  /** @param {number} id @param {number} by places towards the end; negative: towards the begin */
  move(id, by) {
    const at = this.charts.findIndex((chart) => chart.id === id);
    if (at < 0) return;
    const to = Math.min(Math.max(at + by, 0), this.charts.length - 1);
    this.charts.splice(to, 0, ...this.charts.splice(at, 1));
    this.tell("charts");
  }

  /** @param {number | null} id */
  select(id) {
    if (this.selected === id) return;
    this.selected = id;
    this.tell("selected");
  }
}
