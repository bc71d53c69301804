// From a spike to who it was, in two clicks; and the time machine, sample by sample.

import { amount } from "../../../recount-page/page/text/numbers.js";
import { iso, ticksOf, withoutHost } from "./oracle.mjs";

const near = (a, b) => a === b || (a !== null && b !== null && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1e-300));

const rowsOf = (shown, { instance, id, host, described }) => shown.filter((cell) =>
  cell.Instance.split("\n")[0] === [described || [instance, id && `(${id})`].filter(Boolean).join(" "), host].filter(Boolean).join(" "));

const rowOf = (shown, row) => rowsOf(shown, row)[0];

const keyOf = (instance, id) => [instance, id].filter((part) => part !== null && part !== undefined).join(" ");

// The chart with the highest spike over its own mean, and where it is.
async function spike(viewer) {
  const charts = await viewer.charts();
  let best = { ratio: 0, k: 0, share: 0.5 };
  charts.forEach(({ lines, from, to }, k) => lines.forEach(({ points }) => {
    const values = points.kind === "samples" ? points.values : points.highest;
    const known = values.filter((value) => value !== null);
    const mean = known.reduce((a, b) => a + b, 0) / known.length;
    values.forEach((value, at) => {
      const t = points.kind === "samples" ? points.times[at] : points.begin + (at + 0.5) * points.step;
      const share = (t - from) / (to - from);
      if (value !== null && mean > 0 && value / mean > best.ratio && share > 0.05 && share < 0.95) best = { ratio: value / mean, k, share };
    });
  }));
  return best;
}

// What the page asks the server for next. Only Chromium's driver has the body of a request.
async function question(page, end) {
  await page.evaluate((ending) => {
    const own = window.fetch;
    window.fetch = (url, given) => {
      if (`${url}`.endsWith(ending)) window.lastQuestion = JSON.parse(given.body);
      return own(url, given);
    };
  }, end);
  return () => page.evaluate(() => window.lastQuestion);
}

export async function top({ viewer, oracle, expect, shot }) {
  const { page } = viewer;
  const { k, share } = await spike(viewer);
  await viewer.press(k, share);
  const asked = await question(page, "/api/top");
  const answered = page.waitForResponse("**/api/top");
  await page.getByRole("button", { name: "Who was it?" }).first().click();
  const { rows, unit, before } = await (await answered).json();
  const { object, counter, from, to } = await asked();
  await viewer.idle("top");
  await shot("spike-to-process");
  const shown = await ranked(viewer);
  expect(shown.length === rows.length && rows.length > 0, `${shown.length} rows for an answer of ${rows.length}`);
  const wanted = `\\${object}(*)\\${counter}`;
  // The span before ends where the other begins, and has no sample of it.
  const spans = [[ticksOf(from), ticksOf(to)], [ticksOf(before.from), ticksOf(before.to) - 1n]];
  const [inSpan, inSpanBefore] = spans.map(([begin, end]) =>
    new Map(oracle.stats(wanted, iso(begin), iso(end)).map((told) => [keyOf(told.instance, told.instance_id), told])));
  // The page tells processes apart that had one name after the other; stats don't.
  const shared = new Set(oracle.stats(wanted).filter((told) => told.is_shared).map((told) => told.instance));
  const comparable = rows.filter((row) => !shared.has(row.instance));
  expect(comparable.length > 0, `all ${rows.length} rows have names of several processes`);
  for (const row of comparable) {
    const told = inSpan.get(keyOf(row.instance, row.id));
    // A process that took another name has a row for each, and both say which process it is.
    const named = rowsOf(shown, row);
    expect(told && near(row.mean, told.mean) && near(row.max, told.max), `${row.instance}: mean ${row.mean}, max ${row.max}; stats say ${told && told.mean}, ${told && told.max}`);
    expect(told && near(row.last, told.last) && near(row.growth, told.last - told.first), `${row.instance}: growth ${row.growth}, stats say ${told && told.last - told.first}`);
    expect(named.some((cells) => cells.Mean === amount(row.mean, unit) && cells.Max === amount(row.max, unit)), `${row.instance} is shown as ${JSON.stringify(named)}, not ${amount(row.mean, unit)}, ${amount(row.max, unit)}`);
    const earlier = inSpanBefore.get(keyOf(row.instance, row.id));
    if (row.before) expect(earlier && near(row.before.mean, earlier.mean), `${row.instance} before: ${row.before.mean}, stats say ${earlier && earlier.mean}`);
    else expect(!earlier || earlier.count === 0, `${row.instance} was there before: ${JSON.stringify(earlier)}`);
  }
  // The second click: the process is in a chart.
  await page.locator("#panel-top tbody .adder").first().click();
  await viewer.drawn();
  const paths = (await viewer.charts()).flatMap(({ lines }) => lines.map(({ path }) => withoutHost(path)));
  expect(paths.includes(withoutHost(rows[0].path)), `${rows[0].path} isn't in a chart`);
  await sorted(viewer, expect);
}

