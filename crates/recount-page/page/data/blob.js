// The packed data of the page: see "The blob" in README.md.

import { Capture } from "./capture.js";

/** @param {string} text */
function bytesOfBase64(text) {
  /** @type {((text: string) => Uint8Array<ArrayBuffer>) | undefined} */
  const fromBase64 = /** @type {any} */ (Uint8Array).fromBase64;
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const packed = atob(text);
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  return bytes;
}

/** @param {ArrayBuffer} buffer @param {number} ofs */
function wordsAt(buffer, ofs) {
  const isLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
  if (isLittle) return new Uint16Array(buffer, ofs, (buffer.byteLength - ofs) >> 1);
  const view = new DataView(buffer, ofs);
  return Uint16Array.from({ length: view.byteLength >> 1 }, (_, k) => view.getUint16(2 * k, true));
}

/** @param {Uint8Array<ArrayBuffer>} packed by gzip */
export async function gunzipped(packed) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser can't unpack the data (it has no DecompressionStream). Chrome and Edge can from version 80, Firefox from 113, Safari from 16.4");
  }
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).arrayBuffer();
}

/** @param {string} text base64 of the blob */
export async function openBlob(text) {
  const buffer = await gunzipped(bytesOfBase64(text));
  const lenHead = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, lenHead)));
  return new Capture(head, wordsAt(buffer, 4 + lenHead));
}
