// Drives the viewer as a person would: `node drive.mjs CHECKS.json`. Exit code 1, and why, if anything is wrong.
//
// {command, folder, inputs, compare?, browser?, checks: [names], wanted: {...}, object, counter, num}

import { mkdirSync, readFileSync } from "node:fs";
import { compared } from "./compare.mjs";
import { finder, found } from "./finder.mjs";
import { form } from "./form.mjs";
import { address, commands, marks, savedView, typedTimes } from "./keep.mjs";
import { growing, opened, paper, stopped, windows } from "./life.mjs";
import { happened } from "./moved.mjs";
import { Oracle } from "./oracle.mjs";
import { Server } from "./server.mjs";
import { sql } from "./sql.mjs";
import { narrow, rows, steering } from "./steering.mjs";
import { launch, ViewerPage } from "./viewer.mjs";
import { machine, programs, top } from "./who.mjs";
import { zooms } from "./zooms.mjs";

const CHECKS = { opened, finder, found, typedTimes, address, top, programs, machine, happened, sql, commands, savedView, marks, compared, zooms, form, paper, steering, narrow, rows, windows, growing, stopped };
/** Pictures are taken in each of these. */
const LOOKS = [{ width: 1280, height: 900, scheme: "light" }, { width: 1280, height: 900, scheme: "dark" }, { width: 2560, height: 1440, scheme: "light" }, { width: 2560, height: 1440, scheme: "dark" }];

const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
const wrong = [];
mkdirSync(given.folder, { recursive: true });

async function run(name, { server, browser, look }) {
  const begin = Date.now();
  const before = wrong.length;
  const expect = (isTrue, text) => { if (!isTrue && wrong.length < 60) wrong.push(`${name}: ${text}`); };
  let viewer = null;
  try {
    viewer = await ViewerPage.open(browser, server.url, { viewport: { width: look.width, height: look.height }, colorScheme: look.scheme });
    // For a picture, Playwright gives Firefox a style that the page's policy refuses.
    const shot = async (what) => given.browser === "firefox" || viewer.page.screenshot({ path: `${given.folder}/${what}-${look.width}-${look.scheme}.png` });
    const oracle = new Oracle(given.command, given.inputs);
    const other = given.compare && new Oracle(given.command, [given.compare]);
    // Of a log that grows the samples are known only while it doesn't.
    const times = given.isGrowing ? [] : [...oracle.samples().values()][0].map(({ t }) => t);
    await CHECKS[name]({ ...given, viewer, server, browser, oracle, other, expect, times, shot });
  } catch (error) {
    wrong.push(`${name}: ${error.stack}`);
    if (viewer) await viewer.page.screenshot({ path: `${given.folder}/failed-${name}.png` }).catch(() => {});
  }
  if (viewer) {
    for (const fault of viewer.faults) wrong.push(`${name}: ${fault}`);
    await viewer.close();
  }
  console.log(`${wrong.length === before ? "ok    " : "FAILED"} ${name} ${look.width} ${look.scheme} (${Date.now() - begin} ms)`);
}

const browser = await launch(given.browser);
const server = await Server.start(given.command, [...given.inputs, ...(given.compare ? ["--compare", given.compare, "--align", "start"] : [])]);
try {
  for (const name of given.checks) for (const look of name === "form" ? LOOKS : LOOKS.slice(0, 1)) await run(name, { server, browser, look });
} finally {
  await browser.close();
  server.stop();
}
// On a busy machine samples are late, which is noted.
const complaints = server.errors.split("\n").filter((line) => line && !line.startsWith("note: "));
if (complaints.length) wrong.push(`recount view wrote: ${complaints.join("\n")}`);
for (const text of wrong) console.error(text);
process.exit(wrong.length ? 1 : 0);
