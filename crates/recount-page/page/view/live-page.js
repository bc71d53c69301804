// What all charts of the viewer share: the time line, the clock, gaps, marks and findings, and the numbers of the report once they are there.

/** @import { CaptureAnswer } from "./types.js" */
/** @import { Screen } from "./screen.js" */
/** @import { Finding, Mark, Span } from "../data/types.js" */
import { liveLines } from "./board/lines.js";
import { LiveChart } from "./board/live-chart.js";
import { pathOf } from "./find/pattern.js";
import { Charts } from "../chart/charts.js";
import { Strip } from "../strip/strip.js";
import { Clock } from "../time/clock.js";
import { Timeline } from "../time/timeline.js";

export class LivePage {
  /** @param {CaptureAnswer} capture @param {import("../frame/theme.js").Theme} theme */
  constructor(capture, theme) {
    this.theme = theme;
    this.version = capture.version;
    this.clock = new Clock(/** @type {any} */ ({ offset_min: capture.offset_min, zone: capture.zone, elapsed: false }));
    const { begin, end } = extentOf(capture);
    this.timeline = new Timeline({ begin, end, step: capture.step_ms || 1000 });
    /** @type {Span[]} */
    this.gaps = [];
    /** @type {Mark[]} */
    this.marks = [];
    /** @type {Finding[]} */
    this.findings = [];
    /** The server was told to end. */
    this.isStopped = false;
    /** The first charts are there, and the address was followed. */
    this.isSettled = false;
    /** @type {any} */
    this.report = null;
    /** What the strip shows. */
    this.capture = { head: /** @type {any} */ ({ gaps: this.gaps, marks: this.marks, findings: this.findings }) };
    this.setMarks(capture);
    this.charts = new Charts(/** @type {any} */ (this));
    this.strip = new Strip(/** @type {any} */ (this));
  }

  get shared() {
    const { theme, clock, timeline, charts } = this;
    return { theme, clock, timeline, charts };
  }

  /** @param {CaptureAnswer} capture */
  setMarks({ sides }) {
    const { head } = this.capture;
    this.marks = sides.flatMap(({ marks }) => marks);
    // Those of the first only: that the other has none there is seen by its lines.
    this.gaps = sides.slice(0, 1).flatMap(({ gaps }) => gaps);
    head.gaps = this.gaps;
    head.marks = this.marks;
  }

  /** @param {Finding[]} findings */
  setFindings(findings) {
    this.findings = findings;
    this.capture.head.findings = findings;
    this.strip.draw();
  }

  /**
   * Findings about any of the series, once the report is there.
   * @param {import("./state/address.js").SeriesName[]} series
   */
  findingsAbout(series) {
    const { report } = this;
    if (!report) return [];
    const paths = new Set(series.filter(({ side }) => side === 0).map(({ path }) => path));
    return this.findings.filter((finding) => finding.series !== null && paths.has(pathOfSeries(report.capture, finding.series)));
  }

  // The log grew, or has another mark. A window that reached to the end goes with it.
  /** @param {CaptureAnswer} capture */
  grow(capture) {
    const { timeline } = this;
    const { begin, end } = extentOf(capture);
    const [wasWhole, wasAtEnd, by] = [!timeline.isZoomed, timeline.to >= timeline.end, end - timeline.end];
    this.version = capture.version;
    this.setMarks(capture);
    timeline.begin = begin;
    timeline.end = end;
    if (wasWhole) timeline.show(begin, end);
    else if (wasAtEnd && by > 0) timeline.show(timeline.from + by, timeline.to + by);
    else timeline.show(timeline.from, timeline.to);
    for (const chart of this.charts.near) chart.showWindow();
    this.strip.draw();
  }

  /**
   * A chart in the report: of series that the report's numbers name, drawn of the server's points.
   * @param {Screen} screen @param {import("../data/capture.js").Capture} numbers
   * @param {HTMLElement} host @param {number[]} indices
   * @param {{title: string, unit?: string, height?: number, findings?: Finding[]}} spec
   */
  seriesChart(screen, numbers, host, indices, { title, unit, height, findings }) {
    const all = indices.map((s) => {
      const about = screen.catalogue.about(0, pathOfSeries(numbers, s));
      return about.unit ? about : { ...about, unit: numbers.unit(s) };
    });
    const about = this.findings.filter((finding) => finding.series !== null && indices.includes(finding.series));
    return new LiveChart(screen, host, { lines: liveLines(all, [], unit), title, ...(height && { height }), findings: findings || about });
  }
}

/** @param {import("../data/capture.js").Capture} numbers @param {number} s */
function pathOfSeries(numbers, s) {
  const instance = numbers.instance(s);
  return pathOf(numbers.severalHosts ? numbers.host(s) : "", numbers.object(s).name, instance ? instance.name : null, numbers.counter(s).name);
}

/** @param {CaptureAnswer} capture @returns {{begin: number, end: number}} on the common axis */
function extentOf({ sides, begin_ms, end_ms }) {
  const begin = Math.min(begin_ms, ...sides.map((side) => side.begin_ms));
  const end = Math.max(end_ms, ...sides.map((side) => side.end_ms));
  return { begin, end: Math.max(end, begin + 1) };
}
