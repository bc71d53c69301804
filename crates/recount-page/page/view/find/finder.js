// The finder: an input box with the best series below it, or everything by object while it is empty.

/** @import { SeriesInfo } from "../data/catalogue.js" */
/** @import { Screen } from "../screen.js" */
import { offersOf, sizesOf, sortedBySize } from "./by-size.js";
import { draggable } from "./drag.js";
import { SeriesSearch } from "./search.js";
import { ObjectTree } from "./tree.js";
import { button, element, find, named } from "../../text/elements.js";
import { amount, decimals } from "../../text/numbers.js";
import { isCancelled } from "../data/client.js";
import { debounced } from "../../time/pace.js";

const MOST_RESULTS = 100;

export class Finder {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.node = find("#finder");
    /** @type {SeriesInfo[]} */
    this.all = [];
    /** @type {SeriesSearch | null} */
    this.search = null;
    /** @type {SeriesInfo[]} */
    this.shown = [];
    this.active = -1;
    this.box = element("input", { type: "search", id: "finder-box", role: "combobox", "aria-expanded": "false", "aria-controls": "finder-list", "aria-autocomplete": "list",
      "aria-label": "Find a counter by object, instance, counter or host", placeholder: "python working set", spellcheck: "false", autocomplete: "off" });
    this.list = element("ul", { id: "finder-list", class: "results", role: "listbox", "aria-label": "Counters that fit" });
    this.offers = element("div", {});
    /** How much the results had, by path, where it is known. @type {Map<string, number>} */
    this.sizes = new Map();
    this.unit = "";
    this.told = element("p", { class: "told muted", role: "status" });
    this.target = element("p", { class: "target muted" });
    this.tree = new ObjectTree(screen);
    this.node.replaceChildren(
      element("div", { class: "bar" }, element("h2", { id: "finder-title" }, "Counters"), button("\u00d7", () => this.close(), { class: "quiet small", "aria-label": "Close the list of counters" })),
      this.box, this.target, this.told, this.offers, this.list, this.tree.node);
    this.list.hidden = true;
    this.rank = debounced(150, () => this.sortBySize());
    screen.timeline.windowListeners.add(() => { if (this.isOpen) this.rank(); });
    this.box.addEventListener("input", () => this.look());
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    screen.board.listeners.add(() => this.tellTarget());
    this.tellTarget();
  }

  get isOpen() { return !this.node.hidden; }

  open() {
    this.node.hidden = false;
    this.screen.tools.press("find", true);
    this.tree.fill();
    // The window may be another one since.
    this.rank();
    this.tree.rank();
    this.box.focus();
    this.box.select();
  }

  close() {
    this.node.hidden = true;
    this.screen.tools.press("find", false);
  }

  // Names may have come since: a log that grows.
  renew() {
    this.search = null;
    this.tree.renew();
    if (this.isOpen) {
      this.tree.fill();
      if (this.box.value) this.look();
    }
  }

  tellTarget() {
    const chart = this.screen.board.chart(this.screen.board.selected);
    this.target.replaceChildren(...(chart
      ? [element("kbd", {}, "Enter"), " adds to ", named(this.screen.titleOf(chart)), ", ", element("kbd", {}, "Shift"), " with it to a new chart"]
      : [element("kbd", {}, "Enter"), " adds to a new chart. Press a chart\u2019s title to add to it."]));
  }

  look() {
    if (!this.search) {
      this.all = this.screen.catalogue.distinctSeries();
      this.search = new SeriesSearch(this.all);
    }
    const query = this.box.value.trim();
    const { found, num } = this.search.find(query, MOST_RESULTS);
    this.shown = found.map((s) => this.all[s]);
    this.active = this.shown.length ? 0 : -1;
    this.list.hidden = query === "";
    this.tree.node.hidden = query !== "";
    this.told.textContent = query === "" ? "" : num > found.length ? `${decimals(num, 0)} counters fit; the best ${found.length}` : `${num} of ${decimals(this.all.length, 0)} counters`;
    this.sizes = new Map();
    this.unit = "";
    this.offers.replaceChildren();
    this.list.replaceChildren(...this.shown.map((series, k) => this.option(series, k)));
    this.screen.client.cancel("sizes");
    this.rank();
    this.box.setAttribute("aria-expanded", String(this.shown.length > 0));
    this.point(this.active);
    this.list.scrollTop = 0;
  }

  // If the best are instances of one counter, which fit alike, the largest of them come first.
  async sortBySize() {
    const [best] = this.shown;
    const isAlike = (/** @type {SeriesInfo} */ one) => one.side === best.side && one.object === best.object && one.counter === best.counter;
    if (!this.search || this.shown.filter(isAlike).length < 2 || !isAlike(this.shown[1])) return;
    const { shown } = this;
    // More may fit than are shown.
    const fitting = this.search.find(this.box.value.trim(), this.all.length).found.map((s) => this.all[s]);
    try {
      const { unit, sizes } = await sizesOf(this.screen, best, "sizes");
      if (this.shown !== shown) return;
      const sorted = sortedBySize(fitting.filter(isAlike), sizes);
      [this.unit, this.sizes] = [unit, sizes];
      if (this.active <= 0) this.shown = [...sorted, ...fitting.filter((one) => !isAlike(one))].slice(0, MOST_RESULTS);
      this.list.replaceChildren(...this.shown.map((series, k) => this.option(series, k)));
      this.offers.replaceChildren(offersOf(this.screen, sorted, sizes));
      this.point(this.active);
    } catch (error) {
      if (!isCancelled(error)) this.screen.notices.fail(/** @type {Error} */ (error));
    }
  }

  /** @param {SeriesInfo} series @param {number} k */
  option(series, k) {
    const place = [series.object, series.instance && `(${series.instance})`].filter(Boolean).join(" ");
    const size = this.sizes.get(series.path);
    const node = element("li", { role: "option", id: `finder-${k}`, "aria-selected": "false", title: series.path },
      element("span", { class: "what" }, element("b", {}, named(series.counter)), element("small", {}, element("bdi", {}, size === undefined ? series.unit : amount(size, this.unit)))),
      element("span", { class: "where muted" }, named(place), series.host ? element("small", {}, element("bdi", {}, series.host)) : null));
    node.addEventListener("click", (event) => this.add(series, event.shiftKey));
    node.addEventListener("pointermove", () => { if (this.active !== k) this.point(k, false); });
    draggable(node, () => this.screen.bothSides(series));
    return node;
  }

  /** @param {number} k @param {boolean} [isFollowed] */
  point(k, isFollowed = true) {
    const before = this.list.children[this.active];
    if (before) before.setAttribute("aria-selected", "false");
    this.active = k;
    const now = this.list.children[k];
    if (!now) {
      this.box.removeAttribute("aria-activedescendant");
      return;
    }
    now.setAttribute("aria-selected", "true");
    this.box.setAttribute("aria-activedescendant", now.id);
    if (isFollowed) now.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const last = this.shown.length - 1;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowDown: () => this.point(Math.min(this.active + 1, last)),
      ArrowUp: () => this.point(Math.max(this.active - 1, Math.min(0, last))),
      PageDown: () => this.point(Math.min(this.active + 10, last)),
      PageUp: () => this.point(Math.max(this.active - 10, Math.min(0, last))),
      Enter: () => { if (this.shown[this.active]) this.add(this.shown[this.active], event.shiftKey); },
      Escape: () => {
        if (this.box.value) {
          this.box.value = "";
          this.look();
        } else this.close();
      },
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }

  /** @param {SeriesInfo} series @param {boolean} isNew */
  add(series, isNew) { this.screen.add(this.screen.bothSides(series), isNew ? null : this.screen.board.selected); }
}
