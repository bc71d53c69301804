// The answer to a query as lines over time, if it has a column of times and one of numbers.

const MOST_ANSWER_LINES = 8;

/**
 * @typedef {{columns: {name: string, type: string}[], rows: unknown[][], num_rows: number}} Answer
 * @typedef {{label: string, t: number[], v: (number | null)[]}} AnswerLine
 */

/** @param {unknown} value @returns {number | null} ms since 1970 UTC */
export function timeOf(value) {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)) return null;
  const text = value.replace(" ", "T");
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isFinite(ms) ? ms : null;
}

/**
 * @param {Answer} answer
 * @returns {AnswerLine[]} empty: it is no chart
 */
export function answerLines({ columns, rows }) {
  if (rows.length < 2) return [];
  const isTime = (/** @type {number} */ c) => rows.some((row) => row[c] !== null) && rows.every((row) => row[c] === null || timeOf(row[c]) !== null);
  const time = columns.findIndex((_, c) => isTime(c));
  if (time < 0) return [];
  const isNumber = (/** @type {number} */ c) => rows.some((row) => typeof row[c] === "number") && rows.every((row) => row[c] === null || typeof row[c] === "number");
  const numbers = columns.map((_, c) => c).filter((c) => c !== time && isNumber(c) && !["interval_s", "weight_s"].includes(columns[c].name));
  const texts = columns.map((_, c) => c).filter((c) => c !== time && rows.some((row) => typeof row[c] === "string"));
  /** @type {Map<string, AnswerLine>} */
  const lines = new Map();
  for (const row of rows) {
    const ms = timeOf(row[time]);
    if (ms === null) continue;
    const group = texts.map((c) => String(row[c] ?? "")).join(" ");
    for (const c of numbers) {
      const label = [group, numbers.length > 1 || group === "" ? columns[c].name : ""].filter(Boolean).join(" ");
      let line = lines.get(label);
      if (!line) {
        if (lines.size >= MOST_ANSWER_LINES) continue;
        line = { label, t: [], v: [] };
        lines.set(label, line);
      }
      line.t.push(ms);
      line.v.push(/** @type {number | null} */ (row[c]));
    }
  }
  return [...lines.values()].map(inOrder);
}

/** @param {AnswerLine} line */
function inOrder({ label, t, v }) {
  const order = t.map((_, k) => k).sort((a, b) => t[a] - t[b]);
  return { label, t: order.map((k) => t[k]), v: order.map((k) => v[k]) };
}
