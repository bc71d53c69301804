// Numbers with their units, as short as they can be read.

export const NONE = "\u2013";
/** @type {Map<number, Intl.NumberFormat>} */
const plainNumber = new Map();

/** @param {number} num */
function formatOf(num) {
  const known = plainNumber.get(num);
  if (known) return known;
  const made = new Intl.NumberFormat("en", { minimumFractionDigits: 0, maximumFractionDigits: num });
  plainNumber.set(num, made);
  return made;
}

/** @param {number} value @param {number} num at most so many digits behind the point */
export function decimals(value, num) {
  return formatOf(num).format(value).replace("-", "\u2212");
}

// About three digits that count.
/** @param {number} value */
export function significant(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-4) return value.toExponential(1).replace("-", "\u2212");
  if (size >= 100) return decimals(value, 0);
  return decimals(value, size >= 10 ? 1 : size >= 1 ? 2 : 2 - Math.floor(Math.log10(size)));
}

/** @param {number} value @param {number} base @param {string[]} prefixes */
function scaled(value, base, prefixes) {
  let step = 0;
  // Values that round up to the next prefix use it.
  while (step < prefixes.length - 1 && Math.abs(value) >= base * 0.9995) {
    value /= base;
    step++;
  }
  return `${significant(value)} ${prefixes[step]}`.trim();
}

/** @param {number} value */
function seconds(value) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${significant(value * 1e6)} \u00b5s`;
  if (size < 1) return `${significant(value * 1e3)} ms`;
  if (size < 180) return `${significant(value)} s`;
  if (size < 7200) return `${significant(value / 60)} min`;
  if (size < 172800) return `${significant(value / 3600)} h`;
  return `${significant(value / 86400)} d`;
}

/** @param {number} value */
const count = (value) => (Math.abs(value) < 1e5 ? significant(value) : scaled(value, 1000, ["", "k", "M", "G", "T", "P", "E"]));

/** @param {number} value */
const bytes = (value) => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);

/** @type {Map<string, (value: number) => string>} */
export const UNITS = new Map([
  ["", count],
  ["%", (value) => `${significant(value)} %`],
  ["bytes", bytes],
  ["bytes/sec", (value) => `${bytes(value)}/s`],
  ["KiB", (value) => bytes(value * 1024)],
  ["KiB/sec", (value) => `${bytes(value * 1024)}/s`],
  ["MiB", (value) => bytes(value * 1048576)],
  ["MiB/sec", (value) => `${bytes(value * 1048576)}/s`],
  ["/sec", (value) => `${count(value)}/s`],
  ["sec", seconds],
]);

/** @param {number | null | undefined} value @param {string} unit */
export function amount(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const known = UNITS.get(unit);
  return known ? known(value) : `${count(value)} ${unit}`;
}

/** @param {number} value @param {string} text */
export const signed = (value, text) => (value > 0 ? `+${text}` : text);

/** @param {number | null} value @param {string} unit */
export const perHour = (value, unit) => (value === null ? NONE : signed(value, `${amount(value, unit)}/h`));

/** @param {number | null | undefined} base @param {number | null | undefined} next */
export function percentChange(base, next) {
  if (base === null || next === null || base === undefined || next === undefined) return null;
  if (base === next) return 0;
  return base === 0 ? null : (100 * (next - base)) / Math.abs(base);
}

/** @param {number | null} change */
export const changeText = (change) => (change === null ? NONE : signed(change, `${significant(change)} %`));

// One value, or a range, or a mean and a range.
/** @param {number | null} low @param {number | null} high @param {number | null} mean @param {string} unit */
export function rangeText(low, high, mean, unit) {
  if (low === null) return NONE;
  if (low === high) return amount(low, unit);
  const range = `${amount(low, unit)} \u2026 ${amount(high, unit)}`;
  return mean === null ? range : `${amount(mean, unit)} (${range})`;
}
