// State shared by all charts of the viewer: the time line, the clock, gaps, marks and findings, and the numbers of the
// report once available.

/** @import { Capture } from "../data/capture.js" */
/** @import { Finding, Mark, Span } from "../data/types.js" */
/** @import { Theme } from "../frame/theme.js" */
/** @import { Client } from "./data/client.js" */
/** @import { CaptureAnswer } from "./types.js" */
import { pathOf } from "./find/pattern.js";
import { RestingTimeline } from "./state/resting-timeline.js";
import { Charts } from "../chart/charts.js";
import { ServerPoints } from "../data/server-points.js";
import { Strip } from "../strip/strip.js";
import { Clock } from "../time/clock.js";

const USUAL_STEP_MS = 1000;

export class LivePage {
  /** @param {CaptureAnswer} capture @param {Theme} theme @param {Client} client */
  constructor(capture, theme, client) {
    this.theme = theme;
    this.provider = new ServerPoints((name, body, signal) => client.post(name, body, undefined, signal));
    this.provider.version = capture.version;
    this.clock = new Clock({ offset_min: capture.offset_min, zone: capture.zone, elapsed: false });
    /** Typical interval, in ms. */
    this.step = capture.step_ms || USUAL_STEP_MS;
    this.timeline = new RestingTimeline({ ...extentOf(capture), step: this.step });
    /** @type {Span[]} */
    this.gaps = [];
    /** @type {Mark[]} */
    this.marks = [];
    /** What the report says has changed. @type {Mark[]} */
    this.changes = [];
    /** @type {Finding[]} */
    this.findings = [];
    /** The numbers of the report. @type {Capture | null} */
    this.numbers = null;
    /** The last sample that the report knows, in ms. @type {number | null} */
    this.reportedTo = null;
    /** Told when there is no answer about points. @type {(error: Error) => void} */
    this.fail = () => {};
    /** Shows a place of the page. @type {(place: string) => void} */
    this.goTo = () => {};
    this.setMarks(capture);
    this.charts = new Charts(this);
    this.strip = new Strip(this);
  }

  get version() { return this.provider.version; }
  get isStopped() { return this.provider.isClosed; }

  stop() { this.provider.isClosed = true; }

  /** @param {CaptureAnswer} capture */
  setMarks({ sides }) {
    this.marks = [...sides.flatMap(({ marks }) => marks), ...this.changes];
    // Only those of the first: gaps of the other are visible in its lines.
    this.gaps = sides.slice(0, 1).flatMap(({ gaps }) => gaps);
  }

  /** @param {Capture} numbers */
  setReport(numbers) {
    this.numbers = numbers;
    this.findings = numbers.head.findings || [];
    this.changes = (numbers.head.marks || []).filter(({ change }) => change);
    this.marks = [...this.marks.filter(({ change }) => !change), ...this.changes];
    this.strip.refresh();
  }

  // The log grew, or has another mark. A window that reached to the end follows it.
  /** @param {CaptureAnswer} capture */
  grow(capture) {
    this.provider.version = capture.version;
    this.setMarks(capture);
    const { begin, end } = extentOf(capture);
    // Charts are notified of the window, and repeat their requests because there is a new version.
    this.timeline.grow(begin, end);
    this.strip.refresh();
  }

  /**
   * Findings about any of the series, once the report is there.
   * @param {import("./state/address.js").SeriesName[]} series
   */
  findingsAbout(series) {
    const { numbers } = this;
    if (!numbers) return [];
    const paths = new Set(series.filter(({ side }) => side === 0).map(({ path }) => path));
    return this.findings.filter((finding) => finding.series !== null && paths.has(pathOfSeries(numbers, finding.series)));
  }
}

/** @param {Capture} numbers @param {number} s */
export function pathOfSeries(numbers, s) {
  const instance = numbers.instance(s);
  return pathOf(numbers.severalHosts ? numbers.host(s) : "", numbers.object(s).name, instance ? instance.name : null, numbers.counter(s).name);
}

/** @param {CaptureAnswer} capture @returns {{begin: number, end: number}} on the common axis */
function extentOf({ sides, begin_ms, end_ms }) {
  const begin = Math.min(begin_ms, ...sides.map((side) => side.begin_ms));
  const end = Math.max(end_ms, ...sides.map((side) => side.end_ms));
  return { begin, end: Math.max(end, begin + 1) };
}
