// Polls whether counting continues and whether the log grew: often while counting, once a second while growing,
// otherwise not at all.

const COUNTING_MS = 250;
const GROWING_MS = 1000;
/** A server that doesn't answer once may be busy; this many times, it is gone. */
const MAX_FAILURES = 3;

/**
 * @typedef {{version: number, state: string, progress: number, growing: boolean, end_ms: number}} Progress
 */

/** @param {Progress} now @returns {number} ms until the next look; 0: none is needed */
export const pauseAfter = (now) => (now.state !== "done" ? COUNTING_MS : now.growing ? GROWING_MS : 0);

export class ProgressWatch {
  /**
   * @param {import("./client.js").Client} client
   * @param {(now: Progress) => Promise<void> | void} tell
   * @param {(error: Error) => void} lose told once, when the server is gone
   */
  constructor(client, tell, lose) {
    this.client = client;
    this.tell = tell;
    this.lose = lose;
    this.failures = 0;
    this.timer = 0;
    this.isStopped = false;
  }

  /** @param {number} wait ms */
  start(wait) {
    if (this.isStopped) return;
    clearTimeout(this.timer);
    this.timer = Number(setTimeout(() => this.look(), wait));
  }

  async look() {
    try {
      const now = await this.client.get("progress");
      this.failures = 0;
      await this.tell(now);
      const pause = pauseAfter(now);
      if (pause) this.start(pause);
    } catch (error) {
      this.failures++;
      if (this.failures < MAX_FAILURES) this.start(GROWING_MS);
      else this.lose(/** @type {Error} */ (error));
    }
  }

  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
  }
}
