import assert from "node:assert/strict";
import test from "node:test";
import { axesOf, leftOut, refusal, unitsOf } from "../../page/chart/units.js";

/** @param {string[]} units @returns {import("../../page/chart/types.js").Line[]} */
const lines = (...units) => units.map((unit, k) => ({ series: k, name: "", label: `line ${k}`, colour: k, dash: null, unit }));

test("the first unit has the left axis, the second the right one", () => {
  assert.deepEqual(axesOf(lines("%", "sec", "%")), [{ key: "y", unit: "%", label: "" }, { key: "y2", unit: "sec", label: "" }]);
  assert.deepEqual(axesOf([]), [{ key: "y", unit: "", label: "" }]);
  assert.deepEqual(unitsOf(lines("%", "", "%")), ["%", ""]);
});

test("a third unit is refused with a sentence", () => {
  assert.equal(refusal(lines("%"), "sec"), "");
  assert.equal(refusal(lines("%", "sec"), "sec"), "");
  assert.equal(refusal(lines("%", ""), "sec"), "A chart has at most two units. This one has % and plain numbers, so sec can't be added.");
  assert.equal(leftOut(lines("%", "sec")), "");
  assert.equal(leftOut(lines("%", "sec", "bytes", "")), "A chart has at most two units. Not drawn: line 2 (bytes), line 3 (plain numbers).");
});
