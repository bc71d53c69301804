// The instances of a counter by size: how much each had of it in the window, over the whole window as in Top.

/** @import { SeriesInfo } from "../data/catalogue.js" */
/** @import { Screen } from "../screen.js" */
import { isSum } from "../panel/suspects.js";
import { button, element } from "../../text/elements.js";

const MOST_RANKED = 1000;
const FEW = 5;

/** @typedef {{side: number, object: string, counter: string}} CounterName */

/**
 * How much each series of a counter had, by path. One that had no value is absent.
 * @param {Screen} screen @param {CounterName} name @param {string} [kind] of question: a newer one cancels the older
 * @returns {Promise<{unit: string, sizes: Map<string, number>}>}
 */
export async function sizesOf(screen, { side, object, counter }, kind) {
  const { from, to } = screen.timeline;
  const { unit, rows } = await screen.client.post("top", { side, object, counter, from, to, limit: MOST_RANKED }, kind);
  const known = rows.filter((/** @type {{share: number | null}} */ row) => row.share !== null);
  return { unit, sizes: new Map(known.map((/** @type {{path: string, share: number}} */ row) => [screen.catalogue.spelled(side, row.path), row.share])) };
}

/**
 * The largest first, sums before their parts; what had no value comes last.
 * @param {SeriesInfo[]} all @param {Map<string, number>} sizes
 */
export function sortedBySize(all, sizes) {
  const size = (/** @type {SeriesInfo} */ { path }) => sizes.get(path) ?? -Infinity;
  const sumsFirst = (/** @type {SeriesInfo} */ one, /** @type {SeriesInfo} */ other) => Number(isSum(other.instance)) - Number(isSum(one.instance));
  // Two that had nothing: their difference isn't a number.
  return [...all].sort((one, other) => sumsFirst(one, other) || size(other) - size(one) || 0);
}

/**
 * Buttons that add the largest of a counter, and its sum if the capture has one.
 * @param {Screen} screen @param {SeriesInfo[]} sorted by size @param {Map<string, number>} sizes
 */
export function offersOf(screen, sorted, sizes) {
  const sums = sorted.filter(({ instance }) => isSum(instance));
  const parts = sorted.filter(({ instance, path }) => !isSum(instance) && sizes.has(path));
  const offer = (/** @type {string} */ text, /** @type {SeriesInfo[]} */ some, /** @type {string} */ title) =>
    button(text, (event) => screen.add(some.flatMap((series) => screen.bothSides(series)), event.shiftKey ? null : screen.board.selected), { class: "quiet small", title });
  return element("div", { class: "adds" },
    parts.length > FEW ? offer("The five largest", parts.slice(0, FEW), "Add the five with most of it in the window") : null,
    sums.length === 1 ? offer("Sum", sums, `Add ${sums[0].path}`) : null);
}
