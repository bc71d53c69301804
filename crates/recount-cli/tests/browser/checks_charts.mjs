// Charts: drawn, in step, zoomed together, and right.

// The page's own way to write numbers: what is judged here is which numbers stand in the table, not how they are written.
import { amount } from "../../../recount-page/page/text/numbers.js";
import { rangeOf, samplesOf } from "./blob.mjs";
import { charts, settle } from "./browser.mjs";

// A comparison in which nothing changed draws nothing by itself.
export const toCharts = async (page) => {
  if ((await page.locator(".plot[data-chart]").count()) === 0) {
    await page.evaluate(() => { location.hash = "#changes"; });
    await page.locator("tr[data-row] .opener").first().click();
  }
  await page.locator(".plot[data-chart]").first().scrollIntoViewIfNeeded();
  await page.waitForSelector(".plot[data-chart=drawn]");
  await settle(page);
};

// An idle machine takes less than 2 s; one that runs other tests may take longer.
const MAX_MS = 8000;

const changed = (before, after) => before.filter((chart, k) => after[k] && after[k].hash !== chart.hash).length;
const withValues = (list) => list.filter((chart) => chart.hasValues);

async function dragIn(page, locator, from, to) {
  const box = await locator.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y, { steps: 4 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(2, 2);
  await settle(page);
}

const windowText = (page) => page.locator("#strip .window").innerText();

async function drawn({ page, expect, folder, blob }) {
  const ready = await page.evaluate(() => [document.documentElement.getAttribute("data-ready"), window.readyAfter]);
  expect(ready[0] === String(blob.head.series.o.length), `the page is ready with ${ready[0]} series, not ${blob.head.series.o.length}`);
  expect(ready[1] < MAX_MS, `it took ${Math.round(ready[1])} ms to open, more than ${MAX_MS}`);
  console.log(`       opened in ${Math.round(ready[1])} ms`);
  await page.screenshot({ path: `${folder}/first-screen.png` });
  await toCharts(page);
  const list = await charts(page, { inView: false });
  expect(list.length > 0, "no chart was drawn");
  for (const chart of withValues(list)) expect(Math.max(...chart.numInked) > 8, `blank: ${chart.title}`);
  const far = await page.locator(".plot[data-chart=waiting]").count();
  const all = await page.locator(".plot[data-chart]").count();
  expect(all < 30 || far > 0, "charts far below were drawn at once");
}

async function everyChart({ page, expect }) {
  const hosts = page.locator("#view-report .plot[data-chart]");
  const num = Math.min(await hosts.count(), 60);
  for (let k = 0; k < num; k++) {
    await hosts.nth(k).scrollIntoViewIfNeeded();
    await page.waitForFunction((host) => host.dataset.chart === "drawn", await hosts.nth(k).elementHandle(), { timeout: 5000 });
  }
  for (const chart of withValues(await charts(page, { inView: false }))) expect(Math.max(...chart.numInked) > 8, `blank: ${chart.title}`);
}

async function cursor({ page, expect, blob }) {
  await toCharts(page);
  const over = page.locator(".plot[data-chart=drawn] .u-over");
  await over.first().hover();
  await settle(page);
  const places = await page.evaluate(() => [...document.querySelectorAll(".plot[data-chart=drawn]")].filter((host) => {
    const box = host.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  }).map((host) => {
    const [line, area] = [host.querySelector(".u-cursor-x"), host.querySelector(".u-over")].map((node) => node.getBoundingClientRect());
    const texts = [...host.querySelectorAll(".legend .value")].map((node) => node.classList.contains("now"));
    return { share: (line.left - area.left) / area.width, isShown: !host.querySelector(".u-cursor-x").classList.contains("u-off"), texts };
  }));
  expect(places.length > 0, "no chart in view");
  // All stand at the sample that is nearest to the pointer in the first.
  const { share } = places[0];
  expect(blob.head.num_buckets < 20 || Math.abs(share - 0.5) < 0.1, `the cursor of the first chart is at ${share.toFixed(3)}, not near 0.5`);
  for (const place of places) {
    expect(place.isShown && Math.abs(place.share - share) < 0.02, `the cursor of a chart is at ${place.share.toFixed(3)}, not at ${share.toFixed(3)}`);
    expect(place.texts.every(Boolean), "a legend doesn't show the values at the cursor");
  }
  expect((await page.locator("#strip .now").innerText()) !== "", "the strip doesn't show the time of the cursor");
  const cut = await page.evaluate(() => [...document.querySelectorAll(".legend .value")].filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent));
  expect(!cut.length, `numbers are cut: ${cut}`);
  await page.mouse.move(2, 2);
  await settle(page);
  expect((await page.locator(".legend .value.now").count()) === 0, "legends keep the cursor's values when it is gone");
}

