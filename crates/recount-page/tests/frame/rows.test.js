import assert from "node:assert/strict";
import test from "node:test";
import { rowsOf } from "../../page/frame/rows.js";

test("rows are even", () => {
  assert.deepEqual(rowsOf(4, 3), [2, 2]);
  assert.deepEqual(rowsOf(7, 3), [3, 2, 2]);
  assert.deepEqual(rowsOf(6, 2), [2, 2, 2]);
  assert.deepEqual(rowsOf(0, 3), []);
  assert.deepEqual(rowsOf(2, 0), [1, 1]);
});

test("no chart is left alone if there is room", () => {
  assert.deepEqual(rowsOf(3, 2, true), [3]);
  assert.deepEqual(rowsOf(5, 2, true), [3, 2]);
  assert.deepEqual(rowsOf(5, 2, false), [2, 2, 1]);
  assert.deepEqual(rowsOf(1, 2, true), [1]);
  assert.deepEqual(rowsOf(3, 1, true), [1, 1, 1]);
});
