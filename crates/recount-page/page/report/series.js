// The page of an object: a table of its series, each with its chart on a click. The same for all objects together.

/** @import { Capture } from "../data/capture.js" */
/** @import { Figure, PerfObject } from "../data/types.js" */
/** @import { Choice, SheetColumn, SheetState } from "../table/types.js" */
/** @typedef {{ capture: Capture, seriesChart(host: HTMLElement, indices: number[], spec: { title: string, height?: number }): { close(): void } }} SeriesPage */
import { Sheet } from "../table/sheet.js";
import { sparkline } from "../table/sparkline.js";
import { element, named } from "../text/elements.js";
import { amount, decimals, perHour } from "../text/numbers.js";

export class SeriesView {
  /** @param {SeriesPage} page @param {number | null} index of the object, or all objects @param {SheetState} state @param {(state: SheetState) => void} onState */
  constructor(page, index, state, onState) {
    this.page = page;
    this.capture = page.capture;
    this.index = index;
    const { columns } = this.capture;
    const rows = Array.from({ length: this.capture.numSeries }, (_, s) => s).filter((s) => index === null || columns.o[s] === index);
    const object = index === null ? null : this.capture.head.objects[index];
    const title = object ? object.name : "All series";
    this.sheet = new Sheet({
      columns: this.sheetColumns(), rows, state, onState, caption: `Series of ${title}`, noun: "series",
      placeholder: "Filter by instance and counter", words: (s) => this.capture.fullName(s), choices: this.choices(object),
      open: (s, host) => this.openSeries(s, host),
    });
    this.node = element("section", { class: "object", "aria-labelledby": "object-title" },
      element("p", { class: "back" }, element("a", { href: "#objects" }, "All objects")),
      element("h1", { id: "object-title", tabindex: "-1" }, named(title)), this.sheet.node, object ? this.helps(object) : null);
  }

  /** @param {PerfObject | null} object @returns {Choice[]} */
  choices(object) {
    if (!object || object.counters.length < 2) return [];
    return [{
      key: "counter", label: "Counter", options: [["", "All counters"], ...object.counters.map((counter, c) => [String(c), counter.name])],
      test: (s, value) => this.capture.columns.c[s] === Number(value),
    }];
  }

  /** @returns {SheetColumn[]} */
  sheetColumns() {
    const { capture } = this;
    const { columns } = capture;
    /** @type {(key: string, title: string, of: (s: number) => string) => SheetColumn} */
    const text = (key, title, of) => ({ key, title, sort: of, cell: (s) => named(of(s)) });
    /** @type {(key: Figure, title: string, hint?: string) => SheetColumn} */
    const number = (key, title, hint) => ({ key, title, hint, isNumber: true, sort: (s) => columns[key][s], cell: (s) => amount(columns[key][s], capture.unit(s)) });
    return [
      text("counter", "Counter", (s) => capture.counter(s).name),
      ...(this.index === null ? [text("object", "Object", (s) => capture.object(s).name)] : []),
      text("instance", "Instance", (s) => capture.instanceName(s)),
      ...(capture.severalHosts ? [text("host", "Host", (s) => capture.host(s))] : []),
      { key: "shape", title: "Course", cell: (s) => sparkline(capture, s) },
      number("mean", "Mean"), number("p95", "p95", "Sort by the 95th percentile"), number("max", "Max"), number("min", "Min"), number("last", "Last"),
      { key: "trend", title: "Trend", hint: "Sort by the slope of a line through all values", isNumber: true, sort: (s) => columns.trend[s], cell: (s) => perHour(columns.trend[s], capture.unit(s)) },
      { key: "nulls", title: "Missing", hint: "Sort by the number of missing values", isNumber: true, sort: (s) => columns.x[s], cell: (s) => (columns.x[s] ? decimals(columns.x[s], 0) : "") },
    ];
  }

  /** @param {number} s @param {HTMLElement} host */
  openSeries(s, host) {
    const { capture, page } = this;
    const { columns } = capture;
    const counter = capture.counter(s);
    const plot = element("div", { class: "plot" });
    /** @type {[string, Figure][]} */
    const figures = [["Median", "p50"], ["p99", "p99"], ["Deviation", "sd"], ["First", "first"]];
    const facts = figures.map(([title, key]) =>
      element("div", {}, element("dt", {}, title), element("dd", {}, amount(columns[key][s], capture.unit(s)))));
    facts.push(element("div", {}, element("dt", {}, "Values"), element("dd", {}, decimals(columns.n[s], 0))));
    host.append(plot, element("dl", { class: "measured" }, facts), counter.help ? element("p", { class: "muted", dir: "auto" }, counter.help) : "");
    const chart = page.seriesChart(plot, [s], { title: capture.fullName(s), height: 220 });
    return () => chart.close();
  }

  /** @param {PerfObject} object */
  helps(object) {
    const told = object.counters.filter((counter) => counter.help);
    if (!told.length) return null;
    return element("details", {}, element("summary", {}, "What the counters mean"),
      element("dl", { class: "helps" }, told.flatMap((counter) => [element("dt", {}, named(counter.name)), element("dd", { dir: "auto" }, counter.help)])));
  }

  close() { this.sheet.close(); }
}
