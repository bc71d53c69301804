import assert from "node:assert/strict";
import test from "node:test";
import { nearest, neighbour, pointAt, pointText, rangeIn, standAt, typicalInterval } from "../../page/data/points.js";

/** @typedef {import("../../page/data/types.js").Points} Points */

/** @type {Points} */
const buckets = { kind: "buckets", begin: 1000, step: 100, lowest: [1, 2, null, 4], highest: [1, 9, null, 4], means: [1, 3, null, 4], isExact: true };
/** @type {Points} */
const samples = {
  kind: "samples", times: [0, 1000, 2000, 3000, 9000], values: [1, 5, null, 2, 7], raws: ["10", "18446744073709551615", "30", null, "50"],
  bases: [null, "100", null, null, null], statuses: ["", "", "counter-reset", "", ""],
};

test("a bucket has what is after its begin, up to its end", () => {
  assert.deepEqual([1000, 1100, 1101, 1200].map((ms) => pointAt(buckets, ms)?.high), [1, 1, 9, 9]);
  assert.equal(pointAt(buckets, 1250)?.low, null);
  assert.equal(pointAt(buckets, 1400)?.mean, 4);
});

test("outside of the window nothing is known", () => {
  for (const ms of [0, 999, 1401]) assert.equal(pointAt(buckets, ms), null);
  assert.equal(pointText(buckets, 5000, "%"), "\u2013");
  assert.equal(pointAt(null, 1000), null);
});

test("a sample tells why it has no value, and on request its raw value to the last digit", () => {
  assert.equal(pointText(samples, 6000, "%"), "\u2013 not in this sample");
  assert.equal(pointText(samples, 900, "%"), "5 %");
  assert.equal(pointText(samples, 900, "%", true), "5 %  raw 18446744073709551615 / 100");
  assert.equal(pointText(samples, 2100, "%"), "\u2013 counter-reset");
  assert.equal(pointText(samples, 2100, "%", true), "\u2013 counter-reset  raw 30");
  assert.equal(pointText(samples, 3000, "%"), "2 %");
  assert.equal(pointText({ kind: "missing", why: "no such series", isFault: true }, 0, "%"), "no such series");
});

test("far from all samples nothing is known", () => {
  assert.equal(pointAt(samples, 4400)?.low, 2);
  assert.equal(pointAt(samples, 6000), null);
});

test("the nearest of many", () => {
  const times = Array.from({ length: 1000 }, (_, k) => 10 * k);
  for (const [ms, k] of [[-5, 0], [0, 0], [14, 1], [15, 1], [16, 2], [9989, 999], [1e9, 999]]) assert.equal(nearest(times, ms), k, String(ms));
  assert.equal(nearest([7], 100), 0);
});

test("the typical interval is the median", () => {
  assert.equal(typicalInterval([0, 10, 20, 500]), 10);
  assert.equal(typicalInterval([3]), null);
});

test("ranges have every peak in their stretch", () => {
  assert.deepEqual(rangeIn(buckets, 1000, 1400), { low: 1, high: 9 });
  assert.deepEqual(rangeIn(buckets, 1300, 1400), { low: 4, high: 4 });
  assert.equal(rangeIn(buckets, 1200, 1300), null);
  assert.deepEqual(rangeIn(samples, 0, 1000), { low: 1, high: 5 });
  // Of the begin is what was before it.
  assert.deepEqual(rangeIn(samples, 1000, 9000), { low: 2, high: 7 });
  assert.equal(rangeIn(samples, 1000, 2500), null);
  // Rounded sums of steps.
  assert.deepEqual(rangeIn(samples, 3000.0000000001, 8999.9999999999), { low: 7, high: 7 });
});

test("keys go from sample to sample, and from bucket to bucket", () => {
  assert.deepEqual([1000, 1001, 8999, 9000].map((ms) => neighbour([samples], ms, 1)), [2000, 2000, 9000, null]);
  assert.deepEqual([0, 1, 1000, 9999].map((ms) => neighbour([samples], ms, -1)), [null, 0, 0, 9000]);
  // The third has no value.
  assert.deepEqual([0, 1050, 1150, 1350].map((ms) => neighbour([buckets], ms, 1)), [1050, 1150, 1350, null]);
  assert.deepEqual([9999, 1350, 1100, 1050].map((ms) => neighbour([buckets], ms, -1)), [1350, 1150, 1050, null]);
  assert.equal(neighbour([null, samples, buckets], 1100, 1), 1150);
  assert.equal(neighbour([null], 0, 1), null);
});

test("a pointer stands for a sample, or for the bucket that it is in", () => {
  assert.deepEqual(standAt(samples, 1300), { at: 1000, from: 1000, to: 1000 });
  assert.deepEqual(standAt(samples, 2499), { at: 2000, from: 2000, to: 2000 });
  assert.equal(standAt(samples, 6000), null);
  assert.deepEqual(standAt(buckets, 1130), { at: 1150, from: 1100, to: 1200 });
  assert.deepEqual([1250, 999, 1401].map((ms) => standAt(buckets, ms)), [null, null, null]);
  assert.equal(standAt({ kind: "missing", why: "", isFault: false }, 0), null);
});

test("a sample of a name that several processes had says whose it is", () => {
  /** @type {Points} */
  const shared = { kind: "samples", times: [0, 10], values: [1, 2], raws: null, bases: null, statuses: [], ids: ["4711", "4712"] };
  assert.equal(pointText(shared, 11, "%"), "2 %  (4712)");
});
