import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue } from "../../page/view/data/catalogue.js";
import { fits, partsOf, pathOf, withoutHost } from "../../page/view/find/pattern.js";

test("paths are taken apart and put together again", () => {
  for (const path of ["\\Memory\\Available Bytes", "\\Process(python3#1)\\% Processor Time", "\\\\DB1\\Disk(0 C:)\\Reads/sec", "\\O(a(b)c)\\C(d)",
    "\\O(a)b\\c)\\Counter", "\\O()\\C"]) {
    const parts = partsOf(path);
    assert.equal(pathOf(parts.host, parts.object, parts.instance, parts.counter), path);
  }
  assert.deepEqual(partsOf("\\O(a(b)c)\\C(d)"), { host: "", object: "O", instance: "a(b)c", counter: "C(d)" });
  for (const text of ["", "Memory", "\\Memory", "\\\\host", "\\O(a\\C"]) assert.equal(partsOf(text), null, text);
  assert.equal(withoutHost("\\\\DB1\\Memory\\Cache Bytes"), "\\Memory\\Cache Bytes");
});

test("wildcards stand for any text, and nothing else is special", () => {
  assert.ok(fits("*", "") && fits("py*", "Python3") && fits("*3", "python3") && fits("p*h*3", "python3") && fits("a.b", "A.B"));
  assert.ok(!fits("a.b", "axb") && !fits("py*", "ruby") && !fits("ab*b", "ab") && !fits("python", "python3"));
});

const SIDE = {
  label: "", hosts: ["db1", "web1"], names: [], begin_ms: 0, end_ms: 1, shift_ms: 0, num_samples: 1, gaps: [], marks: [],
  objects: [
    { name: "Process", instanced: true, counters: [{ name: "% Processor Time", unit: "%" }, { name: "Working Set", unit: "bytes" }],
      instances: [{ name: "python3", id: "7", host: "db1" }, { name: "python3#1", id: "8", host: "web1" }] },
    { name: "Memory", instanced: false, counters: [{ name: "Cache Bytes", unit: "bytes" }], instances: [] },
  ],
};

test("patterns of a view file find what they mean", () => {
  const catalogue = new Catalogue([SIDE]);
  assert.deepEqual(catalogue.matching(0, "\\Process(py*)\\working set", 9), ["\\\\db1\\Process(python3)\\Working Set", "\\\\web1\\Process(python3#1)\\Working Set"]);
  assert.deepEqual(catalogue.matching(0, "\\\\web1\\*(*)\\*", 9).length, 2);
  assert.deepEqual(catalogue.matching(0, "\\Memory\\*", 9), ["\\\\db1\\Memory\\Cache Bytes", "\\\\web1\\Memory\\Cache Bytes"]);
  assert.deepEqual(catalogue.matching(0, "nonsense", 9), []);
  assert.equal(catalogue.matching(0, "\\Process(*)\\*", 3).length, 3);
  assert.equal(catalogue.everySeries().length, 6);
});

test("a series that the capture lacks keeps the names that its path has", () => {
  const catalogue = new Catalogue([SIDE]);
  assert.equal(catalogue.about(0, "\\\\db1\\Process(python3)\\Working Set").unit, "bytes");
  assert.equal(catalogue.about(0, "\\\\db1\\Process(python3)\\Working Set").id, "7");
  assert.deepEqual(catalogue.about(1, "\\Gone(x)\\Counter").counter, "Counter");
});
