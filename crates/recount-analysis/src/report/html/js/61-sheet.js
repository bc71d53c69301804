// A table of many rows: sorted, filtered, and shown a page at a time. Rows are indices; columns say what to make of them.
//
// A column: {key, title, isNumber, sort(row) -> number or text or null, cell(row) -> text or node, hint}
// Given: {columns, rows, words(row) -> text that the filter searches, open(row, host), caption, noun, state, onState}

const ROWS_A_PAGE = 100;

class Sheet {
  constructor(given) {
    Object.assign(this, given);
    this.extra = [];
    this.opened = new Map();
    this.texts = new Map();
    this.search = element("input", { type: "search", placeholder: this.placeholder, "aria-label": this.placeholder, spellcheck: "false", autocomplete: "off", value: this.state.q || "" });
    this.search.addEventListener("input", debounced(80, () => this.change({ q: this.search.value, page: 0 })));
    this.told = element("span", { class: "told muted", role: "status" });
    this.pager = element("span", { class: "pager" });
    this.headRow = element("tr", {}, this.columns.map((column) => this.headCell(column)));
    this.body = element("tbody", {});
    this.table = element("table", { class: "sheet many" }, element("caption", { class: "unseen" }, this.caption), element("thead", {}, this.headRow), this.body);
    this.node = element("div", { class: "sheet-frame" },
      element("div", { class: "sieve" }, this.search, this.selects(), this.told, this.pager),
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": this.caption }, this.table));
    this.order();
    for (const row of this.state.s || []) this.openRow(row);
  }

  // Choices beside the filter: {key, label, options: [[value, text]], test(row, value)}
  selects() {
    return (this.choices || []).map((choice) => {
      const select = element("select", { "aria-label": choice.label }, choice.options.map(([value, text]) => element("option", { value, dir: "auto" }, text)));
      select.value = this.state[choice.key] || "";
      if (select.selectedIndex < 0) select.selectedIndex = 0;
      select.addEventListener("change", () => this.change({ [choice.key]: select.value, page: 0 }));
      return select;
    });
  }

  headCell(column) {
    const press = button(column.title, () => this.sortBy(column), { title: column.hint || `Sort by ${column.title}` });
    const cell = element("th", { scope: "col", class: column.isNumber ? "number" : null, "data-key": column.key });
    if (column.sort) cell.append(press);
    else cell.append(column.title);
    return cell;
  }

  // Numbers begin with the largest; a third press gives back the order of the capture.
  sortBy(column) {
    const first = column.isNumber ? `-${column.key}` : column.key;
    const second = column.isNumber ? column.key : `-${column.key}`;
    const next = this.state.sort === first ? second : this.state.sort === second ? "" : first;
    this.change({ sort: next, page: 0 });
  }

  change(part) {
    Object.assign(this.state, part);
    this.order();
    this.onState(this.state);
  }

  wordsOf(row) {
    if (!this.texts.has(row)) this.texts.set(row, this.words(row).toLowerCase());
    return this.texts.get(row);
  }

  order() {
    const wanted = (this.state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = (this.choices || []).filter((choice) => this.state[choice.key]);
    this.shown = this.rows.filter((row) => chosen.every((choice) => choice.test(row, this.state[choice.key]))
      && wanted.every((word) => this.wordsOf(row).includes(word)));
    this.sort();
    this.draw();
  }

  sort() {
    const { sort } = this.state;
    const isDown = Boolean(sort) && sort.startsWith("-");
    const key = sort ? sort.replace(/^-/, "") : "";
    const column = this.columns.find((one) => one.key === key && one.sort);
    for (const cell of this.headRow.children) {
      if (!cell.firstElementChild) continue;
      if (column && cell.dataset.key === key) cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    if (!column) return;
    const keys = new Map(this.shown.map((row) => [row, column.sort(row)]));
    const compare = column.isNumber ? (a, b) => a - b : (a, b) => NAME_ORDER.compare(a, b);
    this.shown.sort((rowA, rowB) => {
      const [a, b] = [keys.get(rowA), keys.get(rowB)];
      if (a === null || b === null) return (a === null) - (b === null);
      return (isDown ? compare(b, a) : compare(a, b)) || rowA - rowB;
    });
  }

  draw() {
    const last = Math.max(0, Math.ceil(this.shown.length / ROWS_A_PAGE) - 1);
    this.state.page = Math.min(this.state.page || 0, last);
    const from = this.state.page * ROWS_A_PAGE;
    const rows = this.shown.slice(from, from + ROWS_A_PAGE);
    const whole = decimals(this.rows.length, 0);
    this.told.textContent = this.shown.length === this.rows.length ? `${whole} ${this.noun}` : `${decimals(this.shown.length, 0)} of ${whole} ${this.noun}`;
    this.body.replaceChildren(...rows.flatMap((row) => this.rowNodes(row)));
    if (!rows.length) this.body.append(element("tr", {}, element("td", { colspan: this.columns.length, class: "none" }, "Nothing matches.")));
    this.drawPager(from, rows.length, last);
  }

  drawPager(from, num, last) {
    const go = (text, label, page, isOff) => {
      const node = button(text, () => this.change({ page }), { class: "quiet", "aria-label": label, "data-go": text });
      node.disabled = isOff;
      return node;
    };
    const { page } = this.state;
    this.pager.replaceChildren(...(last === 0 ? [] : [
      go("\u2039", "Rows before", page - 1, page === 0), element("span", { class: "muted" }, `rows ${decimals(from + 1, 0)} to ${decimals(from + num, 0)}`),
      go("\u203a", "Rows after", page + 1, page === last)]));
  }

  rowNodes(row) {
    const opened = this.opened.get(row);
    const node = element("tr", { class: this.rowClass ? this.rowClass(row) : null, "data-row": row });
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
      const isMarking = event.detail > 0 && marked.type === "Range" && node.contains(marked.anchorNode);
      if (!isMarking) this.flip(row, node);
    });
    return opened ? [node, opened.node] : [node];
  }

  openRow(row) {
    const host = element("div", { class: "opened-body" });
    const node = element("tr", { class: "opened" }, element("td", { colspan: this.columns.length }, host));
    this.opened.set(row, { node, close: null });
    const above = find(`tr[data-row="${row}"]`, this.body);
    if (above) {
      above.after(node);
      find(".opener", above).setAttribute("aria-expanded", "true");
    }
    this.opened.get(row).close = this.open(row, host);
  }

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
    this.onState(this.state);
  }

  close() {
    for (const { close } of this.opened.values()) close();
  }
}

const NAME_ORDER = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
