// One chart of the page: a frame that is there at once, a plot that is drawn when it comes near the window, a legend, a table of its values.

/** @import { Band, ChartPage, ChartSpec, Line, Look } from "./types.js" */
import { Legend } from "./legend.js";
import { columnsOf } from "./lines.js";
import { plotOptions } from "./plot.js";
import { ValueTable } from "./values.js";
import { element, speak } from "../text/elements.js";
import { amount, bucketText } from "../text/numbers.js";
import { steer } from "../time/timeline.js";

export class Chart {
  /** @param {ChartPage} page @param {HTMLElement} host @param {ChartSpec} spec */
  constructor(page, host, spec) {
    this.page = page;
    this.host = host;
    this.capture = page.capture;
    this.timeline = page.timeline;
    this.clock = page.clock;
    /** @type {uPlot | null} */
    this.plot = null;
    /** @type {Look | null} */
    this.look = null;
    /** @type {Band[]} */
    this.bands = [];
    this.isStale = false;
    this.shownWindow = "";
    this.lines = spec.lines;
    this.unit = spec.unit || (spec.lines[0] ? spec.lines[0].unit : "");
    this.title = spec.title;
    this.height = spec.height || 170;
    this.gaps = this.capture.head.gaps || [];
    this.marks = this.capture.head.marks || [];
    this.findings = spec.findings || [];
    this.canvasHost = element("div", { class: "canvas", role: "img", tabindex: "0", "aria-label": this.describe() });
    this.canvasHost.addEventListener("keydown", (event) => this.onKey(event));
    this.canvasHost.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    for (const line of this.lines) Object.assign(line, { points: null, plotted: [] });
    this.legend = new Legend(this);
    this.table = new ValueTable(this);
    const caption = host.previousElementSibling;
    const hasCaption = caption !== null && caption.tagName === "FIGCAPTION";
    if (hasCaption) caption.append(this.table.toggle);
    host.replaceChildren(this.canvasHost, element("div", { class: "under" }, this.legend.node, hasCaption ? null : this.table.toggle), this.table.node);
    host.setAttribute("data-chart", "waiting");
    page.charts.watch(this);
  }

  describe() {
    const { columns } = this.capture;
    const [from, to] = [this.capture.begin, this.capture.end].map((ms) => this.clock.full(ms, this.capture.begin, this.capture.end));
    const lines = this.lines.map((line) => {
      if (columns.n[line.s] === 0) return `${line.label}: no values`;
      return `${line.label}: mean ${amount(columns.mean[line.s], line.unit)}, from ${amount(columns.min[line.s], line.unit)} to ${amount(columns.max[line.s], line.unit)}`;
    });
    const spans = this.findings.reduce((sum, finding) => sum + finding.spans.length, 0);
    return `Chart of ${this.title}, ${from} to ${to}. ${lines.join(". ")}.${spans ? ` ${spans} spans of findings are shaded.` : ""}`;
  }

  /** @param {Partial<Look>} [look] */
  draw(look) {
    this.erase();
    const { columns, bands } = columnsOf(this.capture, this.lines);
    this.bands = bands;
    this.look = { width: Math.max(160, this.canvasHost.clientWidth), height: this.height, scale: 1, colours: this.page.theme.colours, ...look };
    this.plot = new uPlot(plotOptions(this, this.look), columns, this.canvasHost);
    this.follow(this.plot);
    this.host.setAttribute("data-chart", "drawn");
    this.shownWindow = `${this.timeline.from} ${this.timeline.to}`;
    this.showCursor();
  }

  erase() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  resize() {
    const width = Math.max(160, this.canvasHost.clientWidth);
    if (this.plot && this.look && width !== this.look.width) {
      this.look.width = width;
      this.plot.setSize({ width, height: this.look.height });
    }
  }

  showWindow() {
    const shown = `${this.timeline.from} ${this.timeline.to}`;
    if (!this.plot || shown === this.shownWindow) return;
    this.shownWindow = shown;
    this.plot.setScale("x", { min: this.timeline.from, max: this.timeline.to });
    this.table.refresh();
  }

  showCursor() {
    const { cursor } = this.timeline;
    const isIn = cursor !== null && cursor >= this.timeline.from && cursor <= this.timeline.to;
    if (this.plot) this.plot.setCursor({ left: isIn ? this.plot.valToPos(cursor, "x") : -10, top: isIn ? 1 : -10 }, false);
    if (cursor === null) this.legend.showWhole();
    else this.legend.showAt(cursor);
  }

  // Own listeners, not the library's hook: that one also tells of cursors which we set.
  /** @param {uPlot} plot */
  follow(plot) {
    plot.over.addEventListener("mousemove", (event) => {
      this.timeline.point(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    });
    plot.over.addEventListener("mouseleave", () => this.timeline.point(null));
  }

  /** @param {uPlot} plot */
  onSelect(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.timeline.show(from, to);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (!steer(this.timeline, event)) return;
    const { cursor } = this.timeline;
    if (cursor === null) return;
    speak(`${this.clock.text(cursor)}. ${this.lines.map((line) => `${line.label}: ${this.textAt(line, cursor)}`).join(". ")}`);
  }

  // With Ctrl, so that the wheel alone still scrolls the page.
  /** @param {WheelEvent} event */
  onWheel(event) {
    if (!(event.ctrlKey || event.metaKey) || !this.plot) return;
    event.preventDefault();
    const left = event.clientX - this.plot.over.getBoundingClientRect().left;
    this.timeline.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.plot.posToVal(left, "x"));
  }

  /** @param {Line} line @param {number} ms */
  textAt(line, ms) {
    const points = this.pointsOf(line);
    if (!points) return "no values";
    const bucket = Math.ceil((ms - this.capture.begin) / this.capture.width(line.s)) - 1;
    return bucketText(points, Math.min(Math.max(bucket, 0), points.num - 1), line.unit);
  }

  /** @param {Line} line */
  pointsOf(line) {
    line.points ||= this.capture.points(line.s);
    return line.points;
  }

  /** @param {Line} line */
  toggle(line) {
    line.isHidden = !line.isHidden;
    if (this.plot) for (const at of line.plotted || []) this.plot.setSeries(at, { show: !line.isHidden });
  }

  close() {
    this.page.charts.forget(this);
    this.erase();
  }
}
