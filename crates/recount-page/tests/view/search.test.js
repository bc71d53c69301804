import assert from "node:assert/strict";
import { test } from "node:test";

import { SeriesSearch } from "../../page/view/find/search.js";
import { wordScore } from "../../page/view/find/match.js";

const series = (object, instance, counter, host = "") => ({ object, instance, counter, host });
const ALL = [
  series("Processor", "_Total", "% Processor Time"), series("Processor", "0", "% Processor Time"), series("Processor", "0", "% User Time"),
  series("Memory", "", "Available Bytes"), series("Memory", "", "Cache Bytes"), series("Memory", "", "Pages/sec"),
  series("Process", "python3", "% Processor Time"), series("Process", "python3#1", "% Processor Time"), series("Process", "python3", "Working Set"),
  series("Process", "svchost", "Handle Count"), series("PhysicalDisk", "0 C:", "Avg. Disk Queue Length"), series("PhysicalDisk", "_Total", "Disk Bytes/sec"),
  series("Network Interface", "eth0", "Bytes Total/sec", "db1"), series("Network Interface", "eth0", "Bytes Total/sec", "web1"),
];
const search = new SeriesSearch(ALL);
const texts = (query, most = 50) => search.find(query, most).found.map((s) => `${ALL[s].object}|${ALL[s].instance}|${ALL[s].counter}|${ALL[s].host}`);

test("every word has to fit a name", () => {
  assert.deepEqual(texts("python work"), ["Process|python3|Working Set|"]);
  assert.deepEqual(texts("python nothing-like-it"), []);
  assert.deepEqual(texts(""), []);
});

test("the exact name is first, totals before their parts", () => {
  assert.equal(texts("python3 time")[0], "Process|python3|% Processor Time|");
  assert.equal(texts("% processor time")[0], "Processor|_Total|% Processor Time|");
  assert.equal(texts("cpu")[0], "Processor|_Total|% Processor Time|");
});

test("hosts, initials, left out letters, mistakes and whole paths are found", () => {
  assert.deepEqual(texts("web1 eth0"), ["Network Interface|eth0|Bytes Total/sec|web1"]);
  assert.equal(texts("adql")[0], "PhysicalDisk|0 C:|Avg. Disk Queue Length|");
  assert.equal(texts("avlbl byt")[0], "Memory||Available Bytes|");
  assert.equal(texts("porcess handle")[0], "Process|svchost|Handle Count|");
  assert.equal(texts("\\Process(python3)\\Working Set")[0], "Process|python3|Working Set|");
});

test("the number of all hits is shown beside the best", () => {
  assert.deepEqual(search.find("processor", 2).found.length, 2);
  assert.equal(search.find("processor", 2).num, 5);
});

test("a better fit scores higher", () => {
  const scores = ["working set", "working set peak", "paged working set", "networking", "w.o.r.k.i.n.g"].map((name) => wordScore("working", name));
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
  assert.ok(scores[0] > scores[1] && scores[3] > 0);
  assert.equal(wordScore("zzz", "working set"), 0);
});

test("names with signs of patterns are only text", () => {
  const odd = new SeriesSearch([series("O", "a.*b[", "$^", ""), series("O", "axxb", "c", "")]);
  assert.deepEqual(odd.find(".*", 9).found, [0]);
  assert.deepEqual(odd.find("[", 9).found, [0]);
});

test("15,000 series are searched in an instant", () => {
  const many = Array.from({ length: 15_000 }, (_, k) => series("Process", `worker-${Math.floor(k / 30)}`, `Counter number ${k % 30}`));
  const big = new SeriesSearch(many);
  for (const query of ["w", "wor num", "worker-499 29", "wrkr cntr", "zzzzzz"]) {
    const begin = performance.now();
    big.find(query, 200);
    const took = performance.now() - begin;
    assert.ok(took < 200, `"${query}" took ${took} ms`);
  }
  assert.equal(many[big.find("worker-499 29", 5).found[0]].counter, "Counter number 29");
});

test("a metric's name with dots finds its object and counter", () => {
  const named = (object, instance, counter) => ({ object, instance, counter, host: "" });
  const metrics = new SeriesSearch([named("kernel.all", "1 minute", "load"), named("kernel.all.cpu", "", "user"), named("disk.dev", "sda", "read")]);
  assert.deepEqual(metrics.find("kernel.all.load", 9).found, [0]);
  assert.deepEqual(metrics.find("kernel.all.cpu.user", 9).found, [1]);
  assert.deepEqual(metrics.find("disk.dev.read sda", 9).found, [2]);
  assert.deepEqual(metrics.find("disk.dev.write", 9).found, []);
});
