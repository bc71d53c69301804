// One question at a time, and always the newest: while an answer is awaited, only the last of the newer ones is kept.
// So a wheel that turns fast shows what the server has time for, instead of nothing until it stops.

/** How long an answer that nobody wants any more may keep the newest question waiting. */
const PATIENCE_MS = 250;

/**
 * @template Q, A
 */
export class Latest {
  /**
   * @param {(question: Q, signal: AbortSignal) => Promise<A>} ask
   * @param {(answer: A, question: Q) => void} take
   * @param {(error: Error) => void} fail
   */
  constructor(ask, take, fail) {
    Object.assign(this, { take, fail });
    this.ask = ask;
    this.take = take;
    this.fail = fail;
    /** @type {{control: AbortController, began: number} | null} */
    this.running = null;
    /** @type {Q | null} */
    this.next = null;
    this.timer = 0;
  }

  get isBusy() { return this.running !== null; }

  /** @param {Q} question */
  want(question) {
    if (!this.running) {
      this.begin(question);
      return;
    }
    this.next = question;
    if (this.timer) return;
    const rest = Math.max(0, PATIENCE_MS - (Date.now() - this.running.began));
    this.timer = Number(setTimeout(() => { this.timer = 0; if (this.next !== null && this.running) this.running.control.abort(); }, rest));
  }

  /** @param {Q} question */
  async begin(question) {
    const control = new AbortController();
    const running = { control, began: Date.now() };
    this.running = running;
    try {
      const answer = await this.ask(question, control.signal);
      if (this.running === running && !control.signal.aborted) this.take(answer, question);
    } catch (error) {
      if (this.running === running && !control.signal.aborted) this.fail(/** @type {Error} */ (error));
    }
    if (this.running !== running) return;
    this.running = null;
    clearTimeout(this.timer);
    this.timer = 0;
    const { next } = this;
    this.next = null;
    if (next !== null) this.begin(next);
  }

  stop() {
    this.next = null;
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.running) this.running.control.abort();
    this.running = null;
  }
}
