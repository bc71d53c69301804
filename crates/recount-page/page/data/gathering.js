// Combines simultaneous requests about the same object and window, so that the server decodes their data once.

/** @import { Points, Question, SeriesRef } from "./types.js" */

/** @typedef {{ series: SeriesRef[], signal: AbortSignal, give: (points: Points[]) => void, fail: (error: unknown) => void }} Part */

export class Gathering {
  /** @param {(question: Question, signal: AbortSignal) => Promise<Points[]>} ask */
  constructor(ask) {
    this.ask = ask;
    /** @type {Map<string, Part[]>} */
    this.open = new Map();
  }

  /**
   * @param {Question} question @param {string} object that all of its series are of
   * @param {AbortSignal} signal
   * @returns {Promise<Points[]>}
   */
  want({ series, ...window }, object, signal) {
    return new Promise((give, fail) => {
      const key = JSON.stringify([object, window]);
      const parts = this.open.get(key) || [];
      if (!parts.length) {
        this.open.set(key, parts);
        queueMicrotask(() => { this.open.delete(key); this.send(parts, window); });
      }
      parts.push({ series, signal, give, fail });
    });
  }

  /** @param {Part[]} parts @param {Omit<Question, "series">} window */
  async send(parts, window) {
    const control = new AbortController();
    const look = () => { if (parts.every(({ signal }) => signal.aborted)) control.abort(); };
    for (const { signal, fail } of parts) signal.addEventListener("abort", () => { fail(signal.reason); look(); }, { once: true });
    look();
    try {
      const points = await this.ask({ ...window, series: parts.flatMap(({ series }) => series) }, control.signal);
      let at = 0;
      for (const { series, give } of parts) give(points.slice(at, at += series.length));
    } catch (error) {
      for (const { fail } of parts) fail(error);
    }
  }
}

/**
 * The object of a series, with its computer and side: enough to tell which series are decoded together.
 * @param {SeriesRef} series
 */
export function objectOf(series) {
  if (typeof series === "number") return "";
  const { side, path } = series;
  const instance = path.indexOf("(");
  return `${side}:${path.slice(0, instance < 0 ? path.lastIndexOf("\\") : instance)}`;
}
