// Opens captures in recount.html, from a file and without a network, and holds what it writes against what the command writes.
//
//   RECOUNT_BROWSER=target/browser node check.mjs PAGE RECOUNT FOLDER... [--browser firefox] [--only WORD]

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../browser/browser.mjs";

const PATIENCE_MS = 120_000;
/** Of an archive of PCP: the command finds the other files itself, a page has to be given them. */
const PART = /^(.*)\.(meta|index|\d+)(\.(xz|lzma|bz2|gz|zst|Z))?$/;

const options = { browser: "chromium", only: "" };
const plain = [];
for (let k = 2; k < process.argv.length; k++) {
  if (process.argv[k].startsWith("--")) options[process.argv[k].slice(2)] = process.argv[++k];
  else plain.push(process.argv[k]);
}
const [page, command, ...folders] = plain.map((path) => resolve(path));

/** What is opened together: a name in its folder, and files. */
function inputs(folder) {
  const found = [];
  const entries = readdirSync(folder).sort();
  const isArchive = (base) => entries.some((name) => new RegExp(`\\.meta(\\.|$)`).test(name.slice(base.length)) && name.startsWith(`${base}.`));
  const known = new Set();
  for (const name of entries) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) { found.push(...inputs(path)); continue; }
    const base = PART.exec(name)?.[1];
    if (base === undefined || !isArchive(base)) found.push({ folder, name, files: [path] });
    else if (!known.has(base)) {
      known.add(base);
      found.push({ folder, name: base, files: entries.filter((other) => PART.exec(other)?.[1] === base).map((other) => join(folder, other)) });
    }
  }
  return found;
}

/** Folders as a whole, and bundles: what is in them is opened together. */
function together(samples, scratch) {
  const found = ["pcp", "series", "rcap-1"].map((name) => ({ folder: samples, name, files: [join(samples, name)], isFolder: true }));
  const bundle = (name, ...made) => {
    execFileSync(made[0], made.slice(1), { cwd: samples, stdio: "ignore" });
    found.push({ folder: scratch, name, files: [join(scratch, name)] });
  };
  bundle("logs.tar", "tar", "-cf", join(scratch, "logs.tar"), "pcp", "objects.blg", "README.md");
  bundle("logs.tgz", "tar", "-czf", join(scratch, "logs.tgz"), "rcap-1", "sysstat.sa");
  bundle("logs.zip", "python3", "-m", "zipfile", "-c", join(scratch, "logs.zip"), "atop.raw", "circular.blg");
  return found;
}

/** Runs the command in a folder; the error is what it says first. */
function run(folder, ...given) {
  try {
    // How much is encoded at a time depends on the number of threads; a worker has one.
    execFileSync(command, given, { cwd: folder, env: { ...process.env, RAYON_NUM_THREADS: "1" }, stdio: ["ignore", "ignore", "pipe"], maxBuffer: 1 << 26 });
    return "";
  } catch (error) {
    // 1: there are findings, and the output is there all the same.
    if (error.status === 1) return "";
    return /error: (.*)/.exec(String(error.stderr))?.[1] ?? String(error.stderr);
  }
}

class Checked {
  constructor(browser) {
    this.browser = browser;
    this.faults = [];
    this.expected = [];
  }

  async open() {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
    this.page = await context.newPage();
    this.page.setDefaultTimeout(PATIENCE_MS);
    this.page.on("console", (message) => { if (["error", "warning"].includes(message.type())) this.faults.push(`console: ${message.text()}`); });
    this.page.on("pageerror", (error) => this.faults.push(`exception: ${error.stack}`));
    this.page.on("request", (request) => { if (!/^(blob:|data:)/.test(request.url()) && request.url().split("#")[0] !== pathToFileURL(page).href) this.faults.push(`request: ${request.url()}`); });
    if (options.browser === "chromium") await context.setOffline(true);
    await this.page.goto(pathToFileURL(page).href);
  }

  /** @returns what is wrong, or "" */
  async give(files, isFolder) {
    await this.page.goto(pathToFileURL(page).href);
    await this.page.setInputFiles(isFolder ? "#folder" : "#files", files);
    await this.page.waitForSelector("html[data-ready]");
    if (await this.page.getAttribute("html", "data-ready") === "failed") return (await this.page.textContent("#chooser-error")).split("\n")[0];
    await this.page.waitForSelector("html[data-report]");
    return "";
  }

  /** A download, or what is wrong. */
  async save(kind) {
    if (options.browser === "firefox") return this.saveInPage(kind);
    const failure = this.page.waitForSelector(".note.failure").then((node) => node.textContent(), () => null);
    const download = this.page.waitForEvent("download", { timeout: PATIENCE_MS }).catch(() => null);
    await this.page.click(`[data-save="${kind}"]`);
    const first = await Promise.race([failure, download]);
    if (first === null || typeof first === "string") {
      await this.page.click(".note.failure button");
      return { error: String(first).replace(/.×?$/, "") };
    }
    return { bytes: readFileSync(await first.path()) };
  }

