// The time machine: all instances of an object as they were at one sample, sorted; arrow keys go from sample to sample.

/** @import { Screen } from "../screen.js" */
import { chooser, offer } from "./choose.js";
import { Grid } from "./grid.js";
import { isSum, suspectsOf, tellingColumns } from "./suspects.js";
import { Latest } from "../../data/latest.js";
import { draggable } from "../find/drag.js";
import { button, element, named } from "../../text/elements.js";
import { amount, decimals, NONE } from "../../text/numbers.js";

const MOST_COLUMNS = 14;
/** Pixels of the instance's column, and of another. */
const WIDTH_NAME = 230;
const WIDTH_COLUMN = 122;
/** A sample's time is rounded on its way here and back: asked a little later, it is the sample at that time still. */
const BEHIND_MS = 0.002;
const MOST_MACHINE_ROWS = 400;
/** @type {Record<string, string>} */
const FATES = { "only here": "It is in this sample only.", began: "It is not in the sample before.", ended: "It is not in the sample after." };

/**
 * @typedef {{instance: string, id: string | null, host: string | null, values: (number | null)[], status: string[], began: boolean, ended: boolean}} MachineRow
 * @typedef {{time_ms: number, time: string, index: number, num_samples: number, counters: {name: string, unit: string}[], rows: MachineRow[]}} MachineAnswer
 * @typedef {{side: number, object: string, at: number, step: number, sort?: string}} MachineQuestion
 */

