import { test } from "node:test";
import assert from "node:assert/strict";

/** Workers that answer when the test says so. */
const workers = [];
globalThis.Worker = class {
  constructor() {
    workers.push(this);
    this.listeners = {};
    this.asked = [];
    this.isEnded = false;
  }

  addEventListener(kind, listen) { this.listeners[kind] = listen; }
  postMessage(asked) { this.asked.push(asked); }
  terminate() { this.isEnded = true; }
  say(data) { this.listeners.message({ data }); }
  async reply(status, content, more = {}) {
    this.say({ status, bytes: new TextEncoder().encode(JSON.stringify(content)), ...more });
    await settled();
  }
};

const settled = () => new Promise((done) => setTimeout(done));
const { LocalAnswers } = await import("../../page/local/answers.js");
const large = [{ path: "a.blg", file: { size: 1 << 30 } }];
const small = [{ path: "a.blg", file: { size: 100 } }];
const asking = (answers, name, content = {}, signal) => answers.ask(`api/${name}`, { method: "POST", body: JSON.stringify(content), signal });

/** A large capture, of which the first worker counts and the second answers. */
async function opened() {
  workers.length = 0;
  const answers = new LocalAnswers("", null);
  const opening = answers.open(large, "a.blg");
  const [whole, quick] = workers;
  await quick.reply(200, {});
  assert.equal(await opening, null);
  return { answers, whole, quick };
}

test("a small capture is counted before anything is asked, in one worker", async () => {
  workers.length = 0;
  const answers = new LocalAnswers("", null);
  const opening = answers.open(small, "a.blg");
  await workers[0].reply(200, {});
  assert.deepEqual(workers[0].asked[1], { count: true });
  workers[0].say({ progress: { version: 2, state: "done" } });
  await workers[0].reply(200, {});
  assert.equal(await opening, null);
  assert.equal(workers.length, 1);
  assert.equal((await (await answers.ask("api/progress")).json()).state, "done");
});

test("until everything is counted, another worker answers what is quick", async () => {
  const { answers, whole, quick } = await opened();
  const capture = asking(answers, "capture");
  await settled();
  assert.equal(quick.asked.at(-1).mayWait, true);
  await quick.reply(200, { state: "counting" });
  assert.equal((await (await capture).json()).state, "counting");
  const top = asking(answers, "top");
  await settled();
  await quick.reply(0, null);
  await whole.reply(200, {});
  await whole.reply(200, {});
  assert.equal(whole.asked.at(-1).name, "top");
  await whole.reply(200, { rows: [] });
  assert.deepEqual(await (await top).json(), { rows: [] });
  assert.ok(quick.isEnded);
});

test("what is under way when everything is counted is answered by the worker that counted", async () => {
  const { answers, whole, quick } = await opened();
  const points = asking(answers, "points");
  await settled();
  assert.equal(quick.asked.at(-1).name, "points");
  await whole.reply(200, {});
  await whole.reply(200, {});
  assert.equal(whole.asked.at(-1).name, "points");
  await whole.reply(400, { error: "no" });
  assert.equal((await points).status, 400);
});

test("what nobody wants any more never gets to a worker", async () => {
  const { answers, quick } = await opened();
  const control = new AbortController();
  const first = asking(answers, "capture");
  const second = asking(answers, "points", {}, control.signal);
  await settled();
  control.abort();
  await assert.rejects(second, { name: "AbortError" });
  await quick.reply(200, {});
  await first;
  assert.deepEqual(quick.asked.filter(({ name }) => name).map(({ name }) => name), ["capture"]);
});

test("if the counting ends early, the findings say so, and charts go on", async () => {
  const { answers, whole, quick } = await opened();
  await whole.reply(200, {});
  await whole.reply(500, { error: "no more memory" }, { isDead: true });
  assert.equal((await (await answers.ask("api/progress")).json()).state, "done");
  const report = await asking(answers, "report");
  assert.deepEqual([report.status, await report.json()], [500, { error: "not everything could be counted: no more memory" }]);
  const points = asking(answers, "points");
  await settled();
  assert.equal(quick.asked.at(-1).mayWait, false);
  await quick.reply(200, { series: [] });
  assert.equal((await points).status, 200);
  await assert.rejects(answers.save("csv"), /no more memory/);
});

test("a capture that can't be opened says why", async () => {
  workers.length = 0;
  const answers = new LocalAnswers("", null);
  const opening = answers.open(small, "a.txt");
  await workers[0].reply(400, { error: "a.txt: not a capture", hint: "recount reads others" });
  assert.deepEqual(await opening, { error: "a.txt: not a capture", hint: "recount reads others" });
});
