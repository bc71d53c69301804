import assert from "node:assert/strict";
import test from "node:test";
import { amount, changeText, decimals, perHour, percentChange, rangeText, significant } from "../../page/text/numbers.js";

/** @param {(given: any) => string} of @param {[any, string][]} cases */
const each = (of, cases) => { for (const [given, expected] of cases) assert.equal(of(given), expected, String(given)); };

test("about three digits count", () => {
  each(significant, [[0, "0"], [3, "3"], [1234.5, "1,235"], [99.96, "100"], [12.345, "12.3"], [1.2345, "1.23"], [0.012345, "0.0123"],
    [0.00001234, "1.2e\u22125"], [-2.5, "\u22122.5"], [99999, "99,999"]]);
});

test("bytes have binary prefixes and what rounds up gets the next", () => {
  each((value) => amount(value, "bytes"), [[0, "0 B"], [1023, "1,023 B"], [1023.9, "1 KiB"], [1536, "1.5 KiB"], [1048576, "1 MiB"], [2 ** 60, "1 EiB"], [2 ** 70, "1,024 EiB"]]);
  assert.equal(amount(-2048, "bytes/sec"), "\u22122 KiB/s");
  assert.equal(amount(300, "MiB"), "300 MiB");
  assert.equal(amount(9139, "MiB"), "8.92 GiB");
  assert.equal(amount(0.5, "MiB/sec"), "512 KiB/s");
  assert.equal(amount(2048, "KiB"), "2 MiB");
});

test("seconds have the unit that fits", () => {
  each((value) => amount(value, "sec"), [[0, "0 s"], [0.0000015, "1.5 \u00b5s"], [0.0025, "2.5 ms"], [59, "59 s"], [180, "3 min"], [7200, "2 h"], [172800, "2 d"]]);
});

test("other units stand behind the number", () => {
  assert.equal(amount(1234567, ""), "1.23 M");
  assert.equal(amount(99999, ""), "99,999");
  assert.equal(amount(12.5, "%"), "12.5 %");
  assert.equal(amount(250000, "/sec"), "250 k/s");
  assert.equal(amount(3, "furlongs"), "3 furlongs");
});

test("what is no number is a dash", () => {
  for (const value of [null, undefined, NaN, Infinity]) assert.equal(amount(value, "%"), "\u2013");
  assert.equal(perHour(null, "%"), "\u2013");
  assert.equal(changeText(null), "\u2013");
});

test("changes have a sign", () => {
  assert.equal(changeText(percentChange(50, 75)), "+50 %");
  assert.equal(changeText(percentChange(-50, -75)), "\u221250 %");
  assert.equal(percentChange(0, 0), 0);
  assert.equal(percentChange(0, 1), null);
  assert.equal(percentChange(null, 1), null);
  assert.equal(perHour(2, "bytes"), "+2 B/h");
});

test("a bucket tells one value, a range, or a mean and a range", () => {
  assert.equal(rangeText(1, 1, null, "%"), "1 %");
  assert.equal(rangeText(1, 3, null, "%"), "1 % \u2026 3 %");
  assert.equal(rangeText(null, null, null, "%"), "\u2013");
  assert.equal(rangeText(1, 3, 2.5, "%"), "2.5 % (1 % \u2026 3 %)");
});

test("decimals are grouped", () => assert.equal(decimals(1234.567, 2), "1,234.57"));
