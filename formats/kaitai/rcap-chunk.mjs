// A chunk back to records: formats/rcap.md#decoding.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decompress } from 'fzstd';
import { KaitaiStream } from './compile.mjs';
import { crc32c } from './crc32c.mjs';
import { readClass } from './rcap-columns.mjs';
import { integers, smallIntegers } from './rcap-numbers.mjs';

/** What zstd makes of bytes, which has to be so long. */
export function unpacked(bytes, len) {
  const raw = bytes.length === 0 ? new Uint8Array() : decompress(bytes);
  if (raw.length !== len) {
    throw new Error(`expected ${len} bytes, found ${raw.length}`);
  }
  return raw;
}

/** A stream of its own over bytes: they may be a part of a larger buffer, which KaitaiStream doesn't expect. */
export const streamOf = (bytes) => new KaitaiStream(Uint8Array.from(bytes).buffer);

/**
 * The records of a `chunk`, in order; `bytes` is null for those that a damaged section is part of.
 *
 * @param forms counts the forms of columns that were met
 */
export function readChunk(Rcap, chunk, forms) {
  const table = new Rcap.RecordTable(
    streamOf(unpacked(chunk.tableCompressed, chunk.lenTableRaw)), null, null, chunk.numRecords);
  const sections = chunk.sections.map((entry, at) => readSection(Rcap, entry, chunk.bodies[at], forms));
  const next = sections.map(() => 0);
  const [times, kinds, lens] = [integers(table.time), smallIntegers(table.kind), smallIntegers(table.lenRecord)];
  const sectionOfSegment = smallIntegers(table.sectionOfSegment);
  let segment = 0;
  return smallIntegers(table.numSegmentsOfRecord).map((num, at) => {
    const parts = sectionOfSegment.slice(segment, segment + num).map((section) => {
      const parts = sections[section];
      next[section] += 1;
      return parts === null ? null : parts[next[section] - 1];
    });
    segment += num;
    const bytes = parts.includes(null) ? null : Buffer.concat(parts);
    if (bytes !== null && bytes.length !== lens[at]) {
      throw new Error(`record ${at} of the chunk: expected ${lens[at]} bytes, found ${bytes.length}`);
    }
    const number = chunk.numberFirst + BigInt(at);
    return { number, time: BigInt.asIntN(64, times[at]), kind: kinds[at], bytes };
  });
}

/** The segments of a section, or null if it is lost. */
function readSection(Rcap, entry, body, forms) {
  const isSound = crc32c(body.structureCompressed) === entry.crcStructure
    && crc32c(body.columnsCompressed) === entry.crcColumns;
  if (entry.isLost || !isSound) {
    return null;
  }
  const structure = new Rcap.SectionStructure(
    streamOf(unpacked(body.structureCompressed, entry.lenStructureRaw)), null, null, entry.hasKnownTexts);
  const classes = classesOf(structure);
  const segments = piecesOf(structure);
  const streams = streamsOf(structure, classes, segments);
  const io = streamOf(unpacked(body.columnsCompressed, entry.lenColumnsRaw));
  classes.forEach(({ lenRow }, number) => {
    const ofClass = streams.filter((stream) => stream.classNumber === number);
    const rows = readClass(Rcap, io, ofClass, lenRow, forms);
    ofClass.forEach((stream, at) => Object.assign(stream, { rows: rows[at], next: 0 }));
  });
  if (!io.isEof()) {
    throw new Error('bytes are left behind the columns');
  }
  return segments.map((pieces) =>
    Buffer.concat(pieces.map((stream) => streams[stream].rows[streams[stream].next++])));
}

/** Per segment, the stream of each of its pieces. */
function piecesOf(structure) {
  const successors = smallIntegers(structure.successor);
  const predicted = new Map();
  let piece = 0;
  return smallIntegers(structure.numPiecesOfSegment).map((num) => {
    // Streams count from 0 here, and -1 is the start of a segment: at first, the next stream is predicted.
    let last = -1;
    return successors.slice(piece, (piece += num)).map((code) => {
      if (code !== 0) {
        predicted.set(last, code - 1);
      }
      last = predicted.get(last) ?? last + 1;
      return last;
    });
  });
}

/** Length of a row of every class, and of those that are known texts the text: formats/rcap.md#known-texts. */
function classesOf(structure) {
  const known = structure.knownText === undefined ? [] : smallIntegers(structure.knownText);
  return smallIntegers(structure.lenRow).map((lenRow) => {
    if (lenRow > 0) {
      return { lenRow };
    }
    const text = Buffer.from(`${knownTexts()[known.shift()]}\0`, 'utf16le');
    return { lenRow: text.length, text };
  });
}

/** The texts that have numbers. The scripts may be run from a copy: then the .ksy files' folder is told. */
function knownTexts() {
  const formats = process.argv[3] ?? fileURLToPath(new URL('..', import.meta.url));
  const file = join(formats, '../crates/recount-capture/data/known-texts.txt');
  return readFileSync(file, 'utf8').split('\n').slice(0, -1);
}

/** Class, number of rows and first row of every stream. */
function streamsOf(structure, classes, segments) {
  const streams = smallIntegers(structure.classOfStream).map((classNumber) => ({ classNumber, numRows: 0 }));
  segments.flat().forEach((stream) => (streams[stream].numRows += 1));
  let ofs = 0;
  classes.forEach(({ lenRow, text }, number) => {
    const ofClass = streams.filter((stream) => stream.classNumber === number);
    if (text !== undefined) {
      ofClass[0].firstRow = Uint8Array.from(text);
      return;
    }
    ofClass.forEach((stream, at) => {
      stream.firstRow = Uint8Array.from({ length: lenRow }, (_, byte) =>
        structure.firstRows[ofs + byte * ofClass.length + at]);
    });
    ofs += lenRow * ofClass.length;
  });
  return streams;
}
