// The lines of a chart on the board: labels, colours, and which unit has which axis.

/** @import { SeriesInfo } from "../data/catalogue.js" */
/** @import { PointsAnswer } from "../data/points.js" */

/**
 * @typedef {object} LiveLine
 * @property {number} s its place in the chart
 * @property {SeriesInfo} about
 * @property {string} label
 * @property {number} colour of the style sheet, from 0
 * @property {number[] | null} dash
 * @property {string} unit
 * @property {"y" | "y2"} scale
 * @property {boolean} [isHidden]
 * @property {PointsAnswer} [answer]
 */

const LINE_COLOURS = 8;
/** The other capture is dashed; lines that share a colour differ in their dashes. */
const OTHER_SIDE = [5, 4];
const LATER_LINES = [[6, 3], [2, 2], [9, 3, 2, 3]];

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
  return all.map(({ object, instance, id, counter, host, side }) => {
    const parts = [];
    if (isHost && host) parts.push(`${host}:`);
    if (isObject) parts.push(object);
    if (instance && (isInstance || !isCounter)) parts.push(id ? `${instance} (${id})` : instance);
    if (isCounter || !instance) parts.push(counter);
    if (sides.length > 1) parts.push(`\u00b7 ${sides[side] || side + 1}`);
    return parts.join(" ");
  });
}

/**
 * @param {SeriesInfo[]} all
 * @param {string[]} sides
 * @param {string | undefined} unit of all of them, where it is known better than from the counters
 * @returns {LiveLine[]}
 */
export function liveLines(all, sides, unit) {
  const labels = liveLabels(all, sides);
  /** @type {Map<string, number>} */
  const colours = new Map();
  const units = [...new Set(all.map((info) => unit ?? info.unit))];
  return all.map((about, s) => {
    // The same series of two captures has one colour.
    const key = JSON.stringify([about.object, about.instance, about.counter, sides.length > 1 ? "" : about.host]);
    const at = colours.get(key) ?? colours.size;
    colours.set(key, at);
    const own = unit ?? about.unit;
    const dash = about.side > 0 ? OTHER_SIDE : at >= LINE_COLOURS ? LATER_LINES[(Math.floor(at / LINE_COLOURS) - 1) % LATER_LINES.length] : at >= 4 ? LATER_LINES[0] : null;
    return { s, about, label: labels[s], colour: at % LINE_COLOURS, dash, unit: own, scale: own === units[0] ? "y" : "y2" };
  });
}
