// Printing: uses light colours, draws every chart, opens folded sections, and restores everything afterwards.

/** @import { Charts } from "../chart/charts.js" */
/** @import { Theme } from "./theme.js" */
import { findAll } from "../text/elements.js";

// What findings of one rule have in common is printed once, and rules that weren't evaluated are a line.
/** @returns {HTMLDetailsElement[]} */
function worthOpening() {
  /** @type {Set<string>} */
  const told = new Set();
  return findAll("details:not([open]):not(.unevaluated)").filter((node) => {
    const isTold = node.closest(".finding") !== null && told.has(node.textContent);
    told.add(node.textContent);
    return !isTold;
  });
}

export class Paper {
  /** @param {{ charts: Charts, theme: Theme }} page */
  constructor(page) {
    this.page = page;
    /** @type {HTMLDetailsElement[]} */
    this.folded = [];
    this.isOn = false;
    addEventListener("beforeprint", () => this.set(true));
    addEventListener("afterprint", () => this.set(false));
    // Previews and tools that only emulate the medium send no events.
    matchMedia("print").addEventListener("change", (change) => this.set(change.matches));
  }

  /** @param {boolean} isOn */
  set(isOn) {
    if (isOn === this.isOn) return;
    this.isOn = isOn;
    if (isOn) {
      this.folded = worthOpening();
      for (const node of this.folded) node.open = true;
      this.page.charts.isPrinting = true;
      this.page.theme.print(true);
      this.page.charts.print(true);
      document.documentElement.setAttribute("data-paper", "");
      return;
    }
    for (const node of this.folded) node.open = false;
    document.documentElement.removeAttribute("data-paper");
    this.page.charts.isPrinting = false;
    this.page.theme.print(false);
    this.page.charts.print(false);
  }
}
