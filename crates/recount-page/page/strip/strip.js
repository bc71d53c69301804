// The strip at the top: the whole time at a glance, with findings, gaps and marks; drag in it to choose the window of all charts.

/** @import { Charts } from "../chart/charts.js" */
/** @import { Finding, Mark, Span } from "../data/types.js" */
/** @import { Theme } from "../frame/theme.js" */
/** @import { Clock } from "../time/clock.js" */
/** @import { Timeline } from "../time/timeline.js" */
import { penOf } from "../chart/shades.js";
import { AXIS_HEIGHT, LANES, drawStripBack, drawStripFindings, drawStripFront } from "./drawing.js";
import { isPlainKey } from "../frame/key-help.js";
import { button, element, find, speak } from "../text/elements.js";
import { lengthText } from "../time/clock.js";
import { perFrame } from "../time/pace.js";
import { steer } from "../time/timeline.js";

/** @typedef {{ clock: Clock, timeline: Timeline, theme: Theme, gaps: Span[], marks: Mark[], findings: Finding[], charts: Charts, goTo?: (place: string) => void }} StripPage what is drawn is looked at anew each time */
/** @typedef {{ at: number, x: number, from: number, to: number, isPan: boolean, isDrag: boolean, now: number }} Held where it was pressed, and how far it was dragged */

export class Strip {
  /** @param {StripPage} page */
  constructor(page) {
    this.page = page;
    this.timeline = page.timeline;
    this.clock = page.clock;
    /** @type {Held | null} */
    this.held = null;
    this.reset = this.tool("Whole time", "Show the whole time (Escape)", () => this.timeline.reset());
    this.reset.id = "reset";
    this.reset.disabled = true;
    /** @type {HTMLElement} */
    this.node = find("#strip");
    this.canvas = element("canvas", {});
    this.area = element("div", { class: "area", role: "img", tabindex: "0", "aria-label": this.describe() }, this.canvas);
    this.window = element("span", { class: "window" });
    this.now = element("bdi", { class: "now cut" });
    this.node.append(element("div", { class: "bar" }, this.window, this.now, this.buttons()), this.area);
    this.node.hidden = false;
    this.listen();
    this.draw();
    this.tell();
  }

  describe() {
    const num = LANES.map((severity) => `${this.page.findings.filter((f) => f.severity === severity).length} ${severity}`);
    const { begin, end } = this.timeline;
    return `The whole time from ${this.clock.full(begin, begin, end)} to ${this.clock.full(end, begin, end)}. Findings: ${num.join(", ")}. `
      + `${this.page.gaps.length} gaps, ${this.page.marks.length} marks.`;
  }

  /** @param {string} text @param {string} label @param {() => void} act */
  tool(text, label, act) { return button(text, act, { class: "quiet", "aria-label": label, title: label }); }

  buttons() {
    const { timeline } = this;
    return element("span", { class: "tools", role: "group", "aria-label": "Window of all charts" },
      this.tool("\u2039", "Earlier", () => timeline.pan(-0.5)), this.tool("\u203a", "Later", () => timeline.pan(0.5)),
      this.tool("\u2212", "Show more time", () => timeline.zoom(2)), this.tool("+", "Show less time", () => timeline.zoom(0.5)), this.reset);
  }

