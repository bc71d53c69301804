// What is on the screen stays: in the address, as a view file, as commands, as marks.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Server } from "./server.mjs";
import { ViewerPage } from "./viewer.mjs";

const contents = async (viewer) => (await viewer.board()).map(({ title, from, to, lines }) => ({ title, from, to, lines: lines.map(({ path, side }) => [side, path]) }));

// The address has times in microseconds.
const isSame = (a, b) => JSON.stringify(a.map(({ title, lines }) => [title, lines])) === JSON.stringify(b.map(({ title, lines }) => [title, lines]))
  && a.every(({ from, to }, k) => Math.abs(from - b[k].from) < 0.01 && Math.abs(to - b[k].to) < 0.01);

// The wheel zooms with Ctrl only.
async function zoomIn(page, num) {
  await page.keyboard.down("Control");
  for (let k = 0; k < num; k++) await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
}

export async function address({ viewer, expect }) {
  const { page } = viewer;
  const first = await viewer.window();
  const over = page.locator(".board .u-over").first();
  await over.hover();
  await zoomIn(page, 6);
  await viewer.drawn();
  await viewer.kept();
  const zoomed = await viewer.window();
  expect(zoomed !== first, "the wheel doesn't zoom");
  await page.getByRole("button", { name: "Earlier" }).click();
  await viewer.drawn();
  const hash = await viewer.kept();
  const there = await viewer.window();
  const before = await contents(viewer);
  expect(/from=\d/.test(hash) && /to=\d/.test(hash), `the address has no window: ${hash}`);
  await page.reload();
  await viewer.ready();
  // Titles and lists are completed when everything is counted.
  const isBefore = async () => isSame(await contents(viewer), before);
  for (let k = 0; k < 40 && !(await isBefore()); k++) await page.waitForTimeout(250);
  expect(await isBefore(), `a reload shows something else: ${JSON.stringify(await contents(viewer))}, not ${JSON.stringify(before)}`);
  expect((await viewer.window()) === there, "a reload shows another window");
  await page.goBack();
  await viewer.drawn();
  expect((await viewer.window()) === zoomed, `back shows ${await viewer.window()}, not ${zoomed}`);
  await page.goForward();
  await viewer.drawn();
  expect((await viewer.window()) === there, "forward doesn't come back");
  await page.mouse.move(2, 2);
  await page.keyboard.press("Escape");
  await viewer.drawn();
  expect((await viewer.window()) === first, `Escape shows ${await viewer.window()}, not ${first}`);
}

