// Messages of the page: failures stay until they are closed, others disappear after a while.

import { button, element, find } from "../../text/elements.js";

const PASSING_MS = 6000;
const MOST_NOTICES = 4;

export class Notices {
  constructor() { this.node = find("#notices"); }

  /** @param {Error} error */
  fail(error) { this.put(error.message, "failure"); }

  /** @param {string} text */
  tell(text) {
    const note = this.put(text, "passing");
    setTimeout(() => note.remove(), PASSING_MS);
  }

  /**
   * @param {string} text
   * @param {"failure" | "passing" | "lasting"} kind
   * @param {{label: string, act: () => void}} [offer] something that can be done about it
   */
  put(text, kind, offer) {
    const same = [...this.node.children].find((one) => one.getAttribute("data-text") === text);
    if (same) return same;
    const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
    const note = element("div", { class: `note ${kind}`, role: kind === "failure" ? "alert" : "status", "data-text": text }, element("span", { dir: "auto" }, sentence));
    if (offer) note.append(button(offer.label, () => { note.remove(); offer.act(); }, { class: "quiet small" }));
    note.append(button("\u00d7", () => note.remove(), { class: "quiet small", "aria-label": "Close this message" }));
    this.node.append(note);
    while (this.node.children.length > MOST_NOTICES) this.node.firstElementChild.remove();
    return note;
  }
}
