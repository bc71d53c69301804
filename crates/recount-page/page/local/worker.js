// A worker of the page that opens captures itself: it holds them in the module of WebAssembly, and answers one question after
// the other. It is a script of its own.

/** @typedef {{number: number, path: string, len: number}} GivenFile */

/** Ranges are read in blocks, of which the newest are kept: each reading is a call to the browser. */
const LEN_BLOCK = 1 << 18;
const MOST_BLOCKS = 64;
/** What is read in larger pieces isn't kept. */
const MOST_AT_ONCE = 16 << 20;

class Reading {
  constructor() {
    // @ts-ignore: only workers have it
    this.reader = new FileReaderSync();
    /** @type {File[]} */
    this.files = [];
    /** @type {Map<string, Uint8Array>} in the order of their last use */
    this.blocks = new Map();
  }

  /** @param {number} number @param {number} ofs @param {number} len @returns {Uint8Array} at least a byte, at most `len` */
  read(number, ofs, len) {
    if (len >= LEN_BLOCK) return this.fresh(number, ofs, Math.min(len, MOST_AT_ONCE));
    const at = Math.floor(ofs / LEN_BLOCK);
    const key = `${number} ${at}`;
    const block = this.blocks.get(key) || this.fresh(number, at * LEN_BLOCK, LEN_BLOCK);
    this.blocks.delete(key);
    this.blocks.set(key, block);
    if (this.blocks.size > MOST_BLOCKS) for (const oldest of this.blocks.keys()) { this.blocks.delete(oldest); break; }
    return block.subarray(ofs - at * LEN_BLOCK, ofs - at * LEN_BLOCK + len);
  }

  /** @param {number} number @param {number} ofs @param {number} len */
  fresh(number, ofs, len) { return new Uint8Array(this.reader.readAsArrayBuffer(this.files[number].slice(ofs, ofs + len))); }
}

class Held {
  constructor() {
    this.reading = new Reading();
    /** @type {any} */
    this.calls = null;
    this.failure = "";
    /** @type {Blob[]} */
    this.parts = [];
  }

  /** @param {number} place @param {number} len */
  bytesAt(place, len) { return new Uint8Array(this.calls.memory.buffer, place, len); }

  /** @param {number} place @param {number} len */
  textAt(place, len) { return new TextDecoder().decode(this.bytesAt(place, len)); }

  /** What the module calls. */
  host() {
    return {
      read: (/** @type {number} */ number, /** @type {number} */ ofs, /** @type {number} */ place, /** @type {number} */ len) => {
        try {
          const bytes = this.reading.read(number, ofs, len);
          this.bytesAt(place >>> 0, bytes.length).set(bytes);
          return bytes.length;
        } catch { return -1; }
      },
      now: () => performance.now(),
      progress: (/** @type {number} */ place, /** @type {number} */ len) => { postMessage({ progress: JSON.parse(this.textAt(place >>> 0, len)) }); },
      write: (/** @type {number} */ place, /** @type {number} */ len) => { this.parts.push(new Blob([this.bytesAt(place >>> 0, len)])); },
      fail: (/** @type {number} */ place, /** @type {number} */ len) => { this.failure = this.textAt(place >>> 0, len); },
    };
  }

  /** @param {WebAssembly.Module} module */
  async start(module) {
    /** @type {Record<string, Record<string, Function>>} */
    const given = { host: this.host() };
    // A dependency wants random numbers from a browser, for encrypted archives, which aren't read.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (from !== "host") (given[from] ??= {})[name] = () => { throw new Error(`${name} isn't there`); };
    }
    const instance = await WebAssembly.instantiate(module, /** @type {any} */ (given));
    this.calls = instance.exports;
  }

  /** @param {string} text */
  put(text) {
    const bytes = new TextEncoder().encode(text);
    const place = this.calls.input(bytes.length) >>> 0;
    this.bytesAt(place, bytes.length).set(bytes);
    return bytes.length;
  }

  /** A copy of what the module has put out. */
  taken() { return this.bytesAt(this.calls.output() >>> 0, this.calls.len_output()).slice(); }

  /** @param {any} asked @returns {Promise<any>} */
  async answer({ open, count, name, content, mayWait, save }) {
    if (open) {
      this.reading.files = open.contents;
      await this.start(open.module);
      this.put(JSON.stringify(open.asked));
      const status = this.calls.open();
      return { status, bytes: this.taken() };
    }
    if (count) {
      this.calls.count();
      return { status: 200 };
    }
    if (save) {
      this.parts = [];
      this.put(save);
      const status = this.calls.save();
      const file = new Blob(this.parts);
      this.parts = [];
      return { status, bytes: this.taken(), file };
    }
    this.put(name + content);
    const status = this.calls.ask(new TextEncoder().encode(name).length, mayWait ? 1 : 0);
    return { status, bytes: status === 0 ? null : this.taken() };
  }

  /** What is wrong if the module has ended: a panic, or no more memory. @param {unknown} error */
  messageOf(error) {
    const cause = this.failure || (error instanceof Error ? error.message : String(error));
    return this.failure ? `recount failed, which is a bug: ${cause}` : `the browser gives this page no more memory, or recount failed: ${cause}`;
  }
}

const held = new Held();
let isDead = "";

addEventListener("message", async ({ data }) => {
  const { id, ...asked } = data;
  try {
    if (isDead) throw new Error(isDead);
    postMessage({ id, ...await held.answer(asked) });
  } catch (error) {
    // The module can't be used after it has ended.
    isDead ||= held.messageOf(error);
    postMessage({ id, status: 500, bytes: new TextEncoder().encode(JSON.stringify({ error: isDead })), isDead: true });
  }
});
