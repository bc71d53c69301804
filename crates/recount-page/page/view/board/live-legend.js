// The legend of a chart on the board: over the window what its lines are, at the cursor what they are there, with raw values and reasons.

import { pointAt, whole } from "../data/points.js";
import { Legend } from "../../chart/legend.js";
import { amount, NONE } from "../../text/numbers.js";

/** @param {import("./lines.js").LiveLine} line @param {number} ms */
export function liveText(line, ms) {
  const found = pointAt(line.answer, ms);
  if (!found) return NONE;
  if (found.low === null) return found.status ? `${NONE} ${found.status}` : NONE;
  const { low, high, mean, raw } = found;
  if (low === high) return `${amount(low, line.unit)}${raw ? `  raw ${raw}` : ""}`;
  return `${amount(mean, line.unit)} (${amount(low, line.unit)} \u2026 ${amount(high, line.unit)})`;
}

export class LiveLegend extends Legend {
  showWhole() {
    for (const { line, value } of this.rows) {
      const { answer } = /** @type {any} */ (line);
      value.textContent = answer && answer.error ? answer.error : !answer ? "" : wholeText(answer, line.unit);
      value.classList.toggle("wrong", Boolean(answer && answer.error));
      value.classList.remove("now");
    }
  }
}

/** @param {import("../data/points.js").PointsAnswer} answer @param {string} unit */
function wholeText(answer, unit) {
  const found = whole(answer);
  if (!found) return "no values here";
  return found.low === found.high ? amount(found.low, unit) : `${amount(found.low, unit)} \u2026 ${amount(found.high, unit)}`;
}
