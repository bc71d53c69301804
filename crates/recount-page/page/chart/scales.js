// Ranges and ticks of value axes.

import { UNITS, amount, decimals } from "../text/numbers.js";

// The ends are multiples of one step, so that the axis has a label at its top: the least step of which at most so many fit.
/** @param {string} unit @param {number | null | undefined} low @param {number | null | undefined} high @param {number} most @returns {[number, number]} */
export function valueRange(unit, low, high, most) {
  if (low === null || high === null || low === undefined || high === undefined) return [0, 1];
  if (unit === "%" && low >= 0 && high > 40 && high <= 100) return [0, 100];
  const [from, to] = shownRange(low, high);
  const step = stepsOf(unit).find((one) => isRoomFor(around(from, to, one), most));
  return step === undefined ? [from, to] : /** @type {[number, number]} */ (around(from, to, step).map((at) => at * step));
}

// The multiples of the least step from end to end.
/** @param {string} unit @param {number} low @param {number} high the ends that valueRange gave @param {number} most */
export function valueTicks(unit, low, high, most) {
  const ends = (/** @type {number} */ step) => [low, high].map((end) => Math.round(end / step));
  const isEnd = (/** @type {number} */ step) => [low, high].every((end) => Math.abs(end / step - Math.round(end / step)) < 1e-6);
  const step = stepsOf(unit).find((one) => isRoomFor(ends(one), most) && isEnd(one));
  if (step === undefined) return [low, high];
  const [first, last] = ends(step);
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

// Zero has no sign.
/** @param {number} from @param {number} to @param {number} step */
const around = (from, to, step) => [Math.floor(from / step + 1e-9) + 0, Math.ceil(to / step - 1e-9) + 0];

/** @param {number[]} ends @param {number} most */
const isRoomFor = ([first, last], most) => last > first && last - first <= most;

/** @param {number} low @param {number} high @returns {[number, number]} */
function shownRange(low, high) {
  if (low === high) {
    if (low === 0) return [0, 1];
    return low > 0 ? [0, low * 1.3] : [low * 1.3, 0];
  }
  // From zero, so that heights compare; unless all that moves would then be a thread at the top.
  if (low >= 0 && high - low > 0.12 * high) return [0, high];
  if (high <= 0 && high - low > 0.12 * -low) return [low, 0];
  return [low, high];
}

// Whole powers of ten around the positive values, at least one decade.
/** @param {number | null | undefined} low @param {number | null | undefined} high @returns {[number, number]} */
export function logRange(low, high) {
  if (typeof low !== "number" || typeof high !== "number" || !(low > 0) || !Number.isFinite(high)) return [1, 10];
  const from = Math.floor(Math.log10(low));
  return [10 ** from, 10 ** Math.max(Math.ceil(Math.log10(high)), from + 1)];
}

// At most so many of the values are outliers; of few values, one.
const MOST_OUTLIERS = 0.01;
const LEAST_VALUES = 20;
// What is below this part of the axis looks like zero.
const SEEN = 0.01;

// Whether the largest values of an axis, which are few, leave nothing to see of all others. Percentages have a whole to be compared with.
/** @param {string} unit @param {(number | null | undefined)[][]} columns of the lines */
export function isFlattened(unit, columns) {
  const values = columns.flatMap((column) => column.filter((value) => typeof value === "number")).sort((one, other) => other - one);
  if (unit === "%" || values.length < LEAST_VALUES || values[values.length - 1] < 0) return false;
  const largestOther = values[Math.max(1, Math.floor(values.length * MOST_OUTLIERS))];
  return largestOther > 0 && largestOther < SEEN * values[0];
}

// Powers of ten: all of them, or every n-th.
/** @param {number} low @param {number} high powers of ten themselves @param {number} most */
export function logTicks(low, high, most) {
  const [from, to] = [low, high].map((value) => Math.round(Math.log10(value)));
  const step = Math.max(1, Math.ceil((to - from) / Math.max(1, most)));
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => Number(`1e${from + k * step}`));
}

// An unknown unit may be any text: the legend has it, the axis has no room.
/** @param {number} tick @param {string} unit */
const tickText = (tick, unit) => amount(tick, UNITS.has(unit) ? unit : "");

/** @param {number[]} ticks @param {string} unit */
export const logTickTexts = (ticks, unit) => ticks.map((tick) => tickText(tick, unit));

/** @type {number[]} */
const DECIMAL_STEPS = [];
for (let power = -15; power <= 24; power++) for (const digit of [1, 2, 5]) DECIMAL_STEPS.push(Number(`${digit}e${power}`));

const BINARY_STEPS = DECIMAL_STEPS.filter((step) => step < 1);
for (let power = 0; power <= 80; power++) BINARY_STEPS.push(2 ** power);

/** @param {string} unit */
export const stepsOf = (unit) => (/^(bytes|KiB|MiB)(\/sec)?$/.test(unit) ? BINARY_STEPS : DECIMAL_STEPS);

// Ticks need all the digits that distinguish them, which is more than a value needs.
/** @param {number[]} ticks @param {string} unit @param {number} step */
export function tickTexts(ticks, unit, step) {
  const texts = ticks.map((tick) => tickText(tick, unit));
  const largest = Math.max(...ticks.map(Math.abs));
  // Values have about three digits.
  if (step >= largest / 100 && new Set(texts).size === texts.length) return texts;
  return exactTexts(ticks, largest, step, UNITS.has(unit) ? unit : "");
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
/** @type {Map<string, {base: number, names: string[], behind?: string}>} */
const SCALES = new Map([
  ["", { base: 1000, names: ["", "k", "M", "G", "T", "P", "E"] }],
  ["/sec", { base: 1000, names: ["", "k", "M", "G", "T", "P", "E"], behind: "/s" }],
  ["bytes", { base: 1024, names: SIZES }],
  ["bytes/sec", { base: 1024, names: SIZES, behind: "/s" }],
  ["KiB", { base: 1024, names: SIZES.slice(1) }],
  ["KiB/sec", { base: 1024, names: SIZES.slice(1), behind: "/s" }],
  ["MiB", { base: 1024, names: SIZES.slice(2) }],
  ["MiB/sec", { base: 1024, names: SIZES.slice(2), behind: "/s" }],
  ["%", { base: Infinity, names: ["%"] }],
  ["sec", { base: Infinity, names: ["s"] }],
]);
// A plain number below this is written out, as values are.
const LEAST_SCALED = 1e5;

// All in the unit of the largest, with as many digits as the step has.
/** @param {number[]} ticks @param {number} largest @param {number} step @param {string} unit */
function exactTexts(ticks, largest, step, unit) {
  const { base, names, behind = "" } = SCALES.get(unit) || { base: Infinity, names: [""] };
  const isPlain = base === 1000 && largest < LEAST_SCALED;
  let [power, divisor] = [0, 1];
  while (!isPlain && power < names.length - 1 && largest / divisor >= base) {
    power++;
    divisor *= base;
  }
  // Powers of two have more digits than they need to be told apart.
  const own = Math.ceil(-Math.log10(step / divisor) - 1e-9) + (base === 1024 && power > 0 ? 1 : 0);
  const digits = Math.min(15, Math.max(0, own));
  const name = `${names[power]}${behind}`;
  const between = name === "" || name.startsWith("/") ? "" : " ";
  return ticks.map((tick) => (largest / divisor >= 1e15 ? tick.toExponential(6) : `${decimals(tick / divisor, digits)}${between}${name}`));
}
