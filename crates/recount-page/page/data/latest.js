// One question at a time, and always the newest: while an answer is awaited, only the last of the newer ones is kept.
// So turning the wheel quickly shows as much as the server can deliver, instead of nothing until it stops.

/** How long an obsolete request may delay the newest one. */
const PATIENCE_MS = 250;

/**
 * @template Q, A
 */
export class Latest {
  /**
   * @param {(question: Q, signal: AbortSignal) => Promise<A>} ask
   * @param {(answer: A, question: Q) => void} take
   * @param {(error: Error) => void} fail
   * @param {(question: Q) => boolean} [yields] whether a question that is being answered gives way to a newer one at once
   */
  constructor(ask, take, fail, yields = () => false) {
    this.ask = ask;
    this.take = take;
    this.fail = fail;
    this.yields = yields;
    /** @type {{ question: Q, control: AbortController, began: number } | null} */
    this.running = null;
    /** @type {Q | null} */
    this.next = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  get isBusy() { return this.running !== null; }
  get hasNext() { return this.next !== null; }

  /** @param {Q} question */
  want(question) {
    if (!this.running) {
      this.begin(question);
      return;
    }
    this.next = question;
    if (this.yields(this.running.question)) {
      this.running.control.abort();
      return;
    }
    if (this.timer !== undefined) return;
    const rest = Math.max(0, PATIENCE_MS - (Date.now() - this.running.began));
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.next !== null && this.running) this.running.control.abort();
    }, rest);
  }

  /** @param {Q} question */
  async begin(question) {
    const running = { question, control: new AbortController(), began: Date.now() };
    this.running = running;
    const isWanted = () => this.running === running && !running.control.signal.aborted;
    try {
      const answer = await this.ask(question, running.control.signal);
      if (isWanted()) this.take(answer, question);
    } catch (error) {
      if (isWanted()) this.fail(error instanceof Error ? error : new Error(String(error)));
    }
    if (this.running !== running) return;
    const { next } = this;
    this.running = null;
    this.stop();
    if (next !== null) this.begin(next);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.next = null;
    if (this.running) this.running.control.abort();
    this.running = null;
  }
}
