// What the report says of the captures, once everything is counted: findings, objects, health and rules, below the charts.

/** @import { Screen } from "./screen.js" */
import { openBlob } from "../data/blob.js";
import { wireFindingSieve, wireSpans } from "../report/findings.js";
import { find, findAll } from "../text/elements.js";

/**
 * @param {Screen} screen
 * @param {{html: string, blob: string}} given the sections, which the server has made of its own template with all names escaped, and their numbers
 */
export async function showReport(screen, { html, blob }) {
  const capture = await openBlob(blob);
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const host = find("#view-report");
  // The charts above are the overview already, and the findings follow them at once.
  for (const node of parsed.querySelectorAll("script, style, .intro, .overview")) node.remove();
  host.replaceChildren(...parsed.body.childNodes);
  const objects = new Map(findAll("a[data-object]", host).map((link) => [link.getAttribute("href").slice(1), Number(link.dataset.object)]));
  screen.page.report = { ...screen.page.shared, capture, objects, 
    /** @type {(plot: HTMLElement, indices: number[], spec: {title: string}) => unknown} */
    seriesChart: (plot, indices, spec) => screen.page.seriesChart(screen, capture, plot, indices, spec) };
  screen.page.setFindings(capture.head.findings || []);
  wireSpans(screen.timeline);
  wireFindingSieve();
  for (const plot of findAll(".plot[data-series]", host)) {
    const indices = plot.dataset.series.trim().split(/\s+/).filter(Boolean).map(Number).filter((/** @type {number} */ s) => s < capture.numSeries);
    const finding = plot.dataset.finding === undefined ? undefined : (capture.head.findings || [])[Number(plot.dataset.finding)];
    if (indices.length) screen.page.seriesChart(screen, capture, plot, indices, { title: plot.dataset.title, height: 150, ...(finding && { findings: [finding] }) });
  }
  screen.places.tell();
}
