// Who used the processors: programs, or other groups of processes, stacked up to all that the machine has. A press on one
// opens its processes, and below these what started them.

/** @import { Screen } from "../screen.js" */
import { chooser, offer } from "./choose.js";
import { Latest } from "../../data/latest.js";
import { element, named, shape } from "../../text/elements.js";
import { amount, decimals } from "../../text/numbers.js";
import { debounced } from "../../time/pace.js";

/**
 * @typedef {{name: string, num: number, num_with_cpu: number, cpu_s: number | null}} ProcessTree
 * @typedef {{num: number, num_with_cpu: number, most: [string, number][], trees: ProcessTree[]}} GroupProcesses
 * @typedef {{name: string, used: number[], mean: number | null, processes: GroupProcesses | null}} UserGroup
 * @typedef {object} ProgramsAnswer
 * @property {string} by
 * @property {string[]} groupings
 * @property {number} from ms, that of a sample
 * @property {number} to
 * @property {number[]} not_attributed shares of all processors, from 0 to 1
 * @property {number | null} not_attributed_mean over the time of which there are values
 * @property {UserGroup[]} groups
 * @typedef {{side: number, from: number, to: number, by?: string}} ProgramsQuestion
 */

/** @type {Record<string, string>} */
const GROUPINGS = { command: "Program", user: "User", unit: "Unit", container: "Container", tree: "What started them" };
const HATCHED = "hatched-programs";
/** Heights of the picture's own scale: 100 is all processors. */
const ALL_SHARES = 100;
const AREA_COLOURS = 8;

/** @param {number | null} mean */
const meanShare = (mean) => (mean === null ? "-" : `${decimals(100 * mean, 1)} %`);

/** @param {number} num @param {number} active */
const processesText = (num, active) => `${decimals(num, 0)} ${num === 1 ? "process" : "processes"}${active < num ? `, ${decimals(active, 0)} with CPU` : ""}`;

// Stretches are steps: nothing is known of what happened within them.
/** @param {number[]} below @param {number[]} above */
function stepsArea(below, above) {
  const y = (/** @type {number} */ share) => (ALL_SHARES * (1 - Math.min(1, share))).toFixed(2);
  const there = above.map((share, k) => `V${y(share)}H${k + 1}`).join("");
  const back = below.map((share, k) => `V${y(share)}H${k}`).reverse().join("");
  return `M0 ${y(below[0] || 0)}${there}${back}Z`;
}

export class ProgramsPanel {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.key = "programs";
    this.title = "Programs";
    /** Names of the groups that are open. @type {Set<string>} */
    this.opened = new Set();
    this.side = chooser("Capture", (value) => this.choose({ side: value }));
    this.by = chooser("Group by", (value) => this.choose({ by: value }));
    this.told = element("p", { class: "about", role: "status" });
    this.picture = element("div", { class: "programs-picture" });
    this.list = element("div", { class: "programs-list" });
    this.node = element("div", { class: "panel programs-panel" }, element("div", { class: "sieve" }, this.side, this.by, this.told), this.picture,
      element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Processor time by program" }, this.list));
    this.latest = new Latest((/** @type {ProgramsQuestion} */ question, signal) => this.screen.client.post("programs", question, undefined, signal),
      (/** @type {ProgramsAnswer & {why?: string}} */ answer) => (answer.why ? this.tell(answer.why) : this.draw(answer)), (error) => this.tell(error.message));
    this.ask = debounced(120, () => this.want());
  }

  /** @param {Record<string, string>} change */
  choose(change) {
    Object.assign(this.screen.more, change);
    this.screen.keep();
    this.show();
  }

  show() {
    const { catalogue } = this.screen;
    this.side.hidden = catalogue.sides.length < 2;
    offer(this.side, catalogue.sides.map(({ label }, side) => [String(side), label]), String(this.chosenSide()));
    this.node.setAttribute("aria-busy", "true");
    this.ask();
  }

  chosenSide() { return Math.min(Number(this.screen.more.side) || 0, this.screen.catalogue.sides.length - 1); }

  want() {
    if (this.node.hidden) return;
    const { focus, timeline, more } = this.screen;
    const { from, to } = focus.chosen || timeline;
    const by = GROUPINGS[more.by] ? more.by : "";
    this.latest.want({ side: this.chosenSide(), from, to, ...(by && { by }) });
  }

  /** @param {string} text */
  tell(text) {
    this.node.removeAttribute("aria-busy");
    this.told.textContent = text;
    this.picture.replaceChildren();
    this.list.replaceChildren();
  }

