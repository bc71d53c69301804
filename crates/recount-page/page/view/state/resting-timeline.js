// A time line whose cursor rests at the pinned time while the pointer isn't on a chart.

import { Timeline } from "../../time/timeline.js";

export class RestingTimeline extends Timeline {
  /** @param {{ begin: number, end: number, step: number }} span */
  constructor(span) {
    super(span);
    /** @type {number | null} */
    this.rest = null;
  }

  /** @param {number | null} ms */
  point(ms) { super.point(ms === null ? this.rest : ms); }

  /** @param {number | null} ms */
  restAt(ms) {
    this.rest = ms;
    this.point(ms);
  }
}
