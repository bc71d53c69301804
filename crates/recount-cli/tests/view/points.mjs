// What is drawn, against what is so: the lowest and the highest of every bucket, and every single sample.

// The samples of a series by the command line, in the form of the page's points for a window.
export function expected(samples, { from, to, width }) {
  const inside = samples.filter(({ t }) => t >= from && t <= to);
  const step = (to - from) / width;
  const [lowest, highest] = [new Array(width).fill(null), new Array(width).fill(null)];
  for (const { t, v } of inside) {
    if (v === null) continue;
    const k = Math.min(Math.max(Math.ceil((t - from) / step) - 1, 0), width - 1);
    if (lowest[k] === null || v < lowest[k]) lowest[k] = v;
    if (highest[k] === null || v > highest[k]) highest[k] = v;
  }
  return { inside, lowest, highest };
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
  const inside = samples.filter(({ t }) => t >= from - EDGE_MS && t <= to + EDGE_MS);
  const shown = new Map(times.map((t, k) => [Math.round(t), values[k]]));
  const missing = inside.filter(({ t, v }) => t > from + EDGE_MS && t < to - EDGE_MS && shown.get(Math.round(t)) !== v);
  const foreign = times.filter((t) => t >= from && t <= to && !inside.some((one) => Math.round(one.t) === Math.round(t)));
  return [...missing.slice(0, 2).map(({ t, v }) => `${path} at ${new Date(t).toISOString()}: ${shown.get(Math.round(t))} where ${v} is`),
    ...foreign.slice(0, 2).map((t) => `${path}: a sample at ${new Date(t).toISOString()} that there is not`)];
}

function ofBuckets(path, points, samples, { from, to }) {
  if (!points.isExact) return [`${path}: not exact`];
  const width = points.lowest.length;
  if (Math.abs(points.begin - from) > EDGE_MS || Math.abs(points.step * width - (to - from)) > EDGE_MS) return [`${path}: buckets of another window`];
  const { lowest, highest } = expected(samples, { from, to, width });
  const wrong = [];
  for (let k = 0; k < width && wrong.length < 2; k++) {
    if (points.lowest[k] !== lowest[k] || points.highest[k] !== highest[k]) wrong.push(`${path} bucket ${k} of ${width}: ${points.lowest[k]} to ${points.highest[k]} where ${lowest[k]} to ${highest[k]} is`);
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
