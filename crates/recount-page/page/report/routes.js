// The fragment determines what is shown, so that every state has an address, even for a file, and back and forward
// work:   #finding-3, #health ...            a place of the report   #object-process?q=java&sort=-mean  the table of an
// object's series, its filter, order, page and opened charts   #all-series?...                    the same of all
// series

/** @import { Sheet } from "../table/sheet.js" */
/** @import { SheetState } from "../table/types.js" */
/** @import { Page } from "./page.js" */
/** @import { Pairs } from "./pairs.js" */
import { SeriesView } from "./series.js";
import { find, findAll } from "../text/elements.js";

/** @type {("q" | "sort" | "counter" | "verdict")[]} */
const WORDS = ["q", "sort", "counter", "verdict"];

/** @param {string} hash */
export function parseFragment(hash) {
  const [name, query] = hash.replace(/^#/, "").split("?", 2);
  /** @type {SheetState} */
  const state = {};
  for (const [key, value] of new URLSearchParams(query || "")) {
    const word = WORDS.find((one) => one === key);
    if (key === "s") state.s = value.split(".").map(Number).filter((k) => Number.isInteger(k) && k >= 0);
    else if (key === "page") state.page = Math.max(0, Math.floor(Number(value) - 1) || 0);
    else if (word) state[word] = value;
  }
  return { name, state };
}

/** @param {string} name @param {SheetState} state */
export function fragmentOf(name, state) {
  const query = new URLSearchParams();
  for (const key of WORDS) if (state[key]) query.set(key, state[key]);
  if (state.page) query.set("page", String(state.page + 1));
  if (state.s && state.s.length) query.set("s", state.s.join("."));
  return `#${name}${String(query) ? `?${query}` : ""}`;
}

export class Routes {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {SeriesView | null} */
    this.series = null;
    /** @type {Sheet | null} */
    this.sheet = null;
    /** Where the report was left, for the way back. */
    this.left = 0;
    this.report = find("#view-report");
    this.view = find("#view-series");
    /** @type {Map<string, number>} */
    this.objects = new Map(findAll("a[data-object]").map((link) => [link.getAttribute("href").slice(1), Number(link.dataset.object)]));
    this.title = document.title;
    addEventListener("hashchange", () => this.follow());
    // A click on a link to the current address causes no change event, but should go there again.
    document.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
      if (link && link.getAttribute("href") === location.hash) this.follow();
    });
    this.follow(true);
  }

  /** @param {boolean} [isFirst] */
  follow(isFirst) {
    const { name, state } = parseFragment(location.hash);
    if (name === "main") return find("#main").focus();
    if (name === "all-series") return this.showSeries(name, null, state);
    const object = this.objects.get(name);
    if (object !== undefined) return this.showSeries(name, object, state);
    this.showReport();
    const { pairs } = this.page;
    if (pairs && (!this.sheet || name === "changes")) this.showPairs(pairs, state);
    return this.goTo(name, isFirst);
  }

  showReport() {
    if (this.series) this.series.close();
    this.series = null;
    this.view.hidden = true;
    this.view.replaceChildren();
    this.report.hidden = false;
    document.title = this.title;
    this.current("");
  }

  /** @param {string} name @param {boolean} [isFirst] */
  goTo(name, isFirst) {
    const target = name ? document.getElementById(name) : null;
    if (!target || !this.report.contains(target)) return isFirst ? undefined : scrollTo(0, this.left);
    if (target.hidden) find("#finding-sieve").clear();
    for (let node = /** @type {HTMLElement | null} */ (target); node; node = node.parentElement) if (node instanceof HTMLDetailsElement) node.open = true;
    this.current(`#${name}`);
    if (target.matches("#start")) return scrollTo(0, 0);
    target.scrollIntoView();
    const heading = find("h2, h3", target) || target;
    heading.setAttribute("tabindex", "-1");
    return isFirst ? undefined : heading.focus({ preventScroll: true });
  }

  /** @param {string} name @param {number | null} index @param {SheetState} state */
  showSeries(name, index, state) {
    if (!this.series) this.left = scrollY;
    if (this.series) this.series.close();
    state.s = (state.s || []).filter((s) => s < this.page.capture.numSeries && (index === null || this.page.capture.columns.o[s] === index));
    this.series = new SeriesView(this.page, index, state, (now) => this.keep(name, now));
    this.report.hidden = true;
    this.view.replaceChildren(this.series.node);
    this.view.hidden = false;
    scrollTo(0, 0);
    const heading = find("#object-title");
    document.title = `${heading.textContent} - ${this.title}`;
    heading.focus({ preventScroll: true });
    this.current(index === null ? "#all-series" : "#objects");
  }

  /** @param {Pairs} pairs @param {SheetState} state */
  showPairs(pairs, state) {
    if (this.sheet) this.sheet.close();
    state.s = (state.s || []).filter((p) => p < pairs.columns.v.length);
    if (state.sort === undefined) state.sort = "verdict";
    this.sheet = pairs.sheet(state, (now) => this.keep("changes", now));
    find("#pairs").replaceChildren(this.sheet.node);
  }

  // Replaced, not pushed: back leaves the table instead of undoing letters of the filter.
  /** @param {string} name @param {SheetState} state */
  keep(name, state) {
    try { history.replaceState(null, "", fragmentOf(name, state)); } catch { /* some browsers forbid it for files: then the address stays */ }
  }

  /** @param {string} href */
  current(href) {
    for (const link of findAll(".places a")) {
      if (link.getAttribute("href") === href) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}
