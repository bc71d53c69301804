import assert from "node:assert/strict";
import { test } from "node:test";

import { liveLabels } from "../../page/view/board/lines.js";
import { titleOfChart } from "../../page/view/board/titles.js";
import { Catalogue } from "../../page/view/data/catalogue.js";
import { visible } from "../../page/text/elements.js";

const instances = [{ name: "svchost", id: null, several: true, host: null }, { name: "nginx", id: "107", host: null }];
const side = { label: "", hosts: [""], names: [], begin_ms: 0, end_ms: 1, shift_ms: 0, num_samples: 1, gaps: [], marks: [],
  objects: [{ name: "Process", instanced: true, counters: [{ name: "Handle Count", unit: "" }], instances }] };
const catalogue = new Catalogue([side]);

test("a name that several processes had is none of theirs", () => {
  const all = ["svchost", "nginx"].map((name) => catalogue.about(0, `\\Process(${name})\\Handle Count`));
  assert.deepEqual(liveLabels(all, []), ["svchost (several processes, one after the other)", "nginx (107)"]);
});

test("a series that can't be has its path as title", () => {
  assert.equal(titleOfChart(catalogue, { title: "", series: [{ side: 0, path: "\\nope" }] }), "\\nope");
});

test("signs that turn a name around are shown, not obeyed", () => {
  assert.equal(visible("a\u202egpj.exe\t\u001b[1m"), "a\\u{202e}gpj.exe\\u{9}\\u{1b}[1m");
  assert.equal(visible("\u65e5\u672c, \u05e9\u05dc\u05d5\u05dd"), "\u65e5\u672c, \u05e9\u05dc\u05d5\u05dd");
});
