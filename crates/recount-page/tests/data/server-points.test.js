import assert from "node:assert/strict";
import test from "node:test";
import { ServerPoints } from "../../page/data/server-points.js";

const NEVER = new AbortController().signal;
const question = (/** @type {number} */ num, wait = false) => ({
  series: Array.from({ length: num }, (_, k) => ({ side: 0, path: `\\Memory\\${k}` })), from: 0, to: 1000, width: 10, wait,
});

test("a question is as the contract has it, and answers are points", async () => {
  /** @type {any[]} */
  const asked = [];
  const provider = new ServerPoints(async (name, body) => {
    asked.push([name, body]);
    return { series: [
      { unit: "%", count: 900, exact: true, buckets: { begin_ms: 0, step_ms: 100, min: [1], max: [3], mean: [2] } },
      { unit: "sec", count: 1, exact: true, samples: { t: [5], v: [null], raw: ["7"], base: ["2"], status: ["first-sample"] } },
      { unit: "", count: 1, exact: false, buckets: { begin_ms: 0, step_ms: 500, min: [1], max: [1], mean: [1] } },
      { error: "no such series" },
    ] };
  });
  const points = await provider.points(question(4), NEVER);
  assert.deepEqual(asked, [["points", { from: 0, to: 1000, width: 10, series: question(4).series }]]);
  assert.deepEqual(points, [
    { kind: "buckets", begin: 0, step: 100, lowest: [1], highest: [3], means: [2], isExact: true, unit: "%" },
    { kind: "samples", times: [5], values: [null], raws: ["7"], bases: ["2"], statuses: ["first-sample"], unit: "sec" },
    { kind: "buckets", begin: 0, step: 500, lowest: [1], highest: [1], means: [1], isExact: false, unit: "" },
    { kind: "missing", why: "no such series", isFault: true },
  ]);
  await provider.points(question(4, true), NEVER);
  assert.equal(asked[1][1].wait, true);
});

test("more series than the server takes are asked for in parts, and come back in order", async () => {
  /** @type {number[]} */
  const sizes = [];
  const provider = new ServerPoints(async (_, body) => {
    const { series } = /** @type {any} */ (body);
    sizes.push(series.length);
    return { series: series.map((/** @type {any} */ { path }) => ({ error: path })) };
  });
  const points = await provider.points(question(130), NEVER);
  assert.deepEqual(sizes, [64, 64, 2]);
  assert.deepEqual(points.map((one) => one.kind === "missing" && one.why), question(130).series.map(({ path }) => path));
});

test("an answer about other series is an error, and so is a refusal", async () => {
  for (const answer of [null, {}, { series: [] }, { series: [{}, {}, {}] }]) {
    await assert.rejects(new ServerPoints(async () => answer).points(question(2), NEVER), /isn't about the series/);
  }
  await assert.rejects(new ServerPoints(async () => { throw new Error("body too long"); }).points(question(1), NEVER), /body too long/);
});

test("what is asked in one moment about one object and window is one question, and each chart gets its own answer", async () => {
  /** @type {string[][]} */
  const asked = [];
  const provider = new ServerPoints(async (_, body) => {
    const { series } = /** @type {any} */ (body);
    asked.push(series.map((/** @type {any} */ { path }) => path));
    return { series: series.map((/** @type {any} */ { path }) => ({ error: path })) };
  });
  const of = (/** @type {string[]} */ ...paths) => ({ series: paths.map((path) => ({ side: 0, path })), from: 0, to: 1000, width: 10, wait: false });
  const texts = (/** @type {any[]} */ points) => points.map(({ why }) => why);
  const [first, second, other] = await Promise.all([
    provider.points(of("\\Process(a)\\X", "\\Memory\\Y", "\\Process(b)\\X"), NEVER),
    provider.points(of("\\Process(c)\\(Z)"), NEVER),
    provider.points({ ...of("\\Process(a)\\X"), to: 2000 }, NEVER),
  ]);
  assert.deepEqual(asked, [["\\Process(a)\\X", "\\Process(b)\\X", "\\Process(c)\\(Z)"], ["\\Memory\\Y"], ["\\Process(a)\\X"]]);
  assert.deepEqual(texts(first), ["\\Process(a)\\X", "\\Memory\\Y", "\\Process(b)\\X"]);
  assert.deepEqual(texts(second), ["\\Process(c)\\(Z)"]);
  assert.deepEqual(texts(other), ["\\Process(a)\\X"]);
});

test("a question is given up when nobody wants it any more, and not before", async () => {
  /** @type {AbortSignal[]} */
  const signals = [];
  const provider = new ServerPoints((_name, _body, signal) => new Promise((_, fail) => {
    signals.push(signal);
    signal.addEventListener("abort", () => fail(signal.reason));
  }));
  const [one, two] = [new AbortController(), new AbortController()];
  const answers = [provider.points(question(1), one.signal), provider.points(question(2), two.signal)];
  await Promise.resolve();
  one.abort();
  await assert.rejects(answers[0], { name: "AbortError" });
  assert.deepEqual(signals.map((signal) => signal.aborted), [false]);
  two.abort();
  await assert.rejects(answers[1], { name: "AbortError" });
  assert.deepEqual(signals.map((signal) => signal.aborted), [true]);
});
