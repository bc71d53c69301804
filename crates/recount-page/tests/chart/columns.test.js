import assert from "node:assert/strict";
import test from "node:test";
import { columnsOf, lonely } from "../../page/chart/columns.js";
import { linesOf } from "../../page/chart/lines.js";
import { axesOf } from "../../page/chart/units.js";
import { FilePoints } from "../../page/data/file-points.js";
import { capture } from "../data/capture.js";

/** @typedef {import("../../page/data/types.js").Points} Points */
/** @typedef {import("../../page/chart/types.js").Line} Line */

/** @param {number[]} indices */
function ofFile(indices) {
  const one = capture();
  const lines = linesOf(one, indices);
  const points = new FilePoints(one).points({ series: indices, from: 0, to: 0, width: 0, wait: false });
  return columnsOf(lines, points, { axes: axesOf(lines), isStacked: false, begin: 0, end: 8000 });
}

/** @param {string[]} units @returns {Line[]} */
const lines = (...units) => units.map((unit, k) => ({ series: k, name: "", label: `${k}`, colour: k, dash: null, unit }));

/** @param {(Points | null)[]} points @param {Line[]} all @param {boolean} isStacked */
const columnsFor = (points, all = lines(...points.map(() => "%")), isStacked = false) => columnsOf(all, points, { axes: axesOf(all), isStacked, begin: 0, end: 1000 });

/** @param {number} begin @param {number} step @param {(number | null)[][]} values @returns {Points} */
const buckets = (begin, step, [lowest, highest, means]) => ({ kind: "buckets", begin, step, lowest, highest, means: means || null, isExact: true });

/** @param {number[]} times @param {(number | null)[]} values @returns {Points} */
const samples = (times, values) => ({ kind: "samples", times, values, raws: null, bases: null, statuses: times.map(() => "") });

test("coarse buckets hold their value over the grid of the finest", () => {
  const { columns, drawn } = ofFile([0, 1]);
  assert.deepEqual(columns.map((column) => column.length), [32, 32, 32, 32, 32, 32]);
  // In the middle of its stretch.
  assert.equal(columns[0][0], 125);
  assert.equal(columns[0][31], 7875);
  assert.deepEqual(columns[1].slice(12, 24), [100, 100, 100, 100, null, null, null, null, 100, 100, 100, 100]);
  assert.deepEqual(columns[4], [...Array(8).fill(40), ...Array(8).fill(null), ...Array(16).fill(40)]);
  assert.deepEqual(drawn.map(({ shape, highest, lowest, middle }) => [shape, highest, lowest, middle]), [["band", 1, 2, 3], ["edges", 4, 5, null]]);
});

test("a series without points has empty columns over the whole time", () => {
  const { columns } = ofFile([3]);
  assert.equal(columns[0].length, 32);
  assert.ok(columns[1].every((value) => value === null));
});

test("the server's buckets are drawn as they are: no peak is lost", () => {
  const lowest = Array.from({ length: 40 }, (_, k) => k);
  const highest = lowest.map((value) => (value === 7 ? 1e9 : value + 1));
  const { columns } = columnsFor([buckets(100, 10, [lowest, highest, lowest])]);
  assert.deepEqual(columns[0].slice(0, 2), [105, 115]);
  assert.deepEqual(columns.slice(1), [highest, lowest, lowest]);
});

test("single samples are one column, at their own times", () => {
  const { columns, drawn } = columnsFor([samples([10, 20, 30], [1, null, 3])]);
  assert.deepEqual(columns, [[10, 20, 30], [1, null, 3]]);
  assert.deepEqual(drawn.map(({ shape, highest, lowest, middle }) => [shape, highest, lowest, middle]), [["dots", 1, 1, 1]]);
});

test("samples beside buckets leave the other's times to it", () => {
  const { columns } = columnsFor([samples([10, 20], [1, 2]), buckets(0, 30, [[5], [6]])]);
  assert.deepEqual(columns, [[10, 15, 20], [1, undefined, 2], [undefined, 6, undefined], [undefined, 5, undefined]]);
});

test("samples that are far apart aren't joined", () => {
  const near = [0, 10, 20, 30];
  assert.deepEqual(columnsFor([samples([...near, 500, 510, 520], [1, 1, 1, 1, 2, 2, 2])]).columns, [[...near, 265, 500, 510, 520], [1, 1, 1, 1, null, 2, 2, 2]]);
  // A slower pace isn't a gap, but where it begins.
  assert.deepEqual(columnsFor([samples([...near, 40, 90, 140, 190], [1, 1, 1, 1, 1, 2, 2, 2])]).columns[1], [1, 1, 1, 1, 1, null, 2, 2, 2]);
  assert.equal(columnsFor([samples([0, 5000], [1, 2])]).columns[0].length, 2);
});

test("a stack adds means; each line's range stands on those below", () => {
  const one = buckets(0, 500, [[1, 1], [9, 1], [2, 1]]);
  const two = buckets(0, 500, [[10, null], [30, null], [20, null]]);
  const { columns, drawn } = columnsFor([one, two], lines("%", "%"), true);
  const at = (/** @type {number | null} */ column) => [columns[column || 0][0], columns[column || 0][31]];
  assert.deepEqual(drawn.map(({ highest, lowest, middle, below }) => [highest, lowest, middle, below].map(at)), [
    [[9, 1], [1, 1], [2, 1], [0, 0]],
    [[32, null], [12, null], [22, null], [2, null]],
  ]);
});

test("hidden lines carry nothing, and units are stacked apart", () => {
  const points = [1, 10, 100].map((value) => buckets(0, 1000, [[value], [value], [value]]));
  const all = lines("%", "sec", "%");
  const tops = () => { const { columns, drawn } = columnsFor(points, all, true); return drawn.map(({ middle }) => columns[middle || 0][0]); };
  assert.deepEqual(tops(), [1, 10, 101]);
  all[0].isHidden = true;
  assert.deepEqual(tops(), [1, 10, 100]);
});

test("stacked samples hold until the one before, at the times of the others", () => {
  const { columns, drawn } = columnsFor([samples([10, 20, 30], [1, 2, 3]), samples([15, 25], [10, 10])], lines("%", "%"), true);
  assert.deepEqual(columns[0], [10, 15, 20, 25, 30]);
  assert.deepEqual(columns[drawn[0].middle || 0], [1, 2, 2, 3, 3]);
  assert.deepEqual(columns[drawn[1].middle || 0], [null, 12, 12, 13, null]);
});

test("lines of a third unit aren't drawn", () => {
  const point = buckets(0, 1000, [[1], [1]]);
  const { drawn } = columnsFor([point, point, point, point], lines("%", "sec", "bytes", "sec"));
  assert.deepEqual(drawn.map(({ line, axis }) => [line.label, axis.key]), [["0", "y"], ["1", "y2"], ["3", "y2"]]);
});

test("values with nothing on either side are found", () => {
  assert.deepEqual(lonely([1, null, 2, null, 3, 4, null], 0, 6), [0, 2]);
  assert.deepEqual(lonely([null, 5, undefined], 0, 2), [1]);
  // Of other lines are the times between.
  assert.deepEqual(lonely([1, undefined, 2, undefined, undefined, null, 3, undefined], 0, 7), [6]);
});
