// Charts whose points come from a server that takes its time: `node server_charts.mjs FOLDER-FOR-SCREENSHOTS`.
//
// The server is here, and answers when a check says so. Its values are known: a wave, and one sample of 36,000 that is a peak.

import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, settle } from "./browser.mjs";

const ROOT = fileURLToPath(new URL("../../../recount-page/page/", import.meta.url));
const ADDRESS = "http://page.test/";
const folder = resolve(process.argv[2] || "screenshots");
const wrong = [];
const expect = (isTrue, text) => { if (!isTrue) wrong.push(text); };

const BEGIN = 1_790_000_000_000;
const NUM = 36_000;
const PEAK = BEGIN + 12_345_000;
const UNITS = ["%", "%", "bytes", "sec"];
const valueAt = (s, ms) => (ms === PEAK && s === 0 ? 95 : [10, 20, 2 ** 30, 1][s] * (1 + 0.2 * Math.sin(ms / 3e6)));
const isMissing = (ms) => ms % 20_000 === 0;

function answer({ from, to, width, series, wait }) {
  return { series: series.map(({ path }) => {
    const s = Number(path);
    const times = [];
    for (let ms = Math.ceil(from / 1000) * 1000; ms <= Math.min(to, BEGIN + NUM * 1000); ms += 1000) times.push(ms);
    if (times.length <= 2 * width) {
      return { unit: UNITS[s], count: times.length, exact: true, samples: { t: times, v: times.map((ms) => (isMissing(ms) ? null : valueAt(s, ms))),
        raw: times.map((ms) => String(ms)), base: times.map(() => "1000"), status: times.map((ms) => (isMissing(ms) ? "counter-reset" : "")) } };
    }
    const num = wait ? width : Math.ceil(width / 8);
    const step = (to - from) / num;
    const values = Array.from({ length: num }, () => []);
    for (const ms of times) values[Math.min(num - 1, Math.max(0, Math.ceil((ms - from) / step) - 1))].push(valueAt(s, ms));
    const of = (act) => values.map((all) => (all.length ? act(all) : null));
    return { unit: UNITS[s], count: times.length, exact: Boolean(wait), buckets: { begin_ms: from, step_ms: step,
      min: of((all) => Math.min(...all)), max: of((all) => Math.max(...all)), mean: of((all) => all.reduce((a, b) => a + b) / all.length) } };
  }) };
}

const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>${readFileSync(`${ROOT}uplot/uPlot.min.css`)}${readdirSync(`${ROOT}style`).map((name) => readFileSync(`${ROOT}style/${name}`)).join("\n")}</style>
<main id="main"><section class="overview" id="charts"></section></main><div id="spoken"></div>
<script src="/uplot/uPlot.iife.min.js"></script><script type="module">
import { Chart } from "/chart/chart.js";
import { Charts } from "/chart/charts.js";
import { ServerPoints } from "/data/server-points.js";
import { Theme } from "/frame/theme.js";
import { Clock } from "/time/clock.js";
import { Timeline } from "/time/timeline.js";
const ask = async (name, body, signal) => (await fetch("/api/" + name, { method: "POST", body: JSON.stringify(body), signal })).json();
const page = { provider: new ServerPoints(ask), theme: new Theme(), clock: new Clock({ zone: "UTC" }), gaps: [], marks: [],
  timeline: new Timeline({ begin: ${BEGIN}, end: ${BEGIN + NUM * 1000}, step: 1000 }) };
page.charts = new Charts(page);
const lineOf = (s) => ({ series: { side: 0, path: String(s) }, name: "series " + s, label: "series " + s, colour: s, dash: null, unit: ${JSON.stringify(UNITS)}[s] });
const chart = (title, series, spec) => {
  const host = document.createElement("div");
  host.className = "plot";
  document.querySelector("#charts").append(host);
  return new Chart(page, host, { title, lines: series.map(lineOf), onPress: (_, ms) => { window.pressed = ms; }, ...spec });
};
window.page = page;
window.made = { one: chart("one", [0]), two: chart("two", [0, 2]), three: chart("three", [0, 2, 3]), stack: chart("stack", [0, 1], { isStacked: true }), log: chart("log", [0], { isLogarithmic: true }) };
</script>`;

// Questions wait here until they are let through.
async function serve(page) {
  const held = [];
  const asked = [];
  const state = { isHolding: false };
  await page.route(`${ADDRESS}**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    if (path === "") return route.fulfill({ contentType: "text/html", body: PAGE });
    if (path !== "api/points") return route.fulfill({ contentType: path.endsWith(".js") ? "text/javascript" : "text/plain", body: readFileSync(ROOT + path) });
    const question = JSON.parse(route.request().postData());
    asked.push(question);
    if (state.isHolding) await new Promise((go) => { held.push(go); });
    return route.fulfill({ json: answer(question) }).catch(() => {});
  });
  return { asked, hold: () => { state.isHolding = true; }, release: () => { state.isHolding = false; for (const go of held.splice(0)) go(); } };
}

