import assert from "node:assert/strict";
import { test } from "node:test";

import { Board, MAX_LINES } from "../../page/view/state/board.js";

const one = (name, side = 0) => ({ side, path: `\\O\\${name}` });
const state = (title, ...series) => ({ title, series, stacked: false, logarithmic: false, wide: false });

test("charts come, move and go", () => {
  const board = new Board();
  board.set([state("a", one("x")), state("b")]);
  const added = board.addChart({ title: "c" }, 1);
  assert.deepEqual(board.charts.map((chart) => chart.title), ["a", "c", "b"]);
  assert.equal(board.selected, added.id);
  board.move(added.id, 9);
  board.move(board.charts[0].id, -1);
  assert.deepEqual(board.charts.map((chart) => chart.title), ["a", "b", "c"]);
  board.remove(added.id);
  assert.equal(board.selected, null);
  assert.equal(board.charts.length, 2);
});

test("a series is in a chart once, for each side", () => {
  const board = new Board();
  const { id } = board.addChart(state("a", one("x")));
  assert.match(board.addSeries(id, [one("x")]), /already/);
  assert.equal(board.addSeries(id, [one("x", 1), one("y")]), "");
  board.removeSeries(id, one("x"));
  assert.deepEqual(board.chart(id).series, [one("x", 1), one("y")]);
  assert.match(board.addSeries(id, Array.from({ length: MAX_LINES }, (_, k) => one(`n${k}`))), /at most/);
  assert.equal(board.chart(id).series.length, MAX_LINES);
});

test("history keeps charts that are the same", () => {
  const board = new Board();
  board.set([state("a", one("x")), state("b")]);
  const [a, b] = board.charts;
  const earlier = board.states();
  board.change(a.id, { stacked: true });
  board.set(earlier);
  assert.equal(board.charts[1].id, b.id);
  assert.notEqual(board.charts[0].id, a.id);
  assert.deepEqual(board.states(), earlier);
});

test("listeners hear what changed", () => {
  const board = new Board();
  const heard = [];
  board.listeners.add((kind) => heard.push(kind));
  const { id } = board.addChart({});
  board.addSeries(id, [one("x")]);
  board.select(null);
  board.select(null);
  assert.deepEqual(heard, ["charts", "chart", "selected"]);
});
