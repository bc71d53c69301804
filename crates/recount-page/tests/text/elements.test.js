import assert from "node:assert/strict";
import test from "node:test";
import { inMiddle } from "../../page/text/elements.js";

test("a long name keeps both ends, where names differ", () => {
  assert.equal(inMiddle("worker-process-1", 16), "worker-process-1");
  assert.equal(inMiddle("a-very-long-worker-process-1", 11), "a-ver…ess-1");
  // A sign outside of the basic plane isn't cut in two.
  assert.equal(inMiddle("\u{1f600}".repeat(5), 3), "\u{1f600}…\u{1f600}");
});
