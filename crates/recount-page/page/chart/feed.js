// Asks for the points of a chart: once per window, without overtaking, and for exact ones after coarse ones.

/** @import { Points, Provider, Question, SeriesRef } from "../data/types.js" */
import { Latest } from "../data/latest.js";

const NEVER = new AbortController().signal;

export class Feed {
  /**
   * @param {() => Provider} provider
   * @param {(points: Points[], series: SeriesRef[]) => void} take
   * @param {(error: Error) => void} fail
   */
  constructor(provider, take, fail) {
    this.provider = provider;
    this.take = take;
    this.fail = fail;
    /** The subject of the newest request. */
    this.asked = "";
    this.isBusy = false;
    /** @type {Latest<Question, Points[]>} */
    this.latest = new Latest(async (question, signal) => provider().points(question, signal), (points, question) => this.answer(points, question), (error) => this.lose(error), ({ wait }) => wait);
  }

  /** @param {{ series: SeriesRef[], from: number, to: number, width: number }} window */
  ask(window) {
    const provider = this.provider();
    const key = JSON.stringify([window, provider.version]);
    if (key === this.asked || provider.isClosed || !window.series.length) return;
    this.asked = key;
    const question = { ...window, wait: false };
    if (provider.isImmediate) {
      this.take(/** @type {Points[]} */ (provider.points(question, NEVER)), question.series);
      return;
    }
    this.isBusy = true;
    this.latest.want(question);
  }

  /** @param {Points[]} points @param {Question} question */
  answer(points, question) {
    const isExact = points.every((one) => one.kind !== "buckets" || one.isExact);
    // A newer question is about another window: its own answer will be exact.
    const isLast = !this.latest.hasNext;
    if (isLast && !isExact && !question.wait) this.latest.want({ ...question, wait: true });
    this.isBusy = this.latest.hasNext;
    this.take(points, question.series);
  }

  /** @param {Error} error */
  lose(error) {
    // Requests the next window, or the same one again.
    this.asked = "";
    this.isBusy = this.latest.hasNext;
    this.fail(error);
  }

  stop() {
    this.latest.stop();
    this.asked = "";
    this.isBusy = false;
  }
}
