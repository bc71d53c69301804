// `recount diff`: pairs of series on one axis of elapsed time, base grey and dashed below new.

const VERDICTS = ["same", "regression", "improvement", "change", "unsure"];
const VERDICT_WORDS = ["same", "worse", "better", "changed", "unsure"];
const VERDICT_ORDER = [4, 0, 1, 2, 3];

class Pairs {
  constructor(page) {
    Object.assign(this, { page, capture: page.capture, columns: page.capture.head.pairs });
  }

  either(p) { return this.columns.new[p] === null ? this.columns.base[p] : this.columns.new[p]; }

  of(side, column, p) {
    const s = this.columns[side][p];
    return s === null ? null : this.capture.columns[column][s];
  }

  name(p) { return this.capture.fullName(this.either(p)); }

  chart(host, p, height) {
    const sides = [["base", "base", "base", [5, 4]], ["new", "new", 0, null]];
    const lines = sides.filter(([side]) => this.columns[side][p] !== null)
      .map(([side, label, colour, dash]) => ({ s: this.columns[side][p], label, colour, dash, unit: this.capture.unit(this.columns[side][p]) }));
    return new Chart(this.page, host, { lines, title: this.name(p), height });
  }

  sheetColumns() {
    const { capture } = this;
    const text = (key, title, of) => ({ key, title, sort: of, cell: (p) => named(of(p)) });
    const value = (side, column, title) => ({ key: `${side}-${column}`, title, isNumber: true, sort: (p) => this.of(side, column, p),
      cell: (p) => amount(this.of(side, column, p), capture.unit(this.either(p))) });
    const change = (column, title) => ({ key: `change-${column}`, title, isNumber: true, sort: (p) => this.change(column, p), cell: (p) => changeText(this.change(column, p)) });
    const given = (key, title, hint) => ({ key, title, hint, isNumber: true, sort: (p) => this.columns[key][p], cell: (p) => (this.columns[key][p] === null ? NONE : significant(this.columns[key][p])) });
    return [
      { key: "verdict", title: "Verdict", isNumber: false, sort: (p) => String(VERDICT_ORDER[this.columns.v[p]]), cell: (p) => this.chip(p) },
      text("counter", "Counter", (p) => capture.counter(this.either(p)).name),
      ...(capture.head.objects.length > 1 ? [text("object", "Object", (p) => capture.object(this.either(p)).name)] : []),
      text("instance", "Instance", (p) => capture.instanceName(this.either(p))),
      { key: "shape", title: "Course", cell: (p) => this.spark(p) },
      value("base", "mean", "Base mean"), value("new", "mean", "New mean"), change("mean", "Change"),
      value("base", "p95", "Base p95"), value("new", "p95", "New p95"), change("p95", "Change p95"),
      given("p", "p", "Sort by the p-value"), given("e", "Effect", "Sort by the size of the effect"),
      ...(this.columns.note && this.columns.note.some(Boolean) ? [text("note", "Note", (p) => this.columns.note[p] || "")] : []),
    ];
  }

  change(column, p) { return percentChange(this.of("base", column, p), this.of("new", column, p)); }

  caption(p) {
    const s = this.either(p);
    const object = this.capture.object(s).name;
    const place = this.capture.instanceName(s) ? `${object}(${this.capture.instanceName(s)})` : object;
    return [
      element("p", { class: `judged ${VERDICTS[this.columns.v[p]]}` }, this.chip(p), element("span", { class: "muted" }, `mean ${changeText(this.change("mean", p))}`), named(place)),
      element("figcaption", {}, element("h3", { class: "cut", title: this.name(p) }, element("bdi", {}, this.capture.counter(s).name))),
    ];
  }

  chip(p) {
    return element("span", { class: "chip" }, element("i", { class: "sign" }), VERDICT_WORDS[this.columns.v[p]]);
  }

  spark(p) {
    const both = element("span", { class: "sparks" });
    const values = ["base", "new"].flatMap((side) => [this.of(side, "lo", p), this.of(side, "hi", p)]).filter((value) => value !== null);
    const range = [Math.min(...values), Math.max(...values)];
    for (const side of ["base", "new"]) if (this.columns[side][p] !== null) both.append(sparkline(this.capture, this.columns[side][p], side, range));
    return both;
  }

  sheet(state, onState) {
    const rows = Array.from({ length: this.columns.v.length }, (_, p) => p);
    return new Sheet({
      columns: this.sheetColumns(), rows, state, onState, caption: "All pairs of series", noun: "series", placeholder: "Filter by instance and counter",
      words: (p) => this.name(p), rowClass: (p) => VERDICTS[this.columns.v[p]],
      choices: [{ key: "verdict", label: "Verdict", options: [["", "All verdicts"], ...VERDICTS.map((verdict, v) => [verdict, VERDICT_WORDS[v]])],
        test: (p, verdict) => VERDICTS[this.columns.v[p]] === verdict }],
      open: (p, host) => {
        const plot = element("div", { class: "plot" });
        host.append(plot);
        const chart = this.chart(plot, p, 220);
        return () => chart.close();
      },
    });
  }
}

// The charts that stand in the page, and the table of all pairs in place of the static one.
function wirePairs(page) {
  const pairs = new Pairs(page);
  for (const host of findAll(".plot[data-pair]")) {
    const p = Number(host.dataset.pair);
    host.before(...pairs.caption(p));
    pairs.chart(host, p);
  }
  page.pairs = pairs;
}
