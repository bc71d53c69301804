// Form: themes, paper, narrow windows, structure for screen readers, no foreign markup.

import { charts, settle } from "./browser.mjs";
import { toCharts } from "./checks_charts.mjs";

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function themes({ page, expect, folder }) {
  await toCharts(page);
  const light = { ground: await ground(page), chart: (await charts(page, { inView: false }))[0] };
  await page.emulateMedia({ colorScheme: "dark" });
  await settle(page);
  const dark = { ground: await ground(page), chart: (await charts(page, { inView: false }))[0] };
  expect(light.ground !== dark.ground, "the ground is the same in dark");
  expect(light.chart.hash !== dark.chart.hash, "charts are the same in dark");
  if (dark.chart.hasValues) expect(Math.max(...dark.chart.numInked) > 8, "a chart is blank in dark");
  await page.screenshot({ path: `${folder}/dark.png` });
  const toggle = page.locator("#theme");
  await toggle.click();
  await settle(page);
  expect((await ground(page)) === light.ground, "the toggle doesn't give light where the system is dark");
  await toggle.click();
  await page.emulateMedia({ colorScheme: "light" });
  await settle(page);
  expect((await ground(page)) === dark.ground, "the toggle doesn't give dark where the system is light");
}

async function paper({ page, expect, folder }) {
  await settle(page);
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: "print" });
  await settle(page);
  const list = await charts(page, { inView: false });
  const num = await page.locator("#view-report .plot[data-chart]").count();
  expect(list.length === Math.min(num, 80), `${list.length} of ${num} charts are drawn on paper`);
  for (const chart of list) {
    if (chart.hasValues) expect(Math.max(...chart.numInked) > 8, `blank on paper: ${chart.title}`);
    expect(chart.width <= chart.room + 1 && chart.width > chart.room * 0.9, `a chart is ${chart.width} wide in ${chart.room}`);
  }
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(wide[0] <= wide[1], `the print is ${wide[0]} wide on ${wide[1]}`);
  await page.screenshot({ path: `${folder}/paper.png`, fullPage: true });
  await page.emulateMedia({ media: "screen" });
  await settle(page);
  const back = await charts(page);
  for (const chart of back) if (chart.hasValues) expect(Math.max(...chart.numInked) > 8 && chart.width <= chart.room + 1, `not as before printing: ${chart.title}`);
}

