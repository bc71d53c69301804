// One chart of the page: a frame that exists immediately, a plot that is drawn when it comes near the window, a legend,
// a table of its values.
//
// Its points come from the page's provider: immediately for a file, later for a server, and then again for each window.
// What is there is shown meanwhile, stretched to the window.

/** @import { Points, SeriesRef } from "../data/types.js" */
/** @import { ChartContent, ChartPage, ChartSpec, Drawn, Line, Look, Stand, ValueAxis } from "./types.js" */
import { columnsOf, shapeOf } from "./columns.js";
import { Feed } from "./feed.js";
import { Legend } from "./legend.js";
import { plotOptions, plotWidth } from "./plot.js";
import { Pointer } from "./pointer.js";
import { isFlattened } from "./scales.js";
import { axesOf } from "./units.js";
import { ValueTable } from "./values.js";
import { differenceOf } from "../data/difference.js";
import { pointText, rangeIn, standAt } from "../data/points.js";
import { button, element } from "../text/elements.js";
import { amount } from "../text/numbers.js";

const LEAST_WIDTH = 160;

export class Chart {
  /** @param {ChartPage} page @param {HTMLElement} host @param {ChartSpec} spec */
  constructor(page, host, spec) {
    this.page = page;
    this.host = host;
    this.spec = spec;
    this.timeline = page.timeline;
    this.clock = page.clock;
    this.height = spec.height || 170;
    /** @type {uPlot | null} */
    this.plot = null;
    /** @type {Look | null} */
    this.look = null;
    /** @type {Line[]} */
    this.lines = [];
    /** Of each line; null until they are there. @type {(Points | null)[]} */
    this.points = [];
    /** What was answered last, without differences. @type {Points[]} */
    this.answered = [];
    /** Of the units. @type {ValueAxis[]} */
    this.unitAxes = [];
    /** @type {Drawn[]} */
    this.drawn = [];
    this.isStale = false;
    /** Whether few values flatten all others, as the first points of these lines say. @type {boolean | null} */
    this.isFlattened = null;
    this.shownWindow = "";
    this.feed = new Feed(() => page.provider, (points, series) => this.take(points, series), (error) => this.fail(error));
    this.canvasHost = element("div", { class: "canvas", role: "img", tabindex: "0" });
    this.pointer = new Pointer(this);
    this.setLines(spec.lines);
    this.legend = new Legend(this);
    this.table = new ValueTable(this);
    this.raw = button("Raw", () => page.charts.flipRaw(), { class: "quiet", "aria-pressed": "false", title: "Raw values of single samples, in all charts" });
    this.raw.hidden = true;
    this.canvasHost.setAttribute("aria-label", this.describe());
    const caption = host.previousElementSibling;
    const hasCaption = caption !== null && caption.tagName === "FIGCAPTION";
    if (hasCaption) caption.append(this.raw, this.table.toggle);
    host.replaceChildren(this.canvasHost, element("div", { class: "under" }, this.legend.node, hasCaption ? null : [this.raw, this.table.toggle]), this.table.node);
    host.setAttribute("data-chart", "waiting");
    page.charts.watch(this);
  }

  get title() { return this.spec.title; }
  get findings() { return this.spec.findings || []; }
  get gaps() { return this.page.gaps; }
  get marks() { return this.page.marks; }
  get isStacked() { return Boolean(this.spec.isStacked); }
  get isLogarithmic() { return !this.isStacked && (this.spec.isLogarithmic === null ? this.isFlattened === true : Boolean(this.spec.isLogarithmic)); }

  // An axis that isn't linear says so.
  get axes() {
    if (!this.isLogarithmic) return this.unitAxes;
    return this.unitAxes.map((axis) => ({ ...axis, label: [axis.label, "logarithmic"].filter(Boolean).join(", ") }));
  }

  // Known points are kept, so that remaining series don't vanish until the answer arrives.
  /** @param {Line[]} lines */
  setLines(lines) {
    const known = new Map(this.lines.map((line, k) => [JSON.stringify(line.series), this.points[k]]));
    this.lines = lines;
    this.points = lines.map((line) => known.get(JSON.stringify(line.series)) || null);
    this.unitAxes = axesOf(lines);
    this.isFlattened = null;
  }

  /** @param {Partial<ChartContent>} content */
  set(content) {
    Object.assign(this.spec, content);
    if (content.lines) {
      this.setLines(content.lines);
      const legend = new Legend(this);
      this.legend.node.replaceWith(legend.node);
      this.legend = legend;
    }
    this.refresh();
  }

  // Anew, with what the page has now.
  refresh() {
    if (this.plot) this.draw();
    this.table.refresh();
    this.canvasHost.setAttribute("aria-label", this.describe());
  }