// The rows of instances: what no process has used stands below them.
const ranked = async (viewer) => (await viewer.rows("top")).filter(({ Instance }) => Instance.split("\n")[0] !== "not attributed");

async function sorted(viewer, expect) {
  await viewer.page.locator("#panel-top thead button").first().click();
  const names = (await ranked(viewer)).map((row) => row.Instance.split("\n")[0]);
  const order = [...names].sort(new Intl.Collator("en", { numeric: true }).compare);
  expect(JSON.stringify(names) === JSON.stringify(order), "rows aren't sorted by instance");
}

export async function machine({ viewer, oracle, expect, times, object, shot }) {
  const { page } = viewer;
  await page.keyboard.press("Escape");
  await page.locator("[data-tool=machine]").click();
  await viewer.idle("machine");
  await page.getByLabel("Object", { exact: true }).last().selectOption(object);
  await viewer.idle("machine");
  const samples = oracle.samples("-c", `\\${object}(*)\\*`);
  await page.locator("#panel-machine .scroll").focus();
  let last = null;
  for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"]) {
    const answered = page.waitForResponse("**/api/instances");
    await page.keyboard.press(key);
    const answer = await (await answered).json();
    await viewer.idle("machine");
    const index = times.findIndex((t) => Math.abs(t - answer.time_ms) < 2);
    expect(index >= 0, `a sample at ${answer.time_ms} that there is not`);
    if (last !== null) expect(answer.index === last + (key === "ArrowLeft" ? -1 : 1), `${key} went from sample ${last} to ${answer.index}`);
    last = answer.index;
    await compare(viewer, answer, object, samples, index, expect);
  }
  await shot("time-machine");
}

async function compare(viewer, answer, object, samples, index, expect) {
  const shown = await viewer.rows("machine");
  expect(answer.rows.length > 0 && shown.length === Math.min(answer.rows.length, 400), `${shown.length} rows for ${answer.rows.length} instances`);
  const byPath = new Map([...samples].map(([path, list]) => [withoutHost(path), list]));
  for (const row of answer.rows) {
    answer.counters.forEach(({ name, unit }, c) => {
      const list = byPath.get(`\\${object}(${row.instance})\\${name}`);
      const value = row.values[c];
      // PDH text writes 0 where nothing happened that an average could be of.
      const told = list && list[index].v;
      if (value !== null) expect(told === value, `${row.instance} ${name}: ${value}, convert says ${told}`);
      else expect(row.status[c] !== "", `${row.instance} ${name} has neither value nor reason`);
      const cells = rowOf(shown, row);
      if (cells && cells[name] !== undefined && value !== null) expect(cells[name] === amount(value, unit), `${row.instance} ${name} is shown as ${cells[name]}, not ${amount(value, unit)}`);
    });
  }
}

// Who used the processors: groups up to all that there is, their processes a press away, and what started them.
export async function programs({ viewer, oracle, expect, shot }) {
  const { page } = viewer;
  const next = async (act) => {
    const answered = page.waitForResponse("**/api/programs");
    await act();
    const answer = await (await answered).json();
    await viewer.idle("programs");
    return answer;
  };
  const { by, groupings, groups, not_attributed: rest } = await next(() => page.locator("[data-tool=programs]").click());
  expect(by === "command" && groups.length > 1, `${groups.length} groups by ${by}`);
  // Together they are what the processors did, in each stretch that has values.
  const busy = oracle.stats("\\Processor(_Total)\\% Processor Time")[0].mean / 100;
  const sums = rest.map((share, at) => groups.reduce((sum, { used }) => sum + used[at], share));
  const mean = sums.reduce((a, b) => a + b, 0) / sums.length;
  expect(Math.abs(mean - busy) < 0.05 && sums.every((sum) => sum < 1.2), `${mean} of the processors, stats say ${busy}`);
  const entries = page.locator("#panel-programs .programs-list > .entry");
  expect(await entries.count() === groups.length + 1, `${await entries.count()} entries for ${groups.length} groups`);
  expect((await entries.last().innerText()).includes("not attributed"), "what isn't attributed has no entry");
  await shot("programs");
  // By its area, and by its name.
  await page.locator("#panel-programs .programs-picture svg > path").first().dispatchEvent("click");
  const first = entries.first();
  expect((await first.locator("> ul").innerText()).includes(groups[0].processes.most[0][0].split(" ")[0]), `no process of ${groups[0].name}`);
  await first.locator(".trees > summary").click();
  expect((await first.locator(".trees ul").innerText()).includes(groups[0].processes.trees[0].name), `nothing started ${groups[0].name}`);
  await shot("programs-opened");
  if (groupings.includes("user")) {
    const answer = await next(() => page.getByLabel("Group by").selectOption("user"));
    expect(answer.by === "user", answer.by);
    // The address follows when the screen has rested for a moment.
    await page.waitForFunction(() => location.hash.includes("by=user"));
  }
}
