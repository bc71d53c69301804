// Times of a capture, as examples of what can be typed.

/** @import { Clock } from "../../time/clock.js" */
/** @import { TimeFrame } from "./typed-time.js" */

const HINT_MINUTE = 60_000;
/** @type {[number, string][]} */
const HINT_LENGTHS = [[60 * HINT_MINUTE, "h"], [HINT_MINUTE, "m"], [1000, "s"], [1, "ms"]];

/** @param {number} ms */
function shortLength(ms) {
  const [size, unit] = HINT_LENGTHS.find(([one]) => ms >= 2 * one) || [1, "ms"];
  return `${Math.max(1, Math.floor(ms / size))}${unit}`;
}

/**
 * @param {TimeFrame} frame @param {Clock} clock
 * @returns {{ short: string, all: string[] }} each is a time or a span of this capture
 */
export function exampleTimes({ begin_ms, end_ms, marks }, clock) {
  const length = end_ms - begin_ms;
  const middle = begin_ms + length / 2;
  // Whole minutes, unless the capture is too short to have them.
  const step = length > 4 * HINT_MINUTE ? HINT_MINUTE : length > 4000 ? 1000 : 1;
  const text = (/** @type {number} */ ms) => clock.text(Math.floor(ms / step) * step, step);
  const [at, later] = [text(middle), text(middle + length / 4)];
  const relative = `+${shortLength(length / 4)}`;
  const mark = marks.length ? [`mark:${marks[0].text.slice(0, 20)}`] : [];
  return {
    short: [at, `${relative} to +${shortLength(length / 2)}`, ...mark].join(", "),
    all: [at, `${clock.date(middle)} ${at}`, relative, `-${shortLength(length / 4)}`, ...mark, `${at} to ${later}`],
  };
}
