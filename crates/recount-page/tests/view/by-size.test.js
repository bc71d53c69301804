import assert from "node:assert/strict";
import { test } from "node:test";

import { sizesOf, sortedBySize } from "../../page/view/find/by-size.js";

const series = (instance) => ({ side: 0, object: "Process", counter: "Working Set", instance, path: `\\Process(${instance})\\Working Set` });

test("the largest come first, the sum before all, and what had no value last", () => {
  const all = ["a", "b", "_Total", "c", "d"].map(series);
  const sizes = new Map([["a", 3], ["c", 70], ["d", -1], ["_Total", 72]].map(([name, size]) => [series(name).path, size]));
  assert.deepEqual(sortedBySize(all, sizes).map(({ instance }) => instance), ["_Total", "c", "a", "d", "b"]);
  assert.deepEqual(sortedBySize(all, new Map()).map(({ instance }) => instance), ["_Total", "a", "b", "c", "d"]);
});

test("sizes are of the window, under the paths of the page", async () => {
  const asked = [];
  const screen = {
    timeline: { from: 5, to: 9 },
    catalogue: { spelled: (side, path) => path.replace("\\\\web1", "") },
    client: { post: async (...given) => {
      asked.push(given);
      return { unit: "bytes", rows: [{ path: "\\\\web1\\Process(a)\\Working Set", share: 7 }, { path: "\\\\web1\\Process(b)\\Working Set", share: null }] };
    } },
  };
  const { unit, sizes } = await sizesOf(screen, series("a"), "sizes");
  assert.deepEqual([unit, [...sizes]], ["bytes", [["\\Process(a)\\Working Set", 7]]]);
  assert.deepEqual(asked, [["top", { side: 0, object: "Process", counter: "Working Set", from: 5, to: 9, limit: 1000 }, "sizes"]]);
});
