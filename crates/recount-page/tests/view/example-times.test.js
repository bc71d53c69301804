import assert from "node:assert/strict";
import test from "node:test";
import { Clock } from "../../page/time/clock.js";
import { exampleTimes } from "../../page/view/state/example-times.js";
import { parseSpan } from "../../page/view/state/typed-time.js";

const clock = new Clock({ offset_min: 60 });
const begin_ms = Date.UTC(2026, 10, 20, 22, 50);

for (const length of [500, 30_000, 1_200_000, 86_400_000 * 3]) {
  test(`the examples for ${length} ms are times of the capture`, () => {
    const frame = { begin_ms, end_ms: begin_ms + length, offset_min: 60, marks: [{ ms: begin_ms + length / 3, text: "deploy" }], near_ms: begin_ms + length / 2 };
    const { short, all } = exampleTimes(frame, clock);
    for (const text of [...short.split(", "), ...all]) {
      const found = parseSpan(text, frame);
      const times = "at" in found ? [found.at] : [found.from, found.to];
      for (const ms of times) assert.ok(ms >= begin_ms && ms <= frame.end_ms, `${text} of ${length}: ${ms - begin_ms}`);
    }
  });
}