// A span of a chart that is chosen and not zoomed into stays, and says what it is.
async function chosenSpan({ viewer, expect }) {
  const { page } = viewer;
  const over = page.locator(".board .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await viewer.frames();
  const told = await page.locator(".bubble:visible b").innerText();
  expect(/\d:\d\d.* to .*\d:\d\d/.test(told), `the bubble of a span says "${told}"`);
  const hash = await viewer.kept();
  expect(/span=\d/.test(hash), `the address has no span: ${hash}`);
  await page.reload();
  await viewer.ready();
  expect((await viewer.kept()) === hash, `after a reload the address is ${await viewer.hash()}, not ${hash}`);
  expect((await page.locator(".pin-span:visible").count()) > 0, "a reload loses the span");
  await page.mouse.move(2, 2);
  await page.keyboard.press("Escape");
  expect(!/span=/.test(await viewer.kept()), "Escape leaves the span");
}

// From sample to sample, or from pixel to pixel where samples are closer.
async function arrows({ viewer, expect, times }) {
  const { page } = viewer;
  await viewer.show(times[0], times[Math.min(40, times.length - 1)]);
  const at = () => page.evaluate(() => document.querySelector(".board .plot-frame").chart.timeline.cursor);
  await page.locator(".board .canvas").first().focus();
  await page.keyboard.press("Home");
  for (let k = 1; k <= 5; k++) {
    await page.keyboard.press("ArrowRight");
    const cursor = await at();
    expect(Math.abs(cursor - times[k]) < 1, `arrow ${k} goes to ${cursor}, not to the sample at ${times[k]}`);
  }
  await page.keyboard.press("ArrowLeft");
  expect(Math.abs((await at()) - times[4]) < 1, "the other arrow doesn't come back");
  await page.keyboard.press("0");
  await viewer.drawn();
}

export async function typedTimes({ viewer, expect, times }) {
  await chosenSpan({ viewer, expect });
  await arrows({ viewer, expect, times });
  const box = viewer.page.getByLabel("Go to a time or a span");
  await box.fill("+2s to +5s");
  await box.press("Enter");
  await viewer.drawn();
  const [{ from, to }] = await viewer.charts();
  expect(Math.abs(from - times[0] - 2000) < 2 && Math.abs(to - times[0] - 5000) < 2, `+2s to +5s shows ${from - times[0]} to ${to - times[0]} ms`);
  await box.fill("nonsense");
  await box.press("Enter");
  expect(/isn't a time/.test(await viewer.page.locator("#time-box-wrong").innerText()), "nonsense isn't told");
  await box.fill("");
  await box.blur();
  await viewer.page.locator("#reset").click();
  await viewer.drawn();
}

export async function commands({ viewer, expect, command }) {
  const { page } = viewer;
  await page.locator(".board .u-over").first().hover();
  await zoomIn(page, 4);
  await viewer.drawn();
  await page.locator("[data-tool=command]").click();
  const list = page.locator("#commands code");
  await list.first().waitFor();
  const texts = await list.allInnerTexts();
  for (const word of ["show", "stats", "report"]) expect(texts.some((text) => text.startsWith(`recount ${word} `)), `no command for ${word}: ${texts}`);
  for (const text of texts.filter((one) => /^recount (show|stats) /.test(one))) {
    const said = execFileSync("sh", ["-c", text.replace(/^recount/, '"$RECOUNT"')], { encoding: "utf8", env: { ...process.env, RECOUNT: command } });
    expect(said.split("\n").length > 1, `${text} prints nothing`);
  }
  await page.locator("#commands li button").first().click();
  expect((await page.evaluate(() => navigator.clipboard.readText())) === texts[0], "Copy copies something else");
  const before = await viewer.window();
  await page.keyboard.press("Escape");
  await viewer.frames();
  expect((await viewer.window()) === before, "Escape in the dialog gives back the whole time");
  await page.locator("#reset").click();
  await viewer.drawn();
}

export async function savedView({ viewer, expect, command, inputs, folder, browser }) {
  const { page } = viewer;
  await page.locator(".board .u-over").first().hover();
  await zoomIn(page, 1);
  await viewer.drawn();
  const download = page.waitForEvent("download");
  await page.locator("[data-tool=save]").click();
  const file = await download;
  expect(/\.view\.toml$/.test(file.suggestedFilename()), `the view is called ${file.suggestedFilename()}`);
  const path = `${folder}/${file.suggestedFilename()}`;
  writeFileSync(path, readFileSync(await file.path()));
  const wanted = await contents(viewer);
  const server = await Server.start(command, [...inputs, "--view", path]);
  try {
    const again = await ViewerPage.open(browser, server.url);
    const found = await contents(again);
    expect(JSON.stringify(found.map(({ title, lines }) => [title, lines])) === JSON.stringify(wanted.map(({ title, lines }) => [title, lines])), `the view opens as ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
    expect(Math.abs(found[0].from - wanted[0].from) < 2 && Math.abs(found[0].to - wanted[0].to) < 2, "the view opens with another window");
    for (const fault of again.faults) expect(false, fault);
    await again.close();
  } finally { server.stop(); }
  execFileSync(command, ["report", ...inputs, "--quiet", "--force", "--view", path, "-o", `${folder}/of-view.html`]);
  expect(readFileSync(`${folder}/of-view.html`, "utf8").includes(wanted[0].title), "report --view has no such chart");
  await page.mouse.move(2, 2);
  await page.locator("#reset").click();
  await viewer.drawn();
}

export async function marks({ viewer, expect, command, inputs }) {
  const { page } = viewer;
  await viewer.press(0, 0.4);
  await page.locator("[data-tool=marks]").click();
  const text = "deploy <v42> \u202e'\"";
  await page.getByLabel("Text of a new mark").fill(text);
  await page.getByRole("button", { name: "Add a mark" }).click();
  await page.waitForFunction((wanted) => [...document.querySelectorAll("#panel-marks tbody td")].some((cell) => cell.textContent.includes(wanted)), text.replace("\u202e", "\\u{202e}"));
  const told = JSON.parse(execFileSync(command, ["info", ...inputs, "--quiet", "--json"], { encoding: "utf8" }));
  expect(JSON.stringify(told).includes("deploy <v42>"), "recount info doesn't know the mark");
  await page.getByLabel("Go to a time or a span").fill("mark:deploy");
  await page.getByLabel("Go to a time or a span").press("Enter");
  await viewer.frames();
  expect((await page.locator("#time-box-wrong").innerText()) === "", "mark:deploy isn't found");
  await page.locator("#dock .bar > button").click();
}
