// Finds series by the typed text. Each distinct name is scored once per word, so many thousand series are cheap.

import { partsOfMetric, wordScore, wordsOf } from "./match.js";

/** How much a hit counts in each of the four names of a series. */
const WEIGHTS = { counter: 1, instance: 1, object: 0.95, host: 0.7 };
const PHRASE_REWARD = 25;
/** @type {("object" | "instance" | "counter" | "host")[]} */
const FIELDS = ["object", "instance", "counter", "host"];

/** A column of names: the distinct ones in lower case, and which of them each series has. */
class Names {
  /** @param {number} num */
  constructor(num) {
    /** @type {string[]} */
    this.distinct = [];
    /** @type {Map<string, number>} */
    this.known = new Map();
    this.of = new Uint32Array(num);
  }

  /** @param {number} s @param {string} name */
  set(s, name) {
    const low = name.toLowerCase();
    let at = this.known.get(low);
    if (at === undefined) {
      at = this.distinct.length;
      this.known.set(low, at);
      this.distinct.push(low);
    }
    this.of[s] = at;
  }

  /** @param {string} word @param {number} weight */
  scores(word, weight) {
    return Float32Array.from(this.distinct, (name) => (name === "" ? 0 : weight * wordScore(word, name)));
  }
}

/**
 * @typedef {object} Named what is known of a series by name
 * @property {string} object
 * @property {string} instance
 * @property {string} counter
 * @property {string} host
 */

/** @param {Float32Array} total the score of each series */
const fittingOf = (total) => Array.from(total.keys()).filter((s) => total[s] > 0);

export class SeriesSearch {
  /** @param {Named[]} all */
  constructor(all) {
    this.num = all.length;
    this.names = Object.fromEntries(FIELDS.map((field) => [field, new Names(all.length)]));
    /** Totals come before their parts. */
    this.isTotal = new Uint8Array(all.length);
    all.forEach((series, s) => {
      for (const field of FIELDS) this.names[field].set(s, series[field]);
      this.isTotal[s] = Number(series.instance === "" || series.instance === "_Total");
    });
  }

  /**
   * The best series first. Every word has to fit one of the names.
   * @param {string} query
   * @param {number} most
   * @returns {{found: number[], num: number}} indices of the best, and how many fit at all
   */
  find(query, most) {
    const words = wordsOf(query);
    if (!words.length) return { found: [], num: 0 };
    let total = this.totals(words);
    let fitting = fittingOf(total);
    const metric = words.map(partsOfMetric);
    if (!fitting.length && metric.some((parts) => parts.length > 1)) {
      total = this.totals(metric.flat());
      fitting = fittingOf(total);
    }
    // Equal scores keep the order of the capture, which within an object is that of importance.
    fitting.sort((a, b) => total[b] - total[a] || this.isTotal[b] - this.isTotal[a] || a - b);
    return { found: fitting.slice(0, most), num: fitting.length };
  }

  /** @param {string[]} words */
  totals(words) {
    const total = new Float32Array(this.num).fill(1e-3);
    for (const word of words) {
      const tables = FIELDS.map((field) => ({ of: this.names[field].of, scores: this.names[field].scores(word, WEIGHTS[field]) }));
      for (let s = 0; s < this.num; s++) {
        if (total[s] === 0) continue;
        let best = 0;
        for (const { of, scores } of tables) best = Math.max(best, scores[of[s]]);
        total[s] = best === 0 ? 0 : total[s] + best;
      }
    }
    for (let k = 1; k < words.length; k++) this.rewardPhrase(`${words[k - 1]} ${words[k]}`, total);
    return total;
  }

  /**
   * Words that follow each other in one name as they were typed mean that name.
   * @param {string} phrase @param {Float32Array} total
   */
  rewardPhrase(phrase, total) {
    for (const field of FIELDS) {
      const { distinct, of } = this.names[field];
      const hits = distinct.map((name) => name.includes(phrase));
      if (hits.includes(true)) for (let s = 0; s < this.num; s++) if (total[s] > 0 && hits[of[s]]) total[s] += PHRASE_REWARD;
    }
  }
}
