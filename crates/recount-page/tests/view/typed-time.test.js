import assert from "node:assert/strict";
import { test } from "node:test";

import { parseSpan, parseTime, TimeError } from "../../page/view/state/typed-time.js";

const begin = Date.UTC(2013, 1, 19, 23, 30);
const frame = { begin_ms: begin, end_ms: begin + 4 * 3_600_000, offset_min: 60, marks: [{ ms: begin + 5000, text: "deploy v42" }, { ms: begin + 9000, text: "deploy" }] };
const at = (text) => parseTime(text, frame) - begin;

test("times of day are local, on the day that is looked at", () => {
  assert.equal(at("00:30"), 0);
  assert.equal(at("02:55:10.5"), 2 * 3_600_000 + 25 * 60_000 + 10_500);
  assert.equal(parseTime("00:30", { ...frame, near_ms: begin + 86_400_000 }) - begin, 86_400_000);
});

test("moments, local times and offsets", () => {
  assert.equal(at("2013-02-19T23:31:00Z"), 60_000);
  assert.equal(at("2013-02-20 00:31"), 60_000);
  assert.equal(at("2013-02-20T01:31:00+02:00"), 60_000);
  assert.equal(at("+1h30m"), 5_400_000);
  assert.equal(at("-30s"), 4 * 3_600_000 - 30_000);
  assert.equal(at("\u221230s"), 4 * 3_600_000 - 30_000);
});

test("marks, the exact text first, with an offset", () => {
  assert.equal(at("mark:deploy"), 9000);
  assert.equal(at("mark:V42"), 5000);
  assert.equal(at("mark+5m:deploy"), 309_000);
  assert.equal(at("mark-1s:deploy"), 8000);
  assert.throws(() => at("mark:nothing"), /"deploy v42"/);
});

test("spans have two ends, and may go over midnight", () => {
  assert.deepEqual(parseSpan("+5m to +6m", frame), { from: begin + 300_000, to: begin + 360_000 });
  assert.deepEqual(parseSpan("+5m..", frame), { from: begin + 300_000, to: frame.end_ms });
  assert.deepEqual(parseSpan("00:40", frame), { at: begin + 600_000 });
  const { from, to } = parseSpan("23:50 to 00:10", frame);
  assert.equal(to - from, 20 * 60_000);
  assert.throws(() => parseSpan("+6m to +5m", frame), TimeError);
  const night = { ...frame, near_ms: begin - 3_600_000, begin_ms: begin - 7_200_000 };
  assert.deepEqual(parseSpan("23:50 to 00:10", night), { from: begin - 2_400_000, to: begin - 1_200_000 });
});

test("a span that is reversed or empty is a slip", () => {
  assert.throws(() => parseSpan("02:54 to 02:52", frame), /ends before it begins/);
  assert.throws(() => parseSpan("02:54 to 02:54", frame), /empty/);
  assert.throws(() => parseSpan("..", frame), /one end/);
});

test("what isn't a time is reported", () => {
  for (const text of ["", "12", "25:00", "12:60", "2013-02-30", "2013-02-19T", "+", "+5", "+5x", "mark", "mark:", "tomorrow", "+-5m"]) {
    assert.throws(() => parseTime(text, frame), TimeError, text);
  }
});
