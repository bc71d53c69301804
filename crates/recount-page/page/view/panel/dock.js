// The place of the panels next to or below the charts: one at a time, as tabs.

/** @import { Screen } from "../screen.js" */
import { button, element, find } from "../../text/elements.js";

/**
 * @typedef {object} Panel
 * @property {string} key
 * @property {string} title
 * @property {HTMLElement} node
 * @property {() => void} show asked whenever the panel is on the screen and what it is about may have changed
 * @property {() => void} [enter] asked when it was opened: keys are its own from now on
 */

export class Dock {
  /** @param {Screen} screen @param {Panel[]} panels */
  constructor(screen, panels) {
    this.screen = screen;
    this.panels = panels;
    this.open = "";
    this.node = find("#dock");
    this.tabs = panels.map((panel) => button(panel.title, () => this.show(panel.key), { role: "tab", id: `tab-${panel.key}`, "aria-controls": `panel-${panel.key}`, "aria-selected": "false", tabindex: "-1" }));
    const list = element("div", { class: "tabs", role: "tablist", "aria-label": "Panels" }, this.tabs);
    list.addEventListener("keydown", (event) => this.onKey(event));
    this.node.replaceChildren(
      element("div", { class: "bar" }, list, button("\u00d7", () => this.show(""), { class: "quiet small", "aria-label": "Close the panels" })),
      ...panels.map(({ key, node }) => {
        node.id = `panel-${key}`;
        node.setAttribute("role", "tabpanel");
        node.setAttribute("aria-labelledby", `tab-${key}`);
        node.hidden = true;
        return node;
      }));
  }

  /** @param {string} key of a panel; "" closes all @param {boolean} [isFocused] */
  show(key, isFocused = false) {
    const wasOpen = this.open;
    this.open = this.panels.some((panel) => panel.key === key) ? key : "";
    this.node.hidden = this.open === "";
    document.body.classList.toggle("docked", this.open !== "");
    this.panels.forEach((panel, k) => {
      const isIt = panel.key === this.open;
      panel.node.hidden = !isIt;
      this.tabs[k].setAttribute("aria-selected", String(isIt));
      this.tabs[k].tabIndex = isIt ? 0 : -1;
      this.screen.tools.press(panel.key, isIt);
      if (isIt && isFocused) this.tabs[k].focus();
    });
    this.renew();
    if (wasOpen === this.open) return;
    if (!isFocused) this.panels.find((panel) => panel.key === this.open)?.enter?.();
    this.screen.keep();
  }

  /** @param {string} key */
  flip(key) { this.show(this.open === key ? "" : key); }

  // The subject of the open panel may have changed: the window, the pinned time, the capture.
  renew() {
    const panel = this.panels.find(({ key }) => key === this.open);
    if (panel) panel.show();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const at = this.panels.findIndex(({ key }) => key === this.open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: this.panels.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.show(this.panels[(to + this.panels.length) % this.panels.length].key, true);
  }
}
