// Everything that the captures hold, by object: its counters, and below each its instances. Branches are filled when they are opened.

/** @import { ObjectInfo, CounterInfo } from "../data/catalogue.js" */
/** @import { Screen } from "../screen.js" */
import { offersOf, sizesOf, sortedBySize } from "./by-size.js";
import { draggable } from "./drag.js";
import { button, element, named } from "../../text/elements.js";
import { amount, decimals } from "../../text/numbers.js";
import { debounced } from "../../time/pace.js";
import { isCancelled } from "../data/client.js";

const MOST_LEAVES = 1000;

/**
 * @param {(string | Node | null)[]} title
 * @param {() => Node[]} fill
 */
function branch(title, fill) {
  const body = element("ul", {});
  const node = element("details", {}, element("summary", {}, title), body);
  node.addEventListener("toggle", () => { if (node.open && !body.firstChild) body.replaceChildren(...fill()); });
  return element("li", {}, node);
}

export class ObjectTree {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.isFilled = false;
    /** How the instances of each counter are sorted anew. @type {Map<HTMLDetailsElement, () => void>} */
    this.sorters = new Map();
    this.rank = debounced(150, () => { for (const [details, again] of this.sorters) if (details.open && details.isConnected && details.offsetParent) again(); });
    screen.timeline.windowListeners.add(this.rank);
    this.node = element("ul", { class: "tree", "aria-label": "Counters by object" });
  }

  renew() { this.isFilled = false; }

  fill() {
    if (this.isFilled) return;
    this.isFilled = true;
    this.sorters.clear();
    const opened = new Set([...this.node.children].filter((item) => item.querySelector("details[open]")).map((item) => item.getAttribute("data-object")));
    this.node.replaceChildren(...this.screen.catalogue.distinctObjects().map(({ side, object }) => {
      const item = this.objectItem(side, object);
      item.setAttribute("data-object", object.name);
      const details = item.querySelector("details");
      if (details && opened.has(object.name)) details.open = true;
      return item;
    }));
  }

  /** @param {number} side @param {ObjectInfo} object */
  objectItem(side, object) {
    const num = object.instances.length;
    const told = object.instanced ? `${decimals(num, 0)} ${num === 1 ? "instance" : "instances"}` : "";
    return branch([named(object.name), element("small", {}, told)], () => object.counters.map((counter) => this.counterItem(side, object, counter)));
  }

  /** @param {number} side @param {ObjectInfo} object @param {CounterInfo} counter */
  counterItem(side, object, counter) {
    const instances = this.screen.catalogue.instances(side, object);
    const unit = element("small", {}, element("bdi", {}, counter.unit));
    if (!object.instanced && instances.length === 1) return this.leaf(this.screen.catalogue.series(side, object, instances[0], counter), counter.name, unit);
    const all = instances.map((instance) => this.screen.catalogue.series(side, object, instance, counter));
    const item = branch([named(counter.name, counter.help || counter.name), unit], () => this.leaves(all, new Map(), ""));
    const details = item.querySelector("details");
    if (details) {
      details.addEventListener("toggle", () => { if (details.open) this.sort(details, all); });
      this.sorters.set(details, () => this.sort(details, all));
    }
    return item;
  }

  /**
   * The series of a counter, by size once that is known.
   * @param {import("../data/catalogue.js").SeriesInfo[]} all @param {Map<string, number>} sizes @param {string} unit
   */
  leaves(all, sizes, unit) {
    const sorted = sortedBySize(all, sizes);
    const leaves = sorted.slice(0, MOST_LEAVES).map((series) => {
      const label = [series.instance || series.host, series.id && `(${series.id})`, series.instance && series.host].filter(Boolean).join(" ");
      const size = sizes.get(series.path);
      return this.leaf(series, label, size === undefined ? null : element("small", {}, amount(size, unit)));
    });
    const rest = all.length - leaves.length;
    if (rest > 0) leaves.push(element("li", { class: "muted" }, `and ${decimals(rest, 0)} more: type a name above`));
    return sizes.size ? [element("li", {}, offersOf(this.screen, sorted, sizes)), ...leaves] : leaves;
  }

  /** @param {HTMLDetailsElement} details @param {import("../data/catalogue.js").SeriesInfo[]} all */
  async sort(details, all) {
    const body = details.querySelector("ul");
    if (!body) return;
    try {
      const { unit, sizes } = await sizesOf(this.screen, all[0], `sizes ${all[0].side} ${all[0].object} ${all[0].counter}`);
      if (details.open && !body.contains(document.activeElement)) body.replaceChildren(...this.leaves(all, sizes, unit));
    } catch (error) {
      if (!isCancelled(error)) this.screen.notices.fail(/** @type {Error} */ (error));
    }
  }

  /** @param {import("../data/catalogue.js").SeriesInfo} series @param {string} label @param {Node | null} beside */
  leaf(series, label, beside) {
    const add = button("", (event) => this.screen.add(this.screen.bothSides(series), event.shiftKey ? null : this.screen.board.selected), { class: "leaf", title: `Add ${series.path}` });
    add.append(named(label), ...(beside ? [beside] : []));
    draggable(add, () => this.screen.bothSides(series));
    return element("li", {}, add);
  }
}