  listen() {
    this.timeline.windowListeners.add(() => { this.draw(); this.tell(); });
    this.timeline.cursorListeners.add(() => { this.draw(); this.tellCursor(); });
    this.page.theme.listeners.add(() => this.draw());
    new ResizeObserver(perFrame(() => this.draw())).observe(this.area);
    this.area.addEventListener("pointerdown", (event) => this.press(event));
    this.area.addEventListener("pointermove", (event) => this.move(event));
    this.area.addEventListener("pointerup", (event) => this.release(event));
    this.area.addEventListener("pointercancel", () => { this.held = null; this.draw(); });
    this.area.addEventListener("pointerleave", () => this.timeline.point(null));
    this.area.addEventListener("dblclick", () => this.timeline.reset());
    this.area.addEventListener("keydown", (event) => {
      if (steer(this.timeline, event) && this.timeline.cursor !== null) speak(this.cursorText(this.timeline.cursor));
    });
    // Whatever else Escape closes comes first.
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && this.timeline.isZoomed && isPlainKey(event)) this.timeline.reset();
    });
  }

  /** @param {MouseEvent} event */
  timeAt(event) {
    const box = this.area.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    return this.timeline.begin + share * (this.timeline.end - this.timeline.begin);
  }

  // In a zoomed window, dragging moves it; elsewhere it chooses a new one.
  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const at = this.timeAt(event);
    const { from, to, isZoomed } = this.timeline;
    this.held = { at, x: event.clientX, from, to, isPan: isZoomed && at > from && at < to, isDrag: false, now: at };
    this.area.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const at = this.timeAt(event);
    const stand = this.page.charts.stand(at);
    this.timeline.point(stand ? stand.at : at);
    if (!this.held) return;
    this.held.isDrag ||= Math.abs(event.clientX - this.held.x) > 4;
    if (!this.held.isDrag) return;
    if (this.held.isPan) this.timeline.show(this.held.from + at - this.held.at, this.held.to + at - this.held.at);
    else this.held.now = at;
    this.draw();
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { held } = this;
    this.held = null;
    if (!held) return;
    if (!held.isDrag) this.pick(this.timeAt(event), event);
    else if (!held.isPan) this.timeline.show(Math.min(held.at, held.now), Math.max(held.at, held.now));
    this.draw();
  }

  /** @param {number} at @param {MouseEvent} event */
  pick(at, event) {
    const found = this.findingAt(at, event.clientY - this.area.getBoundingClientRect().top);
    if (found === null) return;
    if (this.page.goTo) this.page.goTo(`finding-${found}`);
    else location.hash = `finding-${found}`;
  }

  // The style sheet's: less on narrow screens.
  get height() { return this.area.clientHeight; }

  get laneHeight() { return (this.height - AXIS_HEIGHT - 4) / LANES.length; }

  /** @param {number} ms @param {number} y */
  findingAt(ms, y) {
    const { findings } = this.page;
    const slack = (2 * (this.timeline.end - this.timeline.begin)) / this.area.clientWidth;
    /** @param {Finding} f @param {number} lane */
    const hit = (f, lane) => LANES.indexOf(f.severity) === lane && f.spans.some(([begin, end]) => ms >= begin - slack && ms <= end + slack);
    const lane = Math.floor((y - 2) / this.laneHeight);
    const found = findings.findIndex((f) => hit(f, lane));
    return found < 0 ? null : found;
  }

  // Anew, with what the page has now.
  refresh() {
    this.area.setAttribute("aria-label", this.describe());
    this.draw();
    this.tell();
  }

  tell() {
    const { from, to, begin, end } = this.timeline;
    const texts = [from, to].map((ms) => this.clock.full(ms, begin, end));
    this.window.textContent = `${texts[0]} to ${texts[1]} ${this.clock.zone}\u2002${lengthText(to - from)}`;
    this.reset.disabled = !this.timeline.isZoomed;
  }

  /** @param {number} cursor */
  cursorText(cursor) {
    const { begin, end } = this.timeline;
    const mark = this.page.marks.find((m) => Math.abs(m.ms - cursor) < (end - begin) / 200);
    return this.page.charts.timeText(cursor) + (mark ? `  ${mark.text}` : "");
  }

  tellCursor() {
    const { cursor } = this.timeline;
    this.now.textContent = cursor === null ? "" : this.cursorText(cursor);
  }

  draw() {
    const width = this.area.clientWidth;
    if (!width) return;
    const pixel = devicePixelRatio;
    this.canvas.width = width * pixel;
    this.canvas.height = this.height * pixel;
    const pen = penOf(this.canvas);
    pen.scale(pixel, pixel);
    const { begin, end } = this.timeline;
    /** @param {number} ms */
    const x = (ms) => ((ms - begin) / (end - begin)) * width;
    drawStripBack(pen, x, width, this);
    drawStripFindings(pen, x, this);
    drawStripFront(pen, x, width, this);
  }
}
