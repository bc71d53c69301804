// A chart whose points the server gives: for whatever window is shown, exactly, and as fine as there are pixels.

/** @import { Screen } from "../screen.js" */
/** @import { Look } from "../../chart/types.js" */
/** @import { PointsAnswer } from "../data/points.js" */
import { liveColumns } from "./columns.js";
import { LiveLegend, liveText } from "./live-legend.js";
import { livePlotOptions } from "./plot.js";
import { Latest } from "../data/latest.js";
import { element, speak } from "../../text/elements.js";
import { steer } from "../../time/timeline.js";

/** @typedef {{from: number, to: number, width: number, series: {side: number, path: string}[], wait?: boolean}} PointsQuestion */

/**
 * @typedef {object} LiveSpec
 * @property {import("./lines.js").LiveLine[]} lines
 * @property {string} title
 * @property {boolean} [isStacked]
 * @property {boolean} [isLog]
 * @property {number} [height]
 * @property {import("../../data/types.js").Finding[]} [findings]
 */

export class LiveChart {
  /** @param {Screen} screen @param {HTMLElement} host @param {LiveSpec} spec */
  constructor(screen, host, { lines, title, isStacked = false, isLog = false, height = 190, findings = [] }) {
    this.screen = screen;
    this.host = host;
    this.page = screen.page;
    this.timeline = screen.timeline;
    this.clock = screen.clock;
    this.lines = lines;
    this.title = title;
    this.isStacked = isStacked;
    // Heights of a stack add up on a linear axis only.
    this.isLog = isLog && !isStacked;
    this.height = height;
    this.findings = findings;
    this.capture = { fullName: (/** @type {number} */ s) => lines[s].about.path };
    /** @type {uPlot | null} */
    this.plot = null;
    /** @type {Look | null} */
    this.look = null;
    this.isStale = false;
    this.asked = "";
    /** What kind of points each line has, which the look of the lines hangs on. */
    this.kinds = "";
    this.canvasHost = element("div", { class: "canvas", role: "img", tabindex: "0", "aria-label": `Chart of ${title}` });
    this.canvasHost.addEventListener("keydown", (event) => this.onKey(event));
    this.canvasHost.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.legend = new LiveLegend(/** @type {any} */ (this));
    host.replaceChildren(this.canvasHost, element("div", { class: "under" }, this.legend.node));
    host.setAttribute("data-chart", "waiting");
    this.latest = new Latest((/** @type {PointsQuestion} */ question, signal) => screen.client.post("points", question, undefined, signal),
      (answer, question) => this.take(answer, question), (error) => this.fail(error));
    this.page.charts.watch(/** @type {any} */ (this));
  }

  get gaps() { return this.page.gaps; }
  get marks() { return this.page.marks; }

  /** @returns {{scale: "y" | "y2", unit: string}[]} */
  units() {
    const first = this.lines.find(({ scale }) => scale === "y");
    const second = this.lines.find(({ scale }) => scale === "y2");
    return [{ scale: "y", unit: first ? first.unit : "" }, ...(second ? [{ scale: /** @type {"y2"} */ ("y2"), unit: second.unit }] : [])];
  }

  /** @param {Partial<Look>} [look] */
  draw(look) {
    this.erase();
    this.look = { width: Math.max(160, this.canvasHost.clientWidth), height: this.height, scale: 1, colours: this.page.theme.colours, ...look };
    this.kinds = this.kindsNow();
    this.plot = new uPlot(livePlotOptions(this, this.look), this.columns(), this.canvasHost);
    this.follow(this.plot);
    this.showCursor();
    this.want();
  }

  /** @returns {uPlot.AlignedData} */
  columns() { return /** @type {any} */ (liveColumns(this.lines, this)); }

  kindsNow() { return this.lines.map(({ answer }) => (answer && answer.samples ? "s" : "b")).join(""); }

  erase() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  resize() {
    const width = Math.max(160, this.canvasHost.clientWidth);
    if (!this.plot || !this.look || width === this.look.width) return;
    this.look.width = width;
    this.plot.setSize({ width, height: this.look.height });
    this.want();
  }

  // What is there is shown at once, stretched; what fits the window follows.
  showWindow() {
    if (!this.plot) return;
    this.plot.setScale("x", { min: this.timeline.from, max: this.timeline.to });
    this.want();
  }

  want() {
    if (!this.plot || !this.lines.length || this.page.isStopped) return;
    const { from, to } = this.timeline;
    const width = Math.max(1, Math.round(this.plot.bbox.width));
    const key = `${from} ${to} ${width} ${this.page.version}`;
    if (key === this.asked) return;
    this.asked = key;
    this.host.setAttribute("aria-busy", "true");
    this.latest.want({ from, to, width, series: this.lines.map(({ about: { side, path } }) => ({ side, path })) });
  }

