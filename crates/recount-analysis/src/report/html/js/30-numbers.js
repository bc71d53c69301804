// Numbers with their units, as short as they can be read.

const NONE = "\u2013";
const plainNumber = new Map();

function decimals(value, num) {
  if (!plainNumber.has(num)) {
    plainNumber.set(num, new Intl.NumberFormat("en", { minimumFractionDigits: 0, maximumFractionDigits: num }));
  }
  return plainNumber.get(num).format(value).replace("-", "\u2212");
}

// About three digits that count.
function significant(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-4) return value.toExponential(1).replace("-", "\u2212");
  if (size >= 100) return decimals(value, 0);
  return decimals(value, size >= 10 ? 1 : size >= 1 ? 2 : 2 - Math.floor(Math.log10(size)));
}

function scaled(value, base, prefixes) {
  let step = 0;
  // What rounds up to the next prefix gets it.
  while (step < prefixes.length - 1 && Math.abs(value) >= base * 0.9995) {
    value /= base;
    step++;
  }
  return `${significant(value)} ${prefixes[step]}`.trim();
}

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

const count = (value) => (Math.abs(value) < 1e5 ? significant(value) : scaled(value, 1000, ["", "k", "M", "G", "T", "P", "E"]));

const UNITS = new Map([
  ["", count],
  ["%", (value) => `${significant(value)} %`],
  ["bytes", (value) => scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])],
  ["bytes/sec", (value) => `${UNITS.get("bytes")(value)}/s`],
  ["/sec", (value) => `${count(value)}/s`],
  ["sec", seconds],
]);

function amount(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const known = UNITS.get(unit);
  return known ? known(value) : `${count(value)} ${unit}`;
}

const signed = (value, text) => (value > 0 ? `+${text}` : text);

const perHour = (value, unit) => (value === null ? NONE : signed(value, `${amount(value, unit)}/h`));

function percentChange(base, next) {
  if (base === null || next === null || base === undefined || next === undefined) return null;
  if (base === next) return 0;
  return base === 0 ? null : (100 * (next - base)) / Math.abs(base);
}

const changeText = (change) => (change === null ? NONE : signed(change, `${significant(change)} %`));

// What a bucket holds: one value, or a mean and a range.
function bucketText(points, k, unit) {
  const [low, high] = [points.lowest[k], points.highest[k]];
  if (low === null || low === undefined) return NONE;
  if (low === high) return amount(low, unit);
  const range = `${amount(low, unit)} \u2026 ${amount(high, unit)}`;
  return points.means ? `${amount(points.means[k], unit)} (${range})` : range;
}
