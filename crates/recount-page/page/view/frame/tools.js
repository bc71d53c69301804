// The buttons of the header. Those that open something say whether it is open.

import { button, find, findAll } from "../../text/elements.js";

export class Tools {
  constructor() { this.node = find("#tools"); }

  /** @param {{key: string, title: string}[]} panels that have a button each @param {(key: string) => void} flip opens one, or closes it */
  offer(panels, flip) {
    const buttons = panels.map(({ key, title }) => button(title, () => flip(key), { class: "quiet", "data-tool": key, "aria-expanded": "false", "aria-controls": "dock" }));
    find("#panel-tools", this.node).replaceChildren(...buttons);
  }

  /** @param {Record<string, () => void>} acts what each other button does, by its data-tool */
  wire(acts) {
    for (const node of findAll("[data-tool]:not(#panel-tools > *)", this.node)) {
      const act = acts[node.dataset.tool];
      node.hidden = !act;
      if (act) node.addEventListener("click", act);
    }
  }

  /** @param {string} tool @param {boolean} isOpen */
  press(tool, isOpen) {
    const node = find(`[data-tool="${tool}"]`, this.node);
    if (node) node.setAttribute("aria-expanded", String(isOpen));
  }
}
