// Times as people type them, and as `recount --begin` takes them.
//
//   02:55   02:55:10.5          that time on the day that is looked at
//   2013-02-20 02:55            a local time of the capture; with Z or +01:00 a moment
//   +5m  -30s  +1h30m           after the first, before the last sample
//   mark:deploy  mark+5m:deploy a mark
//   A to B, A .. B              a span

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** @type {Record<string, number>} */
const UNIT_MS = { d: DAY_MS, h: 3_600_000, m: MINUTE_MS, min: MINUTE_MS, s: 1000, sec: 1000, ms: 1 };

/**
 * @typedef {object} TimeFrame what typed times are about
 * @property {number} begin_ms first sample
 * @property {number} end_ms last sample
 * @property {number} offset_min added to UTC for display
 * @property {{ms: number, text: string}[]} marks
 * @property {number} [near_ms] a time of the day that is meant by times without one; else the first day
 */

export class TimeError extends Error {}

/** @param {string} text */
function durationOf(text) {
  if (!/^(\d+(\.\d+)?\s*(d|h|min|ms|m|sec|s)\s*)+$/i.test(text)) throw new TimeError(`"${text}" is no length of time: write it like 5m, 30s or 1h30m.`);
  let total = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)\s*(min|ms|sec|d|h|m|s)/gi)) total += Number(number) * UNIT_MS[unit.toLowerCase()];
  return total;
}

/** @param {RegExpMatchArray} parts hours, minutes, seconds behind each other, from index 1 */
function timeOfDay(parts) {
  const [hours, minutes, seconds] = [Number(parts[1]), Number(parts[2]), Number(parts[3] || 0)];
  if (hours > 23 || minutes > 59 || seconds >= 60) throw new TimeError(`"${parts[0].trim()}" isn't a time of day.`);
  return (hours * 60 + minutes) * MINUTE_MS + Math.round(seconds * 1000);
}

/** @param {string} text @param {TimeFrame} frame */
function markTime(text, frame) {
  const [, sign, length, wanted] = /** @type {RegExpMatchArray} */ (text.match(/^mark([+-])?([^:]*):(.*)$/s));
  const words = wanted.trim().toLowerCase();
  const exact = frame.marks.find((mark) => mark.text.toLowerCase() === words);
  const found = exact || frame.marks.find((mark) => words !== "" && mark.text.toLowerCase().includes(words));
  if (!found) {
    const known = frame.marks.slice(0, 5).map((mark) => `"${mark.text}"`).join(", ");
    throw new TimeError(known ? `No mark has the text "${wanted.trim()}"; there are ${known}.` : "There are no marks in this capture.");
  }
  const shift = length ? durationOf(length) : 0;
  return found.ms + (sign === "-" ? -shift : shift);
}

/**
 * @param {string} typed
 * @param {TimeFrame} frame
 * @returns {number} ms since 1970 UTC
 */
export function parseTime(typed, frame) {
  const text = typed.trim().replace(/\u2212/g, "-");
  if (/^mark([+-][^:]*)?:/s.test(text)) return markTime(text, frame);
  if (/^\+/.test(text)) return frame.begin_ms + durationOf(text.slice(1).trim());
  if (/^-/.test(text)) return frame.end_ms - durationOf(text.slice(1).trim());
  const shift = frame.offset_min * MINUTE_MS;
  const clock = text.match(/^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?$/);
  if (clock) {
    const near = frame.near_ms === undefined ? frame.begin_ms : frame.near_ms;
    return Math.floor((near + shift) / DAY_MS) * DAY_MS + timeOfDay(clock) - shift;
  }
  const date = text.match(/^(\d{4})-(\d{2})-(\d{2})(?:[T ](.*))?$/i);
  if (!date) throw new TimeError(`"${text}" isn't a time: write 02:55, 2013-02-20 02:55, +5m, -30s or mark:TEXT.`);
  const day = Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]));
  if (new Date(day).getUTCMonth() !== Number(date[2]) - 1) throw new TimeError(`"${text}" is no day of a calendar.`);
  const rest = (date[4] === undefined ? "00:00" : date[4].trim()).match(/^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s*(Z|[+-]\d{2}:?\d{2})?$/i);
  if (!rest) throw new TimeError(`"${text}" isn't a time: write it like 2013-02-20T02:55:00Z.`);
  return day + timeOfDay(rest) - (rest[4] ? zoneOf(rest[4]) : shift);
}

/** @param {string} text */
function zoneOf(text) {
  if (/^z$/i.test(text)) return 0;
  const size = (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))) * MINUTE_MS;
  return text.startsWith("-") ? -size : size;
}

/**
 * @param {string} typed
 * @param {TimeFrame} frame
 * @returns {{from: number, to: number} | {at: number}}
 */
export function parseSpan(typed, frame) {
  const parts = typed.split(/\s*\.\.\s*|\s+to\s+|\s*\u2013\s*/i).map((part) => part.trim());
  if (parts.length === 1) return { at: parseTime(parts[0], frame) };
  if (parts.every((part) => part === "")) throw new TimeError("A span has at least one end: write it like 02:55 to 03:10.");
  if (parts.length > 2) throw new TimeError("A span has two ends: write it like 02:55 to 03:10.");
  const from = parts[0] === "" ? frame.begin_ms : parseTime(parts[0], frame);
  const to = parts[1] === "" ? frame.end_ms : endTime(parts[1], from, frame);
  if (to === from) throw new TimeError("The span is empty: its begin is its end.");
  if (to < from) throw new TimeError("The span ends before it begins.");
  return { from, to };
}

/**
 * A time of day after the start, so `23:50 to 00:10` spans midnight.
 * @param {string} text @param {number} from @param {TimeFrame} frame
 */
function endTime(text, from, frame) {
  const to = parseTime(text, { ...frame, near_ms: from });
  const isOverMidnight = to < from && /^\d{1,2}:/.test(text) && reachesMidnight(from, frame);
  return isOverMidnight ? to + DAY_MS : to;
}

// Where the capture ends on the same day, an end before the begin is a slip.
/** @param {number} from @param {TimeFrame} frame */
function reachesMidnight(from, { end_ms, offset_min }) {
  const shift = offset_min * MINUTE_MS;
  const midnight = (Math.floor((from + shift) / DAY_MS) + 1) * DAY_MS - shift;
  return from > end_ms || midnight <= end_ms;
}
