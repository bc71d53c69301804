// How it begins, goes on and ends: opening, two windows, a log that grows, Stop.

import { readFileSync } from "node:fs";
import { ViewerPage } from "./viewer.mjs";

export async function opened({ viewer, expect, oracle, folder, inputs }) {
  const { page } = viewer;
  const charts = await viewer.charts();
  expect(charts.length > 0 && charts.every(({ lines }) => lines.length > 0), "no first charts");
  await viewer.reported();
  const html = `${folder}/report.html`;
  oracle.run("report", ...inputs, "--quiet", "--force", "-o", html);
  const report = readFileSync(html, "utf8");
  const wanted = (report.match(/<article class="card finding /g) || []).length;
  const shown = await page.locator("article.finding").count();
  expect(shown === wanted, `${shown} findings, the report has ${wanted}`);
  expect((await page.locator("#objects tbody tr").count()) === (report.match(/data-object="/g) || []).length, "not the report's objects");
  // The table of all series has the numbers of stats.
  await page.locator("#places a[href='#all-series']").click();
  const rows = await page.locator("tr[data-row]").count();
  expect(rows === Math.min(100, oracle.stats().length), `${rows} series in the table`);
  await page.locator("tr[data-row] .opener").first().click();
  await page.waitForFunction(() => document.querySelector(".opened .plot[data-chart=drawn]"));
  await page.goBack().catch(() => {});
}

export async function windows({ viewer, browser, server, expect }) {
  const other = await ViewerPage.open(browser, server.url);
  const [{ from, to }] = await viewer.charts();
  await Promise.all([viewer.show(from + (to - from) * 0.1, from + (to - from) * 0.3), other.show(from + (to - from) * 0.6, from + (to - from) * 0.9)]);
  const [[mine], [theirs]] = [await viewer.charts(), await other.charts()];
  expect(mine.to < theirs.from, "two windows of the browser show the same window of time");
  for (const chart of [mine, theirs]) for (const { points } of chart.lines) expect(points.kind !== "missing", `no points: ${points.why}`);
  for (const fault of other.faults) expect(false, `the other window: ${fault}`);
  // Closed in the middle of a question: the first goes on.
  other.page.evaluate(() => { location.hash = "#panel=top"; }).catch(() => {});
  await other.close();
  await viewer.show(from, to);
  expect((await viewer.charts()).length > 0, "nothing is drawn after the other window was closed");
}

export async function growing({ viewer, expect }) {
  const { page } = viewer;
  const end = async () => page.evaluate(() => document.querySelector(".board .plot-frame").chart.timeline.end);
  const before = await end();
  await page.waitForFunction((was) => document.querySelector(".board .plot-frame").chart.timeline.end > was + 1500, before);
  await viewer.frames();
  const [chart] = await viewer.charts();
  expect(chart.to > before, "the window doesn't go with the log");
  await page.waitForFunction((was) => document.querySelector(".board .plot-frame").chart.points.some((points) => points && (points.kind === "samples" ? points.times.at(-1) : points.begin + points.step * points.lowest.length) > was), before);
  expect(await page.locator("#growing").isVisible(), "it isn't told that the log grows");
}

export async function stopped({ viewer, server, expect }) {
  await viewer.page.locator("[data-tool=stop]").click();
  for (let k = 0; k < 100 && !server.hasEnded; k++) await viewer.page.waitForTimeout(50);
  expect(server.hasEnded, "Stop doesn't end recount view");
  await viewer.page.locator(".note.lasting").waitFor();
  viewer.faults = viewer.faults.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
}

// Paper has every chart, whether anybody has scrolled to it or not.
export async function paper({ viewer, expect }) {
  const { page } = viewer;
  await page.setViewportSize({ width: 1280, height: 400 });
  await viewer.reported();
  const blank = () => page.evaluate(() => [...document.querySelectorAll(".plot-frame, .plot")].filter(({ chart }) => chart && !chart.host.closest("[hidden]")
    && !chart.points.every(Boolean)).map(({ chart }) => chart.title));
  await page.waitForFunction(() => [...document.querySelectorAll(".plot-frame, .plot")].every(({ chart }) => !chart || chart.host.closest("[hidden]") || chart.points.every(Boolean)));
  await page.emulateMedia({ media: "print" });
  expect((await blank()).length === 0, `blank on paper: ${await blank()}`);
  const undrawn = await page.evaluate(() => [...document.querySelectorAll(".board .plot-frame")].filter(({ chart }) => !chart.plot).length);
  expect(undrawn === 0, `${undrawn} charts aren't drawn on paper`);
  await page.emulateMedia({ media: "screen" });
  await viewer.drawn();
}
