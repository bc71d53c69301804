// Sends requests to the server. A newer request of the same kind cancels the older one; failures are reported as a
// sentence.

export class ServerError extends Error {
  /** @param {string} message @param {number} status 0: there was no answer at all */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** @param {unknown} error */
export const isCancelled = (error) => error instanceof DOMException && error.name === "AbortError";

/** @param {Response} answer */
async function sentenceOf(answer) {
  try {
    const told = await answer.json();
    if (typeof told.error === "string") return told.error;
  } catch { /* not JSON: the status has to do */ }
  return `the server answered with ${answer.status} ${answer.statusText}`.trim();
}

/** @param {Response} answer */
const contentOf = async (answer) => (answer.status === 204 ? null : answer.json());

export class Client {
  /**
   * @param {string} base address of the page, with a slash at its end
   * @param {typeof fetch} [ask]
   */
  constructor(base, ask = (...given) => fetch(...given)) {
    this.base = base;
    this.ask = ask;
    /** @type {Map<string, AbortController>} */
    this.running = new Map();
  }

  /** @param {string} name */
  get(name) { return this.json(name, { method: "GET" }); }

  /**
   * @param {string} name
   * @param {unknown} body
   * @param {string} [kind] a newer question of this kind cancels the one that is under way
   * @param {AbortSignal} [signal] of whoever wants to cancel it
   */
  post(name, body, kind, signal) { return this.json(name, { ...this.posting(body), ...(signal && { signal }) }, kind); }

  /** @param {string} name @param {unknown} body */
  async bytes(name, body) {
    const answer = await this.answer(name, this.posting(body));
    return answer.blob();
  }

  /** @param {unknown} body @returns {RequestInit} */
  posting(body) {
    return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  }

  /** @param {string} name @param {RequestInit} given @param {string} [kind] */
  async json(name, given, kind) {
    if (kind === undefined) return contentOf(await this.answer(name, given));
    const control = new AbortController();
    this.cancel(kind);
    this.running.set(kind, control);
    try {
      return await contentOf(await this.answer(name, { ...given, signal: control.signal }));
    } finally {
      if (this.running.get(kind) === control) this.running.delete(kind);
    }
  }

  /** @param {string} kind */
  cancel(kind) {
    const running = this.running.get(kind);
    if (running) running.abort();
    this.running.delete(kind);
  }

  /** @param {string} name @param {RequestInit} given */
  async answer(name, given) {
    let answer;
    try {
      answer = await this.ask(`${this.base}api/${name}`, { ...given, cache: "no-store", credentials: "omit", redirect: "error" });
    } catch (error) {
      if (isCancelled(error)) throw error;
      throw new ServerError("recount view doesn't answer: it has ended, or was stopped", 0);
    }
    if (!answer.ok) throw new ServerError(await sentenceOf(answer), answer.status);
    return answer;
  }
}