  describe() {
    const { begin, end } = this.timeline;
    const { isImmediate, figures } = this.page.provider;
    const window = isImmediate ? [begin, end] : [this.timeline.from, this.timeline.to];
    const [from, to] = window.map((ms) => this.clock.full(ms, begin, end));
    const lines = this.lines.map((line, k) => {
      const whole = line.minus ? null : figures.call(this.page.provider, line.series);
      if (!whole) return `${line.label}: ${this.wholeText(k)}`;
      if (whole.n === 0) return `${line.label}: no values`;
      return `${line.label}: mean ${amount(whole.mean, line.unit)}, from ${amount(whole.min, line.unit)} to ${amount(whole.max, line.unit)}`;
    });
    const spans = this.findings.reduce((sum, finding) => sum + finding.spans.length, 0);
    const hundred = this.axes.map(({ label }) => label).filter(Boolean).map((label) => `${label}. `).join("");
    return `Chart of ${this.title}, ${from} to ${to}. ${hundred}${lines.join(". ")}.${spans ? ` ${spans} spans of findings are shaded.` : ""}`;
  }

  /** @param {Partial<Look>} [look] */
  draw(look) {
    this.look = { width: this.roomFor(), height: this.height, scale: 1, colours: this.page.theme.colours, ...look };
    this.erase();
    this.want();
    this.build();
  }

  roomFor() { return Math.max(LEAST_WIDTH, this.canvasHost.clientWidth); }

  // The new plot replaces the old one within one frame.
  build() {
    if (!this.look) return;
    this.erase();
    const columns = this.columns();
    this.plot = new uPlot(plotOptions(this, this.look), columns, this.canvasHost);
    this.pointer.follow(this.plot);
    this.shownWindow = this.windowKey();
    this.tellState();
    this.showCursor();
    this.tellPlaced();
  }

  // What lies over the plot follows it.
  tellPlaced() { if (this.spec.onPlaced) this.spec.onPlaced(); }

  /** @returns {uPlot.AlignedData} */
  columns() {
    const { begin, end } = this.timeline;
    const { columns, drawn } = columnsOf(this.lines, this.points, { axes: this.unitAxes, isStacked: this.isStacked, begin, end });
    this.drawn = drawn;
    if (this.isFlattened === null && this.points.every(Boolean) && !this.feed.isBusy) {
      this.isFlattened = this.unitAxes.length === 1 && isFlattened(this.unitAxes[0].unit, drawn.map(({ highest }) => columns[highest]));
    }
    return columns;
  }

  windowKey() { return `${this.timeline.from} ${this.timeline.to}`; }

  tellState() {
    this.raw.hidden = !this.points.some((points) => points && points.kind === "samples" && points.raws && points.raws.some((raw) => raw !== null));
    if (this.plot && this.points.every(Boolean)) this.host.setAttribute("data-chart", "drawn");
    if (this.feed.isBusy) this.host.setAttribute("aria-busy", "true");
    else this.host.removeAttribute("aria-busy");
  }

  erase() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  want() {
    const { from, to } = this.timeline;
    const look = this.look || { width: this.roomFor(), height: this.height, scale: 1, colours: this.page.theme.colours };
    this.feed.ask({ series: this.askedSeries(), from, to, width: plotWidth(look, this.axes) });
    this.tellState();
  }

  askedSeries() { return this.lines.filter((line) => !line.minus).map((line) => line.series); }

  // A preview of what it would show, as fine as is possible without much work; exact points are requested when it comes
  // near.
  async foresee() {
    const { provider } = this.page;
    if (provider.isImmediate || provider.isClosed || !this.lines.length) return;
    const { from, to } = this.timeline;
    const series = this.askedSeries();
    try {
      const points = await provider.points({ series, from, to, width: this.roomFor(), wait: false }, new AbortController().signal);
      const isWanted = from === this.timeline.from && to === this.timeline.to && !this.page.charts.near.has(this) && this.page.charts.all.has(this);
      if (isWanted) this.take(points, series);
    } catch {
      // Showing it again repeats the request, and shows the error.
    }
  }

  /** @param {Points[]} points @param {SeriesRef[]} series */
  take(points, series) {
    // An answer about lines that the chart had before.
    if (JSON.stringify(series) !== JSON.stringify(this.askedSeries())) return;
    const isSame = points.length === this.answered.length && points.every((one, k) => one === this.answered[k]);
    const shapes = this.points.map(shapeOf).join();
    this.answered = points;
    this.points = this.ofLines(points);
    const hasUnits = this.learnUnits();
    if (this.plot && (hasUnits || shapes !== this.points.map(shapeOf).join())) this.build();
    else if (this.plot && !isSame) this.setData();
    this.tellState();
    if (isSame) return;
    this.table.refresh();
    this.showCursor();
    this.canvasHost.setAttribute("aria-label", this.describe());
  }

  setData() {
    const was = this.isLogarithmic;
    const columns = this.columns();
    if (this.isLogarithmic !== was) this.build();
    else if (this.plot) this.plot.setData(columns);
  }

