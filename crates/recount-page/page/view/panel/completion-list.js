// The list of completions below a text: arrows choose, Tab or Enter takes, Escape closes.

import { completed, completions } from "./completion.js";
import { element } from "../../text/elements.js";

/** @import { Offer } from "./completion.js" */

export class CompletionList {
  /**
   * @param {HTMLTextAreaElement} text
   * @param {() => {name: string, counters: {name: string}[]}[]} objects
   */
  constructor(text, objects) {
    this.text = text;
    this.objects = objects;
    /** @type {Offer[]} */
    this.offers = [];
    this.from = 0;
    this.active = 0;
    this.node = element("ul", { class: "offers", id: "sql-offers", role: "listbox", "aria-label": "Completions" });
    this.node.hidden = true;
    text.setAttribute("aria-autocomplete", "list");
    text.setAttribute("aria-controls", "sql-offers");
    text.addEventListener("input", () => this.look());
    text.addEventListener("blur", () => this.close());
    text.addEventListener("click", () => this.close());
    // Before other listeners of the text: Enter is taken here while the list is open.
    text.addEventListener("keydown", (event) => this.onKey(event), { capture: true });
  }

  look() {
    const { from, offers } = completions(this.text.value, this.text.selectionStart, this.objects());
    this.from = from;
    this.offers = offers;
    this.node.replaceChildren(...offers.map((offer, k) => {
      const item = element("li", { role: "option", id: `sql-offer-${k}`, "aria-selected": "false" }, element("bdi", {}, offer.text), element("small", {}, offer.kind));
      // The press must not take the focus from the text.
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); this.take(k); });
      return item;
    }));
    this.node.hidden = !offers.length;
    this.point(0);
  }

  /** @param {number} k */
  point(k) {
    this.active = k;
    [...this.node.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === k)));
    if (this.offers.length) this.text.setAttribute("aria-activedescendant", `sql-offer-${k}`);
    else this.text.removeAttribute("aria-activedescendant");
  }

  /** @param {number} k */
  take(k) {
    const { text, caret } = completed(this.text.value, this.text.selectionStart, this.from, this.offers[k].text);
    this.text.value = text;
    this.text.setSelectionRange(caret, caret);
    this.close();
  }

  close() {
    this.offers = [];
    this.node.hidden = true;
    this.text.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.look();
      return;
    }
    if (!this.offers.length || event.ctrlKey || event.metaKey) return;
    const num = this.offers.length;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowDown: () => this.point((this.active + 1) % num), ArrowUp: () => this.point((this.active + num - 1) % num),
      Tab: () => this.take(this.active), Enter: () => this.take(this.active), Escape: () => this.close(),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    acts[event.key]();
  }
}
