// `recount.html`: opens the captures that are dropped on it, and shows them in the viewer.

/** @import { Chosen } from "./answers.js" */
import { LocalAnswers } from "./answers.js";
import { chosenOf, droppedOf, titleOf } from "./chosen.js";
import { bytesOfDense } from "./dense.js";
import { gunzipped } from "../data/blob.js";
import { Theme } from "../frame/theme.js";
import { find, findAll, visible } from "../text/elements.js";
import { Client } from "../view/data/client.js";
import { saveAs } from "../view/keep/download.js";
import { Viewer } from "../view/viewer.js";

const ENDS = { report: "html", csv: "csv", parquet: "parquet" };

class LocalPage {
  constructor() {
    this.theme = new Theme();
    this.theme.control(find("#theme"));
    this.isBusy = false;
    // While people choose: it takes a moment.
    this.module = gunzipped(bytesOfDense(find("#module").textContent)).then((bytes) => WebAssembly.compile(bytes));
    this.module.catch((error) => this.fail(`This browser can't run recount: ${error.message}`));
    this.wire();
  }

  wire() {
    const chooser = find("#chooser");
    for (const [opener, input] of [["#choose-files", "#files"], ["#choose-folder", "#folder"]]) {
      const node = find(input);
      find(opener).addEventListener("click", () => node.click());
      node.addEventListener("change", () => this.open(chosenOf(node.files)));
    }
    // Anywhere, or a file that misses the frame would replace the page.
    addEventListener("dragover", (event) => { event.preventDefault(); chooser.classList.add("over"); });
    addEventListener("dragleave", () => chooser.classList.remove("over"));
    addEventListener("drop", (event) => {
      event.preventDefault();
      chooser.classList.remove("over");
      if (!document.body.classList.contains("choosing")) return;
      droppedOf(event.dataTransfer).then((chosen) => this.open(chosen), (error) => this.fail(error.message));
    });
    find("#another").addEventListener("click", () => { location.hash = ""; location.reload(); });
  }

  /** @param {string} text */
  fail(text) {
    this.isBusy = false;
    find("#chooser-state").textContent = "";
    find("#chooser-error").textContent = visible(text).replaceAll("\\u{a}", "\n");
    document.documentElement.setAttribute("data-ready", "failed");
  }

  /** @param {Chosen[]} chosen */
  async open(chosen) {
    if (!chosen.length || this.isBusy) return;
    this.isBusy = true;
    document.documentElement.removeAttribute("data-ready");
    find("#chooser-error").textContent = "";
    const title = titleOf(chosen);
    find("#chooser-state").textContent = `Opening ${visible(title)}\u2026`;
    try {
      const answers = new LocalAnswers(find("#worker").textContent, await this.module);
      const wrong = await answers.open(chosen, title);
      if (wrong) {
        for (const lane of [answers.quick, answers.whole]) lane?.end();
        this.fail(wrong.hint ? `${wrong.error}\n${wrong.hint}` : wrong.error);
        return;
      }
      await this.show(answers, title);
    } catch (error) {
      this.fail(/** @type {Error} */ (error).message);
      console.error(error);
    }
  }

  /** @param {LocalAnswers} answers @param {string} title */
  async show(answers, title) {
    document.title = `${visible(title)} - recount`;
    find("#title bdi").textContent = visible(title);
    find("#title").title = visible(title);
    document.body.classList.remove("choosing");
    const viewer = new Viewer(this.theme, new Client("", (address, given) => answers.ask(address, given)));
    await viewer.start();
    for (const node of findAll("[data-save]")) node.addEventListener("click", () => this.save(answers, viewer, title, node));
  }

  /** @param {LocalAnswers} answers @param {Viewer} viewer @param {string} title @param {HTMLButtonElement} node */
  async save(answers, viewer, title, node) {
    const kind = /** @type {keyof typeof ENDS} */ (node.dataset.save);
    node.disabled = true;
    try {
      saveAs(await answers.save(kind), `${title.replace(/\.[A-Za-z0-9]{1,8}$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60) || "capture"}.${ENDS[kind]}`);
    } catch (error) { viewer.screen?.notices.fail(/** @type {Error} */ (error)); }
    node.disabled = false;
  }
}

new LocalPage();
