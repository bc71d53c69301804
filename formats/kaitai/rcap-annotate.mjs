// Writes a capture log field by field, as formats/rcap.md shows one: offsets and bytes from the file, names from
// rcap.ksy, and what is compressed once more as it is decompressed.
//
//     node rcap-annotate.mjs FILE [FOLDER OF THE .ksy FILES]

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { classOf } from './compile.mjs';
import { streamOf, unpacked } from './rcap-chunk.mjs';
import { integers, smallIntegers } from './rcap-numbers.mjs';
import { readLog } from './rcap.mjs';

/** Bytes of fields that stand on the line of their name. */
const MAX_LEN_INLINE = 8;
const LEN_LINE = 24;
/** Integers of a list that stand on a line. */
const NUM_PER_LINE = 4;
/** Where names begin. */
const COLUMN_NAMES = 6 + 3 * MAX_LEN_INLINE + 1;

const [file, folder = join(dirname(fileURLToPath(import.meta.url)), '..')] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node rcap-annotate.mjs FILE [FOLDER OF THE .ksy FILES]');
  process.exit(2);
}
const Rcap = await classOf(folder, 'rcap', true);
const lines = [];
/** What is decompressed, to be told behind the frames. */
const parts = [];

const bytes = readFileSync(file);
const log = new Rcap(streamOf(bytes));
log._read();
log.frames.forEach((frame, at) => {
  lines.push('', `${Rcap.FrameKind[frame.kind]?.toLowerCase() ?? 'unknown'} (frame ${at})`);
  tell(frame, bytes, 0);
  collectParts(frame.payload);
});
parts.forEach(([title, bytes, tellPart]) => {
  lines.push('', `${title}, decompressed`);
  tellPart(bytes);
});
lines.push('', 'records');
for (const record of (await readLog(folder, bytes)).records) {
  lines.push(`      number ${record.number}, time ${record.time}, kind ${record.kind}`);
  tellBytes(Buffer.from(record.bytes, 'hex'));
}
console.log(lines.slice(1).join('\n'));

/** A structure's fields, one after the other. `bytes` are those that its stream's offsets count in. */
function tell(structure, bytes, depth) {
  if (structure.planes !== undefined && structure.transform !== undefined) {
    tellNumbers(structure, bytes, depth);
    return;
  }
  for (const [field, { start, end, ioOffset, arr }] of Object.entries(structure._debug)) {
    if (field === 'modes') {
      tellModes(structure.modes, { start, end, ioOffset }, bytes, depth);
      continue;
    }
    const places = arr ?? [{ start, end, ioOffset }];
    places.forEach((place, at) => {
      const value = arr === undefined ? structure[field] : structure[field][at];
      tellField(snake(field) + (arr === undefined ? '' : `[${at}]`), value, place, bytes, depth);
    });
  }
}

function tellField(name, value, { start, end, ioOffset }, bytes, depth) {
  const ofs = start + ioOffset;
  const own = bytes.subarray(ofs, end + ioOffset);
  if (own.length === 0) {
    return;
  }
  if (value?._debug !== undefined && Object.keys(value._debug).length > 0) {
    if (isText(value)) {
      tellLine(ofs, own.subarray(0, 4), `${name}.len_text = ${value.lenText}`, depth);
      tellLine(ofs + 4, own.subarray(4), `${name}.text = ${JSON.stringify(value.text)}`, depth);
      return;
    }
    const [only, ...others] = Object.entries(value._debug);
    if (others.length === 0 && only[1].arr === undefined) {
      tellField(`${name}.${snake(only[0])}`, value[only[0]], only[1], bytes, depth);
      return;
    }
    lines.push(' '.repeat(COLUMN_NAMES) + indent(depth) + name);
    tell(value, bytes, depth + 1);
    return;
  }
  const shown = ['number', 'bigint', 'string'].includes(typeof value) ? ` = ${number(name, value)}` : '';
  tellLine(ofs, own, name + shown, depth);
}

/** All modes of a class in one line. */
function tellModes(modes, { start, end, ioOffset }, bytes, depth) {
  const form = (mode) => (mode.isScaled ? 'scaled ' : '') + Rcap.Form[mode.form].toLowerCase();
  const place = (start + ioOffset).toString(16).padStart(4, '0');
  lines.push(`${place}`.padEnd(COLUMN_NAMES) + `${indent(depth)}modes = ${modes.map(form).join(', ')}`);
  tellBytes(bytes.subarray(start + ioOffset, end + ioOffset));
}

