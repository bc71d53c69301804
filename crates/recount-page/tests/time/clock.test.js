import assert from "node:assert/strict";
import test from "node:test";
import { Clock, lengthText } from "../../page/time/clock.js";

const NOON = Date.UTC(2026, 10, 22, 11, 0, 0);
const clock = new Clock({ offset_min: 60, zone: "CET" });
const run = new Clock({ elapsed: true });

test("times have as many digits as the step makes sense with", () => {
  assert.equal(clock.text(NOON + 1234), "12:00:01");
  assert.equal(clock.text(NOON + 1234, 10), "12:00:01.234");
  assert.equal(clock.text(NOON + 1234, 60000), "12:00");
  assert.equal(run.text(3_723_004, 1000), "1:02:03");
  assert.equal(run.text(3_723_004, 1), "1:02:03.004");
  assert.equal(run.text(-1000, 1000), "\u22120:00:01");
});

test("days are those of the zone", () => {
  const lateInUtc = Date.UTC(2026, 10, 22, 23, 30);
  assert.equal(clock.date(lateInUtc), "2026-11-23");
  assert.equal(clock.full(lateInUtc, NOON, lateInUtc), "2026-11-23 00:30:00");
  assert.equal(clock.full(NOON, NOON, NOON + 1000), "12:00:00");
});

test("ticks stand at round times of the zone and are no more than asked for", () => {
  const indian = new Clock({ offset_min: 330 });
  const { ticks, step } = indian.ticks(NOON, NOON + 6 * 3_600_000, 6);
  assert.equal(step, 3_600_000);
  assert.deepEqual(ticks.map((ms) => indian.text(ms, step)), ["17:00", "18:00", "19:00", "20:00", "21:00", "22:00"]);
  for (const most of [1, 3, 7, 50]) {
    for (const length of [5, 900, 61_000, 86_400_000, 4e10]) assert.ok(clock.ticks(NOON, NOON + length, most).ticks.length <= most + 1);
  }
});

test("a new day is labelled with its date", () => {
  const { ticks, step } = clock.ticks(NOON, NOON + 24 * 3_600_000, 8);
  assert.deepEqual(clock.labels(ticks, step), ["12:00", "15:00", "18:00", "21:00", "11-23", "03:00", "06:00", "09:00", "12:00"]);
  assert.deepEqual(run.labels([0, 60000], 60000), ["0:00:00", "0:01:00"]);
});

test("lengths have at most two units", () => {
  assert.equal(lengthText(12.4), "12 ms");
  assert.equal(lengthText(61_000), "1 min 1 s");
  assert.equal(lengthText(90_061_000), "1 d 1 h");
});
