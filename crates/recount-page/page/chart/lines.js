// The lines of a chart, from series of the packed data.

/** @import { Capture } from "../data/capture.js" */
/** @import { Line } from "./types.js" */
import { hundredOf, withHundreds } from "./hundred.js";

// A unit that is given wins over the counters' own. Lines beyond the fourth are dashed, so that they differ without colour.
/** @param {Capture} capture @param {number[]} indices @param {string} [unit] @returns {Line[]} */
export function linesOf(capture, indices, unit) {
  const labels = labelsOf(capture, indices);
  return withHundreds(indices.map((s, k) => ({
    series: s, name: capture.fullName(s), label: labels[k], colour: k % 8, dash: k % 8 >= 4 ? [6, 3] : null, unit: unit || capture.unit(s),
    hundred: hundredOf(capture.object(s).name, capture.counter(s).name, capture.instance(s)?.name || ""),
  })));
}

/**
 * A line of what the second of two lines has more than the first.
 * @param {Line[]} lines @param {[number, number]} minus their places @param {string} label
 * @returns {Line}
 */
export function differenceLine(lines, minus, label) {
  return { series: -1, name: label, label, colour: 7, dash: [2, 3], unit: lines[minus[1]].unit, hundred: lines[minus[1]].hundred, minus };
}

// As short as tells the series of a chart apart.
/** @param {Capture} capture @param {number[]} indices */
function labelsOf(capture, indices) {
  /** @param {(s: number) => unknown} of */
  const differ = (of) => new Set(indices.map(of)).size > 1;
  const objects = differ((s) => capture.columns.o[s]);
  const counters = differ((s) => `${capture.columns.o[s]} ${capture.columns.c[s]}`);
  const instances = differ((s) => capture.instanceName(s));
  const hosts = capture.severalHosts && differ((s) => capture.host(s));
  return indices.map((s) => {
    const parts = [];
    const instance = capture.instanceName(s);
    if (hosts) parts.push(`${capture.host(s)}:`);
    if (objects) parts.push(capture.object(s).name);
    if (instance && (instances || !counters)) parts.push(instance);
    if (counters || instance === "") parts.push(capture.counter(s).name);
    return parts.join(" ");
  });
}
