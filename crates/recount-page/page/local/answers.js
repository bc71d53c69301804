// The third provider of answers: workers of this page, which give what the server gives. One counts everything; until it has, another
// answers what is quick.

/** @import { Progress } from "../view/data/progress.js" */
/** @import { Reply } from "./lane.js" */
import { Lane } from "./lane.js";

/** Up to this many bytes are counted before a first chart could be drawn from a part of them. */
const FEW_BYTES = 4 << 20;

/** @typedef {{path: string, file: File}} Chosen */

/** @param {Reply} reply @returns {any} */
const jsonOf = (reply) => (reply.bytes ? JSON.parse(new TextDecoder().decode(reply.bytes)) : {});

export class LocalAnswers {
  /** @param {string} code of the worker @param {WebAssembly.Module} module */
  constructor(code, module) {
    this.code = code;
    this.module = module;
    /** @type {Progress} */
    this.progress = { version: 1, state: "counting", progress: 0, growing: false, end_ms: 0 };
    this.isCounted = false;
    /** Why the counting has ended early. */
    this.failure = "";
    /** Answers until everything is counted. @type {Lane | null} */
    this.quick = null;
    this.whole = new Lane(code, (progress) => { this.progress = progress; });
  }

  /**
   * @param {Chosen[]} chosen @param {string} title
   * @returns {Promise<{error: string, hint?: string | null} | null>} what is wrong with them
   */
  async open(chosen, title) {
    const files = chosen.map(({ path, file }, number) => ({ number, path, len: file.size }));
    const open = { module: this.module, contents: chosen.map(({ file }) => file), asked: { files, title } };
    const isMuch = files.reduce((sum, { len }) => sum + len, 0) > FEW_BYTES;
    if (isMuch) {
      this.quick = new Lane(this.code, () => {});
      const opened = await this.quick.ask({ open });
      if (opened.status !== 200) return jsonOf(opened);
      this.count(open);
      return null;
    }
    const opened = await this.whole.ask({ open });
    if (opened.status !== 200) return jsonOf(opened);
    this.finish(await this.whole.ask({ count: true }));
    return null;
  }

  /** @param {object} open */
  async count(open) {
    // Both at once: a question in between would be answered first.
    const [opened, counted] = await Promise.all([this.whole.ask({ open }), this.whole.ask({ count: true })]);
    this.finish(opened.status === 200 ? counted : opened);
  }

  /** @param {Reply} reply to the counting */
  finish(reply) {
    if (reply.status !== 200) {
      this.failure = jsonOf(reply).error;
      this.progress = { ...this.progress, state: "done", version: this.progress.version + 1 };
      for (const { give } of this.whole.end()) give(this.failed());
      return;
    }
    this.isCounted = true;
    // What it hasn't answered yet is answered better now.
    for (const { asked, give } of this.quick?.end() || []) this.whole.ask(asked).then(give);
    this.quick = null;
  }

  /** @returns {Reply} */
  failed() { return { status: 500, bytes: new TextEncoder().encode(JSON.stringify({ error: `not everything could be counted: ${this.failure}` })) }; }

  /** @param {string} name @param {string} content @param {AbortSignal | null} [signal] @returns {Promise<Reply>} */
  async reply(name, content, signal) {
    if (this.failure && name === "report") return this.failed();
    if (this.quick) {
      const reply = await this.quick.ask({ name, content, mayWait: !this.failure }, signal);
      // Without an answer: it would take long, or this worker has ended.
      if (reply.status !== 0 && !reply.isDead) return reply;
    }
    return this.failure ? this.failed() : this.whole.ask({ name, content, mayWait: false }, signal);
  }

  /**
   * Answers like a server.
   * @param {RequestInfo | URL} address @param {RequestInit} [given]
   * @returns {Promise<Response>}
   */
  async ask(address, { body, signal } = {}) {
    const name = String(address).replace(/^.*\//, "");
    if (name === "progress") return Response.json(this.progress);
    const cancelled = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError"))));
    const reply = /** @type {Reply} */ (await Promise.race([this.reply(name, typeof body === "string" ? body : "", signal), cancelled]));
    return new Response(reply.bytes, { status: reply.status, headers: { "content-type": "application/json" } });
  }

  /** @param {string} kind of a file @returns {Promise<Blob>} */
  async save(kind) {
    const reply = this.failure ? this.failed() : await this.whole.ask({ save: kind });
    if (reply.status !== 200 || !reply.file) throw new Error(jsonOf(reply).error);
    return reply.file;
  }
}
