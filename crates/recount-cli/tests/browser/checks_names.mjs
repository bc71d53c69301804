// Names of the capture, on the page: shown as the texts that they are, and no more.

import { namesOf } from "./blob.mjs";

// Nothing that a terminal or a reader's eye would stumble over: controls, directions, what has no width.
const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

async function shown({ page, expect, blob, folder }) {
  await page.evaluate((to) => { location.hash = to; }, blob.head.pairs ? "#changes" : "#all-series");
  await page.waitForSelector("table.many");
  const rows = await page.locator("tr[data-row]").evaluateAll((nodes) => nodes.map((row) => ({ row: Number(row.dataset.row), text: row.textContent })));
  expect(rows.length > 0, "no rows");
  for (const { row, text } of rows) {
    const { pairs } = blob.head;
    const series = pairs ? pairs.new[row] ?? pairs.base[row] : row;
    for (const [kind, name] of Object.entries(namesOf(blob, series))) expect(text.includes(name), `the ${kind} "${name}" isn't in its row: ${text}`);
  }
  await page.screenshot({ path: `${folder}/names.png` });
  for (const hash of ["#start", blob.head.pairs ? "#changes" : "#all-series"]) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    const text = await page.evaluate(() => document.body.innerText);
    const hidden = HIDDEN.exec(text.replaceAll("\t", " "));
    expect(!hidden, `something hidden is shown: ${JSON.stringify(hidden && text.slice(Math.max(0, hidden.index - 20), hidden.index + 20))}`);
  }
}

// What names of the tests would do if they were more than names.
async function harmless({ page, expect }) {
  const globals = await page.evaluate(() => window.hurt);
  expect(globals === undefined, `a name ran as a script: ${globals}`);
}

export const nameChecks = [{ name: "names are shown as they are", run: shown }, { name: "names do nothing", run: harmless }];
