import assert from "node:assert/strict";
import test from "node:test";
import { linesOf } from "../../page/chart/lines.js";
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
