// Everything that the captures hold, by object: its counters, and below each its instances. Branches are filled when they are opened.

/** @import { ObjectInfo, CounterInfo } from "../data/catalogue.js" */
/** @import { Screen } from "../screen.js" */
import { draggable } from "./drag.js";
import { button, element, named } from "../../text/elements.js";
import { decimals } from "../../text/numbers.js";

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
    this.node = element("ul", { class: "tree", "aria-label": "Counters by object" });
  }

  renew() { this.isFilled = false; }

  fill() {
    if (this.isFilled) return;
    this.isFilled = true;
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
    const item = branch([named(counter.name, counter.help || counter.name), unit], () => {
      const leaves = instances.slice(0, MOST_LEAVES).map((instance) => {
        const series = this.screen.catalogue.series(side, object, instance, counter);
        const label = [series.instance || series.host, series.id && `(${series.id})`, series.instance && series.host].filter(Boolean).join(" ");
        return this.leaf(series, label, null);
      });
      const rest = instances.length - leaves.length;
      return rest > 0 ? [...leaves, element("li", { class: "muted" }, `and ${decimals(rest, 0)} more: type a name above`)] : leaves;
    });
    return item;
  }

  /** @param {import("../data/catalogue.js").SeriesInfo} series @param {string} label @param {Node | null} beside */
  leaf(series, label, beside) {
    const add = button("", (event) => this.screen.add(this.screen.bothSides(series), event.shiftKey ? null : this.screen.board.selected), { class: "leaf", title: `Add ${series.path}` });
    add.append(named(label), ...(beside ? [beside] : []));
    draggable(add, () => this.screen.bothSides(series));
    return element("li", {}, add);
  }
}
