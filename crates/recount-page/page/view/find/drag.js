// Series that are dragged: from the finder and the panels onto a chart.

/** @import { SeriesName } from "../state/address.js" */

const KIND = "application/x-recount-series";

/**
 * @param {HTMLElement} node
 * @param {() => SeriesName[]} series
 */
export function draggable(node, series) {
  node.draggable = true;
  node.addEventListener("dragstart", (event) => {
    if (!event.dataTransfer) return;
    const given = series();
    event.dataTransfer.setData(KIND, JSON.stringify(given));
    event.dataTransfer.setData("text/plain", given.map(({ path }) => path).join("\n"));
    event.dataTransfer.effectAllowed = "copy";
  });
}

/**
 * @param {HTMLElement} node gets the class "aimed" while something is held over it
 * @param {(series: SeriesName[]) => void} drop
 */
export function droppable(node, drop) {
  const holds = (/** @type {DragEvent} */ event) => event.dataTransfer !== null && event.dataTransfer.types.includes(KIND);
  node.addEventListener("dragover", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    node.classList.add("aimed");
  });
  node.addEventListener("dragleave", (event) => {
    if (!(event.relatedTarget instanceof Node && node.contains(event.relatedTarget))) node.classList.remove("aimed");
  });
  node.addEventListener("drop", (event) => {
    node.classList.remove("aimed");
    if (!event.dataTransfer || !holds(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const given = seriesOf(event.dataTransfer.getData(KIND));
    if (given.length) drop(given);
  });
}

/** @param {string} text @returns {SeriesName[]} */
function seriesOf(text) {
  try {
    const given = JSON.parse(text);
    return Array.isArray(given) ? given.filter((one) => one && Number.isInteger(one.side) && typeof one.path === "string") : [];
  } catch { return []; }
}
