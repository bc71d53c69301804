import assert from "node:assert/strict";
import test from "node:test";
import { isFlattened, logRange, logTickTexts, logTicks, stepsOf, tickTexts, valueRange, valueTicks } from "../../page/chart/scales.js";

test("axes begin at zero unless all that moves would be a thread", () => {
  assert.deepEqual(valueRange("", 2, 10, 5), [0, 10]);
  assert.deepEqual(valueRange("", -10, -2, 5), [-10, 0]);
  assert.deepEqual(valueRange("", 1000, 1009, 5), [1000, 1010]);
});

test("an axis ends with a label, and has as many steps as there is room for", () => {
  const GIB = 2 ** 30;
  assert.deepEqual(valueRange("bytes", 0, 3.68 * GIB, 4), [0, 4 * GIB]);
  assert.deepEqual(valueRange("", 0, 10.5, 5), [0, 15]);
  assert.deepEqual(valueRange("", 0, 10.5, 6), [0, 12]);
  assert.deepEqual(valueRange("sec", -0.3, 0.25, 4), [-0.4, 0.4]);
  assert.deepEqual(valueRange("", 0, 1e-26, 4), [0, 1e-26]);
  assert.deepEqual(valueTicks("", 0, 15, 5), [0, 5, 10, 15]);
  assert.deepEqual(valueTicks("bytes", 0, 4 * GIB, 4), [0, GIB, 2 * GIB, 3 * GIB, 4 * GIB]);
  for (let high = 1e-6; high < 1e12; high *= 1.0473) {
    for (const most of [2, 3, 4, 5, 7]) {
      for (const unit of ["", "bytes", "sec"]) {
        const [low, top] = valueRange(unit, 0, high, most);
        const ticks = valueTicks(unit, low, top, most);
        assert.ok(top >= high && ticks.length > 2 - (most < 3) && ticks.length <= most + 1, `${unit} ${high} ${most} ${ticks}`);
        assert.ok(Math.abs(ticks[ticks.length - 1] / top - 1) < 1e-9, `${unit} ${high} ${most} ${ticks}`);
      }
    }
  }
});

test("percents have the whole scale once they are large", () => {
  assert.deepEqual(valueRange("%", 0, 41, 4), [0, 100]);
  assert.deepEqual(valueRange("%", 0, 100, 4), [0, 100]);
  assert.deepEqual(valueRange("%", 0, 3, 4), [0, 3]);
  assert.deepEqual(valueRange("%", 0, 130, 4), [0, 150]);
});

test("one value, or none, has an axis as well", () => {
  assert.deepEqual(valueRange("", null, null, 4), [0, 1]);
  assert.deepEqual(valueRange("", 0, 0, 4), [0, 1]);
  assert.deepEqual(valueRange("", 10, 10, 4), [0, 15]);
  assert.deepEqual(valueRange("", -10, -10, 4), [-15, 0]);
});

test("ticks have the digits that tell them apart", () => {
  assert.deepEqual(tickTexts([0, 50, 100], "%", 50), ["0 %", "50 %", "100 %"]);
  assert.deepEqual(tickTexts([100.1, 100.2], "", 0.1), ["100.1", "100.2"]);
  assert.deepEqual(tickTexts([1, 2], "<b>", 1), ["1", "2"]);
});

test("ticks that are close have the unit of the legend, and all their digits", () => {
  assert.deepEqual(tickTexts([999_971_328, 999_971_840, 999_972_352], "bytes", 512), ["953.64697 MiB", "953.64746 MiB", "953.64795 MiB"]);
  assert.deepEqual(tickTexts([1_234_567, 1_234_568], "", 1), ["1.234567 M", "1.234568 M"]);
  assert.deepEqual(tickTexts([12_345, 12_346], "/sec", 1), ["12,345/s", "12,346/s"]);
  assert.deepEqual(tickTexts([99.991, 99.992], "%", 0.001), ["99.991 %", "99.992 %"]);
  // Three digits would tell them apart, and be wrong.
  assert.deepEqual(tickTexts([1e6, 1.005e6], "", 5000), ["1 M", "1.005 M"]);
});

test("bytes have steps of powers of two", () => {
  assert.ok(stepsOf("bytes").includes(1024) && !stepsOf("bytes").includes(1000));
  assert.ok(stepsOf("MiB").includes(2048) && !stepsOf("MiB").includes(2000));
  assert.deepEqual(tickTexts([0, 2048, 4096], "MiB", 2048), ["0 B", "2 GiB", "4 GiB"]);
  assert.deepEqual(tickTexts([8190, 8191], "MiB", 1), ["7.99805 GiB", "7.99902 GiB"]);
  assert.ok(stepsOf("sec").includes(1000) && stepsOf("sec").includes(0.001));
});

test("an axis is flattened by few values that are far above all others", () => {
  const low = Array.from({ length: 300 }, (_, k) => 2 + (k % 7));
  assert.equal(isFlattened("sec", [[...low, 5000]]), true);
  assert.equal(isFlattened("sec", [low, [...low, null, undefined, 5000]]), true);
  // Not by a phase, by a line that is higher, or by less than what leaves something to see.
  assert.equal(isFlattened("sec", [[...low, ...low.slice(0, 20).map(() => 5000)]]), false);
  assert.equal(isFlattened("sec", [low, low.map((value) => 1000 * value)]), false);
  assert.equal(isFlattened("sec", [[...low, 700]]), false);
  // Where the others are nothing, there is nothing to see.
  assert.equal(isFlattened("", [[...low.map(() => 0), 5000]]), false);
  assert.equal(isFlattened("", [[...low, -1, 5000]]), false);
  assert.equal(isFlattened("%", [[...low.map(() => 0.1), 100]]), false);
  assert.equal(isFlattened("sec", [[1, 5000]]), false);
});

test("logarithmic axes have whole powers of ten around what is above zero", () => {
  assert.deepEqual(logRange(3, 2000), [1, 10000]);
  assert.deepEqual(logRange(0.02, 0.03), [0.01, 0.1]);
  assert.deepEqual(logRange(10, 10), [10, 100]);
  for (const [low, high] of [[null, null], [0, 5], [1, Infinity]]) assert.deepEqual(logRange(low, high), [1, 10]);
  assert.deepEqual(logTicks(0.01, 100, 9), [0.01, 0.1, 1, 10, 100]);
  assert.deepEqual(logTicks(1, 1e9, 5), [1, 100, 10000, 1e6, 1e8]);
  assert.deepEqual(logTickTexts([1, 1000], "%"), ["1 %", "1,000 %"]);
});
