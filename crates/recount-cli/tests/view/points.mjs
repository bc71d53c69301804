// What is drawn, against what is so: the lowest and the highest of every bucket, and every single sample.

// Those from a time to another, and a few around; of a list in the order of time.
function within(samples, from, to) {
  const first = (ms) => {
    let [low, high] = [0, samples.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (samples[middle].t < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return samples.slice(Math.max(0, first(from) - 2), first(to) + 2);
}

// Lowest and highest of equal parts of time. A part has the values after its begin, up to its end; that of the very begin is in the first,
// unless the parts go on to the left of what is shown.
function extremes(all, { begin, step, num }, hasBegin) {
  const samples = within(all, begin, begin + step * num);
  const [lowest, highest] = [new Array(num).fill(null), new Array(num).fill(null)];
  for (const { t, v } of samples) {
    const k = t === begin && hasBegin ? 0 : Math.ceil((t - begin) / step - 1e-9) - 1;
    if (v === null || k < 0 || k >= num) continue;
    if (lowest[k] === null || v < lowest[k]) lowest[k] = v;
    if (highest[k] === null || v > highest[k]) highest[k] = v;
  }
  return { lowest, highest };
}

// A sample within a microsecond of a border may be on either side of it: the axis has floating points.
const EDGE_MS = 1e-3;

/** @returns {string[]} what differs */
export function differences(chart, samplesOf) {
  const wrong = [];
  for (const { path, points } of chart.lines) {
    const samples = samplesOf(path);
    if (!samples || !points) { wrong.push(`${path}: ${samples ? "no points" : "unknown"}`); continue; }
    if (points.kind === "samples") wrong.push(...ofSamples(path, points, samples, chart));
    else if (points.kind === "buckets") wrong.push(...ofBuckets(path, points, samples, chart));
    else wrong.push(`${path}: ${points.why}`);
  }
  return wrong;
}

function ofSamples(path, { times, values }, samples, { from, to }) {
  const inside = within(samples, from, to).filter(({ t }) => t >= from - EDGE_MS && t <= to + EDGE_MS);
  const shown = new Map(times.map((t, k) => [Math.round(t), values[k]]));
  const missing = inside.filter(({ t, v }) => t > from + EDGE_MS && t < to - EDGE_MS && shown.get(Math.round(t)) !== v);
  const foreign = times.filter((t) => t >= from && t <= to && !inside.some((one) => Math.round(one.t) === Math.round(t)));
  return [...missing.slice(0, 2).map(({ t, v }) => `${path} at ${new Date(t).toISOString()}: ${shown.get(Math.round(t))} where ${v} is`),
    ...foreign.slice(0, 2).map((t) => `${path}: a sample at ${new Date(t).toISOString()} that there is not`)];
}

function ofBuckets(path, points, samples, { from, to, width }) {
  if (!points.isExact) return [`${path}: not exact`];
  const num = points.lowest.length;
  // They may be finer than pixels, never coarser, and have to hold all of the window that has samples.
  if (points.step > ((to - from) / width) * (1 + 1e-6)) return [`${path}: buckets of ${points.step} ms, a pixel has ${(to - from) / width}`];
  const end = Math.min(to, samples.at(-1).t);
  if (points.begin > from + EDGE_MS || points.begin + points.step * num < end - EDGE_MS) return [`${path}: buckets of another window`];
  const grid = { begin: points.begin, step: points.step, num };
  const [open, closed] = [extremes(samples, grid, false), extremes(samples, grid, true)];
  // A bucket over the edge of the window has all values of the window, and may have more of its own.
  const shown = extremes(within(samples, from, to).filter(({ t }) => t >= from && t <= to), grid, true);
  const isCut = (k) => points.begin + k * points.step < from || points.begin + (k + 1) * points.step > to;
  const between = (value, a, b) => value === a || value === b || (a !== null && value !== null && value >= Math.min(a, b ?? a) && value <= Math.max(a, b ?? a));
  const wrong = [];
  for (let k = 0; k < num && wrong.length < 2; k++) {
    const fits = ({ lowest, highest }) => (isCut(k) ? between(points.lowest[k], lowest[k], shown.lowest[k]) && between(points.highest[k], highest[k], shown.highest[k])
      : points.lowest[k] === lowest[k] && points.highest[k] === highest[k]);
    if (!fits(open) && !fits(closed)) wrong.push(`${path} bucket ${k} of ${num}: ${points.lowest[k]} to ${points.highest[k]} where ${open.lowest[k]} to ${open.highest[k]} is`);
  }
  return wrong;
}

// What the chart library was given is what the points say: nothing is lost on the way to the picture.
export function undrawn(chart) {
  const wrong = [];
  const [times, ...columns] = chart.drawn;
  const values = (list) => list.filter((value) => typeof value === "number");
  for (const { path, points } of chart.lines) {
    const wanted = points.kind === "samples" ? [points.values] : [points.lowest, points.highest];
    for (const column of wanted) {
      const text = JSON.stringify(values(column));
      if (!columns.some((one) => JSON.stringify(values(one)) === text)) wrong.push(`${path}: its ${values(column).length} values are no column of the plot (${times.length} times)`);
    }
  }
  return wrong;
}
