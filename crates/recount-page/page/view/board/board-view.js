// The board on the screen: a card for each chart, in their order.

/** @import { Screen } from "../screen.js" */
/** @import { BoardChart } from "../state/board.js" */
import { Card } from "./card.js";
import { liveLines } from "./lines.js";
import { droppable } from "../find/drag.js";
import { Chart } from "../../chart/chart.js";
import { keepRows } from "../../frame/rows.js";
import { find } from "../../text/elements.js";
import { perFrame } from "../../time/pace.js";

const BOARD_HEIGHT = 190;

export class BoardView {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.node = find("#board");
    /** @type {Map<number, Card>} */
    this.cards = new Map();
    this.fresh = find("#new-chart");
    this.first = find("#first-charts");
    this.renewRows = keepRows(this.node, 29);
    this.fresh.hidden = false;
    this.fresh.addEventListener("click", () => { screen.board.addChart({}); screen.finder.open(); });
    this.first.addEventListener("click", () => screen.board.set(screen.firstCharts()));
    droppable(find("#start"), (series) => screen.add(series, null));
    screen.board.listeners.add((kind) => this.follow(kind));
    this.showPin = perFrame(() => { for (const card of this.cards.values()) card.showPin(); });
    screen.timeline.windowListeners.add(() => this.showPin());
  }

  /** @param {string} kind */
  follow(kind) {
    const { charts } = this.screen.board;
    if (kind === "charts") {
      for (const [id, card] of this.cards) if (!charts.some((chart) => chart.id === id)) { card.remove(); this.cards.delete(id); }
      charts.forEach((chart, k) => this.place(this.cardOf(chart).node, k));
    }
    for (const card of this.cards.values()) if (kind === "selected") card.select(); else card.update();
    if (kind !== "selected") this.renewRows();
    this.showPin();
  }

  // Only misplaced elements are moved: moving an element loses the focus.
  /** @param {HTMLElement} node @param {number} k */
  place(node, k) { if (this.node.children[k] !== node) this.node.insertBefore(node, this.node.children[k] || null); }

  /** @param {BoardChart} chart */
  cardOf(chart) {
    let card = this.cards.get(chart.id);
    if (!card) {
      card = new Card(this.screen, chart);
      this.cards.set(chart.id, card);
    }
    return card;
  }

  /** @param {BoardChart} chart */
  contentOf(chart) {
    const { catalogue, page } = this.screen;
    const sides = catalogue.sides.length > 1 ? catalogue.sides.map(({ label }) => label) : [];
    const lines = liveLines(chart.series.map(({ side, path }) => catalogue.about(side, path)), sides, chart.unit);
    return { lines, title: this.screen.titleOf(chart), isStacked: chart.stacked, isLogarithmic: chart.logarithmic, findings: page.findingsAbout(chart.series) };
  }

  /** @param {HTMLElement} host @param {BoardChart} chart */
  draw(host, chart) {
    return new Chart(this.screen.page, host, {
      ...this.contentOf(chart), height: BOARD_HEIGHT, onPlaced: () => this.showPin(),
      onPress: (drawn, at) => this.screen.focus.press(drawn, at),
      onSpan: (drawn, from, to, isShift) => { if (isShift) this.screen.focus.choose(drawn, { from, to }); return isShift; },
    });
  }

  /**
   * Makes the chart the one that panels ask about.
   * @param {Chart} chart
   * @returns {boolean} whether it is on the board
   */
  pointAt(chart) {
    const found = [...this.cards.values()].find(({ drawn }) => drawn === chart);
    if (found) this.screen.focus.pointed = found.chart.id;
    return found !== undefined;
  }

  /** @param {number} id */
  reveal(id) {
    const card = this.cards.get(id);
    if (card) card.node.scrollIntoView({ block: "nearest" });
  }

  /** @param {boolean} isFirst */
  tellFirst(isFirst) { this.first.hidden = isFirst; }

  /** @param {{from: number, to: number}} _span */
  showSpan(_span) { this.showPin(); }

  /** @returns {boolean} whether a menu was open */
  closeMenu() {
    const open = [...this.cards.values()].find(({ menu }) => !menu.node.hidden);
    if (open) open.menu.flip(false);
    return open !== undefined;
  }

  /** @param {number} id */
  drawnOf(id) { return this.cards.get(id)?.drawn ?? null; }

  // Names and units may be known now that weren't.
  renew() { for (const card of this.cards.values()) card.update(); }
}
