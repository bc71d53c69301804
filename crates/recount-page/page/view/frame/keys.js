// Keys of the whole page.

/** @import { Screen } from "../screen.js" */

/** @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** @param {Screen} screen */
export function wireKeys(screen) {
  // Takes precedence over the strip's own: Escape undoes the last action, and only then shows the whole time.
  document.addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      screen.finder.open();
      return;
    }
    if (event.key === "/" && !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      screen.finder.open();
      return;
    }
    if (event.key === "Escape" && !isTyping(event.target) && screen.focus.isSet && !document.querySelector("dialog[open]")) {
      event.stopPropagation();
      screen.focus.clear();
    }
  }, { capture: true });
}
