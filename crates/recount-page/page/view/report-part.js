// The report on the captures, once everything is counted: the worst findings above the charts; all findings, objects, health and rules below.

/** @import { Capture } from "../data/capture.js" */
/** @import { Finding } from "../data/types.js" */
/** @import { Screen } from "./screen.js" */
import { liveLines } from "./board/lines.js";
import { pathOfSeries } from "./live-page.js";
import { Chart } from "../chart/chart.js";
import { openBlob } from "../data/blob.js";
import { wireFindingSieve, wireSpans } from "../report/findings.js";
import { element, find, findAll } from "../text/elements.js";

/** @typedef {{title: string, unit?: string, height?: number, findings?: Finding[]}} PlacedSpec */

/** The numbers of a report, and charts of its series with points from the server. */
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
 * @param {{html: string, blob: string, end_ms?: number | null}} given the sections, which the server has made of its own template with all names escaped, their
 * numbers, and the last sample that they know
 */
export async function showReport(screen, { html, blob, end_ms }) {
  const capture = await openBlob(blob);
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const host = find("#view-report");
  if (screen.report) screen.report.close();
  find("#first-findings").replaceChildren(...findAll(".worst", parsed.body));
  host.replaceChildren(...parsed.body.childNodes);
  screen.page.setReport(capture);
  screen.page.reportedTo = end_ms ?? null;
  tellReach(screen);
  screen.report = new ReportPart(screen, capture, host);
  screen.report.wire(host);
  wireSpans(screen.timeline);
  wireFindingSieve();
  screen.boardView.renew();
  screen.places.tell();
}

// A growing log is recounted now and then; until then its findings say how far they reach.
/** @param {Screen} screen */
export function tellReach(screen) {
  const { page: { reportedTo }, capture: { sides }, timeline, clock } = screen;
  const isBehind = reportedTo !== null && sides[0].end_ms > reportedTo;
  for (const heading of findAll("#worst-title, #findings-title")) {
    const known = heading.querySelector(".reach");
    if (!isBehind) known?.remove();
    else {
      const node = known || heading.appendChild(element("small", { class: "reach muted" }));
      node.textContent = ` up to ${clock.full(reportedTo, timeline.begin, timeline.end)}`;
    }
  }
}
