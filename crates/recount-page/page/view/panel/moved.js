// What happened here: the groups of counters that moved in the chosen span, as sentences, and as small charts of the same width.

/** @import { Screen } from "../screen.js" */
/** @import { Chart as Drawn } from "../../chart/chart.js" */
import { chooser, offer } from "./choose.js";
import { liveLines } from "../board/lines.js";
import { isCancelled } from "../data/client.js";
import { Chart } from "../../chart/chart.js";
import { button, element, visible } from "../../text/elements.js";
import { debounced } from "../../time/pace.js";

/** Pixels. */
const SMALL_HEIGHT = 72;
/** Lines of a small chart. */
const MOST_LINES = 4;

/**
 * @typedef {{path: string, unit: string, before: number, after: number}} MovedSeries
 * @typedef {{headline: string, is_sure: boolean, from: number, to: number, series: MovedSeries[], num_members: number}} MovedGroup
 * @typedef {{notes: string[], groups: MovedGroup[]}} MovedAnswer
 */

export class MovedPanel {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.key = "moved";
    this.title = "What happened";
    /** The question that was answered. */
    this.answered = "";
    /** @type {Drawn[]} */
    this.drawn = [];
    this.side = chooser("Capture", (value) => { screen.more.side = value; screen.keep(); this.show(); });
    this.told = element("p", { class: "about", role: "status" });
    this.groups = element("ol", { class: "moved-groups" });
    this.notes = element("ul", { class: "moved-notes muted" });
    this.node = element("div", { class: "panel moved-panel" }, element("div", { class: "sieve" }, this.side), this.told, this.groups, this.notes);
    this.load = debounced(120, () => this.ask());
  }

  asked() {
    const { catalogue, focus, more } = this.screen;
    const { from, to } = focus.span();
    return { side: Math.min(Number(more.side) || 0, catalogue.sides.length - 1), from, to };
  }

  show() {
    const { catalogue, focus, timeline } = this.screen;
    this.side.hidden = catalogue.sides.length < 2;
    offer(this.side, catalogue.sides.map(({ label }, side) => [String(side), label]), String(this.asked().side));
    const isAll = !focus.isSet && timeline.from <= timeline.begin && timeline.to >= timeline.end;
    if (isAll) this.tell("Choose a span first: zoom in on what happened, or hold Shift and drag in a chart.");
    else if (JSON.stringify(this.asked()) !== this.answered) this.load();
  }

  /** @param {string} text */
  tell(text) {
    this.answered = "";
    this.told.textContent = text;
    this.clear();
    this.node.removeAttribute("aria-busy");
  }

  clear() {
    for (const chart of this.drawn) chart.close();
    this.drawn = [];
    this.groups.replaceChildren();
    this.notes.replaceChildren();
  }

  async ask() {
    if (this.node.hidden) return;
    const asked = this.asked();
    this.node.setAttribute("aria-busy", "true");
    this.told.textContent = "Comparing all counters\u2026";
    try {
      /** @type {MovedAnswer} */
      const answer = await this.screen.client.post("moved", asked, "moved");
      this.answered = JSON.stringify(asked);
      this.draw(answer, asked.side);
    } catch (error) {
      if (isCancelled(error)) return;
      this.tell(/** @type {Error} */ (error).message);
    }
    this.node.removeAttribute("aria-busy");
  }

  /** @param {MovedAnswer} answer @param {number} side */
  draw({ notes, groups }, side) {
    this.clear();
    const [first = "", ...rest] = notes;
    this.told.textContent = first;
    this.groups.append(...groups.map((group) => this.group(group, side)));
    this.notes.append(...rest.map((note) => element("li", {}, visible(note))));
    this.notes.hidden = rest.length === 0;
  }

  /** @param {MovedGroup} group @param {number} side */
  group(group, side) {
    const { screen } = this;
    const { catalogue } = screen;
    const names = group.series.map(({ path }) => ({ side, path: catalogue.spelled(side, path) }));
    // The others of its unit have its axis.
    const alike = names.filter((_, k) => group.series[k].unit === group.series[0].unit).slice(0, MOST_LINES);
    const text = `${group.is_sure ? "" : "Perhaps: "}${visible(group.headline)}`;
    const add = button("Chart it", () => screen.add(alike, null), { class: "quiet small", title: `A chart of ${alike.map(({ path }) => path).join(", ")}` });
    const host = element("div", { class: "plot" });
    const node = element("li", {}, element("p", {}, element("bdi", { dir: "auto" }, text), " ", add), element("div", { class: "plot-frame small" }, host));
    const lines = liveLines(alike.map((one) => catalogue.about(one.side, one.path)), [], group.series[0].unit);
    this.drawn.push(new Chart(screen.page, host, { lines, title: text, height: SMALL_HEIGHT, onPress: (_, at) => screen.focus.pin(at) }));
    return node;
  }
}
