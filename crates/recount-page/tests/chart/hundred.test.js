import assert from "node:assert/strict";
import test from "node:test";
import { hundredOf, hundredText, withHundreds } from "../../page/chart/hundred.js";

test("100 % of a processor's time is one processor, or all", () => {
  assert.equal(hundredOf("Process", "% Processor Time", "java"), "one processor");
  assert.equal(hundredOf("Processor", "% User Time", "3"), "one processor");
  assert.equal(hundredOf("Processor", "% User Time", "_Total"), "all processors");
  assert.equal(hundredOf("Processor Information", "% Privileged Time", "0,_Total"), "all processors");
  assert.equal(hundredOf("Thread", "% Processor Time", "java/0"), "one processor");
  assert.equal(hundredOf("System", "% Total Processor Time", ""), "all processors");
});

test("nothing is said where nothing needs to be", () => {
  assert.equal(hundredOf("LogicalDisk", "% Free Space", "C:"), "");
  assert.equal(hundredOf("PhysicalDisk", "% Disk Time", "_Total"), "");
  assert.equal(hundredOf("Memory", "% Pressure Some Time", ""), "");
  assert.equal(hundredText([{ unit: "bytes" }], "bytes"), "");
});

test("an axis says it for all of its lines, or the lines do", () => {
  const line = (/** @type {string} */ hundred) => ({ unit: "%", hundred, label: "x" });
  assert.equal(hundredText([line("one processor"), line("one processor")], "%"), "100 % = one processor");
  assert.equal(hundredText([line("one processor"), line("all processors")], "%"), "100 %: see the lines");
  assert.deepEqual(withHundreds([line("one processor"), line("all processors")]).map(({ label }) => label), ["x (100 % = one processor)", "x (100 % = all processors)"]);
  assert.deepEqual(withHundreds([line("one processor")]).map(({ label }) => label), ["x"]);
});
