// Who was it: the instances with the most of a counter in a span, compared with the preceding span of equal length.

/** @import { Screen } from "../screen.js" */
import { chooser, offer } from "./choose.js";
import { Grid } from "./grid.js";
import { isSum, suspectsOf } from "./suspects.js";
import { calledInstance } from "../board/lines.js";
import { targetOf } from "../board/adding.js";
import { draggable } from "../find/drag.js";
import { isCancelled } from "../data/client.js";
import { button, element, named, shape } from "../../text/elements.js";
import { amount, decimals, signed } from "../../text/numbers.js";
import { lengthText } from "../../time/clock.js";
import { debounced } from "../../time/pace.js";

const MOST_TOP = 30;
/** Figures by which the server can choose the rows. */
const CHOOSING = ["share", "mean", "max", "growth"];
/** The share of the span below which an instance says for how much of it it existed. */
const WHOLE = 0.99;

/**
 * @typedef {object} TopRow
 * @property {string} instance
 * @property {string | null} id
 * @property {string | null} host
 * @property {string | null} described the process as people know it
 * @property {boolean} several the name passed from one process to another
 * @property {string} path
 * @property {number} presence part of the span in which it was there
 * @property {number | null} share mean times presence
 * @property {number | null} mean
 * @property {number | null} max
 * @property {number | null} last
 * @property {number | null} growth
 * @property {{mean: number | null, max: number | null} | null} before
 * @typedef {{unit: string, rows: TopRow[], num_instances: number, unattributed: number | null, before: {from: number, to: number}}} TopAnswer
 */

const COLUMNS = [
  { key: "instance", title: "Instance", isSorting: true },
  { key: "share", title: "Over all", isNumber: true, isSorting: true, hint: "Sort by the mean over the whole span: an instance that existed for a part of it has less" },
  { key: "mean", title: "Mean", isNumber: true, isSorting: true, hint: "Sort by the mean of the time in which it was there" },
  { key: "max", title: "Max", isNumber: true, isSorting: true },
  { key: "growth", title: "Growth", isNumber: true, isSorting: true, hint: "Sort by the last value less the first" },
  { key: "before", title: "Mean before", isNumber: true, isSorting: true, hint: "Sort by the mean in the span of equal length right before" },
];

/** @param {number} part */
const percent = (part) => (part < 0.005 ? "< 1 %" : `${decimals(100 * part, 0)} %`);

