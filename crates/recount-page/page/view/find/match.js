// How well a typed word fits a name: 0 for not at all, else the better the larger, at most 100.

/** Words that users type, with the names that counters use for them. */
const ALSO = new Map([["cpu", ["processor"]], ["ram", ["memory", "bytes"]], ["nic", ["network"]], ["rss", ["working set"]], ["io", ["io", "disk"]]]);

const isWordStart = (/** @type {string} */ name, /** @type {number} */ at) => at === 0 || !/[\p{L}\p{N}]/u.test(name[at - 1]);

/**
 * The letters of the word in this order, beginning at a word of the name, with few others in between.
 * @param {string} word
 * @param {string} name
 */
function scattered(word, name) {
  if (word.length < 3) return 0;
  let best = 0;
  for (let begin = name.indexOf(word[0]); begin >= 0; begin = name.indexOf(word[0], begin + 1)) {
    if (!isWordStart(name, begin)) continue;
    let at = begin;
    let starts = 1;
    let k = 1;
    for (; k < word.length; k++) {
      const next = name.indexOf(word[k], at + 1);
      if (next < 0) break;
      if (isWordStart(name, next)) starts++;
      at = next;
    }
    if (k < word.length) continue;
    const span = at - begin + 1;
    // Initials may be far apart; other letters only if most of the stretch was typed.
    if (starts === word.length) best = Math.max(best, 52);
    else if (span <= 2 * word.length) best = Math.max(best, 44 - (10 * (span - word.length)) / word.length);
  }
  return best;
}

/**
 * One letter wrong, missing, doubled or swapped with its neighbour, against the beginning of a word of the name.
 * @param {string} word
 * @param {string} name
 */
function mistyped(word, name) {
  if (word.length < 5) return 0;
  for (let begin = 0; begin < name.length; begin++) {
    if (!isWordStart(name, begin) || name[begin] !== word[0]) continue;
    let k = 1;
    while (k < word.length && name[begin + k] === word[k]) k++;
    const behind = (/** @type {number} */ inWord, /** @type {number} */ inName) => name.startsWith(word.slice(k + inWord), begin + k + inName);
    const isSwapped = word[k] === name[begin + k + 1] && word[k + 1] === name[begin + k] && behind(2, 2);
    if (isSwapped || behind(1, 1) || behind(1, 0) || behind(0, 1)) return 30;
  }
  return 0;
}

/**
 * @param {string} word in lower case
 * @param {string} name in lower case
 */
function plainScore(word, name) {
  if (name === word) return 100;
  // The more of the name was typed, the better.
  const share = (8 * word.length) / name.length;
  let inside = 0;
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1)) {
    if (at === 0) return 88 + share;
    if (isWordStart(name, at)) return 78 + share;
    inside = 60 + share;
  }
  return inside || scattered(word, name) || mistyped(word, name);
}

/**
 * @param {string} word in lower case
 * @param {string} name in lower case
 * @returns {number}
 */
export function wordScore(word, name) {
  const plain = plainScore(word, name);
  const others = ALSO.get(word);
  if (!others || plain >= 78) return plain;
  return Math.max(plain, ...others.map((other) => 0.85 * plainScore(other, name)));
}

/**
 * Splits the typed text into words: paths are split at their separators, except for characters that names contain, too.
 * @param {string} query
 */
export const wordsOf = (query) => query.toLowerCase().split(/[\s\\()]+/).filter((word) => word !== "");

/**
 * The object and the counter of a metric of Performance Co-Pilot, which is written with dots: `kernel.all.load`.
 * @param {string} word
 */
export function partsOfMetric(word) {
  const dot = word.lastIndexOf(".");
  return dot > 0 && dot < word.length - 1 ? [word.slice(0, dot), word.slice(dot + 1)] : [word];
}
