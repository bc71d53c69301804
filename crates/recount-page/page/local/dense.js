// Bytes that are in the page as text: 13 bits in two of 91 characters, from "#" to "~" without "<" (src/dense.rs writes it).

const FIRST = 35;
const LEFT_OUT = 60;
const RADIX = 91;

/** @param {string} text @param {number} k */
function digitAt(text, k) {
  const place = text.charCodeAt(k);
  return place - FIRST - (place > LEFT_OUT ? 1 : 0);
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
export function bytesOfDense(text) {
  const isOdd = text.length % 2;
  const numPairs = (text.length - isOdd) / 2;
  const bytes = new Uint8Array(Math.floor((13 * numPairs + 6 * isOdd) / 8));
  let held = 0;
  let numBits = 0;
  let at = 0;
  for (let k = 0; k < numPairs; k++) {
    held = (held << 13) | (digitAt(text, 2 * k) * RADIX + digitAt(text, 2 * k + 1));
    numBits += 13;
    while (numBits >= 8) {
      numBits -= 8;
      bytes[at++] = held >> numBits;
    }
    held &= (1 << numBits) - 1;
  }
  // A single one at the end has the last bits of a byte.
  if (at < bytes.length) bytes[at] = ((held << 6) | digitAt(text, 2 * numPairs)) >> (numBits - 2);
  return bytes;
}
