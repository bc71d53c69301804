import assert from "node:assert/strict";
import { test } from "node:test";

import { viewFile, viewFileName } from "../../page/view/keep/view-file.js";

test("a view is written as TOML", () => {
  const text = viewFile({ title: "Monday \"x\"\n\\", begin: "+5m", end: null, charts: [
    { title: "CPU", counters: ["\\\\DB1\\Processor(_Total)\\% Processor Time"], stacked: false, logarithmic: true },
    { title: "Two", counters: ["\\O(it's)\\C", "\\O(a)\\C", "\\\\h\\O(a)\\C"], stacked: true, logarithmic: false }] });
  assert.equal(text, `[view]
title = "Monday \\"x\\"\\u000a\\\\"
begin = "+5m"

[[chart]]
title = "CPU"
counters = ['\\Processor(_Total)\\% Processor Time']
stacked = false
logarithmic = true

[[chart]]
title = "Two"
counters = [
  "\\\\O(it's)\\\\C",
  '\\O(a)\\C',
]
stacked = true
logarithmic = false
`);
});

test("the file's name is one that every system takes", () => {
  assert.equal(viewFileName("logs/monday.blg"), "monday.view.toml");
  assert.equal(viewFileName("../..\\<x>|y?.rcap"), "x-y.view.toml");
  assert.equal(viewFileName("???"), "capture.view.toml");
});
