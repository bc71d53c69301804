// Questions in SQL: a text with completion, the answer as a table and, if it has times, as a chart; and as a file.

/** @import { Screen } from "../screen.js" */
/** @import { Answer } from "./answer-chart.js" */
import { AnswerView } from "./answer-view.js";
import { CompletionList } from "./completion-list.js";
import { quotedName } from "./completion.js";
import { isCancelled } from "../data/client.js";
import { saveAs } from "../keep/download.js";
import { button, element } from "../../text/elements.js";
import { decimals } from "../../text/numbers.js";

export class SqlPanel {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.key = "sql";
    this.title = "SQL";
    this.isAsked = false;
    this.text = element("textarea", { class: "sql", rows: "4", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "Query in SQL",
      placeholder: "SELECT instance, max(\"Working Set\") FROM Process GROUP BY instance ORDER BY 2 DESC LIMIT 10" });
    this.completion = new CompletionList(this.text, () => screen.catalogue.sides.flatMap(({ objects }) => objects));
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run();
    });
    this.told = element("span", { class: "told muted", role: "status" });
    this.files = element("span", { class: "steps" },
      button("CSV", () => this.download("csv"), { class: "quiet small", title: "Download the whole answer as CSV" }),
      button("Parquet", () => this.download("parquet"), { class: "quiet small", title: "Download the whole answer as Parquet" }));
    this.view = new AnswerView(screen);
    this.node = element("div", { class: "panel sql-panel" },
      element("div", { class: "asking" }, this.text, this.completion.node),
      element("div", { class: "sieve" }, button("Run", () => this.run(), { class: "quiet main", title: "Ctrl and Enter" }), this.files, this.told), this.view.node);
  }

  show() {
    const { sql } = this.screen;
    if (this.text.value === "") this.text.value = sql || this.example();
    if (sql && !this.isAsked) this.run();
  }

  // Something that works in this capture.
  example() {
    const { objects } = this.screen.catalogue.sides[0];
    const object = objects.find(({ name }) => name === "Process") || objects.find(({ instanced, instances }) => instanced && instances.length > 1) || objects[0];
    if (!object || !object.counters.length) return "";
    const column = quotedName(object.counters[0].name);
    return object.instanced ? `SELECT instance, avg(${column}) AS mean, max(${column}) AS max\nFROM ${quotedName(object.name)}\nGROUP BY instance\nORDER BY 2 DESC\nLIMIT 20`
      : `SELECT time, ${column}\nFROM ${quotedName(object.name)}\nLIMIT 1000`;
  }

  // Of history: another text, which is asked again.
  /** @param {string} sql */
  set(sql) {
    if (sql === "" || sql === this.text.value) return;
    this.text.value = sql;
    this.isAsked = false;
  }

  async run() {
    const sql = this.text.value.trim();
    if (sql === "") return;
    this.isAsked = true;
    this.completion.close();
    this.screen.sql = sql;
    this.screen.keep();
    this.told.textContent = "asking\u2026";
    const began = performance.now();
    try {
      /** @type {Answer} */
      const answer = await this.screen.client.post("query", { sql, format: "json" }, "query");
      const more = answer.num_rows > answer.rows.length ? `, the first ${decimals(answer.rows.length, 0)} are shown` : "";
      this.told.textContent = `${decimals(answer.num_rows, 0)} ${answer.num_rows === 1 ? "row" : "rows"}${more}, ${decimals(performance.now() - began, 0)} ms`;
      this.view.show(answer);
    } catch (error) {
      if (isCancelled(error)) return;
      this.told.textContent = "";
      this.view.fail(/** @type {Error} */ (error).message);
    }
  }

  /** @param {"csv" | "parquet"} format */
  async download(format) {
    const sql = this.text.value.trim();
    if (sql === "") return;
    try {
      saveAs(await this.screen.client.bytes("query", { sql, format }), `answer.${format}`);
    } catch (error) {
      this.view.fail(/** @type {Error} */ (error).message);
    }
  }
}
