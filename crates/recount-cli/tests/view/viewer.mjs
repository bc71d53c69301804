// The viewer in a browser: what a person sees and does, and whatever may never happen.

import { launch } from "../browser/browser.mjs";

export { launch };

/** How long a check waits for something that has to come. */
export const PATIENCE_MS = 20_000;

export class ViewerPage {
  static async open(browser, url, { hash = "", ...settings } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...settings });
    if (browser.browserType().name() === "chromium") await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    const viewer = new ViewerPage(page, context, new URL(url).origin);
    await page.goto(url + hash);
    await viewer.ready();
    return viewer;
  }

  constructor(page, context, origin) {
    Object.assign(this, { page, context, faults: [] });
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !this.isExpected(message.text())) this.faults.push(`console: ${message.text()}`); });
    page.on("pageerror", (error) => this.faults.push(`exception: ${error.stack}`));
    page.on("dialog", (dialog) => { this.faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("request", (request) => {
      const asked = new URL(request.url());
      if (asked.origin !== origin && !["data:", "blob:"].includes(asked.protocol)) this.faults.push(`request: ${request.url()}`);
    });
    page.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) => console.error(`CSP: ${event.violatedDirective} ${event.sourceFile}:${event.lineNumber}`)));
    this.expected = [];
  }

  isExpected(text) { return this.expected.some((part) => text.includes(part)); }

  async ready() {
    await this.page.waitForSelector("html[data-ready]");
    await this.page.waitForFunction(() => document.querySelectorAll(".board [data-chart=drawn]").length > 0);
    await this.drawn();
  }

  reported() { return this.page.waitForSelector("html[data-report]"); }

  // Every chart that is near has the points of the window, exactly.
  async drawn() {
    await this.frames();
    await this.page.waitForFunction(() => [...document.querySelectorAll(".board .plot-frame")].every(({ chart }) => !chart || !chart.plot
      || (chart.shownWindow === `${chart.timeline.from} ${chart.timeline.to}` && !chart.feed.isBusy)), undefined, { polling: 15 });
    await this.frames();
  }

  // The charts of the board, whether they are drawn yet or not.
  board() {
    return this.page.evaluate(() => [...document.querySelectorAll(".board .plot-frame")].filter(({ chart }) => chart).map(({ chart }) => ({
      title: chart.title, from: chart.timeline.from, to: chart.timeline.to, lines: chart.lines.map((line) => ({ path: line.series.path, side: line.series.side })) })));
  }

  frames() { return this.page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))); })); }

  // What the charts hold: window, and columns of the chart library.
  charts() {
    return this.page.evaluate(() => [...document.querySelectorAll(".board .plot-frame")].map(({ chart }) => chart && chart.plot && {
      title: chart.title, from: chart.timeline.from, to: chart.timeline.to, width: Math.round(chart.plot.bbox.width),
      lines: chart.lines.map((line, k) => ({ path: line.series.path, side: line.series.side, label: line.label, unit: line.unit, dash: line.dash, points: chart.points[k] })),
      drawn: chart.plot.data.map((column) => Array.from(column, (value) => (value === undefined ? "nothing" : value))),
    }).filter(Boolean));
  }

  // The window of all charts, by way of the address: as a link would. Done when every near chart has the exact points of it.
  async show(from, to) {
    await this.page.evaluate(([a, b, patience]) => new Promise((done, fail) => {
      location.hash = [...location.hash.slice(1).split("&").filter((part) => part !== "" && !/^(from|to)=/.test(part)), `from=${a}`, `to=${b}`].join("&");
      const begin = performance.now();
      const isShown = (timeline) => Math.abs(timeline.from - a) < 1 && Math.abs(timeline.to - b) < 1;
      const isDrawn = (chart) => chart.shownWindow === `${chart.timeline.from} ${chart.timeline.to}` && !chart.feed.isBusy;
      const look = () => {
        const charts = [...document.querySelectorAll(".board .plot-frame")].map(({ chart }) => chart).filter((chart) => chart && chart.plot);
        if (charts.every((chart) => isShown(chart.timeline) && isDrawn(chart))) done();
        else if (performance.now() - begin > patience) fail(new Error("the window isn't drawn"));
        else setTimeout(look, 4);
      };
      setTimeout(look, 4);
    }), [from, to, PATIENCE_MS]);
  }

  window() { return this.page.locator("#strip .window").innerText(); }
  hash() { return this.page.evaluate(() => location.hash); }

  // The address is kept a moment after the last change.
  async kept() {
    await this.page.waitForTimeout(450);
    return this.hash();
  }

  async rows(panel) {
    const table = this.page.locator(`#panel-${panel} table`);
    const head = await table.locator("thead th").allInnerTexts();
    const body = await table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText.trim())));
    return body.map((cells) => Object.fromEntries(cells.map((cell, k) => [head[k].replace(/[\u2191\u2193\u2195]/g, "").trim(), cell])));
  }

  async idle(panel) {
    await this.page.waitForTimeout(200);
    await this.page.waitForFunction((key) => !document.querySelector(`#panel-${key}[aria-busy]`), panel, { polling: 20 });
  }

  // A press on a chart of the board, at a share of its width.
  async press(k, share) {
    const over = this.page.locator(".board .u-over").nth(k);
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await this.page.mouse.click(box.x + box.width * share, box.y + box.height * 0.7);
    await this.frames();
  }

  async close() {
    await this.context.close();
  }
}
