// Which instances may have caused what a chart shows: of which object, by which counter.

/** @typedef {import("../data/catalogue.js").Catalogue} Catalogue */
/** @typedef {import("../data/catalogue.js").SeriesInfo} SeriesInfo */

/** Objects whose instances are programs. */
export const PROGRAMS = ["Process", "Process V2"];
const INTERFACES = ["Network Interface", "Network Adapter"];

/** Topics of names of objects or counters, and the objects to examine for them: the first that the capture has. */
const RULES = [
  { about: /processor|cpu|context switch|thread|system call|interrupt/i, objects: PROGRAMS, counters: ["% Processor Time", "% User Time"] },
  { about: /memory|paging|page|swap|committed|cache|working set|heap/i, objects: PROGRAMS, counters: ["Working Set", "Private Bytes", "Working Set - Private", "Resident Bytes"] },
  { about: /disk|i\/?o\b|file system|block/i, objects: PROGRAMS, counters: ["IO Data Bytes/sec", "IO Write Bytes/sec", "IO Read Bytes/sec", "Disk Write Bytes/sec", "Disk Read Bytes/sec"] },
  { about: /network|tcp|udp|ip|interface|socket/i, objects: INTERFACES, counters: ["Bytes Total/sec", "Bytes Received/sec", "Bytes Sent/sec"] },
  { about: /handle|thread/i, objects: PROGRAMS, counters: ["Handle Count", "Thread Count"] },
  { about: /./, objects: PROGRAMS, counters: ["% Processor Time"] },
];

/** Instances that are sums of others. */
export const isSum = (/** @type {string} */ instance) => /(^|\/)(_Total|_Global_)$|^_Total/i.test(instance);

/**
 * The first object and counter of the lists that a side has instances of.
 * @param {Catalogue} catalogue @param {number} side @param {string[]} objects @param {string[]} counters
 */
function firstOf(catalogue, side, objects, counters) {
  for (const name of objects) {
    const object = catalogue.object(side, name);
    if (!object || !object.instanced) continue;
    for (const wanted of counters) {
      const counter = object.counters.find((one) => one.name.toLowerCase() === wanted.toLowerCase());
      if (counter) return { side, object: object.name, counter: counter.name };
    }
  }
  return null;
}

/**
 * @param {Catalogue} catalogue
 * @param {SeriesInfo | null} series what the chart shows first; null: nothing is known
 * @returns {{side: number, object: string, counter: string} | null}
 */
export function suspectsOf(catalogue, series) {
  const side = series ? series.side : 0;
  const own = series && catalogue.object(side, series.object);
  const asItIs = own && own.instanced ? { side, object: own.name, counter: /** @type {SeriesInfo} */ (series).counter } : null;
  // Programs, queues, databases: the culprit is among their own instances.
  if (asItIs && (PROGRAMS.includes(asItIs.object) || !/processor|disk|paging file|memory/i.test(asItIs.object))) return asItIs;
  const words = series ? `${series.object} ${series.counter}` : "processor";
  const rule = RULES.find(({ about, objects, counters }) => about.test(words) && firstOf(catalogue, side, objects, counters));
  const found = rule ? firstOf(catalogue, side, rule.objects, rule.counters) : null;
  if (found || asItIs) return found || asItIs;
  const any = catalogue.sides[side] && catalogue.sides[side].objects.find((object) => object.instanced && object.counters.length);
  return any ? { side, object: any.name, counter: any.counters[0].name } : null;
}

/** Counters that the time machine shows first, if they exist. */
const TELLING = ["% Processor Time", "Working Set", "Private Bytes", "IO Data Bytes/sec", "IO Read Bytes/sec", "IO Write Bytes/sec", "Page Faults/sec",
  "Thread Count", "Handle Count", "% User Time", "% Privileged Time", "Elapsed Time", "Virtual Bytes", "Disk Read Bytes/sec", "Disk Write Bytes/sec",
  "Avg. Disk Queue Length", "% Idle Time", "Bytes Total/sec", "Bytes Received/sec", "Bytes Sent/sec"];

/**
 * Indices of the counters worth a column, in the order in which they are shown.
 * @param {{name: string}[]} counters @param {number} most @param {string} [asked] one that has to be among them
 */
export function tellingColumns(counters, most, asked = "") {
  const place = (/** @type {string} */ name) => TELLING.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  const rank = counters.map(({ name }, k) => (name === asked ? -1 : place(name) >= 0 ? place(name) : TELLING.length + k));
  // Numbers that only name something are the instance's own column.
  const isName = (/** @type {string} */ name) => /^(ID Process|Creating Process ID|ID Thread|Priority Base)$/i.test(name);
  const order = counters.map((_, k) => k).filter((k) => !isName(counters[k].name)).sort((a, b) => rank[a] - rank[b]);
  return order.slice(0, most);
}
