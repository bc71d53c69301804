import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { Client, isCancelled, ServerError } from "../../page/view/data/client.js";
import { Latest } from "../../page/data/latest.js";
import { pauseAfter } from "../../page/view/data/progress.js";

const answer = (body, status = 200) => new Response(body === null ? null : JSON.stringify(body), { status });

test("errors are the server's sentences", async () => {
  const client = new Client("/T/", async () => answer({ error: "no such object" }, 400));
  await assert.rejects(client.post("top", {}), (error) => error instanceof ServerError && error.status === 400 && error.message === "no such object");
  const gone = new Client("/T/", async () => { throw new TypeError("failed"); });
  await assert.rejects(gone.get("progress"), (error) => error instanceof ServerError && error.status === 0 && /ended/.test(error.message));
  const odd = new Client("/T/", async () => new Response("<h1>", { status: 500 }));
  await assert.rejects(odd.get("progress"), /500/);
});

test("questions go to the token's address, as JSON", async () => {
  const asked = [];
  const client = new Client("/T/", async (url, given) => { asked.push([url, given.method, given.body]); return answer(null, 204); });
  assert.equal(await client.post("quit", { a: 1 }), null);
  await client.get("progress");
  assert.deepEqual(asked, [["/T/api/quit", "POST", '{"a":1}'], ["/T/api/progress", "GET", undefined]]);
});

const slow = (log) => (question, { signal }) => new Promise((done, fail) => {
  log.push(question);
  const timer = setTimeout(() => done(`${question}!`), 40);
  signal.addEventListener("abort", () => { clearTimeout(timer); fail(new DOMException("", "AbortError")); });
});

test("a newer question of a kind cancels the older", async () => {
  const client = new Client("/", (url, { signal }) => slow([])("x", { signal }).then(() => answer({ ok: 1 })));
  const older = client.post("top", {}, "top").catch((error) => isCancelled(error));
  const other = client.post("top", {}, "else");
  assert.deepEqual(await client.post("top", {}, "top"), { ok: 1 });
  assert.equal(await older, true);
  assert.deepEqual(await other, { ok: 1 });
});

test("of many questions the first and the newest are asked", async () => {
  const [log, taken] = [[], []];
  const latest = new Latest((question, signal) => slow(log)(question, { signal }), (given) => taken.push(given), () => {});
  for (const question of [1, 2, 3, 4]) latest.want(question);
  assert.ok(latest.isBusy);
  await wait(150);
  assert.deepEqual([log, taken, latest.isBusy], [[1, 4], ["1!", "4!"], false]);
});

test("failures are reported, and the next question is still asked", async () => {
  const [told, taken] = [[], []];
  const latest = new Latest(async (question) => { if (question === 1) throw new Error("bad"); return question; }, (given) => taken.push(given), (error) => told.push(error.message));
  latest.want(1);
  latest.want(2);
  await wait(20);
  assert.deepEqual([told, taken], [["bad"], [2]]);
});

test("what waits too long for an old answer is asked anew", async () => {
  const taken = [];
  const latest = new Latest((question, signal) => new Promise((done, fail) => {
    if (question === "fast") done("fast");
    signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
  }), (given) => taken.push(given), () => taken.push("failure"));
  latest.want("never");
  latest.want("fast");
  await wait(400);
  assert.deepEqual(taken, ["fast"]);
});

test("a question that yields makes way at once", async () => {
  const taken = [];
  const latest = new Latest((question, signal) => new Promise((done, fail) => {
    if (question === "window") done("window");
    signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
  }), (given) => taken.push(given), () => taken.push("failure"), (question) => question === "exact");
  latest.want("exact");
  latest.want("window");
  await wait(20);
  assert.deepEqual(taken, ["window"]);
});

test("progress is looked at only while there is some", () => {
  assert.ok(pauseAfter({ state: "counting", growing: false }) < pauseAfter({ state: "done", growing: true }));
  assert.equal(pauseAfter({ state: "done", growing: false }), 0);
});