  /** @param {ProgramsAnswer} answer */
  draw(answer) {
    this.node.removeAttribute("aria-busy");
    const { clock, timeline } = this.screen;
    offer(this.by, answer.groupings.map((by) => [by, GROUPINGS[by]]), answer.by);
    const time = (/** @type {number} */ ms) => clock.full(ms, timeline.begin, timeline.end, answer.to - answer.from < 20_000 ? 1 : 1000);
    this.told.replaceChildren(element("b", {}, `${time(answer.from)} to ${time(answer.to)}`), element("span", { class: "muted" }, ". 100 % = all processors; hatched: not attributed to any process"));
    const areas = answer.groups.map((group, k) => ({ ...group, swatch: k < AREA_COLOURS ? `series-${k + 1}` : "rest" }));
    areas.push({ name: "not attributed", used: answer.not_attributed, mean: answer.not_attributed_mean, processes: null, swatch: "hatched" });
    const entries = areas.map((area) => this.entry(area));
    this.picture.replaceChildren(this.drawing(answer, areas, entries));
    this.list.replaceChildren(...entries);
  }

  /**
   * @param {ProgramsAnswer} answer
   * @param {{name: string, used: number[], mean: number | null, swatch: string}[]} areas
   * @param {HTMLElement[]} entries
   */
  drawing({ by, not_attributed }, areas, entries) {
    const num = not_attributed.length;
    let below = not_attributed.map(() => 0);
    const hatch = shape("pattern", { id: HATCHED, width: 1.5, height: 6, patternUnits: "userSpaceOnUse" }, shape("path", { d: "M0 6L1.5 0", stroke: "currentColor", "stroke-width": 0.3 }));
    const paths = areas.map(({ name, used, mean, swatch }, k) => {
      const above = below.map((share, at) => share + used[at]);
      const path = shape("path", { class: swatch, d: stepsArea(below, above), fill: swatch === "hatched" ? `url(#${HATCHED})` : "currentColor" }, shape("title", {}, `${name}: ${meanShare(mean)}`));
      path.addEventListener("click", () => this.open(entries[k]));
      below = above;
      return path;
    });
    const lines = [25, 50, 75].map((share) => shape("path", { class: "grid", d: `M0 ${share}H${num}` }));
    const label = `Processor time by ${GROUPINGS[by].toLowerCase()}`;
    return shape("svg", { role: "img", "aria-label": label, viewBox: `0 0 ${num} ${ALL_SHARES}`, preserveAspectRatio: "none" }, shape("defs", {}, hatch), paths, lines);
  }

  /** @param {HTMLElement} entry */
  open(entry) {
    if (entry instanceof HTMLDetailsElement) entry.open = true;
    entry.scrollIntoView({ block: "nearest" });
  }

  /** @param {{name: string, mean: number | null, processes: GroupProcesses | null, swatch: string}} area */
  entry({ name, mean, processes, swatch }) {
    const head = [element("span", { class: `swatch ${swatch}`, "aria-hidden": "true" }), named(name), element("span", { class: "number" }, meanShare(mean))];
    if (!processes) return element("p", { class: "entry" }, head);
    const items = (/** @type {string[]} */ texts) => element("ul", {}, texts.map((text) => element("li", {}, named(text))));
    const trees = processes.trees.map((tree) => `${tree.name}: ${processesText(tree.num, tree.num_with_cpu)}${tree.cpu_s === null ? "" : `, ${amount(tree.cpu_s, "sec")}`}`);
    const entry = element("details", { class: "entry", open: this.opened.has(name) },
      element("summary", { "data-focus": name }, head, element("span", { class: "muted" }, processesText(processes.num, processes.num_with_cpu))),
      items(processes.most.map(([shown, seconds]) => `${shown}: ${amount(seconds, "sec")}`)),
      trees.length ? element("details", { class: "trees", open: this.opened.has(`below ${name}`) }, element("summary", {}, "What started them"), items(trees)) : null);
    entry.addEventListener("toggle", (event) => this.remember(event.target === entry ? name : `below ${name}`, /** @type {HTMLDetailsElement} */ (event.target).open), { capture: true });
    return entry;
  }

  // A new answer leaves open what was open.
  /** @param {string} name @param {boolean} isOpen */
  remember(name, isOpen) {
    if (isOpen) this.opened.add(name);
    else this.opened.delete(name);
  }
}
