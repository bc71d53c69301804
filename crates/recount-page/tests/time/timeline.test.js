import assert from "node:assert/strict";
import test from "node:test";
import { Timeline, steer } from "../../page/time/timeline.js";

/** @type {(() => void)[]} */
let frames = [];
globalThis.requestAnimationFrame = (act) => frames.push(() => act(0));
const frame = () => { const due = frames; frames = []; for (const act of due) act(); };

const made = () => new Timeline({ begin: 1000, end: 11000, step: 100 });
const shown = (/** @type {Timeline} */ timeline) => [timeline.from, timeline.to];

test("a window stays within the whole time and isn't narrower than two steps", () => {
  const timeline = made();
  timeline.show(0, 4000);
  assert.deepEqual(shown(timeline), [1000, 5000]);
  timeline.show(9000, 20000);
  assert.deepEqual(shown(timeline), [1000, 11000]);
  timeline.show(5000, 5000);
  assert.deepEqual(shown(timeline), [4900, 5100]);
  assert.ok(timeline.isZoomed);
  timeline.show(500, 50000);
  assert.ok(!timeline.isZoomed);
});

test("zooming keeps the time under the cursor where it is", () => {
  const timeline = made();
  timeline.point(3500);
  timeline.zoom(0.5);
  assert.deepEqual(shown(timeline), [2250, 7250]);
  assert.equal((3500 - timeline.from) / timeline.length, 0.25);
  timeline.pan(0.5);
  assert.deepEqual(shown(timeline), [4750, 9750]);
});

test("listeners are called once per frame", () => {
  const timeline = made();
  let num = 0;
  timeline.windowListeners.add(() => { num++; });
  timeline.show(2000, 3000);
  timeline.show(2000, 4000);
  assert.equal(num, 0);
  frame();
  assert.equal(num, 1);
  timeline.reset();
  frame();
  assert.equal(num, 2);
});

test("the cursor stays within the whole time", () => {
  const timeline = made();
  timeline.point(99999);
  assert.equal(timeline.cursor, 11000);
  timeline.step(-10);
  assert.equal(timeline.cursor, 10000);
  timeline.point(null);
  assert.equal(timeline.cursor, null);
});

test("keys steer, unless they are held with others", () => {
  const timeline = made();
  const press = (/** @type {string} */ key, more = {}) => steer(timeline, /** @type {any} */ ({ key, preventDefault() {}, ...more }));
  assert.ok(press("+"));
  assert.equal(timeline.length, 5000);
  assert.ok(press("End"));
  assert.equal(timeline.cursor, timeline.to);
  assert.ok(press("ArrowLeft", { shiftKey: true }));
  assert.deepEqual(shown(timeline), [2250, 7250]);
  assert.ok(!press("a") && !press("+", { ctrlKey: true }) && !press("toString"));
  assert.ok(press("0"));
  assert.ok(!timeline.isZoomed);
});

test("a time line that grows keeps what was looked at", () => {
  const timeline = made();
  timeline.grow(1000, 12000);
  assert.deepEqual(shown(timeline), [1000, 12000]);
  timeline.show(10000, 12000);
  timeline.grow(1000, 13000);
  assert.deepEqual(shown(timeline), [11000, 13000]);
  timeline.show(3000, 4000);
  timeline.grow(1000, 14000);
  assert.deepEqual(shown(timeline), [3000, 4000]);
});