// Pixels of a line's colour in a part of its plot, given in shares of its size.
const inked = (page, name, { series = 0, top = 0, bottom = 1 } = {}) => page.evaluate(([key, s, from, to]) => {
  const { plot } = window.made[key];
  const [red, green, blue] = window.page.theme.colours.series[s].match(/\w\w/g).map((digits) => parseInt(digits, 16));
  const { left, top: above, width, height } = plot.bbox;
  const pixels = plot.ctx.getImageData(left, above + height * from, width, height * (to - from)).data;
  let num = 0;
  // Bands are the colour, thinned upon white: what counts is in which direction it leaves white.
  for (let k = 0; k < pixels.length; k += 4) {
    const [r, g, b, a] = pixels.slice(k, k + 4);
    const share = a === 255 ? (255 - r) / (255 - red) : a / 255;
    const near = (value, full) => a < 255 || Math.abs(255 - value - share * (255 - full)) < 12;
    if (share > 0.15 && near(g, green) && near(b, blue) && (a === 255 || Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) < 40)) num++;
  }
  return num;
}, [name, series, top, bottom]);

const isQuiet = (page) => page.waitForFunction(() => Object.values(window.made).every(({ host, feed }) => host.dataset.chart === "drawn" && !feed.isBusy));
const legend = (page, name) => page.evaluate((key) => [...window.made[key].host.querySelectorAll(".legend .value")].map((node) => node.textContent), name);

