// Times of day, or of a run, and the ticks of time axes. The zone is one offset for the whole page, chosen by the renderer.

export const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR,
  DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 365 * DAY,
];

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

export class Clock {
  /** @param {{ offset_min?: number, elapsed?: boolean, zone?: string }} head */
  constructor(head) {
    this.offset = (head.offset_min || 0) * MINUTE;
    this.isElapsed = Boolean(head.elapsed);
    this.zone = head.zone || "";
  }

  // Texts end in as many digits as a step (in ms) makes sense with.
  /** @param {number} ms */
  text(ms, step = SECOND) {
    if (this.isElapsed) return this.elapsed(ms, step);
    const local = new Date(ms + this.offset);
    let text = `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`;
    if (step < MINUTE) text += `:${two(local.getUTCSeconds())}`;
    if (step < SECOND) text += `.${String(local.getUTCMilliseconds()).padStart(3, "0")}`;
    return text;
  }

  /** @param {number} ms @param {number} step */
  elapsed(ms, step) {
    const whole = Math.floor(Math.abs(ms) / SECOND + 1e-9);
    let text = `${ms < 0 ? "\u2212" : ""}${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
    if (step < SECOND) text += `.${String(Math.floor(Math.abs(ms) % SECOND)).padStart(3, "0")}`;
    return text;
  }

  /** @param {number} ms */
  date(ms) {
    const local = new Date(ms + this.offset);
    return `${local.getUTCFullYear()}-${two(local.getUTCMonth() + 1)}-${two(local.getUTCDate())}`;
  }

  /** @param {number} ms */
  dayOf(ms) { return this.isElapsed ? 0 : Math.floor((ms + this.offset) / DAY); }

  // A time with its day, where the span of the page has more than one.
  /** @param {number} ms @param {number} begin @param {number} end @param {number} [step] */
  full(ms, begin, end, step) {
    const text = this.text(ms, step);
    return this.dayOf(begin) === this.dayOf(end) ? text : `${this.date(ms)} ${text}`;
  }

  /** @param {number} begin @param {number} end @param {number} most */
  ticks(begin, end, most) {
    const step = STEPS.find((size) => (end - begin) / size <= most) || STEPS[STEPS.length - 1];
    const ticks = [];
    const shift = this.isElapsed ? 0 : this.offset;
    for (let at = Math.ceil((begin + shift) / step) * step - shift; at <= end; at += step) ticks.push(at);
    return { ticks, step };
  }

  // Labels of ticks: the time, and the day below the first one and wherever it changes.
  /** @param {number[]} ticks @param {number} step */
  labels(ticks, step) {
    return ticks.map((ms, k) => {
      if (this.isElapsed) return this.text(ms, step);
      const isNewDay = k > 0 && this.dayOf(ms) !== this.dayOf(ticks[k - 1]);
      if (step >= DAY) return this.date(ms).slice(5);
      return isNewDay ? this.date(ms).slice(5) : this.text(ms, step);
    });
  }
}

/** @param {number} ms */
export function lengthText(ms) {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  /** @type {[number, string][]} */
  const parts = [[DAY, "d"], [HOUR, "h"], [MINUTE, "min"], [SECOND, "s"]];
  let rest = Math.round(ms / SECOND) * SECOND;
  const words = [];
  for (const [size, word] of parts) {
    const num = Math.floor(rest / size);
    rest -= num * size;
    if (num) words.push(`${num} ${word}`);
  }
  return words.slice(0, 2).join(" ");
}
