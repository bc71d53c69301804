import assert from "node:assert/strict";
import test from "node:test";
import { spreadOn, unionGrid } from "../../page/chart/grid.js";

/** @returns {any} */
const samples = (/** @type {number[]} */ times, /** @type {(number | null)[]} */ values) => ({ kind: "samples", times, values, raws: null, bases: null, statuses: times.map(() => "") });

test("a missing value ends the line where its own values end, whatever other lines have there", () => {
  const gone = samples([0, 1000, 2000, 9000, 10000], [1, 2, null, 4, 5]);
  const other = samples([500, 1500, 2500, 3500, 9500], [1, 1, 1, 1, 1]);
  const grid = unionGrid([gone, other]);
  const { highest } = spreadOn(gone, grid);
  const at = (/** @type {number} */ ms) => highest[grid.indexOf(ms)];
  assert.equal(at(500), undefined);
  assert.deepEqual([at(1500), at(2000), at(2500), at(3500)], [null, null, null, null]);
  assert.equal(at(9500), undefined);
});

test("a stretch in which an instance wasn't there is no line", () => {
  const gone = samples([0, 1000, 2000, 3000, 60000, 61000, 62000], [1, 1, 1, 1, 2, 2, 2]);
  const other = samples(Array.from({ length: 63 }, (_, k) => k * 1000), Array.from({ length: 63 }, () => 7));
  const grid = unionGrid([gone, other]);
  const { highest } = spreadOn(gone, grid);
  for (let ms = 4000; ms < 60000; ms += 1000) assert.equal(highest[grid.indexOf(ms)], null);
  assert.deepEqual([highest[grid.indexOf(3000)], highest[grid.indexOf(60000)]], [1, 2]);
});

test("three samples are three points, wherever they are", () => {
  /** @type {import("../../page/data/types.js").Points} */
  const three = { kind: "samples", times: [0, 30, 75], values: [1, 9, 4], raws: null, bases: null, statuses: [] };
  const grid = unionGrid([three]);
  assert.deepEqual([grid, spreadOn(three, grid).highest], [[0, 30, 75], [1, 9, 4]]);
});

test("no line joins two processes that had one name", () => {
  /** @type {import("../../page/data/types.js").Points} */
  const shared = { kind: "samples", times: [0, 10, 20, 30], values: [1, 2, 3, 4], raws: null, bases: null, statuses: [], ids: ["7", "7", "8", "8"] };
  const grid = unionGrid([shared]);
  assert.deepEqual([grid, spreadOn(shared, grid).highest], [[0, 10, 15, 20, 30], [1, 2, null, 3, 4]]);
});
