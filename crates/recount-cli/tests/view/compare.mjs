// Two captures on one time line.

import { rangeOf } from "./finder.mjs";
import { withoutHost } from "./oracle.mjs";

export async function compared({ viewer, oracle, other, expect, wanted }) {
  const { page } = viewer;
  expect((await page.locator("#title").innerText()).includes(" beside "), "the head doesn't name both captures");
  await page.keyboard.press("/");
  await page.keyboard.type(wanted.words);
  await page.locator("#finder-list [role=option]").first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#finder .bar button").click();
  await page.locator(".board figure").last().scrollIntoViewIfNeeded();
  await viewer.drawn();
  const { lines } = (await viewer.charts()).at(-1);
  expect(lines.length === 3, `${lines.length} lines of two captures and their difference`);
  const [first, second, difference] = lines;
  const values = (points) => (points.kind === "samples" ? points.values : points.means);
  const known = values(difference.points).filter((value) => value !== null);
  expect(difference.label.startsWith("difference (") && known.length > 0, `the third line is ${difference.label}, with ${known.length} values`);
  expect(first.side === 0 && second.side === 1, `sides ${first.side} and ${second.side}`);
  expect(first.dash === null && second.dash !== null, "the second capture isn't dashed");
  expect(first.label !== second.label, "labels don't tell the captures apart");
  for (const [line, source] of [[first, oracle], [second, other]]) {
    const [told] = source.stats(withoutHost(line.path));
    const shown = rangeOf(line.points);
    expect(shown.min === told.min && shown.max === told.max, `${line.label} goes from ${shown.min} to ${shown.max}, stats say ${told.min} to ${told.max}`);
  }
  const colours = await page.evaluate(() => [...document.querySelectorAll(".board .plot-frame")].at(-1).chart.lines.map(({ colour }) => colour));
  expect(new Set(colours).size === 3, `two captures and their difference have the colours ${colours}`);
  const isCut = await page.evaluate(() => [...document.querySelectorAll(".board h3")].some((node) => node.scrollWidth > node.clientWidth + 1));
  expect(!isCut, "a title is cut");
}
