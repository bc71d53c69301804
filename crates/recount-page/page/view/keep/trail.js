// Keeps the address in step with the screen: a user's action adds an entry to the history, and its consequences replace
// the last one.

/** @import { ScreenState } from "../state/address.js" */
import { fragmentOfState, stateOfFragment } from "../state/address.js";

/** A wheel that turns is one step of the history. */
const SETTLED_MS = 350;

export class Trail {
  /**
   * @param {() => ScreenState} read what is on the screen
   * @param {(state: ScreenState) => void} write puts it on the screen
   */
  constructor(read, write) {
    this.read = read;
    this.write = write;
    this.timer = 0;
    this.isPush = false;
    this.last = location.hash;
    // A step back fires both events, and links within the page only the second.
    addEventListener("popstate", () => this.follow());
    addEventListener("hashchange", () => this.follow());
  }

  get state() { return stateOfFragment(location.hash); }

  follow() {
    if (location.hash === this.last) return;
    clearTimeout(this.timer);
    this.last = location.hash;
    this.write(this.state);
  }

  /** @param {boolean} [isStep] a step of its own in the history */
  changed(isStep = true) {
    this.isPush ||= isStep;
    clearTimeout(this.timer);
    this.timer = Number(setTimeout(() => this.settle(), SETTLED_MS));
  }

  settle() {
    clearTimeout(this.timer);
    const fragment = fragmentOfState(this.read());
    if (fragment !== this.last) {
      const address = fragment || location.pathname;
      if (this.isPush) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
      this.last = location.hash;
    }
    this.isPush = false;
  }
}
