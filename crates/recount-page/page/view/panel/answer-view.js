// The answer to a query: a table, and a chart above it if it has times.

/** @import { Screen } from "../screen.js" */
/** @import { Answer } from "./answer-chart.js" */
import { answerLines } from "./answer-chart.js";
import { localChart } from "./local-chart.js";
import { element, named } from "../../text/elements.js";
import { decimals, NONE } from "../../text/numbers.js";

const ANSWER_PAGE = 200;

export class AnswerView {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.node = element("div", { class: "answer" });
    /** @type {import("../../chart/chart.js").Chart | null} */
    this.chart = null;
  }

  clear() {
    if (this.chart) this.chart.close();
    this.chart = null;
    this.node.replaceChildren();
  }

  /** @param {string} text */
  fail(text) {
    this.clear();
    this.node.append(element("p", { class: "wrong", role: "alert", dir: "auto" }, text));
  }

  /** @param {Answer} answer */
  show(answer) {
    this.clear();
    const lines = answerLines(answer);
    const host = element("div", { class: "plot" });
    if (lines.length) this.node.append(host);
    this.node.append(this.table(answer));
    if (lines.length) this.chart = localChart(this.screen.page, host, lines);
  }

  /** @param {Answer} answer */
  table({ columns, rows }) {
    const isNumber = columns.map((_, c) => rows.some((row) => typeof row[c] === "number"));
    const head = element("tr", {}, columns.map(({ name, type }, c) => element("th", { scope: "col", class: isNumber[c] ? "number" : null, title: type }, named(name))));
    const body = element("tbody", {});
    const more = element("button", { type: "button", class: "quiet small" });
    const add = () => {
      const from = body.children.length;
      body.append(...rows.slice(from, from + ANSWER_PAGE).map((row) => element("tr", {}, row.map((value, c) => element("td", { class: isNumber[c] ? "number" : null }, cellOf(value))))));
      const rest = rows.length - body.children.length;
      more.textContent = `${decimals(Math.min(rest, ANSWER_PAGE), 0)} more of ${decimals(rest, 0)}`;
      more.hidden = rest <= 0;
    };
    add();
    more.addEventListener("click", add);
    const table = element("table", { class: "sheet many" }, element("caption", { class: "unseen" }, "Answer to the query"), element("thead", {}, head), body);
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Answer to the query" }, table, more);
  }
}

/** @param {unknown} value */
function cellOf(value) {
  if (value === null || value === undefined) return element("span", { class: "muted" }, NONE);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : named(String(value));
}
