import assert from "node:assert/strict";
import { test } from "node:test";

import { Catalogue } from "../../page/view/data/catalogue.js";
import { answerLines, timeOf } from "../../page/view/panel/answer-chart.js";
import { completed, completions } from "../../page/view/panel/completion.js";
import { suspectsOf, tellingColumns } from "../../page/view/panel/suspects.js";

const object = (name, instanced, ...counters) => ({ name, instanced, counters: counters.map((counter) => ({ name: counter, unit: "" })), instances: instanced ? [{ name: "a", id: null, host: null }] : [] });
const side = (...objects) => ({ label: "", hosts: [""], names: [], begin_ms: 0, end_ms: 1, shift_ms: 0, num_samples: 1, gaps: [], marks: [], objects });
const FULL = new Catalogue([side(object("Processor", true, "% Processor Time"), object("Memory", false, "Available Bytes"), object("PhysicalDisk", true, "Disk Bytes/sec"),
  object("Process", true, "% Processor Time", "Working Set", "IO Data Bytes/sec"), object("SQLServer:Locks", true, "Lock Waits/sec"))]);
const suspects = (path) => {
  const found = suspectsOf(FULL, path === null ? null : FULL.about(0, path));
  return found && `${found.object}|${found.counter}`;
};

test("who it was is asked of those who can have been", () => {
  assert.equal(suspects("\\Processor(_Total)\\% Processor Time"), "Process|% Processor Time");
  assert.equal(suspects("\\Memory\\Available Bytes"), "Process|Working Set");
  assert.equal(suspects("\\PhysicalDisk(_Total)\\Disk Bytes/sec"), "Process|IO Data Bytes/sec");
  assert.equal(suspects("\\Process(a)\\Working Set"), "Process|Working Set");
  assert.equal(suspects("\\SQLServer:Locks(a)\\Lock Waits/sec"), "SQLServer:Locks|Lock Waits/sec");
  assert.equal(suspects(null), "Process|% Processor Time");
});

test("captures without processes have other suspects, or none", () => {
  const few = new Catalogue([side(object("PhysicalDisk", true, "Disk Bytes/sec"), object("Memory", false, "Cache Bytes"))]);
  assert.deepEqual(suspectsOf(few, few.about(0, "\\PhysicalDisk(a)\\Disk Bytes/sec")), { side: 0, object: "PhysicalDisk", counter: "Disk Bytes/sec" });
  assert.equal(suspectsOf(few, few.about(0, "\\Memory\\Cache Bytes")).object, "PhysicalDisk");
  assert.equal(suspectsOf(new Catalogue([side(object("Memory", false, "x"))]), null), null);
});

test("columns that tell something come first, and what was asked for", () => {
  const counters = ["ID Process", "Odd", "Working Set", "% Processor Time", "Other"].map((name) => ({ name }));
  assert.deepEqual(tellingColumns(counters, 3), [3, 2, 1]);
  assert.deepEqual(tellingColumns(counters, 3, "Other"), [4, 3, 2]);
});

const OBJECTS = [object("Process", true, "% Processor Time", "Working Set"), object("Network Interface", true, "Bytes Total/sec", "say \"x\"")];
const offers = (text) => completions(text, text.length, OBJECTS).offers.map((offer) => offer.text);

test("names are completed as SQL writes them", () => {
  assert.deepEqual(offers("SELECT * FROM Proc"), ["Process"]);
  assert.deepEqual(offers("SELECT * FROM \"Net"), ["\"Network Interface\""]);
  assert.equal(offers("SELECT Work")[0], "\"Working Set\"");
  assert.deepEqual(offers("SELECT \"say"), ["\"say \"\"x\"\"\""]);
  assert.equal(offers("sel")[0], "SELECT");
  assert.deepEqual(offers("SELECT 'Work"), []);
  assert.deepEqual(offers("SELECT "), []);
});

test("columns are those of the tables that are named", () => {
  const text = "SELECT byt FROM Process";
  assert.deepEqual(completions(text, 10, OBJECTS).offers, []);
  assert.deepEqual(completions("SELECT byt FROM network_interface", 10, OBJECTS).offers.map((offer) => offer.text), ["\"Bytes Total/sec\""]);
});

test("an offer takes the place of what was typed", () => {
  assert.deepEqual(completed("SELECT Wor FROM x", 10, 7, "\"Working Set\""), { text: "SELECT \"Working Set\" FROM x", caret: 20 });
  assert.deepEqual(completed("SELECT \"Wor\" FROM x", 11, 7, "\"Working Set\""), { text: "SELECT \"Working Set\" FROM x", caret: 20 });
});

test("answers with times are charts", () => {
  const columns = ["time", "instance", "v"].map((name) => ({ name, type: "" }));
  const rows = [["2013-02-20T02:55:01Z", "a", 2], ["2013-02-20T02:55:00Z", "a", 1], ["2013-02-20T02:55:00Z", "b", null], ["2013-02-20T02:55:01Z", "b", 4]];
  const lines = answerLines({ columns, rows, num_rows: 4 });
  assert.deepEqual(lines.map(({ label, v }) => [label, v]), [["a", [1, 2]], ["b", [null, 4]]]);
  assert.deepEqual(lines[0].t, [Date.UTC(2013, 1, 20, 2, 55), Date.UTC(2013, 1, 20, 2, 55, 1)]);
  assert.deepEqual(answerLines({ columns, rows: rows.slice(0, 1), num_rows: 1 }), []);
  assert.deepEqual(answerLines({ columns: [{ name: "n", type: "" }], rows: [[1], [2]], num_rows: 2 }), []);
  assert.equal(timeOf("2013-02-20 02:55:00.5"), Date.UTC(2013, 1, 20, 2, 55, 0, 500));
  assert.equal(timeOf("12 monkeys"), null);
});
