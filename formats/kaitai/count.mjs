// Reads a file with the parser that the Kaitai Struct compiler makes of its description, and counts what is in it.
//
//     node count.mjs FILE [FOLDER OF THE .ksy FILES]
//
// Writes one line of JSON. Integers of 64 bits are strings, sums are modulo 2^64. Of a capture log it tells everything,
// each record with its bytes and raw values, of a session and a file of a PCP archive every field, and of logs of sysstat and
// atop their records.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parserOf } from './compile.mjs';
import { countBlock } from './perf-data-block.mjs';
import { countLog } from './blg.mjs';
import { tellSession } from './ms-pcq.mjs';
import { tellAtop, tellSa } from './other-logs.mjs';
import { tellArchive } from './pcp-archive.mjs';
import { readLog } from './rcap.mjs';

const [file, folder = join(dirname(fileURLToPath(import.meta.url)), '..')] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node count.mjs FILE [FOLDER OF THE .ksy FILES]');
  process.exit(2);
}
const bytes = readFileSync(file);
// A view of its own: Node's small buffers share memory, which KaitaiStream doesn't expect.
const view = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const isBlock = ['P\0E\0R\0F\0', '\0P\0E\0R\0F'].includes(bytes.toString('latin1', 0, 8));
const isCapture = bytes.toString('latin1', 0, 4) === '\x8dRCF';
const isSession = bytes.toString('latin1', 0, 4) === 'PCQM';
const isSa = ['\x96\xd5', '\xd5\x96'].includes(bytes.toString('latin1', 0, 2));
const isArchive = bytes.readUInt32BE(4) >>> 8 === 0x500526;
const isAtop = bytes.toString('latin1', 0, 4) === '\xef\xbe\xed\xfe';
console.log(JSON.stringify(await counts()));

async function counts() {
  if (isCapture) {
    return readLog(folder, bytes);
  }
  if (isSession) {
    return tellSession((await parserOf(folder, 'ms-pcq'))(view));
  }
  if (isSa) {
    return tellSa((await parserOf(folder, 'sa'))(view));
  }
  if (isAtop) {
    return tellAtop((await parserOf(folder, 'atop'))(view));
  }
  if (isArchive) {
    return tellArchive((await parserOf(folder, 'pcp-archive'))(view));
  }
  return isBlock
    ? countBlock((await parserOf(folder, 'perf-data-block'))(view))
    : countLog((await parserOf(folder, 'blg'))(view));
}
