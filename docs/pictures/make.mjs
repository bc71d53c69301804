// Takes the pictures of the README anew: `node docs/pictures/make.mjs target/debug/recount`. It records this machine (Linux) for a
// minute with a load of its own, and looks at the capture in Chromium, by the browser tests' Playwright.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "../../crates/recount-cli/tests/browser/browser.mjs";

const command = resolve(process.argv[2] || "target/debug/recount");
const pictures = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pictures-"));
const SECONDS = 60;

// A process that computes, one that takes more and more memory, and one that writes.
const LOADS = {
  "job-runner": "while True: pass",
  "cache-server": "import time\nall = []\nwhile True:\n  all.append(bytearray(b'x' * 4_000_000))\n  time.sleep(1)",
  "log-spooler": `import os, time\nwhile True:\n  f = open('${folder}/spool', 'wb')\n  f.write(bytes(48_000_000)); f.flush(); os.fsync(f.fileno())\n  time.sleep(0.8)`,
};

function record(log) {
  const loads = Object.entries(LOADS).map(([name, script]) => {
    symlinkSync("/usr/bin/python3", join(folder, name));
    return spawn(join(folder, name), ["-c", script]);
  });
  const done = spawnSync(command, ["record", "--quiet", "-o", log, "--interval", "1s", "--for", `${SECONDS}s`], { encoding: "utf8" });
  for (const load of loads) load.kill("SIGKILL");
  if (done.error || done.status > 1) throw new Error(done.stderr);
}

async function shoot(browser, url, name, height, act) {
  for (const scheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width: 1280, height }, colorScheme: scheme });
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForSelector(".plot[data-chart=drawn]");
    await act(page);
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(pictures, scheme === "light" ? `${name}.png` : `${name}-dark.png`) });
    await context.close();
  }
}

// Pins a time in the first chart, and asks who it was.
async function askWho(page) {
  await page.waitForSelector("#findings");
  const box = await page.locator(".board .u-over").first().boundingBox();
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height / 2);
  await page.getByRole("button", { name: "Who was it?" }).first().click();
  await page.waitForSelector("#dock table tbody tr");
}

async function view(log) {
  const server = spawn(command, ["view", "--no-open", log]);
  const url = await new Promise((found) => {
    let text = "";
    const read = (part) => {
      text += part;
      const [address] = text.match(/http:\S+/) || [];
      if (address) found(address);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
  });
  return { url, stop: () => server.kill() };
}

const browser = await launch();
try {
  const [log, page] = [join(folder, "load-test.rcap"), join(folder, "load-test.html")];
  record(log);
  spawnSync(command, ["report", "--quiet", log, "-o", page]);
  await shoot(browser, pathToFileURL(page).href, "report", 1000, async () => {});
  const server = await view(log);
  await shoot(browser, server.url, "view", 900, askWho);
  server.stop();
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
