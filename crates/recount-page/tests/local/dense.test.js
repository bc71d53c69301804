import { test } from "node:test";
import assert from "node:assert/strict";
import { bytesOfDense } from "../../page/local/dense.js";

// Written by the rule in src/dense.rs, but not by that code: bytes k * 37 + 11.
const TEXTS = [
  [0, "#"],
  [1, "&s"],
  [2, "&y#"],
  [5, "&y&hvMD"],
  [8, "&y&hvMs]Vz"],
  [13, "&y&hvMs]VzH-.'*n"],
  [21, "&y&hvMs]VzH-.'*nw$0^JbA0aS"],
];

test("text of 91 characters gives its bytes back", () => {
  for (const [len, text] of TEXTS) {
    assert.deepEqual([...bytesOfDense(text)], Array.from({ length: len }, (_, k) => (k * 37 + 11) % 256), `${len} bytes`);
  }
  assert.equal(new TextDecoder().decode(bytesOfDense("L7`]fhdK3")), "recount");
});
