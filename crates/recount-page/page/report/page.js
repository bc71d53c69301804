// Assembles the page. It is readable before this runs, and stays as it is if the data can't be read.

/** @import { ChartSpec } from "../chart/types.js" */
/** @import { Capture } from "../data/capture.js" */
import { Chart } from "../chart/chart.js";
import { Charts } from "../chart/charts.js";
import { linesOf } from "../chart/lines.js";
import { openBlob } from "../data/blob.js";
import { FilePoints } from "../data/file-points.js";
import { CHART_KEYS, FINDING_KEYS, wireKeyHelp } from "../frame/key-help.js";
import { Paper } from "../frame/paper.js";
import { keepRows } from "../frame/rows.js";
import { Theme } from "../frame/theme.js";
import { wireFindingKeys } from "./finding-keys.js";
import { wireFindingSieve, wireSpans } from "./findings.js";
import { wirePairs } from "./pairs.js";
import { Routes } from "./routes.js";
import { Strip } from "../strip/strip.js";
import { find, findAll } from "../text/elements.js";
import { Clock } from "../time/clock.js";
import { Timeline } from "../time/timeline.js";

export class Page {
  /** @param {Theme} theme @param {Capture} capture */
  constructor(theme, capture) {
    this.theme = theme;
    this.capture = capture;
    this.provider = new FilePoints(capture);
    const { gaps = [], marks = [], findings = [] } = capture.head;
    this.gaps = gaps;
    this.marks = marks;
    this.findings = findings;
    this.clock = new Clock(capture.head);
    this.timeline = new Timeline({ begin: capture.begin, end: capture.end, step: capture.head.step_ms });
    this.charts = new Charts(this);
    this.strip = new Strip(this);
    wireSpans(this.timeline);
    wireFindingSieve();
    keepRows(find(".overview"), 22);
    for (const host of findAll(".plot[data-series]")) this.placedChart(host);
    this.pairs = capture.head.pairs ? wirePairs(this, capture.head.pairs) : null;
    this.routes = new Routes(this);
    this.paper = new Paper(this);
    if (find("#findings")) wireFindingKeys((name) => { if (location.hash === `#${name}`) this.routes.follow(); else location.hash = name; });
    wireKeyHelp([...CHART_KEYS, ["Escape", "The whole time"], ...(find("article.finding") ? FINDING_KEYS : []), ["?", "These keys"]]);
    find("#keys").hidden = false;
  }

  /** @param {HTMLElement} host */
  placedChart(host) {
    const { series = "", finding, title = "", unit } = host.dataset;
    const indices = series.trim().split(/\s+/).filter(Boolean).map(Number).filter((s) => s < this.capture.numSeries);
    if (!indices.length) return;
    const own = finding === undefined ? undefined : this.findings.slice(Number(finding), Number(finding) + 1);
    this.seriesChart(host, indices, { title, unit, findings: own, height: own ? 150 : 170 });
  }

  // Spans of findings about a series are shaded in every chart of it.
  /** @param {HTMLElement} host @param {number[]} indices @param {Omit<ChartSpec, "lines"> & { unit?: string }} spec a unit that is given wins over the counters' own */
  seriesChart(host, indices, { unit, ...spec }) {
    const about = this.findings.filter((finding) => finding.series !== null && indices.includes(finding.series));
    return new Chart(this, host, { ...spec, lines: linesOf(this.capture, indices, unit), findings: spec.findings || about });
  }
}

async function start() {
  const theme = new Theme();
  theme.control(find("#theme"));
  try {
    const page = new Page(theme, await openBlob(find("#data").textContent));
    document.documentElement.setAttribute("data-ready", String(page.capture.numSeries));
  } catch (error) {
    const notice = find("#notice");
    notice.textContent = `No charts and no tables of series: ${error instanceof Error ? error.message : error}. The findings are below.`;
    notice.hidden = false;
    document.documentElement.setAttribute("data-ready", "failed");
    console.error(error);
  }
}

start();
