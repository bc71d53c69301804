// The buttons of the header. Those that open something say whether it is open.

import { find, findAll } from "../../text/elements.js";

export class Tools {
  constructor() { this.node = find("#tools"); }

  /** @param {Record<string, () => void>} acts what each button does, by its data-tool */
  wire(acts) {
    for (const node of findAll("[data-tool]", this.node)) {
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
