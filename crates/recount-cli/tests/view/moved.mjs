// What happened in a span that was chosen with Shift: the sentences of the answer, a small chart for each, and a click that puts it on the board.

import { withoutHost } from "./oracle.mjs";

export async function happened({ viewer, expect, shot }) {
  const { page } = viewer;
  const over = page.locator(".board .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * 0.24, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.76, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await viewer.frames();
  const answered = page.waitForResponse("**/api/moved");
  await page.getByRole("button", { name: "What happened here?" }).first().click();
  const { groups, notes } = await (await answered).json();
  await viewer.idle("moved");
  await shot("what-happened");
  expect(groups.length > 0 && groups[0].headline.includes(" rose "), `the answer is ${JSON.stringify(groups)}`);
  const shown = await page.locator("#panel-moved .moved-groups > li > p bdi").allInnerTexts();
  expect(JSON.stringify(shown) === JSON.stringify(groups.map(({ headline, is_sure }) => (is_sure ? headline : `Perhaps: ${headline}`))), `shown are ${JSON.stringify(shown)}`);
  expect((await page.locator("#panel-moved .about").innerText()) === notes[0], "what was compared isn't said");
  await page.waitForFunction(() => document.querySelector("#panel-moved .plot canvas"));
  const leader = withoutHost(groups[0].series[0].path);
  const before = (await viewer.charts()).length;
  await page.locator("#panel-moved .moved-groups button", { hasText: "Chart it" }).first().click();
  await viewer.drawn();
  const charts = await viewer.charts();
  expect(charts.length === before + 1 && charts.some(({ lines }) => lines.some(({ path }) => withoutHost(path) === leader)), `${leader} isn't in a new chart`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
}
