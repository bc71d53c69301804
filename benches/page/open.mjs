// How long recount.html takes to open a capture, and how much memory: from the choice of the file to the first chart, and to the findings.
//
//   RECOUNT_BROWSER=target/browser node benches/page/open.mjs PAGE CAPTURE [RUNS]

import { readFileSync, readdirSync } from "node:fs";
import { loadavg } from "node:os";
import { pathToFileURL } from "node:url";
import { launch } from "../../crates/recount-cli/tests/browser/browser.mjs";

const PATIENCE_MS = 1_800_000;
const [page, capture, runs = "3"] = process.argv.slice(2);

/** The processes that this one has started, with theirs. */
function started() {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try { parents.set(Number(pid), Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))[1])); } catch { /* It has ended. */ }
  }
  const isOurs = (pid) => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
}

/** Anonymous memory of the process that shows the page, the largest of them, in MB. */
function memory() {
  const ofOne = (pid) => {
    try {
      if (!/--type=renderer/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"))) return 0;
      return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1000;
    } catch { return 0; }
  };
  return Math.round(Math.max(...started().map(ofOne)));
}

for (let run = 0; run < Number(runs); run++) {
  const browser = await launch("chromium");
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.setOffline(true);
  const view = await context.newPage();
  view.setDefaultTimeout(PATIENCE_MS);
  await view.goto(pathToFileURL(page).href);
  // Whoever chooses a file takes longer than the page takes to unpack its module.
  await view.waitForTimeout(3000);
  const empty = memory();
  let most = 0;
  const watch = setInterval(() => { most = Math.max(most, memory()); }, 250);
  const begin = performance.now();
  const after = () => ((performance.now() - begin) / 1000).toFixed(1);
  await view.setInputFiles("#files", capture);
  await view.waitForFunction(() => document.querySelector(".board [data-chart=drawn]"), undefined, { polling: 20 });
  const first = `${after()} s, ${memory()} MB, at most ${most}`;
  await view.waitForSelector("html[data-report]");
  const all = `${after()} s, at most ${most} MB`;
  clearInterval(watch);
  console.log(`empty page ${empty} MB; first chart ${first}; findings ${all}; load ${loadavg()[0].toFixed(1)}`);
  await browser.close();
}
