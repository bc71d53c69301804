// Checks a report or a comparison in a browser: `node page.mjs FILE.html [FOLDER FOR SCREENSHOTS]`. Exit code 1, and why, if anything is wrong.
//
// It knows nothing of names in the capture: what it looks for it takes from the file's own blob, which it reads by itself.

import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { readBlob } from "./blob.mjs";
import { launch, open } from "./browser.mjs";
import { chartChecks } from "./checks_charts.mjs";
import { formChecks } from "./checks_form.mjs";
import { nameChecks } from "./checks_names.mjs";
import { tableChecks } from "./checks_tables.mjs";

const path = resolve(process.argv[2] || "");
const folder = resolve(process.argv[3] || "screenshots");
const wrong = [];

function expect(isTrue, text) {
  if (!isTrue) wrong.push(text);
  return isTrue;
}

async function run(check, given) {
  const begin = Date.now();
  const before = wrong.length;
  const opened = await open(given.browser, path, check.options);
  try {
    await check.run({ ...given, ...opened, expect: (isTrue, text) => expect(isTrue, `${check.name}: ${text}`) });
  } catch (error) {
    wrong.push(`${check.name}: ${error.stack}`);
  }
  for (const fault of opened.faults) wrong.push(`${check.name}: ${fault}`);
  await opened.close();
  console.log(`${wrong.length === before ? "ok    " : "FAILED"} ${check.name} (${Date.now() - begin} ms)`);
}

const blob = readBlob(path);
mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  for (const check of [...chartChecks, ...tableChecks, ...formChecks, ...nameChecks]) await run(check, { browser, blob, path, folder });
} finally {
  await browser.close();
}
for (const text of wrong) console.error(text);
process.exit(wrong.length ? 1 : 0);
