// A worker, and the questions that wait for it: one at a time is in the worker, so that what nobody wants any more never gets there.

/** @typedef {{status: number, bytes?: Uint8Array<ArrayBuffer> | null, file?: Blob, isDead?: boolean}} Reply */
/** @typedef {{asked: object, give: (reply: Reply) => void, isWanted: () => boolean}} Waiting */

export class Lane {
  /** @param {string} code the worker's script @param {(progress: any) => void} onProgress */
  constructor(code, onProgress) {
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.addEventListener("message", ({ data }) => (data.progress ? onProgress(data.progress) : this.take(data)));
    this.worker.addEventListener("error", (event) => this.take({ status: 500, isDead: true, bytes: new TextEncoder().encode(JSON.stringify({ error: event.message || "the browser can't start the worker" })) }));
    /** @type {Waiting[]} */
    this.waiting = [];
    /** @type {Waiting | null} */
    this.current = null;
  }

  /** @param {object} asked @param {AbortSignal | null} [signal] @returns {Promise<Reply>} */
  ask(asked, signal) {
    return new Promise((give) => {
      this.waiting.push({ asked, give, isWanted: () => !signal?.aborted });
      this.next();
    });
  }

  next() {
    while (!this.current && this.waiting.length) {
      const next = /** @type {Waiting} */ (this.waiting.shift());
      if (!next.isWanted()) continue;
      this.current = next;
      this.worker.postMessage(next.asked);
    }
  }

  /** @param {Reply} reply */
  take(reply) {
    const done = this.current;
    this.current = null;
    done?.give(reply);
    this.next();
  }

  /** Ends the worker; returns the questions without an answer. */
  end() {
    this.worker.terminate();
    const left = [...(this.current ? [this.current] : []), ...this.waiting];
    this.current = null;
    this.waiting = [];
    return left;
  }
}