export class TopPanel {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.key = "top";
    this.title = "Top";
    this.sorted = { key: "share", isDown: true };
    /** The figure by which the rows were chosen. */
    this.by = "share";
    /** @type {TopAnswer | null} */
    this.answer = null;
    this.side = chooser("Capture", (value) => this.choose({ side: value, object: "", counter: "" }));
    this.object = chooser("Object", (value) => this.choose({ object: value, counter: "" }));
    this.counter = chooser("Counter", (value) => this.choose({ counter: value }));
    this.span = element("p", { class: "about", role: "status" });
    this.grid = new Grid("Instances with most of a counter", (key) => this.sortBy(key));
    this.node = element("div", { class: "panel top-panel" },
      element("div", { class: "sieve" }, this.side, this.object, this.counter), this.span, this.grid.node);
    this.ask = debounced(120, () => this.load());
  }

  /** @param {Record<string, string>} change */
  choose(change) {
    Object.assign(this.screen.more, change);
    this.screen.keep();
    this.show();
  }

  // The user's choice, or the suggestion of the chart pointed at.
  asked() {
    const { catalogue, more } = this.screen;
    const side = Math.min(Number(more.side) || 0, catalogue.sides.length - 1);
    const object = more.object ? catalogue.object(side, more.object) : undefined;
    const suspects = suspectsOf(catalogue, this.screen.focus.series(side));
    if (!object || !object.instanced) return suspects;
    const counter = object.counters.find(({ name }) => name === more.counter);
    const suggested = suspects && suspects.object === object.name ? suspects.counter : object.counters[0] && object.counters[0].name;
    return { side, object: object.name, counter: counter ? counter.name : suggested || "" };
  }

  show() {
    const asked = this.asked();
    const { catalogue } = this.screen;
    const objects = asked ? catalogue.sides[asked.side].objects.filter(({ instanced }) => instanced) : [];
    const object = asked && catalogue.object(asked.side, asked.object);
    this.side.hidden = catalogue.sides.length < 2;
    offer(this.side, catalogue.sides.map(({ label }, side) => [String(side), label]), asked ? String(asked.side) : "0");
    offer(this.object, objects.map(({ name }) => [name, name]), asked ? asked.object : "");
    offer(this.counter, (object ? object.counters : []).map(({ name }) => [name, name]), asked ? asked.counter : "");
    if (asked) this.ask();
    else this.tell("This capture has no object with instances.");
  }

  /** @param {string} text */
  tell(text) {
    this.span.textContent = text;
    this.grid.columns(COLUMNS, this.sorted);
    this.grid.rows([], "Nothing to list.");
  }

  async load() {
    const asked = this.asked();
    if (!asked || this.node.hidden) return;
    const { from, to } = this.screen.focus.span();
    this.node.setAttribute("aria-busy", "true");
    if (!this.answer) this.grid.rows([], "Loading\u2026");
    try {
      this.answer = await this.screen.client.post("top", { ...asked, from, to, by: this.by, limit: MOST_TOP }, "top");
      this.screen.showSpan({ from, to });
      this.draw();
    } catch (error) {
      if (isCancelled(error)) return;
      this.tell(/** @type {Error} */ (error).message);
    }
    this.node.removeAttribute("aria-busy");
  }

  /** @param {string} key */
  sortBy(key) {
    this.sorted = { key, isDown: this.sorted.key === key ? !this.sorted.isDown : key !== "instance" };
    this.draw();
    if (!CHOOSING.includes(key) || key === this.by) return;
    this.by = key;
    // Others may have most of it.
    if (this.answer && this.answer.num_instances > this.answer.rows.length) this.ask();
  }

  sortedRows() {
    const { key, isDown } = this.sorted;
    const rows = this.answer ? [...this.answer.rows] : [];
    const order = new Intl.Collator("en", { numeric: true });
    const value = (/** @type {TopRow} */ row) => (key === "before" ? row.before && row.before.mean : /** @type {any} */ (row)[key]);
    return rows.sort((a, b) => {
      if (key === "instance") return order.compare(rowName(a), rowName(b)) * (isDown ? -1 : 1);
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return Number(x === null) - Number(y === null);
      return isDown ? y - x : x - y;
    });
  }

  draw() {
    if (!this.answer) return;
    const { clock, timeline } = this.screen;
    const { unit, before, num_instances } = this.answer;
    const { from, to } = this.screen.focus.span();
    const time = (/** @type {number} */ ms) => clock.full(ms, timeline.begin, timeline.end, to - from < 20_000 ? 1 : 1000);
    this.span.replaceChildren(element("b", {}, `${time(from)} to ${time(to)}`), ` ${lengthText(Math.round(to - from))}`,
      element("span", { class: "muted" }, before.from < timeline.begin ? (before.to <= timeline.begin ? ". Nothing is before it" : `, before: from ${time(timeline.begin)}, where the capture begins`) : `, before: from ${time(before.from)}`));
    const rows = this.sortedRows();
    if (num_instances > rows.length) this.span.append(element("span", { class: "muted" }, `. Top ${rows.length} of ${decimals(num_instances, 0)} by ${this.by === "share" ? "mean over the whole span" : this.by}`));
    const most = Math.max(...rows.filter((row) => !isSum(row.instance)).map((row) => row.share || 0), 0);
    this.grid.columns(COLUMNS, this.sorted);
    const shown = rows.map((row) => this.row(row, unit, most));
    if (this.answer.unattributed !== null) shown.push(unattributed(this.answer.unattributed, unit));
    this.grid.rows(shown, "No instance has a value in this span.");
  }

  /** @param {TopRow} row @param {string} unit @param {number} most */
  row(row, unit, most) {
    const { screen } = this;
    const side = Number(this.side.value) || 0;
    const series = () => screen.bothSides(screen.catalogue.about(side, screen.catalogue.spelled(side, row.path)));
    const add = button("", () => screen.add(series(), targetOf(screen, row.path)), { class: "adder", title: `Add to a chart: ${row.path}`, "data-focus": row.path });
    add.append(named(rowName(row)));
    draggable(add, series);
    const share = most > 0 && row.share !== null ? Math.min(1, Math.max(0, row.share / most)) : 0;
    const bar = shape("svg", { class: "share", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, shape("rect", { width: (100 * share).toFixed(1), height: 4 }));
    const growth = row.growth === null ? amount(null, unit) : signed(row.growth, amount(row.growth, unit));
    const isRisen = row.before !== null && row.before.mean !== null && row.mean !== null && row.mean > 2 * row.before.mean && share > 0.05;
    return element("tr", { class: isSum(row.instance) ? "sum" : null },
      element("th", { scope: "row" }, add, isSum(row.instance) ? null : bar), 
      element("td", { class: "number" }, amount(row.share, unit), row.presence < WHOLE ? element("small", { class: "muted" }, `present ${percent(row.presence)}`) : null),
      element("td", { class: "number" }, amount(row.mean, unit)), element("td", { class: "number" }, amount(row.max, unit)),
      element("td", { class: "number" }, growth),
      element("td", { class: `number ${isRisen ? "risen" : ""}` }, row.before ? amount(row.before.mean, unit) : element("span", { class: "muted" }, "absent")));
  }
}

/** What a row is called. @param {TopRow} row */
function rowName({ instance, id, several, described, host }) {
  return [described || calledInstance(instance, id, several), host].filter(Boolean).join(" ");
}

/** @param {number} share @param {string} unit */
function unattributed(share, unit) {
  const hint = "What the processors did and no process of this capture has used: processes that began and ended between two samples, or were not recorded, and interrupts";
  const empty = () => element("td", { class: "number" });
  return element("tr", { class: "sum unattributed" }, element("th", { scope: "row", title: hint }, "not attributed"),
    element("td", { class: "number" }, amount(share, unit)), empty(), empty(), empty(), empty());
}
