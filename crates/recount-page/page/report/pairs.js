// `recount diff`: pairs of series on one axis of elapsed time, base grey and dashed below new.

/** @import { Line } from "../chart/types.js" */
/** @import { Figure, PairColumns } from "../data/types.js" */
/** @import { SheetColumn, SheetState } from "../table/types.js" */
/** @import { Page } from "./page.js" */
import { Chart } from "../chart/chart.js";
import { hundredOf } from "../chart/hundred.js";
import { differenceLine } from "../chart/lines.js";
import { Sheet } from "../table/sheet.js";
import { sparkline } from "../table/sparkline.js";
import { element, findAll, named } from "../text/elements.js";
import { NONE, amount, changeText, percentChange, significant } from "../text/numbers.js";

const VERDICTS = ["same", "regression", "improvement", "change", "unsure"];
const VERDICT_WORDS = ["same", "worse", "better", "changed", "unsure"];
const VERDICT_ORDER = [4, 0, 1, 2, 3];

/** @typedef {"base" | "new"} Side */

/** @type {Side[]} */
const SIDES = ["base", "new"];

export class Pairs {
  /** @param {Page} page @param {PairColumns} columns */
  constructor(page, columns) {
    this.page = page;
    this.capture = page.capture;
    this.columns = columns;
  }

  /** @param {number} p @returns {number} */
  either(p) { return this.columns.new[p] ?? this.columns.base[p] ?? 0; }

  /** @param {Side} side @param {Figure | "lo" | "hi"} column @param {number} p */
  of(side, column, p) {
    const s = this.columns[side][p];
    return s === null ? null : this.capture.columns[column][s];
  }

  /** @param {number} p */
  name(p) { return this.capture.fullName(this.either(p)); }

  /** @param {HTMLElement} host @param {number} p @param {number} [height] */
  chart(host, p, height) {
    /** @type {Line[]} */
    const lines = [];
    for (const side of SIDES) {
      const s = this.columns[side][p];
      if (s === null) continue;
      const isBase = side === "base";
      lines.push({ series: s, name: this.capture.fullName(s), label: side, colour: isBase ? "base" : 0, dash: isBase ? [5, 4] : null, unit: this.capture.unit(s),
        hundred: hundredOf(this.capture.object(s).name, this.capture.counter(s).name, this.capture.instance(s)?.name || "") });
    }
    if (lines.length === 2) lines.push(differenceLine(lines, [0, 1], "difference (new less base)"));
    return new Chart(this.page, host, { lines, title: this.name(p), height });
  }

  /** @returns {SheetColumn[]} */
  sheetColumns() {
    const { capture } = this;
    const { note = [] } = this.columns;
    /** @type {(key: string, title: string, of: (p: number) => string) => SheetColumn} */
    const text = (key, title, of) => ({ key, title, sort: of, cell: (p) => named(of(p)) });
    /** @type {(side: Side, column: Figure, title: string) => SheetColumn} */
    const value = (side, column, title) => ({ key: `${side}-${column}`, title, isNumber: true, sort: (p) => this.of(side, column, p),
      cell: (p) => amount(this.of(side, column, p), capture.unit(this.either(p))) });
    /** @type {(column: Figure, title: string) => SheetColumn} */
    const change = (column, title) => ({ key: `change-${column}`, title, isNumber: true, sort: (p) => this.change(column, p), cell: (p) => changeText(this.change(column, p)) });
    /** @type {(key: "p" | "e", title: string, hint: string) => SheetColumn} */
    const given = (key, title, hint) => ({ key, title, hint, isNumber: true, sort: (p) => this.columns[key][p], cell: (p) => significantOrNone(this.columns[key][p]) });
    return [
      { key: "verdict", title: "Verdict", isNumber: false, sort: (p) => String(VERDICT_ORDER[this.columns.v[p]]), cell: (p) => this.chip(p) },
      text("counter", "Counter", (p) => capture.counter(this.either(p)).name),
      ...(capture.head.objects.length > 1 ? [text("object", "Object", (p) => capture.object(this.either(p)).name)] : []),
      text("instance", "Instance", (p) => capture.instanceName(this.either(p))),
      { key: "shape", title: "Course", cell: (p) => this.spark(p) },
      value("base", "mean", "Base mean"), value("new", "mean", "New mean"), change("mean", "Change"),
      value("base", "p95", "Base p95"), value("new", "p95", "New p95"), change("p95", "Change p95"),
      given("p", "p", "Sort by the p-value"), given("e", "Effect", "Sort by the size of the effect"),
      ...(note.some(Boolean) ? [text("note", "Note", (p) => note[p] || "")] : []),
    ];
  }

  /** @param {Figure} column @param {number} p */
  change(column, p) { return percentChange(this.of("base", column, p), this.of("new", column, p)); }

  /** @param {number} p */
  caption(p) {
    const s = this.either(p);
    const object = this.capture.object(s).name;
    const place = this.capture.instanceName(s) ? `${object}(${this.capture.instanceName(s)})` : object;
    return [
      element("p", { class: `judged ${VERDICTS[this.columns.v[p]]}` }, this.chip(p), element("span", { class: "muted" }, `mean ${changeText(this.change("mean", p))}`), named(place)),
      element("figcaption", {}, element("h3", { class: "cut", title: this.name(p) }, element("bdi", {}, this.capture.counter(s).name))),
    ];
  }

  /** @param {number} p */
  chip(p) {
    return element("span", { class: "chip" }, element("i", { class: "sign" }), VERDICT_WORDS[this.columns.v[p]]);
  }

  /** @param {number} p */
  spark(p) {
    const both = element("span", { class: "sparks" });
    const values = SIDES.flatMap((side) => [this.of(side, "lo", p), this.of(side, "hi", p)]).filter((value) => value !== null);
    /** @type {[number, number]} */
    const range = [Math.min(...values), Math.max(...values)];
    for (const side of SIDES) {
      const s = this.columns[side][p];
      if (s !== null) both.append(sparkline(this.capture, s, side, range));
    }
    return both;
  }

  /** @param {SheetState} state @param {(state: SheetState) => void} onState */
  sheet(state, onState) {
    const rows = Array.from({ length: this.columns.v.length }, (_, p) => p);
    return new Sheet({
      columns: this.sheetColumns(), rows, state, onState, caption: "All pairs of series", noun: "series", placeholder: "Filter by instance and counter",
      words: (p) => this.name(p), rowClass: (p) => VERDICTS[this.columns.v[p]],
      choices: [{ key: "verdict", label: "Verdict", options: [["", "All verdicts"], ...VERDICTS.map((verdict, v) => [verdict, VERDICT_WORDS[v]])],
        test: (p, verdict) => VERDICTS[this.columns.v[p]] === verdict }],
      open: (p, host) => {
        const plot = element("div", { class: "plot" });
        host.append(plot);
        const chart = this.chart(plot, p, 220);
        return () => chart.close();
      },
    });
  }
}

/** @param {number | null} value */
function significantOrNone(value) { return value === null ? NONE : significant(value); }

// The charts in the page, and the table of all pairs that replaces the static one.
/** @param {Page} page @param {PairColumns} columns */
export function wirePairs(page, columns) {
  const pairs = new Pairs(page, columns);
  for (const host of findAll(".plot[data-pair]")) {
    const p = Number(host.dataset.pair);
    host.before(...pairs.caption(p));
    pairs.chart(host, p);
  }
  return pairs;
}
