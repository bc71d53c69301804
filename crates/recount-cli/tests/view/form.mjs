// Everybody can use it: no violation that axe finds, in light and dark; pictures to look at.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const axe = () => readFileSync(createRequire(`${resolve(process.env.RECOUNT_BROWSER)}/`).resolve("axe-core/axe.min.js"), "utf8");

async function violations(page) {
  await page.evaluate(axe());
  const { violations: found } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
}

// The states in which there is something else to see.
const STATES = [
  ["charts", async () => {}],
  ["finder", async (page) => { await page.keyboard.press("/"); await page.keyboard.type("time"); await page.locator("#finder-list [role=option]").first().waitFor(); }],
  ["tree", async (page) => { await page.locator("#finder-box").fill(""); await page.locator(".tree summary").first().click(); }],
  ["top", async (page) => { await page.locator("#finder .bar button").click(); await page.locator("[data-tool=top]").click(); }],
  ["moved", async (page) => { await page.locator("[data-tool=moved]").click(); }],
  ["programs", async (page) => { await page.locator("[data-tool=programs]").click(); await page.locator("#panel-programs:not([aria-busy])").waitFor(); }],
  ["machine", async (page) => { await page.locator("[data-tool=machine]").click(); }],
  ["marks", async (page) => { await page.locator("[data-tool=marks]").click(); }],
  ["pinned", async (page) => { await page.locator(".board .u-over").first().click(); }],
  ["menu", async (page) => { await page.locator(".menu-toggle").first().click(); }],
  ["commands", async (page) => { await page.keyboard.press("Escape"); await page.locator("[data-tool=command]").click(); await page.locator("#commands code").first().waitFor(); }],
  ["series", async (page) => { await page.keyboard.press("Escape"); await page.locator("#dock .bar > button").click(); await page.locator("#places a[href='#all-series']").click(); }],
];

export async function form({ viewer, expect, shot }) {
  const { page } = viewer;
  await viewer.reported();
  for (const [name, go] of STATES) {
    await go(page);
    await page.waitForTimeout(350);
    await viewer.drawn();
    for (const text of await violations(page)) expect(false, `axe, ${name}: ${text}`);
    await shot(name);
  }
}