async function zoom({ page, expect, folder, blob }) {
  if (blob.head.num_buckets < 8) return;
  await toCharts(page);
  const whole = await windowText(page);
  // The picture in the middle of the screen: what is above it may be tall.
  const inMiddle = async () => {
    await page.locator(".plot[data-chart=drawn] canvas").first().evaluate((node) => node.scrollIntoView({ block: "center" }));
    await settle(page);
    return withValues(await charts(page));
  };
  const before = await inMiddle();
  const ways = [
    ["a drag in a chart", () => dragIn(page, page.locator(".plot[data-chart=drawn] .u-over").first(), 0.3, 0.6)],
    ["a drag in the strip", () => dragIn(page, page.locator("#strip .area"), 0.3, 0.6)],
    ["the button", () => page.getByRole("button", { name: "Show less time" }).click()],
    ["the wheel", async () => {
      await page.locator(".plot[data-chart=drawn] .u-over").first().hover();
      await page.keyboard.down("Control");
      await page.mouse.wheel(0, -300);
      await page.keyboard.up("Control");
      await page.mouse.move(2, 2);
    }],
    ["a key", async () => { await page.locator(".plot[data-chart=drawn] .canvas").first().focus(); await page.keyboard.press("+"); }],
  ];
  const backs = [["Escape", () => page.keyboard.press("Escape")], ["the button", () => page.locator("#reset").click()],
    ["a double click", () => page.locator(".plot[data-chart=drawn] .u-over").first().dblclick()]];
  for (const [k, [way, act]] of ways.entries()) {
    await act();
    await settle(page);
    const zoomed = await windowText(page);
    expect(zoomed !== whole, `${way} doesn't zoom`);
    const after = await inMiddle();
    // A chart of one value everywhere may look the same at any zoom, but for its axis; pictures have the axis too.
    expect(changed(before, after) === before.length, `${way} changed ${changed(before, after)} of ${before.length} charts`);
    if (k === 0) await page.screenshot({ path: `${folder}/zoomed.png` });
    const [back, undo] = backs[k % backs.length];
    await undo();
    await page.mouse.move(2, 2);
    await settle(page);
    expect((await windowText(page)) === whole, `${back} doesn't show the whole time again: ${await windowText(page)}`);
    // In the middle again: to click into a bar that sticks to the top, the browser's driver may scroll, and other charts are in view.
    expect(changed(before, await inMiddle()) === 0, `after ${back} charts differ from what they were`);
  }
}

// The table of a chart's values, against the blob.
async function values({ page, expect, blob }) {
  await toCharts(page);
  const host = page.locator(".plot[data-chart]").first();
  const own = await host.evaluate((node) => {
    const row = node.closest("tr.opened")?.previousElementSibling.dataset.row;
    return { series: node.dataset.series, pair: node.dataset.pair ?? row, unit: node.dataset.unit };
  });
  const { head } = blob;
  const series = own.pair === undefined ? own.series.trim().split(/\s+/).map(Number)
    : [head.pairs.base[own.pair], head.pairs.new[own.pair]].filter((s) => s !== null);
  await host.locator("xpath=..").getByRole("button", { name: "Values" }).click();
  const rows = await host.locator(".values tbody tr").evaluateAll((nodes) => nodes.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
  const step = (head.step_ms * head.num_buckets) / rows.length;
  expect(rows.length > 0, "no rows");
  const unitOf = (s) => own.unit || head.objects[head.series.o[s]].counters[head.series.c[s]].unit || "";
  if ((await host.locator(".values caption").innerText()) === "Every sample") {
    series.forEach((s, column) => {
      const wanted = (samplesOf(blob, s) || []).map(([, value]) => amount(value, unitOf(s)));
      const told = rows.map((row) => row[column]).filter((text) => !text.startsWith("\u2013"));
      expect(JSON.stringify(told) === JSON.stringify(wanted), `the samples of series ${s} are ${told}, not ${wanted}`);
    });
    return;
  }
  rows.forEach((row, k) => series.forEach((s, column) => {
    const from = head.begin_ms + k * step;
    const unit = own.unit || head.objects[head.series.o[s]].counters[head.series.c[s]].unit || "";
    const [low, high] = rangeOf(blob, s, from, from + step).map((value) => amount(value, unit));
    const wanted = low === high ? low : `${low} \u2026 ${high}`;
    expect(row[column] === wanted, `row ${k} of series ${s} is ${row[column]}, not ${wanted}`);
  }));
}

async function legend({ page, expect }) {
  await toCharts(page);
  const before = (await charts(page, { inView: false }))[0];
  if (!before.hasValues) return;
  const line = page.locator(".plot[data-chart=drawn] .legend .line").first();
  await line.click();
  await settle(page);
  expect((await line.getAttribute("aria-pressed")) === "false", "a pressed legend doesn't say so");
  expect((await charts(page, { inView: false }))[0].hash !== before.hash, "a line that was switched off is still drawn");
  await line.click();
}

async function keyboard({ page, expect }) {
  await toCharts(page);
  await page.locator(".plot[data-chart] .canvas").first().focus();
  await page.keyboard.press("ArrowRight");
  await settle(page);
  const now = await page.locator("#strip .now").innerText();
  expect(now !== "", "an arrow key doesn't show the cursor");
  await page.keyboard.press("End");
  await settle(page);
  expect((await page.locator("#strip .now").innerText()) !== now, "End doesn't move the cursor");
  await page.waitForTimeout(400);
  expect((await page.locator("#spoken").textContent()) !== "", "values at the cursor aren't told to screen readers");
}

export const chartChecks = [
  { name: "charts are drawn", run: drawn }, { name: "every chart is drawn when it comes near", run: everyChart },
  { name: "the cursor is shared", run: cursor }, { name: "zoom is shared and goes back", run: zoom },
  { name: "tables of values are right", run: values }, { name: "legends switch lines", run: legend }, { name: "charts obey the keyboard", run: keyboard },
];
