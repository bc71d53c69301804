// The pinned time in a chart: a line over the plot, the span that requests refer to, and the actions offered there.

/** @import { Screen } from "../screen.js" */
/** @import { BoardChart } from "../state/board.js" */
import { button, element } from "../../text/elements.js";

export class PinLayer {
  /** @param {Screen} screen @param {BoardChart} chart */
  constructor(screen, chart) {
    this.screen = screen;
    this.line = element("div", { class: "pin-line" });
    this.span = element("div", { class: "pin-span" });
    this.time = element("b", {});
    this.bubble = element("div", { class: "bubble", role: "group", "aria-label": "At the pinned time" }, this.time,
      button("Who was it?", () => screen.focus.ask("top", chart), { class: "quiet small main", title: "The instances that had most of it around this time" }),
      button("What happened here?", () => screen.focus.ask("moved", chart), { class: "quiet small", title: "Which counters changed most in this time, compared with the time before" }),
      button("Time machine", () => screen.focus.ask("machine", chart), { class: "quiet small", title: "All instances at this time" }),
      button("\u00d7", () => screen.focus.clear(), { class: "quiet small", "aria-label": "Unpin the time", title: "Unpin (Escape)" }));
    this.node = element("div", { class: "pin" }, this.span, this.line);
    for (const node of [this.line, this.span, this.bubble]) node.hidden = true;
  }

  /**
   * @param {{left: number, top: number, width: number, height: number, at: (ms: number) => number} | null} place of the plot within its frame; null: nothing is drawn
   * @param {number | null} ms @param {{from: number, to: number} | null} span @param {boolean} isAsking the bubble belongs to this chart
   */
  show(place, ms, span, isAsking) {
    this.line.hidden = true;
    this.span.hidden = true;
    this.bubble.hidden = true;
    if (!place) return;
    Object.assign(this.node.style, { left: `${place.left}px`, top: `${place.top}px`, width: `${place.width}px`, height: `${place.height}px` });
    if (span) {
      const [left, right] = [Math.max(0, place.at(span.from)), Math.min(place.width, place.at(span.to))];
      this.span.hidden = right <= 0 || left >= place.width;
      Object.assign(this.span.style, { left: `${left}px`, width: `${Math.max(2, right - left)}px` });
    }
    const at = ms === null ? (span && isAsking ? place.at((span.from + span.to) / 2) : -1) : place.at(ms);
    if (at < 0 || at > place.width) return;
    this.line.hidden = ms === null;
    this.line.style.left = `${at}px`;
    this.bubble.hidden = !isAsking;
    if (!isAsking) return;
    this.time.textContent = ms === null ? span && this.spanText(span) : this.timeText(ms);
    const width = this.bubble.offsetWidth;
    this.bubble.style.left = `${place.left + Math.min(Math.max(at - width / 2, 0), Math.max(0, place.width - width))}px`;
  }

  /** @param {number} ms */
  timeText(ms) {
    const { clock, timeline } = this.screen;
    return clock.full(ms, timeline.begin, timeline.end, timeline.length < 60_000 ? 1 : 1000);
  }

  /** @param {{from: number, to: number}} span */
  spanText({ from, to }) { return `${this.timeText(from)} to ${this.timeText(to)}`; }
}
