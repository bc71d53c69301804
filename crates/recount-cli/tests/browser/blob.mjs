// Reads a report's blob on its own, so that what the page shows is judged by other code than the page's.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export function readBlob(path) {
  const html = readFileSync(path, "utf8");
  const found = /<script type="application\/octet-stream" id="data">([A-Za-z0-9+/=]*)<\/script>/.exec(html);
  if (!found) throw new Error(`${path}: no blob in it`);
  const plain = gunzipSync(Buffer.from(found[1], "base64"));
  const lenHead = plain.readUInt32LE(0);
  if (lenHead % 4) throw new Error(`${path}: the blob's head has ${lenHead} bytes, which is no multiple of 4`);
  const head = JSON.parse(plain.toString("utf8", 4, 4 + lenHead));
  check(head, (plain.length - 4 - lenHead) / 2, path);
  return { head, word: (at) => plain.readUInt16LE(4 + lenHead + 2 * at) };
}

// What README.md promises of the blob, for whoever writes it.
function check(head, numWords, path) {
  const fail = (text) => { throw new Error(`${path}: blob: ${text}`); };
  const { series } = head;
  const num = series.o.length;
  for (const [name, column] of Object.entries(series)) if (column.length !== num) fail(`column ${name} has ${column.length} of ${num} values`);
  for (let s = 0; s < num; s++) {
    const object = head.objects[series.o[s]];
    if (!object) fail(`series ${s} is of object ${series.o[s]}, which isn't there`);
    if (!object.counters[series.c[s]]) fail(`series ${s} is of counter ${series.c[s]}, which isn't there`);
    if (series.i[s] !== null && !object.instances[series.i[s]]) fail(`series ${s} is of instance ${series.i[s]}, which isn't there`);
    if ((series.n[s] === 0) !== (series.at[s] < 0)) fail(`series ${s} has ${series.n[s]} values and points at ${series.at[s]}`);
    const isSampled = series.t && series.t[s] >= 0;
    if (isSampled && series.t[s] + 3 * series.b[s] > numWords) fail(`the times of series ${s} end behind the blob`);
    const rows = isSampled ? 1 : series.m && series.m[s] ? 3 : 2;
    if (series.at[s] >= 0 && series.at[s] + rows * series.b[s] > numWords) fail(`the points of series ${s} end behind the blob`);
    if (series.b[s] < 1 || (!isSampled && series.b[s] > head.num_buckets)) fail(`series ${s} has ${series.b[s]} buckets of ${head.num_buckets}`);
  }
  for (const finding of head.findings || []) if (finding.series !== null && !(finding.series < num)) fail(`a finding is of series ${finding.series}, which isn't there`);
}

// The names by which the filter has to find a series.
export function namesOf({ head }, s) {
  const object = head.objects[head.series.o[s]];
  const instance = head.series.i[s] === null ? null : object.instances[head.series.i[s]];
  return { object: object.name, counter: object.counters[head.series.c[s]].name, instance: instance ? instance.name : "" };
}

// The samples of a series with a value, as [time, value]; null: it has buckets.
export function samplesOf({ head, word }, s) {
  const { at, b, lo, hi } = Object.fromEntries(["at", "b", "lo", "hi"].map((name) => [name, head.series[name][s]]));
  const t = head.series.t ? head.series.t[s] : -1;
  if (t < 0) return null;
  const time = (k) => head.begin_ms + (word(t + 3 * k) + 2 ** 16 * word(t + 3 * k + 1) + 2 ** 32 * word(t + 3 * k + 2)) * head.tick_ms;
  return Array.from({ length: b }, (_, k) => [time(k), word(at + k)]).filter(([, q]) => q !== 65535).map(([ms, q]) => [ms, lo + ((hi - lo) * q) / 65534]);
}

// Lowest and highest value of a series in the time of [from, to), both null where there is none. A sample is about the time before it.
export function rangeOf({ head, word }, s, from, to) {
  const samples = samplesOf({ head, word }, s);
  if (samples) {
    const values = samples.filter(([ms]) => (ms > from + 1e-3 || ms === head.begin_ms) && ms > from - 1e-3 && ms <= to + 1e-3).map(([, value]) => value);
    return values.length ? [Math.min(...values), Math.max(...values)] : [null, null];
  }
  const { at, b, lo, hi } = Object.fromEntries(["at", "b", "lo", "hi"].map((name) => [name, head.series[name][s]]));
  const width = (head.step_ms * head.num_buckets) / b;
  let [low, high] = [null, null];
  for (let k = 0; k < b && at >= 0; k++) {
    const [begin, end] = [head.begin_ms + k * width, head.begin_ms + (k + 1) * width];
    if (end <= from + width * 1e-5 || begin >= to - width * 1e-5 || word(at + k) === 65535) continue;
    const value = (q) => lo + ((hi - lo) * q) / 65534;
    low = low === null ? value(word(at + k)) : Math.min(low, value(word(at + k)));
    high = high === null ? value(word(at + b + k)) : Math.max(high, value(word(at + b + k)));
  }
  return [low, high];
}