export class MachinePanel {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.key = "machine";
    this.title = "Time machine";
    /** @type {MachineAnswer | null} */
    this.answer = null;
    this.owed = 0;
    this.filter = "";
    this.isDown = true;
    this.side = chooser("Capture", (value) => this.choose({ side: value, object: "", sort: "" }));
    this.object = chooser("Object", (value) => this.choose({ object: value, sort: "" }));
    this.counter = chooser("Sort by", (value) => this.sortBy(value));
    this.sieve = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter by instance", spellcheck: "false", autocomplete: "off" });
    this.sieve.addEventListener("input", () => { this.filter = this.sieve.value.toLowerCase(); this.draw(); });
    this.told = element("p", { class: "about", role: "status" });
    const step = (/** @type {string} */ text, /** @type {string} */ label, /** @type {number} */ by) => button(text, () => this.step(by), { class: "quiet small", "aria-label": label, title: label });
    this.steps = element("span", { class: "steps", role: "group", "aria-label": "Samples" }, step("\u2039", "The sample before (left arrow)", -1), step("\u203a", "The sample after (right arrow)", 1));
    this.grid = new Grid("All instances at one sample", (key) => this.sortBy(key));
    this.node = element("div", { class: "panel machine-panel" }, element("div", { class: "sieve" }, this.side, this.object, this.counter, this.steps, this.sieve, this.told), this.grid.node);
    this.node.addEventListener("keydown", (event) => this.onKey(event));
    this.latest = new Latest((/** @type {MachineQuestion} */ question) => this.screen.client.post("instances", question),
      (/** @type {MachineAnswer} */ answer, question) => this.take(answer, question), (error) => this.tell(error.message));
  }

  /** @param {Record<string, string>} change */
  choose(change) {
    Object.assign(this.screen.more, change);
    this.screen.keep();
    this.show();
  }

  asked() {
    const { catalogue, more } = this.screen;
    const side = Math.min(Number(more.side) || 0, catalogue.sides.length - 1);
    const object = more.object && catalogue.object(side, more.object);
    const suspects = suspectsOf(catalogue, this.screen.focus.series(side));
    const name = object ? object.name : suspects ? suspects.object : "";
    const sort = more.sort || (suspects && suspects.object === name ? suspects.counter : "");
    return { side, object: name, sort };
  }

  show() {
    const { catalogue } = this.screen;
    const { side, object } = this.asked();
    this.side.hidden = catalogue.sides.length < 2;
    offer(this.side, catalogue.sides.map(({ label }, k) => [String(k), label]), String(side));
    offer(this.object, catalogue.sides[side].objects.map(({ name }) => [name, name]), object);
    if (object) this.want(0);
    else this.tell("This capture has no objects.");
  }

  enter() { this.grid.node.focus({ preventScroll: true }); }

  /** @param {number} step */
  want(step) {
    const { side, object, sort } = this.asked();
    // Steps go on from the sample that is shown; several in a row go as many samples.
    const at = step !== 0 && this.answer ? this.answer.time_ms + BEHIND_MS : this.screen.focus.moment();
    this.node.setAttribute("aria-busy", "true");
    this.latest.want({ side, object, at, step, ...(sort && { sort }) });
  }

  /**
   * Presses while an answer is awaited are counted; a held key advances as fast as answers arrive, and stops when it is
   * released.
   * @param {number} by @param {boolean} [isHeld]
   */
  step(by, isHeld = false) {
    if (!this.latest.isBusy) this.want(by);
    else if (!isHeld) this.owed += by;
  }

  /** @param {MachineAnswer} answer @param {MachineQuestion} question */
  take(answer, question) {
    this.node.removeAttribute("aria-busy");
    this.answer = answer;
    if (question.step !== 0) this.screen.focus.pin(answer.time_ms, "machine");
    this.draw();
    const next = Math.sign(this.owed);
    this.owed -= next;
    // Once this answer is done with.
    if (next !== 0) queueMicrotask(() => this.want(next));
  }

  /** @param {string} text */
  tell(text) {
    this.node.removeAttribute("aria-busy");
    this.told.textContent = text;
    this.grid.rows([], "Nothing to list.");
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const isTyped = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.step(by, event.repeat);
  }

  /** @param {string} key */
  sortBy(key) {
    const now = this.sortKey();
    if (now === key) this.isDown = !this.isDown;
    else this.isDown = key !== "";
    this.screen.more.sort = key === "" ? "instance" : key;
    this.screen.keep();
    this.draw();
  }

  // The counter that rows are sorted by; "": the name.
  sortKey() {
    if (!this.answer) return "";
    const { sort } = this.asked();
    if (sort === "instance") return "";
    const counter = this.answer.counters.find(({ name }) => name === sort);
    if (counter) return counter.name;
    const first = tellingColumns(this.answer.counters, 1)[0];
    return first === undefined ? "" : this.answer.counters[first].name;
  }

  /** @param {MachineAnswer} answer */
  sortedRows({ counters, rows }) {
    const key = this.sortKey();
    const at = counters.findIndex(({ name }) => name === key);
    const names = new Intl.Collator("en", { numeric: true });
    const sign = this.isDown ? -1 : 1;
    const shown = this.filter ? rows.filter((row) => `${row.instance} ${row.id || ""} ${row.host || ""}`.toLowerCase().includes(this.filter)) : [...rows];
    return shown.sort((a, b) => {
      if (at < 0) return sign * names.compare(a.instance, b.instance);
      const [x, y] = [a.values[at], b.values[at]];
      if (x === null || y === null) return Number(x === null) - Number(y === null);
      return Number(isSum(b.instance)) - Number(isSum(a.instance)) || sign * (x - y);
    });
  }

  // As many columns as fit. The one by which rows are sorted is always included.
  numColumns() {
    const num = Math.floor((this.node.clientWidth - WIDTH_NAME) / WIDTH_COLUMN);
    return Math.min(Math.max(num, 3), MOST_COLUMNS);
  }

  draw() {
    const { answer } = this;
    if (!answer) return;
    const { clock, page } = this.screen;
    const key = this.sortKey();
    const shown = tellingColumns(answer.counters, this.numColumns(), key);
    const rows = this.sortedRows(answer);
    this.told.replaceChildren(element("b", {}, `${clock.date(answer.time_ms)} ${clock.text(answer.time_ms, page.step < 1000 ? 1 : 1000)}`), element("span", { class: "muted" },
      ` sample ${decimals(answer.index + 1, 0)} of ${decimals(answer.num_samples, 0)}, ${decimals(answer.rows.length, 0)} instances${rows.length > MOST_MACHINE_ROWS ? `, ${MOST_MACHINE_ROWS} shown` : ""}`));
    offer(this.counter, [["", "Instance"], ...answer.counters.map(({ name }) => /** @type {[string, string]} */ ([name, name]))], key);
    this.grid.columns([{ key: "", title: "Instance", isSorting: true },
      ...shown.map((c) => ({ key: answer.counters[c].name, title: named(answer.counters[c].name), isNumber: true, isSorting: true }))], { key, isDown: this.isDown });
    this.grid.rows(rows.slice(0, MOST_MACHINE_ROWS).map((row) => this.row(answer, row, shown)), this.filter ? "Nothing matches." : "The object has no instances in this sample.");
  }

  /** @param {MachineAnswer} answer @param {MachineRow} row @param {number[]} shown */
  row(answer, row, shown) {
    const { screen } = this;
    const { side, object } = this.asked();
    const name = row.instance || object;
    const series = () => {
      const about = screen.catalogue.object(side, object);
      const wanted = this.sortKey() || answer.counters[shown[0]].name;
      const counter = about && about.counters.find((one) => one.name === wanted);
      return about && counter ? screen.bothSides(screen.catalogue.series(side, about, row.instance || row.host ? { name: row.instance, id: row.id, host: row.host } : null, counter)) : [];
    };
    const add = button("", () => screen.add(series(), screen.board.selected), { class: "adder", title: `Add to a chart: ${name}`, "data-focus": `${row.host} ${name} ${row.id}` });
    add.append(named([name, row.id && `(${row.id})`, row.host].filter(Boolean).join(" ")));
    draggable(add, series);
    const fate = row.began && row.ended ? "only here" : row.began ? "began" : row.ended ? "ended" : "";
    return element("tr", { class: isSum(row.instance) ? "sum" : null },
      element("th", { scope: "row" }, add, fate ? element("span", { class: `fate ${row.began ? "began" : "ended"}`, title: FATES[fate] }, fate) : null),
      shown.map((c) => this.cell(row.values[c], row.status[c], answer.counters[c].unit)));
  }

  /** @param {number | null} value @param {string} status @param {string} unit */
  cell(value, status, unit) {
    if (value !== null && value !== undefined) return element("td", { class: `number${value === 0 ? " zero" : ""}` }, amount(value, unit));
    return element("td", { class: "number none", title: status || null }, NONE, status ? element("span", { class: "unseen" }, ` ${status}`) : null);
  }
}
