import assert from "node:assert/strict";
import { test } from "node:test";

import { fragmentOfState, stateOfFragment } from "../../page/view/state/address.js";

const EMPTY = { from: null, to: null, at: null, span: null, charts: null, panel: "", sql: "", place: "", more: {} };

test("what is written is read again", () => {
  const hostile = "a&b=c#d%20\"<script>\u202e';\\";
  const state = {
    from: 1361300000000.125, to: 1361300060000, at: 1361300030000, span: { from: 1361300010000.5, to: 1361300020000 }, panel: "top", sql: "select * from Process where a = 'x&y'", place: "all-series?q=a&sort=-mean",
    more: { object: hostile, counter: "% Processor Time" },
    charts: [{ title: hostile, stacked: true, logarithmic: false, wide: true, unit: "%", series: [{ side: 0, path: "\\O(a:b)\\C" }, { side: 1, path: `\\\\h\\O(${hostile})\\C` }] },
      { title: "", stacked: false, logarithmic: true, wide: false, series: [] }, { title: "", stacked: false, logarithmic: null, wide: false, series: [] }],
  };
  assert.deepEqual(stateOfFragment(fragmentOfState(state)), state);
  assert.equal(fragmentOfState(EMPTY), "");
  assert.deepEqual(stateOfFragment(""), EMPTY);
});

test("no charts is something else than those of the overview", () => {
  assert.deepEqual(stateOfFragment(fragmentOfState({ ...EMPTY, charts: [] })).charts, []);
});

test("places of the report are addresses too", () => {
  assert.equal(stateOfFragment("#findings").place, "findings");
  assert.equal(stateOfFragment("#object-process?q=java&sort=-mean").place, "object-process?q=java&sort=-mean");
});

test("nonsense is left out, not believed", () => {
  assert.deepEqual(stateOfFragment("#from=x&to=&at=1e999&span=5..4&charts=%7B&panel=Evil%20one&sql=%E0%A4%A"), EMPTY);
  assert.deepEqual(stateOfFragment(`#charts=${encodeURIComponent('[null,{"s":7},{"s":["no path",3,"\\\\O\\\\C"],"t":9}]')}`).charts,
    [{ title: "", series: [{ side: 0, path: "\\O\\C" }], stacked: false, logarithmic: null, wide: false }]);
});
