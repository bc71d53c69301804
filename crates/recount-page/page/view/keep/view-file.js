// The view file, which `recount view --view` and `recount report --view` read.

import { withoutHost } from "../find/pattern.js";

/** @param {string} text */
function tomlText(text) {
  const escaped = text.replace(/["\\]/g, "\\$&").replace(/[\u0000-\u001f\u007f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escaped}"`;
}

/**
 * Paths are full of backslashes, which literal texts take as they are.
 * @param {string} path
 */
const tomlPath = (path) => (/['\u0000-\u0008\u000a-\u001f\u007f]/.test(path) ? tomlText(path) : `'${path}'`);

/**
 * @typedef {object} SavedChart
 * @property {string} title
 * @property {string[]} counters paths; hosts are left out, so that the view fits other machines
 * @property {boolean} stacked
 * @property {boolean} logarithmic
 */

/**
 * @param {{title: string, begin: string | null, end: string | null, charts: SavedChart[]}} view
 */
export function viewFile({ title, begin, end, charts }) {
  const lines = ["[view]", `title = ${tomlText(title)}`];
  if (begin !== null) lines.push(`begin = ${tomlText(begin)}`);
  if (end !== null) lines.push(`end = ${tomlText(end)}`);
  for (const chart of charts) {
    lines.push("", "[[chart]]", `title = ${tomlText(chart.title)}`);
    const counters = [...new Set(chart.counters.map(withoutHost))];
    if (counters.length === 1) lines.push(`counters = [${tomlPath(counters[0])}]`);
    else lines.push("counters = [", ...counters.map((path) => `  ${tomlPath(path)},`), "]");
    lines.push(`stacked = ${chart.stacked}`, `logarithmic = ${chart.logarithmic}`);
  }
  return `${lines.join("\n")}\n`;
}

/**
 * The name of the file: the capture's, as far as every system accepts it.
 * @param {string} title
 */
export function viewFileName(title) {
  const stem = title.replace(/^.*[/\\]/, "").replace(/\.[A-Za-z0-9]{1,8}$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 60);
  return `${stem || "capture"}.view.toml`;
}
