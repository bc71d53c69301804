import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue } from "../../page/view/data/catalogue.js";
import { partsOf, pathOf, withoutHost } from "../../page/view/find/pattern.js";

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

const SIDE = {
  label: "", hosts: ["db1", "web1"], names: [], begin_ms: 0, end_ms: 1, shift_ms: 0, num_samples: 1, gaps: [], marks: [],
  objects: [
    { name: "Process", instanced: true, counters: [{ name: "% Processor Time", unit: "%" }, { name: "Working Set", unit: "bytes" }],
      instances: [{ name: "python3", id: "7", host: "db1" }, { name: "python3#1", id: "8", host: "web1" }] },
    { name: "Memory", instanced: false, counters: [{ name: "Cache Bytes", unit: "bytes" }], instances: [] },
  ],
};

test("a series that the capture lacks keeps the names that its path has", () => {
  const catalogue = new Catalogue([SIDE]);
  assert.equal(catalogue.everySeries().length, 6);
  assert.equal(catalogue.about(0, "\\\\db1\\Process(python3)\\Working Set").unit, "bytes");
  assert.equal(catalogue.about(0, "\\\\db1\\Process(python3)\\Working Set").id, "7");
  assert.deepEqual(catalogue.about(1, "\\Gone(x)\\Counter").counter, "Counter");
});
