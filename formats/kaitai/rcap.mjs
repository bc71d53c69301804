// Everything that is in a capture log, by the parser of rcap.ksy, zstd, and what formats/rcap.md says.

import { classOf, parserOf } from './compile.mjs';
import { readChunk, streamOf, unpacked } from './rcap-chunk.mjs';
import { integers, smallIntegers } from './rcap-numbers.mjs';
import { scan } from './rcap-scan.mjs';
import { rawValues } from './perf-data-block.mjs';

/** Reads a log, given as a Buffer. */
export async function readLog(folder, bytes) {
  const Rcap = await classOf(folder, 'rcap');
  const parseBlock = await parserOf(folder, 'perf-data-block');
  const { frames, numSkipped } = scan(Rcap, bytes);
  const log = { num_bytes_skipped: numSkipped, frames: {}, facts: {}, texts: {}, index: null, forms: {} };
  const found = { sealed: [], unsealed: [], damaged: [] };
  for (const frame of frames) {
    const { payload, describedKind } = frame;
    const name = Rcap.FrameKind[describedKind]?.toLowerCase() ?? 'unknown';
    log.frames[name] = (log.frames[name] ?? 0) + 1;
    if (name === 'header') {
      log.header = {
        capture_id: Buffer.from(payload.captureId).toString('hex'),
        time_created: String(payload.timeCreated),
        writer: payload.writer.text,
      };
    } else if (name === 'facts') {
      log.facts = Object.fromEntries(payload.facts.map(({ name, value }) => [name.text, value.text]));
    } else if (name === 'texts') {
      Object.assign((log.texts[payload.language.text] ??= {}), textsOf(Rcap, payload));
    } else if (name === 'record') {
      found.unsealed.push({ ...payload, bytes: Buffer.from(payload.record) });
    } else if (name === 'chunk') {
      found[frame.isSound ? 'sealed' : 'damaged'].push(...readChunk(Rcap, payload, log.forms));
    } else if (name === 'index') {
      log.index = readIndex(Rcap, payload);
    }
  }
  log.records = inOrder(found).map((record) => told(Rcap, parseBlock, record));
  return log;
}

/** Every number once. All sound copies of a record are equal; one from a damaged chunk is the last resort. */
function inOrder({ sealed, unsealed, damaged }) {
  const byNumber = new Map();
  for (const record of [...sealed, ...unsealed, ...damaged]) {
    if (!byNumber.has(record.number)) {
      byNumber.set(record.number, record);
    }
  }
  return [...byNumber.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
}

function textsOf(Rcap, { numTexts, lenTexts, textsCompressed }) {
  const table = new Rcap.TextTable(streamOf(unpacked(textsCompressed, lenTexts)), null, null, numTexts);
  return Object.fromEntries(table.texts.map(({ index, text }) => [index, text.text]));
}

function readIndex(Rcap, { numFrames, numEntries, numRecords, lenTable, tableCompressed }) {
  const io = streamOf(unpacked(tableCompressed, Number(lenTable)));
  const table = new Rcap.IndexTable(io, null, null, Number(numFrames), Number(numEntries), Number(numRecords));
  return {
    kind: smallIntegers(table.kind),
    ofs_frame: smallIntegers(table.ofsFrame),
    len_frame: smallIntegers(table.lenFrame),
    num_records_of_frame: smallIntegers(table.numRecordsOfFrame),
    number_first: smallIntegers(table.numberFirst),
    time: integers(table.time).map(String),
    record_kind: smallIntegers(table.recordKind),
    len_record: smallIntegers(table.lenRecord),
  };
}

/** A record for JSON: its bytes, and what they mean. */
function told(Rcap, parseBlock, { number, time, kind, bytes }) {
  const record = { number: Number(number), time: String(time), kind, bytes: bytes?.toString('hex') ?? null };
  if (bytes !== null && kind === Rcap.RecordKind.BLOCK) {
    record.values = rawValues(parseBlock(Uint8Array.from(bytes).buffer));
  } else if (bytes !== null && kind === Rcap.RecordKind.EVENT) {
    const event = new Rcap.Event(streamOf(bytes));
    record.event = {
      kind: event.eventKind, extent: String(event.extent), count: String(event.count), text: event.text.text,
    };
  }
  return record;
}
