// Completion of SQL: tables, their columns and the words of the language.

const FIXED_COLUMNS = ["time", "interval_s", "weight_s", "host", "instance", "instance_id"];
const SQL_WORDS = ["SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "HAVING", "DESC", "ASC", "AND", "OR", "NOT", "LIKE", "IN", "IS NULL", "IS NOT NULL",
  "BETWEEN", "AS", "JOIN", "LEFT JOIN", "ON", "WITH", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT", "count(*)", "avg(", "max(", "min(", "sum(", "DESCRIBE", "SHOW TABLES"];
const MOST_OFFERS = 12;

/** @param {string} name */
export const quotedName = (name) => (/^[A-Za-z][A-Za-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);

/**
 * What is being typed before the caret: a plain word, or a name in double quotes that isn't closed.
 * @param {string} text @param {number} caret
 */
export function typedAt(text, caret) {
  const before = text.slice(0, caret);
  const isOpen = (before.replace(/'[^']*'?/g, "").match(/"/g) || []).length % 2 === 1;
  if (isOpen) {
    const from = before.lastIndexOf('"');
    return { from, word: before.slice(from + 1), isQuoted: true };
  }
  // Within a text nothing is a name.
  if ((before.match(/'/g) || []).length % 2 === 1) return null;
  const word = /** @type {RegExpMatchArray} */ (before.match(/[A-Za-z_][A-Za-z0-9_]*$|$/))[0];
  return { from: caret - word.length, word, isQuoted: false };
}

/** @param {string} name */
const flat = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/**
 * @typedef {{text: string, kind: string}} Offer
 * @param {string} text
 * @param {number} caret
 * @param {{name: string, counters: {name: string}[]}[]} objects
 * @returns {{from: number, offers: Offer[]}}
 */
export function completions(text, caret, objects) {
  const typed = typedAt(text, caret);
  if (!typed || (typed.word === "" && !typed.isQuoted)) return { from: caret, offers: [] };
  const { from, word, isQuoted } = typed;
  const low = word.toLowerCase();
  const named = objects.filter(({ name }) => text.includes(quotedName(name)) || new RegExp(`\\b${flat(name)}\\b`).test(text.toLowerCase().replaceAll("_", "")));
  const ofTables = (named.length ? named : objects).flatMap(({ counters }) => counters.map(({ name }) => name));
  const isAfterTableWord = /\b(from|join|describe)\s+"?$/i.test(text.slice(0, from + (isQuoted ? 1 : 0)));
  /** @type {Offer[]} */
  const tables = [...objects.map(({ name }) => name), "counters", "nulls"].map((name) => ({ text: quotedName(name), kind: "table" }));
  const columns = [...FIXED_COLUMNS, ...new Set(ofTables)].map((name) => ({ text: quotedName(name), kind: "column" }));
  const words = isQuoted ? [] : SQL_WORDS.map((name) => ({ text: name, kind: "" }));
  const all = isAfterTableWord ? tables : [...words, ...columns, ...tables];
  const bare = (/** @type {Offer} */ offer) => offer.text.replace(/^"/, "").toLowerCase();
  const begins = all.filter((offer) => bare(offer).startsWith(low));
  const holds = low.length > 1 ? all.filter((offer) => !bare(offer).startsWith(low) && bare(offer).includes(low)) : [];
  const offers = [...begins, ...holds].filter((offer) => offer.text.toLowerCase() !== low);
  return { from, offers: offers.slice(0, MOST_OFFERS) };
}

/**
 * The text with an offer in place of the typed text, and the caret's position after it.
 * @param {string} text @param {number} caret @param {number} from @param {string} offer
 */
export function completed(text, caret, from, offer) {
  // The quotation mark that closes the name may be there already.
  const behind = offer.endsWith('"') && text[caret] === '"' ? caret + 1 : caret;
  return { text: text.slice(0, from) + offer + text.slice(behind), caret: from + offer.length };
}
