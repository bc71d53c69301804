// Chromium without a network, Firefox, and what the checks need to know of a page: errors, requests, pictures of charts.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** Both are Debian's; Firefox is driven by WebDriver BiDi, and knows less of what contexts can pretend. */
export async function launch(name = "chromium") {
  const folder = process.env.RECOUNT_BROWSER ? resolve(process.env.RECOUNT_BROWSER) : fileURLToPath(new URL("../../../../target/browser/", import.meta.url));
  if (!existsSync(`${folder}/node_modules/playwright-core`)) {
    throw new Error(`playwright-core isn't in ${folder}: run "npm install --prefix ${folder} playwright-core", or set RECOUNT_BROWSER to where it is`);
  }
  const { chromium, firefox } = createRequire(`${folder}/`)("playwright-core");
  if (name === "firefox") return firefox.launch({ channel: "moz-firefox", executablePath: "/usr/bin/firefox-esr" });
  return chromium.launch({ executablePath: process.env.RECOUNT_CHROMIUM || "/usr/bin/chromium", args: FLAGS });
}

// Opens a report; `faults` fills with whatever may never happen in one.
export async function open(browser, path, options = {}) {
  const { hash = "", ...settings } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
  const page = await context.newPage();
  const faults = [];
  const own = pathToFileURL(path).href;
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => faults.push(`exception: ${error.stack}`));
  page.on("dialog", (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== own && !url.startsWith("data:")) faults.push(`request: ${url}`);
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`CSP: ${event.violatedDirective} ${event.sourceFile}:${event.lineNumber}`));
    new MutationObserver(() => {
      if (document.documentElement.hasAttribute("data-ready")) window.readyAfter ??= performance.now();
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });
  });
  await page.goto(own + hash);
  await page.waitForSelector("html[data-ready]", { timeout: 20000 });
  return { page, faults, close: () => context.close() };
}

// Pictures and series colours of the drawn charts that a window holds, or of all drawn charts.
export function charts(page, { inView = true } = {}) {
  return page.evaluate((onlyInView) => [...document.querySelectorAll(".plot[data-chart=drawn]")].filter((host) => {
    // The picture: long names make legends as tall as the screen.
    const box = host.querySelector("canvas").getBoundingClientRect();
    return box.width > 0 && (!onlyInView || (box.top >= 0 && box.bottom <= innerHeight));
  }).map((host) => {
    const canvas = host.querySelector("canvas");
    const hasValues = ![...host.querySelectorAll(".legend .value")].every((node) => node.textContent === "no values");
    // Read from a copy: the page's own canvas stays as it is, and the browser has nothing to warn of.
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height }).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    let hash = 0;
    for (let k = 0; k < pixels.length; k++) hash = (hash * 31 + pixels[k]) | 0;
    const numInked = [...host.querySelectorAll(".legend .sample")].map((sample) => {
      const [red, green, blue] = getComputedStyle(sample).color.match(/\d+/g).map(Number);
      let num = 0;
      for (let k = 0; k < pixels.length; k += 4) {
        if (pixels[k + 3] > 100 && Math.abs(pixels[k] - red) + Math.abs(pixels[k + 1] - green) + Math.abs(pixels[k + 2] - blue) < 60) num++;
      }
      return num;
    });
    const box = canvas.getBoundingClientRect();
    return { hash, hasValues, numInked, width: box.width, room: host.getBoundingClientRect().width, title: host.querySelector(".canvas").getAttribute("aria-label").slice(0, 60) };
  }), inView);
}

// Two frames: what was asked for is drawn then.
export const settle = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60))); }));
