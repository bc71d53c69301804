// The title of a chart without a name.

/** @import { Catalogue } from "../data/catalogue.js" */
/** @import { SeriesName } from "../state/address.js" */

/**
 * @param {Catalogue} catalogue
 * @param {{title: string, series: SeriesName[]}} chart
 */
export function titleOfChart(catalogue, { title, series }) {
  if (title) return title;
  if (!series.length) return "New chart";
  const all = series.map(({ side, path }) => catalogue.about(side, path));
  const distinct = (/** @type {string[]} */ names) => [...new Set(names)];
  // Paths that no series can have are their own names.
  if (all.every(({ object }) => object === "")) return series[0].path;
  const objects = distinct(all.map(({ object }) => object));
  const counters = distinct(all.map(({ counter }) => counter));
  const instances = distinct(all.map(({ instance }) => instance));
  if (objects.length > 2) return `${objects.slice(0, 2).join(", ")} and others`;
  if (counters.length > 2) return instances.length === 1 && instances[0] ? `${objects[0]}: ${instances[0]}` : objects.join(", ");
  return `${objects.join(", ")}: ${instances.length === 1 && instances[0] && instances[0] !== "_Total" ? `${instances[0]}, ` : ""}${counters.join(", ")}`;
}
