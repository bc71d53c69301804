// Places of the page: the sections of the report once they are there, and the tables of series.

/** @import { Screen } from "./screen.js" */
import { SeriesView } from "../report/series.js";
import { fragmentOf, parseFragment } from "../report/routes.js";
import { element, find } from "../text/elements.js";

export class Places {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.current = "";
    /** @type {SeriesView | null} */
    this.series = null;
    /** The address names a place that isn't there before everything is counted. */
    this.isAwaited = true;
    /** Where the charts were left, for the way back. */
    this.left = 0;
    this.view = find("#view-series");
    this.charts = [find("#first-findings"), find("#start"), find("#view-report")];
    document.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
      if (!link || link.classList.contains("skip")) return;
      event.preventDefault();
      this.show(/** @type {string} */ (link.getAttribute("href")).slice(1), true);
      this.screen.keep();
    });
  }

  get report() { return this.screen.report; }

  // The links of the header, once there is something to go to.
  tell() {
    const places = [["start", "Charts", ""], ["findings", "Findings", find("#findings")?.dataset.num || ""], ["objects", "Objects", ""], ["all-series", "Series", ""], ["health", "Health", ""]];
    const there = places.filter(([id]) => id === "all-series" || document.getElementById(id));
    find("#places ul").replaceChildren(...there.map(([id, text, count]) => element("li", {}, element("a", { href: `#${id}` }, text, count ? element("span", { class: "count" }, ` ${count}`) : null))));
    find("#places").hidden = false;
    this.show(this.current, this.isAwaited);
    this.isAwaited = false;
  }

  /** @param {string} place @param {boolean} [isGoing] somebody asked to go there */
  show(place, isGoing = false) {
    const { name, state } = parseFragment(place);
    const { report } = this;
    const index = report ? report.objects.get(name) : undefined;
    this.current = name === "start" ? "" : place;
    if (report && (name === "all-series" || index !== undefined)) this.showSeries(name, index === undefined ? null : index, state);
    else this.showCharts();
    if (!this.series && name && isGoing) this.goTo(name);
  }

  showCharts() {
    if (!this.series) return;
    this.series.close();
    this.series = null;
    this.view.hidden = true;
    this.view.replaceChildren();
    for (const node of this.charts) node.hidden = false;
    scrollTo(0, this.left);
  }

  /** @param {string} name @param {number | null} index @param {import("../table/types.js").SheetState} state */
  showSeries(name, index, state) {
    const { report } = this;
    if (!report) return;
    if (!this.series) this.left = scrollY;
    if (this.series) this.series.close();
    state.s = (state.s || []).filter((s) => s < report.capture.numSeries);
    this.series = new SeriesView(report, index, state, (now) => {
      this.current = fragmentOf(name, now).slice(1);
      this.screen.keep(false);
    });
    for (const node of this.charts) node.hidden = true;
    this.view.replaceChildren(this.series.node);
    this.view.hidden = false;
    scrollTo(0, 0);
    find("#object-title").focus({ preventScroll: true });
  }

  /** @param {string} name */
  goTo(name) {
    const target = document.getElementById(name);
    if (!target) return;
    if (target.hidden && find("#finding-sieve")) find("#finding-sieve").clear();
    for (let node = /** @type {Element | null} */ (target); node; node = node.parentElement) if (node instanceof HTMLDetailsElement) node.open = true;
    if (name === "start") { scrollTo(0, 0); return; }
    target.scrollIntoView();
    const heading = find("h2, h3", target) || target;
    heading.setAttribute("tabindex", "-1");
    heading.focus({ preventScroll: true });
  }
}
