import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { openBlob } from "../../page/data/blob.js";
import { Capture } from "../../page/data/capture.js";
import { EMPTY, TOP, WORDS, capture, head } from "./capture.js";

function packed() {
  const text = JSON.stringify(head());
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
  const plain = Buffer.alloc(4 + json.length + 2 * WORDS.length);
  plain.writeUInt32LE(json.length, 0);
  json.copy(plain, 4);
  WORDS.forEach((word, k) => plain.writeUInt16LE(word, 4 + json.length + 2 * k));
  return gzipSync(plain).toString("base64");
}

test("a blob is read as it was written", async () => {
  const read = await openBlob(packed());
  assert.deepEqual(read.head, head());
  assert.deepEqual([...read.words], WORDS);
});

test("a damaged blob is an error", async () => {
  await assert.rejects(openBlob("AAAA"));
});

test("points are values between lowest and highest, or null", () => {
  const one = capture();
  const all = { kind: "buckets", begin: 0, step: 1000, isExact: true };
  assert.deepEqual(one.points(0), {
    ...all, lowest: [0, 0, 0, 0, null, 0, 0, 0], highest: [100, 100, 100, 100, null, 100, 100, 0], means: [50, 50, 50, 50, null, 50, 50, 0],
  });
  assert.deepEqual(one.points(1), { ...all, step: 2000, lowest: [0, null, 40, 0], highest: [40, null, 40, 40], means: null });
  assert.deepEqual(one.points(2), { ...all, lowest: Array(8).fill(3), highest: Array(8).fill(3), means: null });
  assert.equal(one.points(3), null);
});

test("series have the names that people know", () => {
  const one = capture();
  assert.equal(one.fullName(0), "Process(java (17)) % Processor Time");
  assert.equal(one.fullName(3), "Memory Available Bytes");
  assert.equal(one.unit(2), "");
});

test("few samples have times of their own, to the microsecond", () => {
  const given = head();
  Object.assign(given, { begin_ms: 1_790_000_000_000, tick_ms: 0.001 });
  const offset = WORDS.length;
  const ticks = [0, 30_000_000, 75_500_000];
  const words = [...WORDS, 0, TOP, EMPTY, ...ticks.flatMap((at) => [at % 65536, Math.floor(at / 65536) % 65536, Math.floor(at / 2 ** 32)])];
  const series = { ...given.series, at: [offset, 24, 32, -1], b: [3, 4, 8, 1], m: [0, 0, 0, 0], t: [offset + 3, -1, -1, -1] };
  const one = new Capture({ ...given, series }, Uint16Array.from(words));
  assert.deepEqual(one.points(0), {
    kind: "samples", times: [0, 30_000, 75_500].map((ms) => 1_790_000_000_000 + ms), values: [0, 100, null], raws: null, bases: null, statuses: [],
  });
  assert.equal(one.points(1)?.kind, "buckets");
});
