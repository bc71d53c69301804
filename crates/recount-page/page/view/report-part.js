// What the report says of the captures, once everything is counted: findings, objects, health and rules, below the charts.

/** @import { Capture } from "../data/capture.js" */
/** @import { Finding } from "../data/types.js" */
/** @import { Screen } from "./screen.js" */
import { liveLines } from "./board/lines.js";
import { pathOfSeries } from "./live-page.js";
import { Chart } from "../chart/chart.js";
import { openBlob } from "../data/blob.js";
import { wireFindingSieve, wireSpans } from "../report/findings.js";
import { find, findAll } from "../text/elements.js";

/** @typedef {{title: string, unit?: string, height?: number, findings?: Finding[]}} PlacedSpec */

/** The numbers of a report, and charts of its series that the server gives the points of. */
export class ReportPart {
  /** @param {Screen} screen @param {Capture} capture @param {HTMLElement} host */
  constructor(screen, capture, host) {
    this.screen = screen;
    this.capture = capture;
    this.objects = new Map(findAll("a[data-object]", host).map((link) => [link.getAttribute("href").slice(1), Number(link.dataset.object)]));
    /** @type {Chart[]} */
    this.charts = [];
  }

  /** @param {HTMLElement} host @param {number[]} indices @param {PlacedSpec} spec */
  seriesChart(host, indices, { title, unit, height, findings }) {
    const { page, catalogue } = this.screen;
    const all = indices.map((s) => {
      const about = catalogue.about(0, pathOfSeries(this.capture, s));
      return about.unit ? about : { ...about, unit: this.capture.unit(s) };
    });
    const shaded = findings || page.findings.filter((finding) => finding.series !== null && indices.includes(finding.series));
    return new Chart(page, host, { lines: liveLines(all, [], unit), title, findings: shaded, ...(height && { height }) });
  }

  /** @param {HTMLElement} host the sections */
  wire(host) {
    const findings = this.capture.head.findings || [];
    for (const plot of findAll(".plot[data-series]", host)) {
      const indices = plot.dataset.series.trim().split(/\s+/).filter(Boolean).map(Number).filter((/** @type {number} */ s) => s < this.capture.numSeries);
      const finding = plot.dataset.finding === undefined ? undefined : findings[Number(plot.dataset.finding)];
      if (indices.length) this.charts.push(this.seriesChart(plot, indices, { title: plot.dataset.title, height: 150, ...(finding && { findings: [finding] }) }));
    }
  }

  close() { for (const chart of this.charts) chart.close(); }
}

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
  if (screen.report) screen.report.close();
  host.replaceChildren(...parsed.body.childNodes);
  screen.page.setReport(capture);
  screen.report = new ReportPart(screen, capture, host);
  screen.report.wire(host);
  wireSpans(screen.timeline);
  wireFindingSieve();
  screen.boardView.renew();
  screen.places.tell();
}
