// The packed data of the page: see "The blob" in README.md.

const EMPTY_WORD = 65535;
const TOP_WORD = 65534;

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  return bytes;
}

function wordsAt(buffer, ofs) {
  const isLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  if (isLittle) return new Uint16Array(buffer, ofs, (buffer.byteLength - ofs) >> 1);
  const view = new DataView(buffer, ofs);
  return Uint16Array.from({ length: view.byteLength >> 1 }, (_, k) => view.getUint16(2 * k, true));
}

async function openBlob() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser can't unpack the data (it has no DecompressionStream). Chrome and Edge can from version 80, Firefox from 113, Safari from 16.4");
  }
  const packed = bytesOfBase64(find("#data").textContent);
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(plain).arrayBuffer();
  const lenHead = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, lenHead)));
  return new Capture(head, wordsAt(buffer, 4 + lenHead));
}

class Capture {
  constructor(head, words) {
    this.head = head;
    this.words = words;
    this.columns = head.series;
    this.numSeries = head.series.o.length;
    this.begin = head.begin_ms;
    this.end = head.begin_ms + head.step_ms * head.num_buckets;
    this.severalHosts = head.hosts > 1;
  }

  object(s) { return this.head.objects[this.columns.o[s]]; }
  counter(s) { return this.object(s).counters[this.columns.c[s]]; }
  unit(s) { return this.counter(s).unit || ""; }

  instance(s) {
    const index = this.columns.i[s];
    return index === null ? null : this.object(s).instances[index];
  }

  instanceName(s) {
    const instance = this.instance(s);
    if (!instance) return "";
    return instance.id === null || instance.id === undefined || instance.id === "" ? instance.name : `${instance.name} (${instance.id})`;
  }

  host(s) {
    const instance = this.instance(s);
    return (instance && instance.host) || this.object(s).host || "";
  }

  fullName(s) {
    const instance = this.instanceName(s);
    const host = this.severalHosts && this.host(s) ? `${this.host(s)}: ` : "";
    return `${host}${this.object(s).name}${instance ? `(${instance})` : ""} ${this.counter(s).name}`;
  }

  width(s) { return (this.end - this.begin) / this.columns.b[s]; }

  // Lowest, highest and mean value of each bucket, null where there is none; means are null if the file has none.
  points(s) {
    const at = this.columns.at[s];
    const num = this.columns.b[s];
    if (at < 0) return null;
    const hasMeans = Boolean(this.columns.m && this.columns.m[s]);
    return { num, lowest: this.row(s, at), highest: this.row(s, at + num), means: hasMeans ? this.row(s, at + 2 * num) : null };
  }

  row(s, at) {
    const lo = this.columns.lo[s];
    const scale = (this.columns.hi[s] - lo) / TOP_WORD;
    const values = new Array(this.columns.b[s]);
    for (let k = 0; k < values.length; k++) {
      const word = this.words[at + k];
      values[k] = word === EMPTY_WORD ? null : lo + scale * word;
    }
    return values;
  }
}
