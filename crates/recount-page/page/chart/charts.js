// All charts of the page: drawn when they come near, kept in step with the time line, redrawn for another theme or for paper.

/** @import { Chart } from "./chart.js" */
/** @import { ChartPage, Stand } from "./types.js" */
import { debounced, perFrame } from "../time/pace.js";

const PAPER_WIDTH = 1320;
const PAPER_SCALE = 2;
const MOST_ON_PAPER = 80;
/** Longer than a log that grows is still for. */
const RESTING_MS = 1500;

export class Charts {
  /** @param {ChartPage} page */
  constructor(page) {
    this.page = page;
    /** @type {Set<Chart>} */
    this.all = new Set();
    /** @type {Set<Chart>} */
    this.near = new Set();
    this.isPrinting = false;
    /** Whether raw values are told. */
    this.isRaw = false;
    /** The chart that was pointed at last. @type {Chart | null} */
    this.pointed = null;
    /** @type {WeakMap<Element, Chart>} */
    this.byHost = new WeakMap();
    this.observer = new IntersectionObserver((entries) => this.onNear(entries), { rootMargin: "300px 0px" });
    this.resizer = new ResizeObserver(perFrame(() => { if (!this.isPrinting) for (const chart of this.near) chart.resize(); }));
    this.turn = 0;
    this.rest = debounced(RESTING_MS, () => this.foresee());
    page.timeline.windowListeners.add(() => {
      this.turn++;
      for (const chart of this.near) chart.showWindow();
      this.rest();
    });
    page.timeline.cursorListeners.add(() => { for (const chart of this.near) chart.showCursor(); });
    page.theme.listeners.add(() => { if (!this.isPrinting) this.redraw(); });
  }

  /** @param {Chart} chart */
  watch(chart) {
    this.all.add(chart);
    this.byHost.set(chart.host, chart);
    this.observer.observe(chart.host);
    this.resizer.observe(chart.canvasHost);
    this.rest();
  }

  // Printing includes charts that haven't been scrolled to, and doesn't wait for a server: their points are requested
  // beforehand, one by one, while the page is idle.
  async foresee() {
    const turn = ++this.turn;
    let num = 0;
    for (const chart of [...this.all]) {
      if (turn !== this.turn) return;
      if (chart.host.closest("[hidden]") || num++ >= MOST_ON_PAPER) continue;
      if (!this.near.has(chart)) await chart.foresee();
    }
  }

  /** @param {Chart} chart */
  forget(chart) {
    this.all.delete(chart);
    this.near.delete(chart);
    if (this.pointed === chart) this.pointed = null;
    this.observer.unobserve(chart.host);
    this.resizer.unobserve(chart.canvasHost);
  }

  flipRaw() {
    this.isRaw = !this.isRaw;
    for (const chart of this.all) {
      chart.raw.setAttribute("aria-pressed", String(this.isRaw));
      chart.showCursor();
      chart.table.refresh();
    }
  }

  // What a time stands for: that of the chart that was pointed at, else of the first near one that knows.
  /** @param {number} ms @returns {Stand | null} */
  stand(ms) {
    for (const chart of [this.pointed, ...this.near]) {
      const stand = chart && this.near.has(chart) ? chart.stand(ms) : null;
      if (stand) return stand;
    }
    return null;
  }

  // The time of a sample, or the stretch of time that values at the cursor are about.
  /** @param {number} cursor */
  timeText(cursor) {
    const { clock, timeline } = this.page;
    const step = timeline.shownStep;
    const full = (/** @type {number} */ ms) => clock.full(ms, timeline.begin, timeline.end, step);
    const stand = this.stand(cursor);
    if (!stand || cursor < stand.from || cursor > stand.to || full(stand.from) === full(stand.to)) return full(cursor);
    return `${full(stand.from)} to ${clock.text(stand.to, step)}`;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  onNear(entries) {
    for (const { target, isIntersecting } of entries) {
      const chart = this.byHost.get(target);
      if (!chart || !this.all.has(chart)) continue;
      if (!isIntersecting) {
        this.near.delete(chart);
        continue;
      }
      this.near.add(chart);
      if (this.isPrinting) continue;
      if (!chart.plot || chart.isStale) chart.draw();
      chart.isStale = false;
      chart.resize();
      chart.showWindow();
      chart.showCursor();
    }
  }

  // Those far away are only redrawn when they come near.
  redraw() {
    for (const chart of this.all) {
      if (!chart.plot) continue;
      if (this.near.has(chart)) chart.draw();
      else chart.isStale = true;
    }
  }

  // On paper every chart is drawn, at twice the size, which the print style sheet scales to the width of its box.
  /** @param {boolean} isPrinting */
  print(isPrinting) {
    this.isPrinting = isPrinting;
    if (!isPrinting) {
      this.redraw();
      return;
    }
    let num = 0;
    for (const chart of this.all) {
      if (chart.host.closest("[hidden]") || num++ >= MOST_ON_PAPER) continue;
      const isWide = chart.host.closest(".wide, .opened, .odd-end");
      chart.draw({ width: isWide ? PAPER_WIDTH : PAPER_WIDTH / 2, height: chart.height * PAPER_SCALE, scale: PAPER_SCALE });
    }
  }
}
