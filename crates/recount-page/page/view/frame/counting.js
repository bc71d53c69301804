// A thin bar and a few words while the captures are still counted, and a sign that a log grows.

/** @import { Progress } from "../data/progress.js" */
import { find } from "../../text/elements.js";

export class Counting {
  constructor() {
    this.node = find("#counting");
    this.bar = find("#counting progress");
    this.words = find("#counting-words");
    this.growing = find("#growing");
    this.told = "";
    // Next to the displayed time, so that the page doesn't shift when counting is done.
    find("#strip .now").after(this.words, this.growing);
  }

  /** @param {Progress} now */
  show(now) {
    const isDone = now.state === "done";
    const share = Math.min(1, Math.max(0, now.progress || 0));
    this.node.classList.toggle("done", isDone);
    this.bar.hidden = isDone;
    this.bar.value = share;
    this.growing.hidden = !now.growing;
    // Screen readers hear of it every tenth only.
    const words = isDone ? "" : `Counting ${Math.floor(share * 10) * 10} %, findings follow`;
    if (words !== this.told) this.words.textContent = words;
    this.told = words;
    this.words.hidden = isDone;
  }
}
