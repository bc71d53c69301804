// The capture of a page: its series, their names and figures, and their points.

/** @import { Buckets, Head, Samples } from "./types.js" */

export const EMPTY_WORD = 65535;
export const TOP_WORD = 65534;
const TIME_WORDS = 3;

export class Capture {
  /** @param {Head} head @param {Uint16Array} words */
  constructor(head, words) {
    this.head = head;
    this.words = words;
    this.columns = head.series;
    this.numSeries = head.series.o.length;
    this.begin = head.begin_ms;
    this.end = head.begin_ms + head.step_ms * head.num_buckets;
    this.severalHosts = head.hosts > 1;
  }

  /** @param {number} s */
  object(s) { return this.head.objects[this.columns.o[s]]; }
  /** @param {number} s */
  counter(s) { return this.object(s).counters[this.columns.c[s]]; }
  /** @param {number} s */
  unit(s) { return this.counter(s).unit || ""; }

  /** @param {number} s */
  instance(s) {
    const index = this.columns.i[s];
    return index === null ? null : this.object(s).instances[index];
  }

  /** @param {number} s */
  instanceName(s) {
    const instance = this.instance(s);
    if (!instance) return "";
    return instance.id === null || instance.id === undefined || instance.id === "" ? instance.name : `${instance.name} (${instance.id})`;
  }

  /** @param {number} s */
  host(s) {
    const instance = this.instance(s);
    return (instance && instance.host) || this.object(s).host || "";
  }

  /** @param {number} s */
  fullName(s) {
    const instance = this.instanceName(s);
    const host = this.severalHosts && this.host(s) ? `${this.host(s)}: ` : "";
    return `${host}${this.object(s).name}${instance ? `(${instance})` : ""} ${this.counter(s).name}`;
  }

  /** @param {number} s */
  width(s) { return (this.end - this.begin) / this.columns.b[s]; }

  /** @param {number} s @returns {Buckets | Samples | null} */
  points(s) {
    const at = this.columns.at[s];
    const num = this.columns.b[s];
    if (at < 0) return null;
    const times = this.times(s);
    if (times) return { kind: "samples", times, values: this.row(s, at), raws: null, bases: null, statuses: [] };
    const hasMeans = Boolean(this.columns.m && this.columns.m[s]);
    return {
      kind: "buckets", begin: this.begin, step: this.width(s), isExact: true,
      lowest: this.row(s, at), highest: this.row(s, at + num), means: hasMeans ? this.row(s, at + 2 * num) : null,
    };
  }

  // Of single samples, three words each; null: the series has buckets.
  /** @param {number} s @returns {number[] | null} */
  times(s) {
    const at = this.columns.t ? this.columns.t[s] : -1;
    if (at < 0) return null;
    const { words } = this;
    const ticksPerMs = Math.round(1 / (this.head.tick_ms || 1)) || 1;
    return Array.from({ length: this.columns.b[s] }, (_, k) => {
      const place = at + TIME_WORDS * k;
      return this.begin + (words[place] + 65536 * (words[place + 1] + 65536 * words[place + 2])) / ticksPerMs;
    });
  }

  /** @param {number} s @param {number} at @returns {(number | null)[]} */
  row(s, at) {
    const lo = this.columns.lo[s];
    const scale = (this.columns.hi[s] - lo) / TOP_WORD;
    const values = new Array(this.columns.b[s]);
    for (let k = 0; k < values.length; k++) {
      const word = this.words[at + k];
      values[k] = word === EMPTY_WORD ? null : lo + scale * word;
    }
    return values;
  }
}
