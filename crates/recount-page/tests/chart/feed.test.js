import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { Feed } from "../../page/chart/feed.js";
import { FilePoints } from "../../page/data/file-points.js";
import { ServerPoints } from "../../page/data/server-points.js";
import { capture } from "../data/capture.js";

/** @typedef {{ body: any, signal: AbortSignal, answer: (exact: boolean) => Promise<void>, refuse: (why: string) => Promise<void> }} Asked */

const settled = () => new Promise((done) => { setImmediate(done); });
// What is asked in one moment is sent together.
const sent = () => Promise.resolve();
const SERIES = [{ side: 0, path: "\\Memory\\Pages" }];
const window = (from = 0, to = 1000) => ({ series: SERIES, from, to, width: 10 });

// A server that answers when the test says so, and a fetch that ends when it is cancelled.
function made() {
  /** @type {Asked[]} */
  const asked = [];
  const provider = new ServerPoints((name, body, signal) => new Promise((done, fail) => {
    signal.addEventListener("abort", () => fail(new DOMException("cancelled", "AbortError")));
    const { from, to } = /** @type {any} */ (body);
    asked.push({
      body, signal,
      answer: (exact) => {
        done({ series: [{ unit: "%", exact, buckets: { begin_ms: from, step_ms: to - from, min: [1], max: [2], mean: [1.5] } }] });
        return /** @type {Promise<void>} */ (settled());
      },
      refuse: (why) => { fail(new Error(why)); return /** @type {Promise<void>} */ (settled()); },
    });
  }));
  /** @type {number[]} */
  const taken = [];
  /** @type {string[]} */
  const failed = [];
  const feed = new Feed(() => provider, ([one]) => { if (one.kind === "buckets") taken.push(one.begin); }, (error) => failed.push(error.message));
  return { asked, provider, taken, failed, feed };
}

test("a window is asked for once", async () => {
  const { asked, taken, feed } = made();
  feed.ask(window());
  feed.ask(window());
  await sent();
  assert.equal(asked.length, 1);
  assert.ok(feed.isBusy);
  await asked[0].answer(true);
  assert.deepEqual(taken, [0]);
  assert.ok(!feed.isBusy);
  feed.ask(window());
  await sent();
  assert.equal(asked.length, 1);
});

test("of many windows only the newest is asked for, once the one before is answered", async () => {
  const { asked, taken, feed } = made();
  for (const from of [0, 10, 20, 30]) feed.ask(window(from));
  await sent();
  assert.equal(asked.length, 1);
  await asked[0].answer(true);
  assert.deepEqual(asked.map(({ body }) => body.from), [0, 30]);
  assert.ok(feed.isBusy);
  await asked[1].answer(true);
  assert.deepEqual(taken, [0, 30]);
});

test("a request that is no longer needed is cancelled, and its answer never taken", async () => {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  try {
    const { asked, taken, failed, feed } = made();
    feed.ask(window(0));
    feed.ask(window(500));
    await sent();
    mock.timers.tick(249);
    assert.ok(!asked[0].signal.aborted);
    mock.timers.tick(1);
    assert.ok(asked[0].signal.aborted);
    await settled();
    assert.equal(asked[1].body.from, 500);
    await asked[0].answer(true);
    await asked[1].answer(true);
    assert.deepEqual([taken, failed], [[500], []]);
  } finally {
    mock.timers.reset();
  }
});

test("coarse points are taken at once, and exact ones waited for", async () => {
  const { asked, taken, feed } = made();
  feed.ask(window());
  await sent();
  await asked[0].answer(false);
  assert.deepEqual(taken, [0]);
  assert.ok(feed.isBusy);
  assert.equal(asked[1].body.wait, true);
  await asked[1].answer(true);
  assert.deepEqual(taken, [0, 0]);
  assert.ok(!feed.isBusy);
  assert.equal(asked.length, 2);
});

test("a newer window isn't put off by waiting for an older one", async () => {
  const { asked, feed } = made();
  feed.ask(window(0));
  feed.ask(window(500));
  await sent();
  await asked[0].answer(false);
  assert.deepEqual(asked.map(({ body }) => [body.from, Boolean(body.wait)]), [[0, false], [500, false]]);
});

test("after a failure the same window is asked for anew", async () => {
  const { asked, taken, failed, feed } = made();
  feed.ask(window());
  await sent();
  await asked[0].refuse("recount view doesn't answer");
  assert.deepEqual(failed, ["recount view doesn't answer"]);
  assert.ok(!feed.isBusy);
  feed.ask(window());
  await sent();
  await asked[1].answer(true);
  assert.deepEqual(taken, [0]);
});

test("another version is another question, and who is closed isn't asked", async () => {
  const { asked, provider, feed } = made();
  feed.ask(window());
  await sent();
  await asked[0].answer(true);
  provider.version = 2;
  feed.ask(window());
  await sent();
  assert.equal(asked.length, 2);
  await asked[1].answer(true);
  provider.isClosed = true;
  feed.ask(window(7));
  await sent();
  assert.equal(asked.length, 2);
});

test("what is stopped takes no answer", async () => {
  const { asked, taken, failed, feed } = made();
  feed.ask(window());
  await sent();
  feed.stop();
  assert.ok(asked[0].signal.aborted);
  await asked[0].answer(true);
  assert.deepEqual([taken, failed], [[], []]);
});

test("a file answers at once, and with the same points whatever the window is", () => {
  const provider = new FilePoints(capture());
  /** @type {any[]} */
  const taken = [];
  const feed = new Feed(() => provider, ([one]) => taken.push(one), () => assert.fail());
  feed.ask({ series: [0], from: 0, to: 8000, width: 10 });
  feed.ask({ series: [0], from: 0, to: 1000, width: 10 });
  assert.equal(taken.length, 2);
  assert.equal(taken[0], taken[1]);
  assert.equal(taken[0].lowest.length, 8);
  assert.deepEqual(provider.points({ series: [3], from: 0, to: 1, width: 1, wait: false }), [{ kind: "missing", why: "no values", isFault: false }]);
  assert.deepEqual(provider.figures(1), { n: 4, min: 0, mean: 20, max: 40 });
});
