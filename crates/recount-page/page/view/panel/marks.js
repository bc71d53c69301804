// Marks of the captures, and a new one at the pinned time.

/** @import { Screen } from "../screen.js" */
import { Grid } from "./grid.js";
import { button, element, named, visible } from "../../text/elements.js";

export class MarksPanel {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.key = "marks";
    this.title = "Marks";
    this.when = element("span", { class: "muted" });
    this.box = element("input", { type: "text", "aria-label": "Text of a new mark", placeholder: "deploy v42", maxlength: "1000", autocomplete: "off" });
    this.told = element("span", { class: "told", role: "status" });
    this.form = element("form", { class: "sieve" }, this.box, element("button", { class: "quiet main" }, "Add a mark"), this.when, this.told);
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.add(); });
    this.grid = new Grid("Marks of the captures", () => {});
    this.node = element("div", { class: "panel marks-panel" }, this.form, this.grid.node);
  }

  show() {
    const { clock, catalogue, timeline } = this.screen;
    const { pinned } = this.screen.focus;
    const time = (/** @type {number} */ ms) => clock.full(ms, timeline.begin, timeline.end, 1000);
    this.when.textContent = pinned === null ? "at the last sample; press a chart to choose a time" : `at ${time(pinned)}`;
    this.grid.columns([{ key: "time", title: "Time" }, { key: "text", title: "Mark" }], { key: "", isDown: false });
    const marks = catalogue.sides.flatMap(({ marks: own, label }) => own.map(({ ms, text }) => ({ ms, text, label })));
    marks.sort((a, b) => a.ms - b.ms);
    const several = catalogue.sides.length > 1;
    this.grid.rows(marks.map(({ ms, text, label }) => {
      const go = button(time(ms), () => this.go(ms), { class: "adder", title: "Show this time" });
      return element("tr", {}, element("th", { scope: "row" }, go), element("td", { class: "words" }, element("bdi", { dir: "auto" }, visible(text)), several ? [" ", element("small", {}, named(label))] : null));
    }), "There are no marks yet.");
  }

  /** @param {number} ms */
  go(ms) {
    const { timeline } = this.screen;
    if (ms < timeline.from || ms > timeline.to) timeline.show(ms - timeline.length / 2, ms + timeline.length / 2);
    this.screen.focus.pin(ms);
  }

  async add() {
    const text = this.box.value.trim();
    if (text === "") {
      this.told.textContent = "Type a text first.";
      this.box.focus();
      return;
    }
    try {
      await this.screen.client.post("mark", { text, at: this.screen.focus.pinned === null ? this.screen.timeline.end : this.screen.focus.pinned });
      this.box.value = "";
      this.told.textContent = "Added.";
      await this.screen.reload();
    } catch (error) {
      this.told.textContent = /** @type {Error} */ (error).message;
    }
  }
}
