// What 100 % of a counter is, where people may take it for something else: the time of one processor, or of all.

const PROCESSORS = /^(Processor|Processor Information|Physical Cpu|Hyper-V Hypervisor (Logical|Virtual|Root Virtual) Processor)$/i;
const USERS_OF_ONE = /^(Process|Process V2|Thread|Job Object( Details)?|Cgroup)$/i;
const PROCESSOR_TIMES = /^% (.* )?Time$/i;
/** Sums of processors, and those of a group of them ("0,_Total"). */
const ALL = /(^|,)_Total$/i;

/**
 * @param {string} object @param {string} counter @param {string} instance
 * @returns {string} in words, or "": nothing that needs saying
 */
export function hundredOf(object, counter, instance) {
  if (!PROCESSOR_TIMES.test(counter) || /pressure/i.test(counter)) return "";
  if (USERS_OF_ONE.test(object)) return "one processor";
  if (/^System$/i.test(object)) return "all processors";
  if (!PROCESSORS.test(object)) return "";
  return ALL.test(instance) || instance === "" ? "all processors" : "one processor";
}

/**
 * Of the lines of an axis.
 * @param {{ unit: string, hundred?: string }[]} lines @param {string} unit of the axis
 * @returns {string} "" where nothing needs saying
 */
export function hundredText(lines, unit) {
  if (unit !== "%") return "";
  const all = new Set(lines.filter((line) => line.unit === unit).map((line) => line.hundred || ""));
  if (all.size === 1) return [...all][0] && `100 % = ${[...all][0]}`;
  return [...all].some(Boolean) ? "100 %: see the lines" : "";
}

/**
 * What the label of a line adds, where the lines of a chart differ in that.
 * @template {{ unit: string, hundred?: string, label: string }} T
 * @param {T[]} lines @returns {T[]}
 */
export function withHundreds(lines) {
  const percents = lines.filter((line) => line.unit === "%");
  if (new Set(percents.map((line) => line.hundred || "")).size < 2) return lines;
  return lines.map((line) => (line.unit === "%" && line.hundred ? { ...line, label: `${line.label} (100 % = ${line.hundred})` } : line));
}
