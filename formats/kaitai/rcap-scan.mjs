// The frames of a capture log, one after the other, over damage: formats/rcap.md#scanning.

import { crc32c } from './crc32c.mjs';
import { streamOf } from './rcap-chunk.mjs';

const LEN_HEAD = 20;
const LEN_TAIL = 8;
const MAGIC = Buffer.from([0x8d, 0x52, 0x43, 0x46]);

/**
 * The frames that are whole, and the chunks that are but for their payload's checksum: `isSound` tells.
 *
 * @param bytes a Buffer of the whole file
 */
export function scan(Rcap, bytes) {
  const frames = [];
  let numSkipped = 0;
  let ofs = 0;
  let tag = null;
  while (ofs < bytes.length) {
    const frame = frameAt(Rcap, bytes, ofs, tag);
    if (frame !== null) {
      tag ??= frame.tag;
      frames.push(frame);
    }
    if (frame?.isSound) {
      ofs += frame.lenFrame;
    } else {
      // The frame may have been cut or written over, so the next one may begin anywhere behind its first byte.
      const next = nextHead(bytes, ofs + 1, tag);
      numSkipped += next - ofs;
      ofs = next;
    }
  }
  return { frames, numSkipped };
}

/** A head whose checksum is right. */
function isHead(bytes, ofs, tag) {
  const head = bytes.subarray(ofs, ofs + LEN_HEAD);
  return head.length === LEN_HEAD && MAGIC.equals(head.subarray(0, 4))
    && crc32c(head.subarray(0, 16)) === head.readUInt32LE(16)
    && (tag === null || head.readUInt32LE(4) === tag);
}

function nextHead(bytes, from, tag) {
  let ofs = bytes.indexOf(MAGIC, from);
  while (ofs !== -1 && !isHead(bytes, ofs, tag)) {
    ofs = bytes.indexOf(MAGIC, ofs + 1);
  }
  return ofs === -1 ? bytes.length : ofs;
}

function frameAt(Rcap, bytes, ofs, tag) {
  if (!isHead(bytes, ofs, tag)) {
    return null;
  }
  const lenPayload = bytes.readUInt32LE(ofs + 12);
  const whole = bytes.subarray(ofs, ofs + LEN_HEAD + lenPayload + LEN_TAIL);
  try {
    const frame = new Rcap.Frame(streamOf(whole));
    const isSound = crc32c(whole.subarray(LEN_HEAD, -LEN_TAIL)) === frame.crcPayload;
    const isChunk = frame.describedKind === Rcap.FrameKind.CHUNK;
    return isSound || (isChunk && isChunkHead(frame.payload, whole.subarray(LEN_HEAD)))
      ? Object.assign(frame, { ofs, isSound })
      : null;
  } catch {
    // A field that can't be: the frame isn't whole.
    return null;
  }
}

/** Whether the checksums of a chunk's head and of its record table are right. */
function isChunkHead(chunk, payload) {
  return crc32c(payload.subarray(0, 52 + 32 * chunk.numSections)) === chunk.crcHead
    && crc32c(chunk.tableCompressed) === chunk.crcTable;
}
