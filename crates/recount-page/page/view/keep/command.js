// The command lines that print the numbers of the screen.

/** @import { Screen } from "../screen.js" */
import { button, element, find, speak } from "../../text/elements.js";

export class CommandDialog {
  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
    this.node = find("#commands");
    this.list = element("ul", { class: "commands" });
    this.node.replaceChildren(
      element("div", { class: "bar" }, element("h2", { id: "commands-title" }, "On the command line"), button("\u00d7", () => this.node.close(), { class: "quiet small", "aria-label": "Close" })),
      element("p", { class: "muted" }, "These commands print the numbers that are on the screen."), this.list);
  }

  async open() {
    const { client, board, timeline, sql, dock } = this.screen;
    const charts = board.charts.filter(({ series }) => series.length).map(({ series }) => ({ series }));
    const asksSql = sql !== "" && dock.open === "sql";
    try {
      const { commands } = await client.post("command", { charts, from: timeline.from, to: timeline.to, ...(asksSql && { sql }) }, "command");
      this.list.replaceChildren(...commands.map((/** @type {string} */ command) => this.item(command)));
      this.node.showModal();
    } catch (error) {
      this.screen.notices.fail(/** @type {Error} */ (error));
    }
  }

  /** @param {string} command */
  item(command) {
    const text = element("code", { dir: "ltr" }, command);
    const copy = button("Copy", async () => {
      try {
        await navigator.clipboard.writeText(command);
        copy.textContent = "Copied";
        speak("Copied");
      } catch {
        // The browser forbids it: marked text can be copied by hand.
        const range = document.createRange();
        range.selectNodeContents(text);
        const selection = getSelection();
        if (selection) { selection.removeAllRanges(); selection.addRange(range); }
        copy.textContent = "Press Ctrl+C";
      }
    }, { class: "quiet small" });
    return element("li", {}, text, copy);
  }
}