  // The answers, and the differences between them.
  /** @param {Points[]} answers @returns {(Points | null)[]} */
  ofLines(answers) {
    let at = 0;
    const known = this.lines.map((line) => (line.minus ? null : answers[at++] || null));
    return this.lines.map(({ minus }, k) => (minus ? differenceOf(known[minus[0]], known[minus[1]]) : known[k]));
  }

  // A unit that only the answer knows.
  learnUnits() {
    let isNew = false;
    this.lines.forEach((line, k) => {
      const points = this.points[k];
      if (line.unit !== "" || !points || points.kind === "missing" || !points.unit) return;
      line.unit = points.unit;
      isNew = true;
    });
    if (isNew) this.unitAxes = axesOf(this.lines);
    return isNew;
  }

  /** @param {Error} error */
  fail(error) {
    this.tellState();
    if (this.page.fail) this.page.fail(error);
  }

  resize() {
    const width = this.roomFor();
    if (!this.plot || !this.look || width === this.look.width) return;
    this.look.width = width;
    this.plot.setSize({ width, height: this.look.height });
    this.tellPlaced();
    this.want();
  }

  showWindow() {
    if (!this.plot) return;
    const shown = this.windowKey();
    if (shown !== this.shownWindow) {
      this.shownWindow = shown;
      this.plot.setScale("x", { min: this.timeline.from, max: this.timeline.to });
      this.table.refresh();
    }
    this.want();
  }

  showCursor() {
    const { cursor } = this.timeline;
    const isIn = cursor !== null && cursor >= this.timeline.from && cursor <= this.timeline.to;
    if (this.plot) this.plot.setCursor({ left: isIn ? this.plot.valToPos(cursor, "x") : -10, top: isIn ? 1 : -10 }, false);
    if (cursor === null) this.legend.showWhole();
    else this.legend.showAt(cursor);
  }

  /** @param {uPlot} plot */
  onSelect(plot) { this.pointer.onSelect(plot); }

  // Of the whole time where that is known, else of the window.
  /** @param {number} k */
  wholeText(k) {
    const { series, unit, minus } = this.lines[k];
    const whole = minus ? null : this.page.provider.figures(series);
    if (whole) return whole.n === 0 ? "no values" : `mean ${amount(whole.mean, unit)}  max ${amount(whole.max, unit)}`;
    const points = this.points[k];
    if (!points) return "";
    if (points.kind === "missing") return points.why;
    const range = rangeIn(points, this.timeline.from, this.timeline.to);
    if (!range) return "no values here";
    return range.low === range.high ? amount(range.low, unit) : `${amount(range.low, unit)} \u2026 ${amount(range.high, unit)}`;
  }

  // With its own time, if that isn't the one that is told.
  /** @param {number} k @param {number} ms */
  textAt(k, ms) {
    const { begin, end } = this.timeline;
    const text = pointText(this.points[k], ms, this.lines[k].unit, this.page.charts.isRaw);
    const stand = standAt(this.points[k], ms);
    if (!stand || stand.to > stand.from) return text;
    const [own, told] = [stand.at, ms].map((time) => this.clock.full(time, begin, end, this.timeline.shownStep));
    return own === told ? text : `${text}  at ${own}`;
  }

  // What a pointer at a time stands for: the nearest sample of its lines, or the bucket there.
  /** @param {number} ms @returns {Stand | null} */
  stand(ms) {
    const all = this.points.flatMap((points, k) => (this.lines[k].isHidden || this.lines[k].minus ? [] : [standAt(points, ms)])).filter((one) => one !== null);
    if (!all.length) return null;
    return all.reduce((best, one) => (Math.abs(one.at - ms) < Math.abs(best.at - ms) ? one : best));
  }

  /** @param {number} ms @returns {number} the time of the sample that it stands for, if that is in the window */
  snapped(ms) {
    const stand = this.stand(ms);
    return stand && stand.at >= this.timeline.from && stand.at <= this.timeline.to ? stand.at : ms;
  }

  /** @param {Line} line */
  toggle(line) {
    line.isHidden = !line.isHidden;
    if (!this.plot) return;
    // What stands on it comes down.
    if (this.isStacked) return this.build();
    for (const { line: one, highest, lowest, middle } of this.drawn) {
      if (one !== line) continue;
      for (const at of new Set([highest, lowest, middle])) if (at !== null) this.plot.setSeries(at, { show: !line.isHidden });
    }
  }

  // The position of the plot within its frame, for overlays of the page.
  /** @param {HTMLElement} frame */
  place(frame) {
    if (!this.plot) return null;
    const { plot } = this;
    const [box, outer] = [plot.over.getBoundingClientRect(), frame.getBoundingClientRect()];
    return { left: box.left - outer.left, top: box.top - outer.top, width: box.width, height: box.height, at: (/** @type {number} */ ms) => plot.valToPos(ms, "x") };
  }

  close() {
    this.feed.stop();
    this.page.charts.forget(this);
    this.erase();
  }
}