// Real printing has other events than an emulated medium.
async function pdf({ page, expect, folder }) {
  await settle(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.evaluate(() => {
    addEventListener("beforeprint", () => {
      const hosts = [...document.querySelectorAll("#view-report .plot[data-chart]")];
      window.onPaper = { num: hosts.length, numDrawn: hosts.filter((host) => host.dataset.chart === "drawn").length,
        theme: document.documentElement.dataset.theme, numFolded: [...document.querySelectorAll("details:not([open])")].filter((node) => node.checkVisibility() && !node.matches(".unevaluated, .finding details")).length,
        numRules: [...document.querySelectorAll(".unevaluated table")].filter((node) => node.checkVisibility()).length };
    });
  });
  const folded = await page.locator("details:not([open])").count();
  await page.pdf({ path: `${folder}/paper.pdf`, format: "A4", printBackground: false });
  const seen = await page.evaluate(() => window.onPaper);
  expect(seen.numDrawn === Math.min(seen.num, 80), `${seen.numDrawn} of ${seen.num} charts are drawn for the PDF`);
  expect(seen.theme === "light" && seen.numFolded === 0, `the PDF is ${seen.theme} with ${seen.numFolded} folded details`);
  expect(seen.numRules === 0, "on paper the rules that weren't evaluated are more than a line");
  await settle(page);
  expect((await page.locator("details:not([open])").count()) === folded, "details stay open after printing");
  expect(!(await page.evaluate(() => document.documentElement.hasAttribute("data-paper"))), "the page stays in print after printing");
}

async function narrow({ page, expect, folder, blob }) {
  await settle(page);
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect((await wide()) <= 0, `the report is ${await wide()} too wide for 400`);
  await page.screenshot({ path: `${folder}/narrow.png` });
  await page.evaluate((hash) => { location.hash = hash; }, blob.head.pairs ? "#changes" : "#all-series");
  await page.waitForSelector("table.many");
  await page.locator("tr[data-row] .opener").first().click();
  await page.waitForSelector("tr.opened .plot[data-chart=drawn]");
  await settle(page);
  expect((await wide()) <= 0, `the table of series is ${await wide()} too wide for 400`);
  await page.screenshot({ path: `${folder}/narrow-series.png` });
}

// Runs in the page: what a screen reader needs, and what a name may never become.
function structure() {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const named = (node) => (node.getAttribute("aria-label") || node.textContent || "").trim() !== "" || node.hasAttribute("aria-labelledby");
  const ids = all("[id]").map((node) => node.id);
  if (new Set(ids).size !== ids.length) faults.push("an id stands twice");
  const isShown = (node) => !node.closest("[hidden]");
  if (all("h1").filter(isShown).length !== 1) faults.push("not one h1");
  let level = 0;
  for (const node of all("h1, h2, h3, h4").filter(isShown)) {
    const next = Number(node.tagName[1]);
    if (next > level + 1) faults.push(`a heading h${next} follows h${level}: ${node.textContent.slice(0, 40)}`);
    level = next;
  }
  for (const name of ["header", "nav", "main", "footer"]) if (!document.querySelector(name)) faults.push(`no ${name}`);
  for (const node of all("th")) if (!node.hasAttribute("scope")) faults.push("a th without scope");
  for (const node of all("[role=img], button, select, input, [role=region], nav")) if (!named(node)) faults.push(`no name: ${node.outerHTML.slice(0, 80)}`);
  for (const node of all("[aria-labelledby]")) if (!document.getElementById(node.getAttribute("aria-labelledby"))) faults.push(`labelled by nothing: ${node.getAttribute("aria-labelledby")}`);
  for (const node of all("a[href^='#']")) {
    const name = node.getAttribute("href").slice(1);
    if (!/^(object-|all-series)/.test(name) && !document.getElementById(name)) faults.push(`a link leads nowhere: #${name}`);
  }
  if (all("script").length !== 2) faults.push(`${all("script").length} scripts`);
  const foreign = all("img, iframe, object, embed, form, base, video, audio, i:not(.sign, .sample), b script");
  if (foreign.length) faults.push(`markup that isn't ours: ${foreign[0].outerHTML.slice(0, 80)}`);
  for (const node of all("*")) {
    for (const { name, value } of node.attributes) {
      if (name.startsWith("on")) faults.push(`a handler in the markup: ${name}`);
      if (name === "href" && !/^(#|https:\/\/|data:,$)/.test(value)) faults.push(`a link to ${value}`);
    }
  }
  return faults;
}

async function wellFormed({ page, expect, blob }) {
  for (const fault of await page.evaluate(structure)) expect(false, fault);
  if (blob.head.pairs) return;
  await page.evaluate(() => { location.hash = "#all-series"; });
  await page.waitForSelector("table.many");
  await page.locator("tr[data-row] .opener").first().click();
  for (const fault of await page.evaluate(structure)) expect(false, `in the table of series: ${fault}`);
}

// Without scripts what was found can still be read.
async function withoutScript({ browser, path, expect }) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${path}`);
  expect((await page.locator("h1").innerText()) !== "", "no title without scripts");
  expect(await page.locator("noscript").first().isVisible(), "nothing says that scripts are off");
  const drawings = page.locator("svg.still:not(.picture svg)");
  const num = await page.locator("#view-report .overview .plot[data-series]:not([data-pair])").count();
  expect((await drawings.count()) === Math.min(num, 6), `${await drawings.count()} drawings of ${num} charts without scripts`);
  if (num) expect(await drawings.first().isVisible(), "the drawing of a chart isn't seen without scripts");
  await context.close();
}

// In a browser that can't unpack, the page says so. (The console has the error: that is all the console may have.)
async function withoutUnpacking({ browser, path, expect }) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => { delete globalThis.DecompressionStream; });
  await page.goto(`file://${path}`);
  await page.waitForSelector("html[data-ready=failed]");
  expect((await page.locator("#notice").innerText()).includes("DecompressionStream"), "the notice doesn't say what is lacking");
  await context.close();
}

export const formChecks = [
  { name: "themes", run: themes, options: { colorScheme: "light" } }, { name: "paper", run: paper }, { name: "a PDF", run: pdf },
  { name: "narrow windows", run: narrow, options: { viewport: { width: 400, height: 860 } } },
  { name: "structure and foreign markup", run: wellFormed }, { name: "without scripts", run: withoutScript }, { name: "without unpacking", run: withoutUnpacking },
];
