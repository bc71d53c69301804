// The viewer's page in Chromium: from the start of the server to charts that are drawn, from a zoom to its picture, memory.
// `node page.mjs RECOUNT CAPTURE ZOOMS`; run.py calls it.

import { readdirSync, readFileSync } from "node:fs";
import { Server } from "../../crates/recount-cli/tests/view/server.mjs";
import { launch, ViewerPage } from "../../crates/recount-cli/tests/view/viewer.mjs";
import { packCharts } from "../../crates/recount-page/page/view/state/address.js";

const [command, capture, zooms] = process.argv.slice(2);
const NUM_CHARTS = 6;
const NUM_SERIES = 10;

function tell(what, times, aim = "") {
  const ordered = [...times].sort((a, b) => a - b);
  const at = (share) => ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))];
  console.log(`${what.padEnd(62)} ${at(0.5).toFixed(0).padStart(8)} ${(ordered.length > 1 ? at(0.99).toFixed(0) : "").padStart(8)}  ${aim}`);
}

// The same in every run.
function dice(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

// Private memory of the largest process that draws pages, in MB.
function memoryOfPages() {
  const sizes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) return 0;
      return Number(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8").match(/^Private_Dirty:\s+(\d+) kB/m)[1]) * 1024 / 1e6;
    } catch {
      // It has ended meanwhile.
      return 0;
    }
  });
  return Math.max(...sizes);
}

function boardOf({ sides }, roll) {
  const all = sides[0].objects.flatMap((object) => object.instances.flatMap((instance) => object.counters.map((counter) =>
    `\\${object.name}${object.instanced ? `(${instance.name})` : ""}\\${counter.name}`)));
  const series = () => ({ side: 0, path: all[Math.floor(roll() * all.length)] });
  return Array.from({ length: NUM_CHARTS }, () => ({ title: "", series: Array.from({ length: NUM_SERIES }, series), stacked: false, logarithmic: false, wide: false }));
}

// Whether every chart that can be seen has points.
const areDrawn = () => {
  const seen = [...document.querySelectorAll(".board [data-chart]")].filter((node) => node.getBoundingClientRect().top < innerHeight);
  return seen.length > 0 && seen.every((node) => node.dataset.chart === "drawn");
};

// From the event to the frame after which all charts have the points of the window.
const zoom = ([from, to]) => new Promise((done) => {
  const charts = [...document.querySelectorAll(".board .plot-frame")].map(({ chart }) => chart);
  const begin = performance.now();
  const missing = new Set(charts);
  for (const { feed } of charts) {
    const { answer } = Object.getPrototypeOf(feed);
    feed.answer = (points, question) => {
      answer.call(feed, points, question);
      if (question.from !== timeline.from || question.to !== timeline.to) return;
      missing.delete(charts.find((chart) => chart.feed === feed));
      if (missing.size === 0) requestAnimationFrame(() => done(performance.now() - begin));
    };
  }
  const { timeline } = charts[0];
  timeline.show(from, to);
});

const browser = await launch();
// Once before, so that the browser's own files are in memory: it is the viewer that is measured.
await (await browser.newPage()).goto("about:blank");
const begun = performance.now();
const server = await Server.start(command, [capture]);
try {
  const opened = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const first = await opened.newPage();
  await first.goto(server.url);
  await first.waitForFunction(areDrawn);
  tell("page: first charts drawn", [performance.now() - begun], "1000");
  while ((await server.ask("progress")).state !== "done") await first.waitForTimeout(100);
  await first.waitForSelector("html[data-report]");
  const answer = await server.ask("capture");
  const roll = dice(20261122);
  const hash = `#charts=${encodeURIComponent(packCharts(boardOf(answer, roll)))}`;
  await opened.close();
  const viewer = await ViewerPage.open(browser, server.url, { hash, viewport: { width: 1600, height: 2400 } });
  await viewer.reported();
  const whole = answer.end_ms - answer.begin_ms;
  const taken = [];
  for (let k = 0; k < Number(zooms); k++) {
    const length = whole * 10 ** (-3.2 * roll());
    const from = answer.begin_ms + roll() * (whole - length);
    taken.push(await viewer.page.evaluate(zoom, [from, from + length]));
  }
  tell(`page: zoom of ${NUM_CHARTS} charts, first picture`, taken, "100 / 250");
  const session = await viewer.context.newCDPSession(viewer.page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  console.log(`page: ${(usedSize / 1e6).toFixed(0)} MB of JavaScript, ${memoryOfPages().toFixed(0)} MB private (aim: 300)`);
} finally {
  await browser.close();
  server.stop();
}
