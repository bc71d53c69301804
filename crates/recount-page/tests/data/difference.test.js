import assert from "node:assert/strict";
import test from "node:test";
import { differenceOf } from "../../page/data/difference.js";

/** @typedef {import("../../page/data/types.js").Points} Points */

/** @param {number[]} times @param {(number | null)[]} values @returns {Points} */
const samples = (times, values) => ({ kind: "samples", times, values, raws: null, bases: null, statuses: times.map(() => "") });
/** @param {(number | null)[]} lowest @param {(number | null)[]} means @returns {Points} */
const buckets = (lowest, means) => ({ kind: "buckets", begin: 0, step: 10, lowest, highest: lowest.map((low) => low && low + 5), means, isExact: true });

test("samples of about the same time are compared", () => {
  const found = differenceOf(samples([0, 10, 20, 30], [1, 2, null, 4]), samples([1, 11, 19, 29, 60], [5, 5, 5, 5, 5]));
  assert.deepEqual(found && found.kind === "samples" && [found.times, found.values], [[1, 11, 19, 29, 60], [4, 3, null, 1, null]]);
});

test("buckets are compared by their means", () => {
  const found = differenceOf(buckets([1, 2, null], [2, 4, null]), buckets([1, 1, 1], [3, 3, 3]));
  assert.deepEqual(found && found.kind === "buckets" && [found.lowest, found.highest, found.means], [[1, -1, null], [1, -1, null], [1, -1, null]]);
});

test("without one of both there is no difference", () => {
  assert.equal(differenceOf(null, samples([0], [1])), null);
  assert.equal(differenceOf({ kind: "missing", why: "no such series", isFault: true }, samples([0], [1]))?.kind, "missing");
});
