// The lines of a chart on the board: labels, colours and dashes.

/** @import { Line } from "../../chart/types.js" */
import { differenceLine } from "../../chart/lines.js";
/** @import { SeriesInfo } from "../data/catalogue.js" */
import { hundredOf, withHundreds } from "../../chart/hundred.js";

const LINE_COLOURS = 8;
/** The other capture has a colour of its own, and is dashed; so are lines from the fifth on, which differ without colour then. */
const OTHER_SIDE = [5, 4];
const LATER_LINES = [[6, 3], [2, 2], [9, 3, 2, 3]];

/**
 * A name with the id of its process, unless several processes had it.
 * @param {string} instance @param {string | null} id @param {boolean | undefined} isSeveral
 */
export function calledInstance(instance, id, isSeveral) {
  if (isSeveral) return `${instance} (several processes, one after the other)`;
  return id ? `${instance} (${id})` : instance;
}

/**
 * As short as tells the series of a chart apart.
 * @param {SeriesInfo[]} all
 * @param {string[]} sides what the captures are called, if there are several
 */
export function liveLabels(all, sides) {
  const differ = (/** @type {(info: SeriesInfo) => string} */ of) => new Set(all.map(of)).size > 1;
  const isObject = differ(({ object }) => object);
  const isCounter = differ(({ object, counter }) => `${object}\\${counter}`);
  const isInstance = differ(({ object, instance }) => `${object}(${instance})`);
  const isHost = differ(({ host }) => host);
  return all.map(({ object, instance, id, isSeveral, counter, host, side }) => {
    const parts = [];
    if (isHost && host) parts.push(`${host}:`);
    if (isObject) parts.push(object);
    if (instance && (isInstance || !isCounter)) parts.push(calledInstance(instance, id, isSeveral));
    if (isCounter || !instance || !isInstance) parts.push(counter);
    if (sides.length > 1) parts.push(`\u00b7 ${sides[side] || side + 1}`);
    return parts.join(" ");
  });
}

/** @param {number} at place among the colours of the chart @param {number} side @param {boolean} isCompared */
function dashOf(at, side, isCompared) {
  if (side > 0) return OTHER_SIDE;
  if (at >= LINE_COLOURS) return LATER_LINES[(Math.floor(at / LINE_COLOURS) - 1) % LATER_LINES.length];
  return at >= 4 && !isCompared ? LATER_LINES[0] : null;
}

/**
 * @param {SeriesInfo[]} all
 * @param {string[]} sides
 * @param {string | undefined} unit of all of them, where it is known better than from the counters
 * @returns {Line[]}
 */
export function liveLines(all, sides, unit) {
  const labels = liveLabels(all, sides);
  /** @type {Map<string, number>} */
  const colours = new Map();
  const lines = all.map(({ side, path, object, instance, counter, unit: own }, k) => {
    const key = JSON.stringify([side, path]);
    const at = colours.get(key) ?? colours.size;
    colours.set(key, at);
    return {
      series: { side, path }, name: path, label: labels[k], colour: at % LINE_COLOURS, dash: dashOf(at, side, sides.length > 1), unit: unit ?? own,
      hundred: hundredOf(object, counter, instance),
    };
  });
  return [...withHundreds(lines), ...differences(all, lines, sides)];
}

/**
 * Where a chart has one series of two captures, and nothing else, also what the second has more than the first.
 * @param {SeriesInfo[]} all @param {Line[]} lines @param {string[]} sides
 * @returns {Line[]}
 */
function differences(all, lines, sides) {
  if (lines.length !== 2 || sides.length < 2) return [];
  const [a, b] = [0, 1].map((side) => all.findIndex((info) => info.side === side));
  const isPair = a >= 0 && b >= 0 && all[a].object === all[b].object && all[a].instance === all[b].instance && all[a].counter.toLowerCase() === all[b].counter.toLowerCase();
  return isPair ? [differenceLine(lines, [a, b], `difference (${sides[1]} less ${sides[0]})`)] : [];
}