const CHECKS = {
  async "coarse points are drawn, then exact ones"({ page, server }) {
    await isQuiet(page);
    // Charts of one object and width are asked for together.
    const path = await page.evaluate(() => window.made.one.lines[0].series.path);
    const asked = server.asked.filter(({ series }) => series.some((one) => one.path === path));
    const [first] = asked;
    expect(!first.wait, "the first question waits");
    expect(asked.some(({ wait }) => wait), "exact points weren't asked for");
    expect(first.from === BEGIN && first.to === BEGIN + NUM * 1000 && first.width > 300, `the question is about ${JSON.stringify(first)}`);
    const shown = await page.evaluate(() => window.made.one.points[0]);
    expect(shown.isExact && shown.lowest.length === first.width, `${shown.lowest.length} buckets are shown, exact ${shown.isExact}`);
  },
  async "a peak of one sample is seen in the whole time"({ page }) {
    await isQuiet(page);
    const high = await page.evaluate(() => window.made.one.plot.scales.y.max);
    expect(high === 100, `the axis ends at ${high}`);
    expect((await inked(page, "one", { top: 0.06, bottom: 0.6 })) > 20, "nothing of the peak is drawn in a chart");
    expect((await inked(page, "stack", { top: 0.1, bottom: 0.5 })) > 20, "nothing of the peak is drawn in a stack");
    expect((await legend(page, "one"))[0].endsWith("95 %"), `the legend says ${await legend(page, "one")}`);
  },
  async "the old picture stays until an answer comes"({ page, server }) {
    await isQuiet(page);
    server.hold();
    await page.evaluate((at) => window.page.timeline.show(at - 600_000, at + 600_000), PEAK);
    await settle(page);
    for (const name of ["one", "two", "stack", "log"]) expect((await inked(page, name)) > 100, `${name} is blank while it waits`);
    expect(await page.evaluate(() => window.made.one.host.getAttribute("aria-busy") === "true" && window.made.one.host.dataset.chart === "drawn"), "a waiting chart doesn't say so");
    server.release();
    await isQuiet(page);
    const points = await page.evaluate(() => window.made.one.points[0]);
    expect(points.kind === "buckets" && points.begin === PEAK - 600_000, `after the answer ${points.kind} of ${points.begin} are shown`);
  },
  async "of many windows the newest is asked for"({ page, server }) {
    await isQuiet(page);
    const before = server.asked.length;
    server.hold();
    for (let k = 1; k <= 20; k++) await page.evaluate(([at, half]) => window.page.timeline.show(at - half, at + half), [PEAK, 4e6 - k * 1e5]).then(() => settle(page));
    server.release();
    await isQuiet(page);
    const windows = new Set(server.asked.slice(before).map(({ from }) => from));
    expect(windows.size > 0 && windows.size < 20, `each of ${windows.size} windows was asked for`);
    const shown = await page.evaluate(() => [window.made.one.points[0].begin, window.page.timeline.from]);
    expect(shown[0] === shown[1], `the points of ${shown[0]} are shown in the window from ${shown[1]}`);
  },
  async "near enough there are samples, with raw values and reasons"({ page }) {
    await isQuiet(page);
    await page.evaluate((at) => { window.page.timeline.show(at - 20_000, at + 20_000); window.page.timeline.point(at + 200); }, PEAK);
    await settle(page);
    await isQuiet(page);
    await settle(page);
    expect((await legend(page, "one"))[0] === "95 %", `without being asked the legend says ${await legend(page, "one")}`);
    await page.locator(".under .quiet:visible, figcaption .quiet:visible").getByText("Raw").first().click();
    await page.evaluate((at) => window.page.timeline.point(at + 200), PEAK);
    await settle(page);
    expect((await legend(page, "one"))[0] === `95 %  raw ${PEAK} / 1000`, `on request the legend says ${await legend(page, "one")}`);
    await page.evaluate((at) => window.page.timeline.point(at), Math.ceil(PEAK / 20_000) * 20_000);
    await settle(page);
    expect((await legend(page, "one"))[0].startsWith("\u2013 counter-reset"), `the legend says ${await legend(page, "one")}`);
    expect((await inked(page, "one")) > 100, "samples aren't drawn");
  },
  async "two units have two axes, and a third is refused"({ page }) {
    await isQuiet(page);
    const ranges = await page.evaluate(() => Object.entries(window.made.two.plot.scales).map(([key, { min, max }]) => [key, min, max]));
    const of = Object.fromEntries(ranges.map(([key, ...range]) => [key, range]));
    expect(of.y && of.y[1] === 100 && of.y2 && of.y2[1] > 2 ** 30, `the axes are ${JSON.stringify(ranges)}`);
    for (const series of [0, 2]) expect((await inked(page, "two", { series })) > 100, `line ${series} isn't drawn`);
    const refused = await page.evaluate(() => window.made.three.host.querySelector(".refused")?.textContent);
    expect(refused === "A chart has at most two units. Not drawn: series 3 (sec).", `of a third unit it says ${refused}`);
  },
  async "a stack adds up, and comes down when a line is hidden"({ page }) {
    await isQuiet(page);
    const top = () => page.evaluate(() => { const { plot, drawn } = window.made.stack; return Math.max(...plot.data[drawn[1].middle].filter((value) => value !== null)); });
    expect(Math.abs((await top()) - 36) < 2, `the stack is ${await top()} high, not 36`);
    await page.evaluate(() => window.made.stack.host.querySelector(".legend .line").click());
    expect(Math.abs((await top()) - 24) < 2, `with a line hidden the stack is ${await top()} high, not 24`);
  },
  async "a logarithmic axis has powers of ten"({ page }) {
    await isQuiet(page);
    const { min, max } = await page.evaluate(() => { const { min: low, max: high } = window.made.log.plot.scales.y; return { min: low, max: high }; });
    expect(min === 1 && max === 100, `it goes from ${min} to ${max}`);
  },
  async "a press tells its time, and lines may change"({ page }) {
    await isQuiet(page);
    await page.locator(".u-over").first().click();
    const [pressed, from, to] = await page.evaluate(() => [window.pressed, window.page.timeline.from, window.page.timeline.to]);
    expect(Math.abs(pressed - (from + to) / 2) < (to - from) / 100, `a press in the middle is at ${pressed}`);
    await page.evaluate(() => { const { one, two } = window.made; one.set({ lines: two.lines }); });
    await isQuiet(page);
    expect((await legend(page, "one")).length === 2 && (await inked(page, "one", { series: 2 })) > 100, "a line that was added isn't drawn");
  },
};

mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  for (const [name, check] of Object.entries(CHECKS)) {
    const before = wrong.length;
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    page.on("pageerror", (error) => wrong.push(`${name}: ${error.stack}`));
    page.on("console", (message) => { if (message.type() === "error") wrong.push(`${name}: console: ${message.text()}`); });
    try {
      const server = await serve(page);
      await page.goto(ADDRESS);
      await page.waitForFunction(() => window.made);
      await check({ page, server });
      await page.screenshot({ path: `${folder}/${name.replaceAll(/\W+/g, "-")}.png` });
    } catch (error) { wrong.push(`${name}: ${error.stack}`); }
    console.log(`${wrong.length === before ? "ok    " : "FAILED"} ${name}`);
    await page.close();
  }
} finally {
  await browser.close();
}
for (const text of wrong) console.error(text);
process.exit(wrong.length ? 1 : 0);
