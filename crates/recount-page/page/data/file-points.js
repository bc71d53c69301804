// Points from the packed data of the file, all available immediately.

/** @import { Capture } from "./capture.js" */
/** @import { Figures, Points, Question, SeriesRef } from "./types.js" */

export class FilePoints {
  /** @param {Capture} capture */
  constructor(capture) {
    this.capture = capture;
    this.isImmediate = true;
    this.isClosed = false;
    this.version = 0;
    /** @type {Map<SeriesRef, Points>} */
    this.known = new Map();
  }

  /** @param {Question} question @returns {Points[]} */
  points({ series }) { return series.map((s) => this.of(s)); }

  /** @param {SeriesRef} s @returns {Points} */
  of(s) {
    const known = this.known.get(s);
    if (known) return known;
    const points = this.capture.points(Number(s)) || { kind: "missing", why: "no values", isFault: false };
    this.known.set(s, points);
    return points;
  }

  /** @param {SeriesRef} s @returns {Figures} */
  figures(s) {
    const { n, min, mean, max } = this.capture.columns;
    const k = Number(s);
    return { n: n[k], min: min[k], mean: mean[k], max: max[k] };
  }
}
