// Keys that lead to the findings, and from one to the next.

import { isPlainKey } from "../frame/key-help.js";
import { findAll } from "../text/elements.js";

/** @param {(name: string) => void} goTo shows a place of the page */
export function wireFindingKeys(goTo) {
  let at = -1;
  document.addEventListener("keydown", (event) => {
    const by = { f: 0, n: 1, p: -1 }[event.key];
    if (by === undefined || !isPlainKey(event)) return;
    const shown = findAll("article.finding").filter((article) => !article.hidden);
    event.preventDefault();
    if (by === 0 || !shown.length) {
      at = -1;
      goTo("findings");
      return;
    }
    // On from the finding that has the focus, however it came there.
    const focused = shown.findIndex((article) => article.contains(document.activeElement));
    at = Math.min(Math.max((focused < 0 ? at : focused) + by, 0), shown.length - 1);
    goTo(shown[at].id);
  });
}
