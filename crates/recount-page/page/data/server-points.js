// Points from the server, for one window at a time: single samples where there are few, else buckets of a pixel's width.

/** @import { Points, Question, SeriesRef } from "./types.js" */
import { Gathering, objectOf } from "./gathering.js";

/** @typedef {(name: string, body: unknown, signal: AbortSignal) => Promise<any>} Post asks the server, and gives what its JSON says */

// Maximum number that the server accepts in one request.
const MOST_SERIES = 64;

export class ServerPoints {
  /** @param {Post} post */
  constructor(post) {
    this.post = post;
    this.isImmediate = false;
    this.isClosed = false;
    this.version = 0;
    this.gathering = new Gathering((question, signal) => this.ask(question, signal));
  }

  /** @param {Question} question @param {AbortSignal} signal @returns {Promise<Points[]>} */
  async points({ series, ...window }, signal) {
    /** @type {Map<string, number[]>} */
    const objects = new Map();
    series.forEach((one, k) => objects.set(objectOf(one), [...objects.get(objectOf(one)) || [], k]));
    /** @type {Points[]} */
    const found = new Array(series.length);
    await Promise.all([...objects].map(async ([object, places]) => {
      const points = await this.gathering.want({ ...window, series: places.map((k) => series[k]) }, object, signal);
      places.forEach((k, at) => { found[k] = points[at]; });
    }));
    return found;
  }

  /** @param {Question} question @param {AbortSignal} signal @returns {Promise<Points[]>} */
  async ask({ series, from, to, width, wait }, signal) {
    const parts = [];
    for (let k = 0; k < series.length; k += MOST_SERIES) parts.push(series.slice(k, k + MOST_SERIES));
    const answers = await Promise.all(parts.map(async (part) => {
      const answer = await this.post("points", { from, to, width, series: part, ...(wait && { wait }) }, signal);
      return pointsOfAnswer(answer, part.length);
    }));
    return answers.flat();
  }

  /** @param {SeriesRef} _series @returns {null} it tells of windows only */
  figures(_series) { return null; }
}

/** @param {any} answer @param {number} num of series that were asked for @returns {Points[]} */
function pointsOfAnswer(answer, num) {
  const series = answer && answer.series;
  if (!Array.isArray(series) || series.length !== num) throw new Error("the server's answer isn't about the series that were asked for");
  return series.map(pointsOfSeries);
}

/** @param {any} given what the server says of a series @returns {Points} */
function pointsOfSeries({ error, unit, exact, buckets, samples }) {
  if (typeof error === "string") return { kind: "missing", why: error, isFault: true };
  if (buckets) {
    const { begin_ms: begin, step_ms: step, min: lowest, max: highest, mean: means } = buckets;
    return { kind: "buckets", begin, step, lowest, highest, means, isExact: exact !== false, unit };
  }
  if (samples) {
    const { t: times, v: values, raw = null, base = null, status = [], id } = samples;
    return { kind: "samples", times, values, raws: raw, bases: base, statuses: status, unit, ...(id && { ids: id }) };
  }
  return { kind: "missing", why: "no values", isFault: false };
}
