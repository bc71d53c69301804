import { test } from "node:test";
import assert from "node:assert/strict";
import { chosenOf, droppedOf, titleOf } from "../../page/local/chosen.js";

const file = (name, path = "") => ({ name, webkitRelativePath: path });
const entryOf = (name, inside) => (inside ? {
  name, isFile: false,
  createReader() {
    const parts = [inside.slice(0, 1), inside.slice(1), []];
    return { readEntries: (give) => give(parts.shift()) };
  },
} : { name, isFile: true, file: (give) => give(file(name)) });

test("chosen files keep the path in their folder", () => {
  assert.deepEqual(chosenOf([file("a.blg"), file("b.blg", "logs/b.blg")]).map(({ path }) => path), ["a.blg", "logs/b.blg"]);
  assert.deepEqual(chosenOf(null), []);
});

test("dropped folders are read to their end", async () => {
  const items = [entryOf("a.blg"), entryOf("logs", [entryOf("b.blg"), entryOf("c.blg"), entryOf("in", [entryOf("d.blg")])])];
  const found = await droppedOf({ items: items.map((entry) => ({ kind: "file", webkitGetAsEntry: () => entry, getAsFile: () => null })) });
  assert.deepEqual(found.map(({ path }) => path), ["a.blg", "logs/b.blg", "logs/c.blg", "logs/in/d.blg"]);
  assert.equal(titleOf(found), "a.blg, logs");
});
