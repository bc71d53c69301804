import assert from "node:assert/strict";
import test from "node:test";
import { columnsOf, linesOf, lonely } from "../../page/chart/lines.js";
import { capture } from "../data/capture.js";

test("labels say what tells the series of a chart apart, and no more", () => {
  const labels = (/** @type {number[]} */ indices) => linesOf(capture(), indices).map((line) => line.label);
  assert.deepEqual(labels([0, 1]), ["java (17)", "java (18)"]);
  assert.deepEqual(labels([0, 2]), ["% Processor Time", "Handle Count"]);
  assert.deepEqual(labels([0, 3]), ["Process java (17) % Processor Time", "Memory Available Bytes"]);
  assert.deepEqual(labels([3]), ["Available Bytes"]);
});

test("lines beyond the fourth are dashed, and a given unit wins", () => {
  const lines = linesOf(capture(), [0, 0, 0, 0, 0, 0, 0, 0, 0], "/sec");
  assert.deepEqual(lines.map((line) => line.dash !== null), [false, false, false, false, true, true, true, true, false]);
  assert.deepEqual(lines.map((line) => line.colour), [0, 1, 2, 3, 4, 5, 6, 7, 0]);
  assert.ok(lines.every((line) => line.unit === "/sec"));
});

test("coarse buckets hold their value over the grid of the finest", () => {
  const one = capture();
  const lines = linesOf(one, [0, 1]);
  const { columns, bands } = columnsOf(one, lines);
  assert.equal(columns.length, 6);
  assert.deepEqual(columns.map((column) => column.length), [32, 32, 32, 32, 32, 32]);
  // In the middle of its stretch.
  assert.equal(columns[0][0], 125);
  assert.equal(columns[0][31], 7875);
  assert.deepEqual(columns[1].slice(12, 24), [100, 100, 100, 100, null, null, null, null, 100, 100, 100, 100]);
  assert.deepEqual(columns[4], [...Array(8).fill(40), ...Array(8).fill(null), ...Array(16).fill(40)]);
  assert.deepEqual(lines.map((line) => line.plotted), [[1, 2, 3], [4, 5]]);
  assert.deepEqual(bands.map((band) => band.series), [[1, 2], [4, 5]]);
});

test("a series without points has empty columns", () => {
  const one = capture();
  const { columns } = columnsOf(one, linesOf(one, [3]));
  assert.ok(columns[1].every((value) => value === null));
});

test("values with nothing on either side are found", () => {
  assert.deepEqual(lonely([1, null, 2, null, 3, 4, null], 0, 6), [0, 2]);
  assert.deepEqual(lonely([null, 5, undefined], 0, 2), [1]);
});