  /** The same where Playwright hears nothing of downloads: what the page hands over to be saved. */
  async saveInPage(kind) {
    await this.page.evaluate(() => {
      globalThis.saved = null;
      globalThis.makeURL ??= URL.createObjectURL;
      URL.createObjectURL = (what) => { globalThis.saved = what; return globalThis.makeURL.call(URL, what); };
    });
    await this.page.click(`[data-save="${kind}"]`);
    await this.page.waitForFunction(() => globalThis.saved || document.querySelector(".note.failure"));
    const text = await this.page.evaluate(() => globalThis.saved && new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(String(reader.result).replace(/^.*,/, ""));
      reader.readAsDataURL(globalThis.saved);
    }));
    if (text) return { bytes: Buffer.from(text, "base64") };
    const error = await this.page.textContent(".note.failure");
    await this.page.click(".note.failure button");
    return { error: error.replace(/.×?$/, "") };
  }
}

async function compare(checked, { folder, name, files, isFolder }, scratch, report) {
  const label = join(basename(folder), name);
  const paths = { parquet: join(scratch, "out.parquet"), csv: join(scratch, "out.csv"), report: join(scratch, "out.html") };
  for (const path of Object.values(paths)) rmSync(path, { force: true });
  const wrong = await checked.give(files, isFolder);
  const errors = {
    parquet: run(folder, "convert", name, "-o", paths.parquet, "--names", "windows"),
    csv: run(folder, "convert", name, "-o", paths.csv, "--names", "windows"),
    report: run(folder, "report", name, "-o", paths.report, "--title", files.map((path) => basename(path)).join(", ")),
  };
  if (wrong) {
    const said = run(folder, "info", name) || errors.parquet || errors.report;
    if (!said) report(`${label}: the page says ${wrong}, the command opens it`);
    // What has no sample is described, but not shown.
    else if (said !== wrong && !(/no sample/.test(said) && /no sample/.test(wrong))) report(`${label}: the page says ${wrong}, the command ${said}`);
    return "refused";
  }
  for (const [kind, error] of Object.entries(errors)) {
    const saved = await checked.save(kind);
    if (saved.error && !error) report(`${label}: ${kind}: the page says ${saved.error}, the command writes it`);
    else if (!saved.error && error) { if (kind !== "report") report(`${label}: ${kind}: the page writes it, the command says ${error}`); }
    else if (!saved.error && !saved.bytes.equals(readFileSync(paths[kind]))) report(`${label}: ${kind}: not what the command writes (${saved.bytes.length} and ${statSync(paths[kind]).size} bytes)`);
  }
  return "opened";
}

const axe = () => readFileSync(createRequire(`${resolve(process.env.RECOUNT_BROWSER)}/`).resolve("axe-core/axe.min.js"), "utf8");

async function isAccessible(checked, state, report) {
  for (const colorScheme of ["light", "dark"]) {
    await checked.page.emulateMedia({ colorScheme });
    // Colours change in a transition.
    await checked.page.evaluate(async () => {
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      await Promise.all(document.getAnimations().map((animation) => animation.finished));
    });
    await checked.page.evaluate(axe());
    const { violations } = await checked.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    for (const { id, nodes } of violations) report(`axe, ${state}, ${colorScheme}: ${id}: ${nodes[0].target} ${nodes[0].failureSummary}`);
  }
}

const browser = await launch(options.browser);
const scratch = mkdtempSync(join(tmpdir(), "recount-page-"));
const wrong = [];
const report = (text) => { wrong.push(text); console.log(`WRONG ${text}`); };
const checked = new Checked(browser);
await checked.open();
if (options.browser === "chromium" && !options.only) {
  await isAccessible(checked, "chooser", report);
  await checked.give([join(folders[0], "README.md")]);
  await isAccessible(checked, "refused", report);
}
const numbers = { opened: 0, refused: 0 };
let isLooked = Boolean(options.only);
// Playwright gives Firefox no folders.
const whole = together(folders[0], scratch).filter(({ isFolder }) => !isFolder || options.browser === "chromium");
for (const input of [...folders.flatMap(inputs), ...whole].filter(({ folder, name }) => join(folder, name).includes(options.only))) {
  try {
    const what = await compare(checked, input, scratch, report);
    numbers[what]++;
    if (what === "opened" && !isLooked && options.browser === "chromium") {
      isLooked = true;
      await isAccessible(checked, "charts", report);
    }
  } catch (error) { report(`${join(basename(input.folder), input.name)}: ${error.message.split("\n")[0]}`); }
}
for (const fault of checked.faults) report(fault);
await browser.close();
rmSync(scratch, { recursive: true });
console.log(`${options.browser}: ${numbers.opened} captures opened with equal values, Parquet and report; ${numbers.refused} files refused as by the command; ${wrong.length} faults`);
process.exitCode = wrong.length || !numbers.opened ? 1 : 0;
