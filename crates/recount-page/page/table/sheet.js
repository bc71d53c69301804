// A table of many rows: sorted, filtered, and shown a page at a time. Rows are indices; columns say what to make of them.

/** @import { SheetColumn, SheetSpec, SheetState } from "./types.js" */
import { button, element, find } from "../text/elements.js";
import { decimals } from "../text/numbers.js";
import { NAME_ORDER } from "../text/order.js";
import { debounced } from "../time/pace.js";

const ROWS_A_PAGE = 100;

export class Sheet {
  /** @param {SheetSpec} spec */
  constructor(spec) {
    this.spec = spec;
    this.columns = spec.columns;
    this.rows = spec.rows;
    this.state = spec.state;
    this.choices = spec.choices || [];
    /** Rows that are not filtered away, in their order. */
    this.shown = spec.rows;
    /** @type {Map<number, { node: HTMLElement, close: () => void }>} */
    this.opened = new Map();
    /** @type {Map<number, string>} */
    this.texts = new Map();
    this.search = element("input", { type: "search", placeholder: spec.placeholder, "aria-label": spec.placeholder, spellcheck: "false", autocomplete: "off", value: this.state.q || "" });
    this.search.addEventListener("input", debounced(80, () => this.change({ q: this.search.value, page: 0 })));
    this.told = element("span", { class: "told muted", role: "status" });
    this.pager = element("span", { class: "pager" });
    this.headCells = this.columns.map((column) => this.headCell(column));
    this.body = element("tbody", {});
    this.table = element("table", { class: "sheet many" }, element("caption", { class: "unseen" }, spec.caption), element("thead", {}, element("tr", {}, this.headCells)), this.body);
    this.node = element("div", { class: "sheet-frame" },
      element("div", { class: "sieve" }, this.search, this.selects(), this.told, this.pager),
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": spec.caption }, this.table));
    this.order();
    for (const row of this.state.s || []) this.openRow(row);
  }

  selects() {
    return this.choices.map((choice) => {
      const select = element("select", { "aria-label": choice.label }, choice.options.map(([value, text]) => element("option", { value, dir: "auto" }, text)));
      select.value = this.state[choice.key] || "";
      if (select.selectedIndex < 0) select.selectedIndex = 0;
      select.addEventListener("change", () => this.change({ [choice.key]: select.value, page: 0 }));
      return select;
    });
  }

  /** @param {SheetColumn} column */
  headCell(column) {
    const press = button(column.title, () => this.sortBy(column), { title: column.hint || `Sort by ${column.title}` });
    const cell = element("th", { scope: "col", class: column.isNumber ? "number" : null, "data-key": column.key });
    if (column.sort) cell.append(press);
    else cell.append(column.title);
    return cell;
  }

  // Numbers begin with the largest; a third press restores the order of the capture.
  /** @param {SheetColumn} column */
  sortBy(column) {
    const first = column.isNumber ? `-${column.key}` : column.key;
    const second = column.isNumber ? column.key : `-${column.key}`;
    const next = this.state.sort === first ? second : this.state.sort === second ? "" : first;
    this.change({ sort: next, page: 0 });
  }

  /** @param {Partial<SheetState>} part */
  change(part) {
    Object.assign(this.state, part);
    this.order();
    this.spec.onState(this.state);
  }

  /** @param {number} row */
  wordsOf(row) {
    const known = this.texts.get(row);
    if (known !== undefined) return known;
    const words = this.spec.words(row).toLowerCase();
    this.texts.set(row, words);
    return words;
  }

  order() {
    const wanted = (this.state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = this.choices.filter((choice) => this.state[choice.key]);
    this.shown = this.rows.filter((row) => chosen.every((choice) => choice.test(row, this.state[choice.key] || ""))
      && wanted.every((word) => this.wordsOf(row).includes(word)));
    this.sort();
    this.draw();
  }

  sort() {
    const { sort } = this.state;
    const isDown = sort !== undefined && sort.startsWith("-");
    const key = sort ? sort.replace(/^-/, "") : "";
    const column = this.columns.find((one) => one.key === key && one.sort);
    for (const cell of this.headCells) {
      if (!cell.firstElementChild) continue;
      if (column && cell.dataset.key === key) cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    if (!column || !column.sort) return;
    const { sort: keyOf } = column;
    const keys = new Map(this.shown.map((row) => [row, keyOf(row)]));
    /** @type {(a: any, b: any) => number} */
    const compare = column.isNumber ? (a, b) => a - b : (a, b) => NAME_ORDER.compare(a, b);
    this.shown.sort((rowA, rowB) => {
      const [a, b] = [keys.get(rowA), keys.get(rowB)];
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      return (isDown ? compare(b, a) : compare(a, b)) || rowA - rowB;
    });
  }

  draw() {
    const last = Math.max(0, Math.ceil(this.shown.length / ROWS_A_PAGE) - 1);
    const page = Math.min(this.state.page || 0, last);
    this.state.page = page;
    const from = page * ROWS_A_PAGE;
    const rows = this.shown.slice(from, from + ROWS_A_PAGE);
    const { noun } = this.spec;
    const whole = decimals(this.rows.length, 0);
    this.told.textContent = this.shown.length === this.rows.length ? `${whole} ${noun}` : `${decimals(this.shown.length, 0)} of ${whole} ${noun}`;
    this.body.replaceChildren(...rows.flatMap((row) => this.rowNodes(row)));
    if (!rows.length) this.body.append(element("tr", {}, element("td", { colspan: this.columns.length, class: "none" }, "Nothing matches.")));
    this.drawPager(from, rows.length, last);
  }

  /** @param {number} from @param {number} num @param {number} last */
  drawPager(from, num, last) {
    /** @param {string} text @param {string} label @param {number} page @param {boolean} isOff */
    const go = (text, label, page, isOff) => {
      const node = button(text, () => this.change({ page }), { class: "quiet", "aria-label": label, "data-go": text });
      node.disabled = isOff;
      return node;
    };
    const page = this.state.page || 0;
    this.pager.replaceChildren(...(last === 0 ? [] : [
      go("\u2039", "Rows before", page - 1, page === 0), element("span", { class: "muted" }, `rows ${decimals(from + 1, 0)} to ${decimals(from + num, 0)}`),
      go("\u203a", "Rows after", page + 1, page === last)]));
  }

  /** @param {number} row */
  rowNodes(row) {
    const opened = this.opened.get(row);
    const node = element("tr", { class: this.spec.rowClass ? this.spec.rowClass(row) : null, "data-row": row });
    this.columns.forEach((column, k) => {
      const content = column.cell(row);
      if (k > 0) return node.append(element("td", { class: column.isNumber ? "number" : null }, content));
      const press = button("", () => {}, { class: "opener", "aria-expanded": String(Boolean(opened)) });
      press.append(content);
      return node.append(element("th", { scope: "row" }, press));
    });
    node.addEventListener("click", (event) => {
      // Marking text with the mouse isn't a click.
      const marked = getSelection();
      const isMarking = event.detail > 0 && marked !== null && marked.type === "Range" && node.contains(marked.anchorNode);
      if (!isMarking) this.flip(row, node);
    });
    return opened ? [node, opened.node] : [node];
  }

  /** @param {number} row */
  openRow(row) {
    const host = element("div", { class: "opened-body" });
    const node = element("tr", { class: "opened" }, element("td", { colspan: this.columns.length }, host));
    const opened = { node, close: () => {} };
    this.opened.set(row, opened);
    const above = find(`tr[data-row="${row}"]`, this.body);
    if (above) {
      above.after(node);
      find(".opener", above).setAttribute("aria-expanded", "true");
    }
    opened.close = this.spec.open(row, host);
  }

  /** @param {number} row @param {HTMLElement} above */
  flip(row, above) {
    const opened = this.opened.get(row);
    if (!opened) this.openRow(row);
    else {
      this.opened.delete(row);
      opened.close();
      opened.node.remove();
      find(".opener", above).setAttribute("aria-expanded", "false");
    }
    this.state.s = [...this.opened.keys()];
    this.spec.onState(this.state);
  }

  close() {
    for (const { close } of this.opened.values()) close();
  }
}