  /** @param {{series: PointsAnswer[]}} answer @param {PointsQuestion} question */
  take({ series }, question) {
    this.lines.forEach((line, s) => {
      line.answer = series[s];
      if (series[s] && series[s].unit !== undefined && !line.unit) line.unit = /** @type {string} */ (series[s].unit);
    });
    this.host.setAttribute("data-chart", "drawn");
    /** @type {any} */ (this.host).shown = { question, series };
    if (this.plot && this.kinds !== this.kindsNow()) this.draw();
    else if (this.plot) this.plot.setData(this.columns());
    this.showCursor();
    this.describe();
    const isExact = series.every((one) => one.error || one.exact !== false);
    if (isExact) this.host.removeAttribute("aria-busy");
    else if (!question.wait) this.latest.want({ ...question, wait: true });
  }

  /** @param {Error} error */
  fail(error) {
    this.asked = "";
    this.host.removeAttribute("aria-busy");
    this.screen.notices.fail(error);
  }

  describe() {
    const { timeline, clock } = this;
    const [from, to] = [timeline.from, timeline.to].map((ms) => clock.full(ms, timeline.begin, timeline.end));
    const lines = this.legend.rows.map(({ line, value }) => (value.classList.contains("now") ? line.label : `${line.label}: ${value.textContent}`));
    this.canvasHost.setAttribute("aria-label", `Chart of ${this.title}, ${from} to ${to}. ${lines.join(". ")}.`);
  }

  showCursor() {
    const { from, to } = this.timeline;
    const cursor = this.timeline.cursor === null ? this.screen.pinned : this.timeline.cursor;
    const isIn = cursor !== null && cursor >= from && cursor <= to;
    if (this.plot) this.plot.setCursor({ left: isIn ? this.plot.valToPos(cursor, "x") : -10, top: isIn ? 1 : -10 }, false);
    if (!isIn) this.legend.showWhole();
    else this.legend.showAt(cursor);
  }

  /** @param {import("./lines.js").LiveLine} line @param {number} ms */
  textAt(line, ms) { return liveText(line, ms); }

  /** @param {import("./lines.js").LiveLine} line */
  toggle(line) {
    line.isHidden = !line.isHidden;
    if (!this.plot) return;
    for (const at of [1, 2, 3]) this.plot.setSeries(3 * line.s + at, { show: !line.isHidden });
    if (this.isStacked) this.plot.setData(this.columns());
  }

  /** @param {uPlot} plot */
  follow(plot) {
    const timeAt = (/** @type {MouseEvent} */ event) => plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x");
    let pressed = -1;
    plot.over.addEventListener("mousemove", (event) => this.timeline.point(timeAt(event)));
    plot.over.addEventListener("mouseleave", () => this.timeline.point(null));
    plot.over.addEventListener("mousedown", (event) => { pressed = event.clientX; });
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressed) < 4 && event.detail < 2) this.screen.press(this, timeAt(event));
    });
  }

  /** @param {uPlot} plot */
  onSelect(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (this.screen.isShift) this.screen.choose({ from, to });
    else this.timeline.show(from, to);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { cursor } = this.timeline;
    if (event.key === "Enter" && cursor !== null) {
      this.screen.press(this, cursor);
      return;
    }
    if (!steer(this.timeline, event) || this.timeline.cursor === null) return;
    const at = this.timeline.cursor;
    speak(`${this.clock.text(at)}. ${this.lines.map((line) => `${line.label}: ${liveText(line, at)}`).join(". ")}`);
  }

  /** @param {WheelEvent} event */
  onWheel(event) {
    if (!this.plot || event.deltaY === 0) return;
    event.preventDefault();
    const left = event.clientX - this.plot.over.getBoundingClientRect().left;
    this.timeline.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.plot.posToVal(left, "x"));
  }

  /** @param {HTMLElement} frame */
  place(frame) {
    if (!this.plot) return null;
    const { plot } = this;
    const [box, outer] = [plot.over.getBoundingClientRect(), frame.getBoundingClientRect()];
    return { left: box.left - outer.left, top: box.top - outer.top, width: box.width, height: box.height, at: (/** @type {number} */ ms) => plot.valToPos(ms, "x") };
  }

  close() {
    this.latest.stop();
    this.page.charts.forget(/** @type {any} */ (this));
    this.erase();
  }
}
