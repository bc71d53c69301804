// Keys of the whole page.

/** @import { Screen } from "../screen.js" */
import { CHART_KEYS, FINDING_KEYS, isPlainKey, isTyped, wireKeyHelp } from "../../frame/key-help.js";

/**
 * What Escape closes, one thing at a time: the innermost first. What is left after them is the zoomed window.
 * @param {Screen} screen
 * @returns {boolean} whether there was something to close
 */
function closeOne(screen) {
  const { boardView, dock, finder, focus } = screen;
  if (boardView.closeMenu()) return true;
  if (focus.isSet) focus.clear();
  else if (dock.open) dock.show("");
  else if (finder.isOpen) finder.close();
  else return false;
  return true;
}

/** @param {Screen} screen */
export function wireKeys(screen) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      screen.finder.open();
      return;
    }
    if (event.key === "/" && isPlainKey(event)) {
      event.preventDefault();
      screen.finder.open();
    }
  }, { capture: true });
  // After those of the lists and menus that have the focus.
  document.body.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (isTyped(event.target)) /** @type {HTMLElement} */ (event.target).blur();
    else if (!closeOne(screen)) return;
    event.preventDefault();
  });
  wireKeyHelp([
    ["/", "Find a counter"], ...CHART_KEYS,
    ["Enter", "In a chart: pin the time at the cursor, and ask about it"],
    ["Shift and drag", "In a chart: choose a stretch of time without zooming"],
    ["\u2190 \u2192", "In the time machine: the sample before, the sample after"],
    ...FINDING_KEYS,
    ["Escape", "Closes one thing: a menu, the pinned time, the panel, the list of counters, the zoom"], ["?", "These keys"],
  ]);
}