/** A list of integers, with what they are. */
function tellNumbers(numbers, bytes, depth) {
  const { start, ioOffset } = numbers._debug.transform;
  tellLine(start + ioOffset, bytes.subarray(start + ioOffset, start + ioOffset + 1),
    `transform = ${Rcap.Transform[numbers.transform].toLowerCase()}`, depth);
  tellLine(start + ioOffset + 1, bytes.subarray(start + ioOffset + 1, start + ioOffset + 2),
    `num_planes = ${numbers.numPlanes}`, depth);
  (numbers._debug.planes.arr ?? []).forEach((place, at) => {
    const own = bytes.subarray(place.start + place.ioOffset, place.end + place.ioOffset);
    tellLine(place.start + place.ioOffset, own, `planes[${at}]`, depth);
  });
  const signed = integers(numbers).map((value) => BigInt.asIntN(64, value));
  for (let at = 0; at < signed.length; at += NUM_PER_LINE) {
    const arrow = at === 0 ? '->' : '  ';
    lines.push(`${' '.repeat(COLUMN_NAMES)}${indent(depth)}${arrow} ${signed.slice(at, at + NUM_PER_LINE).join(' ')}`);
  }
}

function tellLine(ofs, own, text, depth) {
  const place = ofs.toString(16).padStart(4, '0');
  const isShort = own.length <= MAX_LEN_INLINE;
  const hex = isShort ? hexOf(own) : `${own.length} bytes`;
  lines.push(`${place}  ${hex}`.padEnd(COLUMN_NAMES) + indent(depth) + text);
  if (!isShort) {
    tellBytes(own);
  }
}

function tellBytes(own) {
  for (let at = 0; at < own.length; at += LEN_LINE) {
    lines.push(`      ${hexOf(own.subarray(at, at + LEN_LINE))}`);
  }
}

/** What of a frame is compressed. */
function collectParts(payload) {
  const table = (title, compressed, len, make) =>
    parts.push([title, Buffer.from(unpacked(compressed, len)), (bytes) => {
      const structure = make(streamOf(bytes));
      structure._read();
      tell(structure, bytes, 0);
    }]);
  if (payload.textsCompressed !== undefined) {
    table('text_table', payload.textsCompressed, payload.lenTexts,
      (io) => new Rcap.TextTable(io, null, null, payload.numTexts));
  } else if (payload.bodies !== undefined) {
    table('record_table', payload.tableCompressed, payload.lenTableRaw,
      (io) => new Rcap.RecordTable(io, null, null, payload.numRecords));
    payload.sections.forEach((entry, at) => {
      const { structureCompressed, columnsCompressed } = payload.bodies[at];
      table(`section_structure of sections[${at}]`, structureCompressed, entry.lenStructureRaw,
        (io) => new Rcap.SectionStructure(io));
      const structure = new Rcap.SectionStructure(streamOf(unpacked(structureCompressed, entry.lenStructureRaw)));
      structure._read();
      parts.push([`columns of sections[${at}]`, Buffer.from(unpacked(columnsCompressed, entry.lenColumnsRaw)),
        (bytes) => tellColumns(structure, bytes)]);
    });
  } else if (payload.numEntries !== undefined) {
    const { numFrames, numEntries, numRecords } = payload;
    table('index_table', payload.tableCompressed, Number(payload.lenTable),
      (io) => new Rcap.IndexTable(io, null, null, Number(numFrames), Number(numEntries), Number(numRecords)));
  }
}

/** Columns of a section whose every segment is one piece, each stream of a class of its own: enough for an example. */
function tellColumns(structure, bytes) {
  const streams = [];
  let predicted = new Map();
  for (const code of smallIntegers(structure.successor)) {
    if (code !== 0) {
      predicted = predicted.set(-1, code - 1);
    }
    streams.push(predicted.get(-1) ?? 0);
  }
  if (structure.numPieces !== structure.numSegments || structure.numStreams !== structure.numClasses) {
    throw new Error('a log for an example has one piece per segment, and one stream per class');
  }
  const io = streamOf(bytes);
  const read = (part) => {
    part._read();
    tell(part, bytes, 1);
    return part;
  };
  smallIntegers(structure.lenRow).forEach((lenRow, number) => {
    const numRows = streams.filter((stream) => stream === number).length;
    lines.push(`${' '.repeat(COLUMN_NAMES)}class ${number}: 1 stream of ${numRows} rows of ${lenRow} bytes`);
    const { moves } = read(new Rcap.ClassMoves(io, null, null, numRows - 1));
    const numMoved = moves.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
    if (numMoved === 0) {
      return;
    }
    const { modes } = read(new Rcap.ClassForms(io, null, null, lenRow, 1));
    modes.forEach((mode, column) => {
      if (mode.isOwn && mode.numPlanes > 0) {
        lines.push(`${' '.repeat(COLUMN_NAMES)}  column_planes of column ${column}`);
        const planes = new Rcap.ColumnPlanes(io, null, null, numMoved, mode.numPlanes);
        planes._read();
        tell(planes, bytes, 2);
      }
    });
  });
}

function isText(value) {
  return value.lenText !== undefined && value.text !== undefined && value._debug.index === undefined;
}

function indent(depth) {
  return '  '.repeat(depth);
}

function snake(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function hexOf(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** Checksums, tag and modes in hexadecimal, as one compares them. */
function number(name, value) {
  const isHex = /^(crc_|tag$|section$|mode$)/.test(name);
  return isHex ? `0x${value.toString(16).padStart(name === 'mode' ? 2 : 8, '0')}` : String(value);
}
