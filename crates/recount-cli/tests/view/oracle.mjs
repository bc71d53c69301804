// What the command line says of a capture: the numbers that the page has to show.

import { execFileSync } from "node:child_process";

const MOST_BYTES = 1 << 28;

export class Oracle {
  /** @param {string} command the built recount @param {string[]} inputs */
  constructor(command, inputs) {
    this.command = command;
    this.inputs = inputs;
  }

  run(...words) { return execFileSync(this.command, words, { encoding: "utf8", maxBuffer: MOST_BYTES, stdio: ["ignore", "pipe", "pipe"] }); }

  // Figures of series in a span; times in ms since 1970.
  stats(pattern, from, to) {
    const span = from === undefined ? [] : ["--begin", from, "--end", to];
    return JSON.parse(this.run("stats", ...this.inputs, "--quiet", "--format", "json", ...(pattern ? ["-c", pattern] : []), ...span));
  }

  // Every value of every series, by path: times in ms, and values; null where there is none.
  samples(...more) {
    const [head, ...lines] = this.run("convert", "--quiet", ...this.inputs, "-o", "-", "--format", "csv", ...more).trim().split(/\r?\n/).map(cellsOf);
    const offset = Number((head[0].match(/\(([-\d]+)\)$/) || [])[1] || 0);
    const times = lines.map(([text]) => timeOf(text) + offset * 60_000);
    return new Map(head.slice(1).map((path, c) => [path, lines.map((line, k) => ({ t: times[k], v: line[c + 1].trim() === "" ? null : Number(line[c + 1]) }))]));
  }
}

// A time in ms in ticks of 100 ns, in which samples have their times, rounded as the server does.
export const ticksOf = (ms) => BigInt(Math.floor(ms)) * 10_000n + BigInt(Math.round((ms - Math.floor(ms)) * 10_000));

export const iso = (ticks) => new Date(Number(ticks / 10_000n)).toISOString().replace("Z", `${String(ticks % 10_000n).padStart(4, "0")}Z`);

function cellsOf(line) {
  const cells = [];
  for (const [, cell] of line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)) cells.push(cell.replaceAll('""', '"'));
  return cells;
}

// As relog writes local times: 02/19/2013 18:50:17.844
function timeOf(text) {
  const [, month, day, year, rest] = text.match(/^(\d+)\/(\d+)\/(\d+) (.*)$/);
  return Date.parse(`${year}-${month}-${day}T${rest}Z`);
}

export const withoutHost = (path) => path.replace(/^\\\\[^\\]*/, "");
