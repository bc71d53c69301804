// Tables of series: order, filter, pages, opened charts, addresses. What is expected is computed from the blob.

import { namesOf } from "./blob.mjs";
import { charts, settle } from "./browser.mjs";

const ROWS_A_PAGE = 100;

const shownRows = (page) => page.locator("tr[data-row]").evaluateAll((rows) => rows.map((row) => Number(row.dataset.row)));

// The table of all series, or of all pairs; what a row is worth by a column; which series name a row.
function sheetOf({ head }) {
  if (!head.pairs) return { hash: "#all-series", num: head.series.o.length, key: "mean", value: (s) => head.series.mean[s], series: (s) => s };
  const { pairs } = head;
  return { hash: "#changes", num: pairs.v.length, key: "new-mean", value: (p) => (pairs.new[p] === null ? null : head.series.mean[pairs.new[p]]),
    series: (p) => (pairs.new[p] === null ? pairs.base[p] : pairs.new[p]) };
}

function ordered({ num, value }, isDown, wanted = () => true) {
  const rows = Array.from({ length: num }, (_, k) => k).filter(wanted);
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return (isDown ? y - x : x - y) || a - b;
  });
  return rows.slice(0, ROWS_A_PAGE);
}

const same = (a, b) => a.length === b.length && a.every((value, k) => value === b[k]);

async function goTo(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForSelector("table.many");
}

async function sorting({ page, expect, blob, folder }) {
  const sheet = sheetOf(blob);
  await goTo(page, sheet.hash);
  const head = page.locator(`table.many th[data-key="${sheet.key}"]`);
  for (const [isDown, said] of [[true, "descending"], [false, "ascending"]]) {
    await head.getByRole("button").click();
    expect((await head.getAttribute("aria-sort")) === said, `aria-sort isn't ${said}`);
    const shown = await shownRows(page);
    expect(same(shown, ordered(sheet, isDown)), `${said} by ${sheet.key}: rows ${shown.slice(0, 8)}..., expected ${ordered(sheet, isDown).slice(0, 8)}...`);
  }
  await page.screenshot({ path: `${folder}/series.png` });
  await head.getByRole("button").click();
  expect((await head.getAttribute("aria-sort")) === null, "the third press doesn't give back the first order");
}

async function filtering({ page, expect, blob }) {
  const sheet = sheetOf(blob);
  const s = sheet.series(Math.floor(sheet.num / 2));
  const names = namesOf(blob, s);
  const word = (names.instance || names.counter).toLowerCase().split(/[\s()]+/).filter(Boolean)[0];
  await goTo(page, sheet.hash);
  await page.getByRole("searchbox").fill(word.toUpperCase());
  await page.waitForFunction(() => location.hash.includes("q="));
  await settle(page);
  const wanted = Array.from({ length: sheet.num }, (_, k) => k).filter((row) => {
    const { object, counter, instance } = namesOf(blob, sheet.series(row));
    return [object, counter, instance].some((name) => name.toLowerCase().includes(word));
  });
  const told = await page.locator(".sheet-frame .told").innerText();
  const num = Number(told.split(" ")[0].replaceAll(",", ""));
  // The id and host of an instance are searched too, so there may be more; but none of these may be missing.
  expect(num >= wanted.length && num <= sheet.num, `"${word}" finds ${told}, expected at least ${wanted.length}`);
  await page.getByRole("searchbox").fill("no such name anywhere \u2603");
  await page.waitForSelector("table.many td.none");
  expect((await shownRows(page)).length === 0, "rows that don't match are shown");
}

async function paging({ page, expect, blob }) {
  const sheet = sheetOf(blob);
  await goTo(page, `${sheet.hash}?sort=-${sheet.key}`);
  const first = await shownRows(page);
  if (sheet.num <= ROWS_A_PAGE) return expect(first.length === sheet.num, `${first.length} of ${sheet.num} rows`);
  await page.getByRole("button", { name: "Rows after" }).click();
  const second = await shownRows(page);
  expect(second.length === Math.min(ROWS_A_PAGE, sheet.num - ROWS_A_PAGE) && !second.some((row) => first.includes(row)), "the second page has rows of the first");
  expect((await page.evaluate(() => location.hash)).includes("page=2"), "the page isn't in the address");
  return undefined;
}

async function opening({ page, expect, blob, folder }) {
  const sheet = sheetOf(blob);
  await goTo(page, `${sheet.hash}?sort=-${sheet.key}`);
  const row = page.locator("tr[data-row]").first();
  await row.getByRole("button").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("tr.opened .plot[data-chart=drawn]");
  expect((await row.getByRole("button").getAttribute("aria-expanded")) === "true", "the opened row doesn't say so");
  const isDrawn = async () => (await charts(page, { inView: false })).some((chart) => chart.hasValues && Math.max(...chart.numInked) > 8);
  expect(await isDrawn(), "the chart of the row is blank");
  await page.screenshot({ path: `${folder}/opened.png` });
  const kept = await shownRows(page);
  await page.reload();
  await page.waitForSelector("tr.opened .plot[data-chart=drawn]");
  expect(same(await shownRows(page), kept), "the address doesn't give back the same rows");
  expect(await isDrawn(), "the address doesn't give back the chart");
  await page.locator("tr[data-row]").first().locator("td").first().click();
  expect((await page.locator("tr.opened").count()) === 0, "a click on the row doesn't close it");
}

async function routing({ page, expect, blob }) {
  if (blob.head.pairs) return;
  const links = page.locator("a[data-object]");
  expect((await links.count()) === blob.head.objects.length, "not every object has a link");
  for (const k of [0, blob.head.objects.length - 1]) {
    await links.nth(k).click();
    await page.waitForSelector("#view-series:not([hidden]) table.many");
    const { heading, isHidden } = await page.evaluate(() => ({ heading: document.querySelector("#object-title").textContent, isHidden: document.querySelector("#view-report").hidden }));
    expect(heading === blob.head.objects[k].name && isHidden, `object ${k} opens "${heading}"`);
    const rows = await shownRows(page);
    expect(rows.length > 0 && rows.every((s) => blob.head.series.o[s] === k), `the page of object ${k} has series of others`);
    await page.goBack();
    await page.waitForSelector("#view-report:not([hidden])");
    await page.goForward();
    await page.waitForSelector("#view-series:not([hidden])");
    await page.goBack();
    await page.waitForSelector("#view-report:not([hidden])");
  }
  await page.evaluate(() => { location.hash = "#health"; });
  await settle(page);
  await page.waitForTimeout(600);
  const top = await page.locator("#health").evaluate((node) => node.getBoundingClientRect().top);
  expect(top >= 0 && top < 900, `#health is at ${top} after going there`);
}

export const tableChecks = [
  { name: "tables sort", run: sorting }, { name: "tables filter", run: filtering }, { name: "tables have pages", run: paging },
  { name: "rows open charts, and addresses keep them", run: opening }, { name: "fragments lead to objects and back", run: routing },
];
