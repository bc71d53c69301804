// Finding a counter by typing, adding it by Enter, by dragging and from the tree; and the ways a chart can be drawn.

import { withoutHost } from "./oracle.mjs";

const near = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

// Lowest and highest of what a line shows.
export function rangeOf(points) {
  const values = (points.kind === "samples" ? points.values : [...points.lowest, ...points.highest]).filter((value) => value !== null);
  return { min: Math.min(...values), max: Math.max(...values) };
}

async function typed({ viewer, oracle, expect, wanted }) {
  const { page } = viewer;
  const before = (await viewer.board()).length;
  await page.keyboard.press("/");
  await page.keyboard.type(wanted.words);
  const first = page.locator("#finder-list [role=option]").first();
  await first.waitFor();
  const path = await first.getAttribute("title");
  expect(withoutHost(path) === wanted.path, `"${wanted.words}" finds ${path} first, not ${wanted.path}`);
  await page.keyboard.press("Enter");
  await viewer.drawn();
  await page.locator(".board figure").last().scrollIntoViewIfNeeded();
  await viewer.drawn();
  const num = (await viewer.board()).length;
  expect(num === before + 1, `Enter made ${num - before} charts`);
  const [line] = (await viewer.charts()).at(-1).lines;
  const [told] = oracle.stats(wanted.path);
  const shown = rangeOf(line.points);
  expect(near(shown.min, told.min) && near(shown.max, told.max), `the new chart goes from ${shown.min} to ${shown.max}, stats say ${told.min} to ${told.max}`);
  // Ctrl+K is the same, and a second series goes to the same chart.
  await page.keyboard.press("Control+k");
  await page.keyboard.type(wanted.second);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await viewer.drawn();
  const after = (await viewer.charts()).at(-1);
  expect(after.lines.length === 2, `${after.lines.length} lines after the second Enter`);
}

async function dragged({ viewer, expect, wanted }) {
  const { page } = viewer;
  await page.keyboard.press("Escape");
  await page.locator("#finder-box").fill(wanted.dragged);
  const target = page.locator(".board figure").first();
  await target.scrollIntoViewIfNeeded();
  const before = (await viewer.charts())[0].lines.length;
  await page.locator("#finder-list [role=option]").first().dragTo(target.locator(".plot"));
  await viewer.drawn();
  const chart = (await viewer.charts())[0];
  expect(chart.lines.length === before + 1, `dragging made ${chart.lines.length - before} lines`);
  expect(new Set(chart.lines.map(({ unit }) => unit)).size === 2, `units are ${chart.lines.map(({ unit }) => unit)}: a second one was to come`);
  const axes = await page.evaluate(() => document.querySelector(".board .plot-frame").chart.plot.axes.length);
  expect(axes === 3, `${axes - 1} value axes for two units`);
}

async function tree({ viewer, expect }) {
  const { page } = viewer;
  await page.locator("#finder-box").fill("");
  const before = await page.locator(".board figure").count();
  await page.locator(".board figure .title[aria-pressed=true]").click();
  await page.locator(".tree > li > details > summary").first().click();
  const counter = page.locator(".tree > li > details[open] > ul > li").first();
  await counter.waitFor();
  if (await counter.locator("> details > summary").count()) await counter.locator("> details > summary").click();
  await counter.locator(".leaf").first().click();
  await viewer.drawn();
  expect((await page.locator(".board figure").count()) === before + 1, "a leaf of the tree makes no chart");
  await page.locator("#finder .bar button").click();
}

async function looks({ viewer, expect }) {
  const { page } = viewer;
  const menu = async (k) => {
    const figure = page.locator(".board figure").nth(k);
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".menu-toggle").click();
    return figure.locator(".menu");
  };
  const num = await page.locator(".board figure").count();
  let open = await menu(0);
  await open.getByLabel("Logarithmic").check();
  await viewer.drawn();
  expect((await page.evaluate(() => document.querySelector(".board .plot-frame").chart.plot.scales.y.distr)) === 3, "no logarithmic scale");
  await open.getByLabel("Logarithmic").uncheck();
  await open.getByLabel("Stacked").check();
  await viewer.drawn();
  expect(await page.evaluate(() => document.querySelector(".board .plot-frame").chart.isStacked), "not stacked");
  await open.getByLabel("Stacked").uncheck();
  await open.getByLabel("Name of the chart").fill("My <b>chart</b>");
  await page.keyboard.press("Enter");
  expect((await page.locator(".board figure h3").first().innerText()) === "My <b>chart</b>", "the name isn't the one that was typed");
  open = await menu(0);
  await open.getByRole("button", { name: "Move to the back" }).click();
  expect((await page.locator(".board figure h3").nth(1).innerText()) === "My <b>chart</b>", "the chart didn't move");
  open = await menu(num - 1);
  await open.getByRole("button", { name: "Remove the chart" }).click();
  expect((await page.locator(".board figure").count()) === num - 1, "the chart wasn't removed");
  await page.locator("#first-charts").click();
  await viewer.drawn();
}

// What Firefox's driver can do: it doesn't drag, and what it fills in isn't a change.
export async function found(given) {
  await typed(given);
  await given.viewer.page.keyboard.press("Escape");
  await given.viewer.page.locator(".board figure .title").first().click();
  await tree(given);
}

export async function finder(given) {
  await typed(given);
  await dragged(given);
  await tree(given);
  await looks(given);
}
