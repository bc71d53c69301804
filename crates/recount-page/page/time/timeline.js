// State shared by all charts: the window of time shown, and the time under the cursor.

import { perFrame } from "./pace.js";

export class Timeline {
  /** @param {{ begin: number, end: number, step: number }} span in milliseconds; the step is the typical interval */
  constructor({ begin, end, step }) {
    this.begin = begin;
    this.end = end;
    this.from = this.begin;
    this.to = this.end;
    /** @type {number | null} */
    this.cursor = null;
    this.narrowest = Math.min(this.end - this.begin, 2 * step);
    /** How exactly times of samples are told, in ms. */
    this.shownStep = step < 1000 ? 1 : 1000;
    /** @type {Set<() => void>} */
    this.windowListeners = new Set();
    /** @type {Set<() => void>} */
    this.cursorListeners = new Set();
    this.tellWindow = perFrame(() => { for (const listen of this.windowListeners) listen(); });
    this.tellCursor = perFrame(() => { for (const listen of this.cursorListeners) listen(); });
  }

  get isZoomed() { return this.from > this.begin || this.to < this.end; }
  get length() { return this.to - this.from; }

  /** @param {number} from @param {number} to */
  show(from, to) {
    const length = Math.min(Math.max(to - from, this.narrowest), this.end - this.begin);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - length / 2, this.begin), this.end - length);
    this.to = this.from + length;
    // Rounding must not leave a window that looks zoomed and isn't.
    if (this.to - this.from > (this.end - this.begin) * (1 - 1e-9)) [this.from, this.to] = [this.begin, this.end];
    this.tellWindow();
  }

  reset() { this.show(this.begin, this.end); }

  // The whole time span has changed. A window that showed all of it still does, and one that showed its end follows it.
  /** @param {number} begin @param {number} end */
  grow(begin, end) {
    const [wasWhole, wasAtEnd, by] = [!this.isZoomed, this.to >= this.end, end - this.end];
    this.begin = begin;
    this.end = end;
    if (wasWhole) this.reset();
    else if (wasAtEnd) this.show(this.from + by, this.to + by);
    else this.show(this.from, this.to);
  }

  // Zooms so that the given time keeps its place; a factor below 1 zooms in.
  /** @param {number} factor */
  zoom(factor, around = this.cursor) {
    const at = around === null || around < this.from || around > this.to ? (this.from + this.to) / 2 : around;
    const length = Math.max(this.length * factor, this.narrowest);
    const from = at - ((at - this.from) / this.length) * length;
    this.show(from, from + length);
  }

  /** @param {number} share */
  pan(share) {
    const by = share * this.length;
    this.show(this.from + by, this.to + by);
  }

  // A span with room on both sides.
  /** @param {number} begin @param {number} end */
  showSpan(begin, end) {
    const room = Math.max((end - begin) * 0.5, 10 * this.narrowest / 2);
    this.show(begin - room, end + room);
  }

  /** @param {number | null} ms */
  point(ms) {
    this.cursor = ms === null ? null : Math.min(Math.max(ms, this.begin), this.end);
    this.tellCursor();
  }

  /** @param {number} num */
  step(num) {
    const at = this.cursor === null ? (this.from + this.to) / 2 : this.cursor;
    this.point(Math.min(Math.max(at + (num * this.length) / 100, this.from), this.to));
  }
}

// Keys that charts and the strip understand; true if the key was one.
/** @param {Timeline} timeline @param {KeyboardEvent} event */
export function steer(timeline, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const far = event.shiftKey;
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowLeft: () => (far ? timeline.pan(-0.25) : timeline.step(-1)),
    ArrowRight: () => (far ? timeline.pan(0.25) : timeline.step(1)),
    Home: () => timeline.point(timeline.from),
    End: () => timeline.point(timeline.to),
    "+": () => timeline.zoom(0.5),
    "=": () => timeline.zoom(0.5),
    "-": () => timeline.zoom(2),
    "0": () => timeline.reset(),
  };
  if (!Object.hasOwn(acts, event.key)) return false;
  event.preventDefault();
  acts[event.key]();
  return true;
}
