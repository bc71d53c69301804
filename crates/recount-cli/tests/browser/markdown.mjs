// What GitHub's Markdown makes of files: `node markdown.mjs FILE...` prints a JSON array with, per file, the names of the HTML elements and
// the texts of the tables' cells, row by row.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const tools = createRequire(`${resolve(process.env.RECOUNT_BROWSER)}/`);
const load = (name) => import(pathToFileURL(tools.resolve(name)).href);
const { micromark } = await load("micromark");
const { gfm, gfmHtml } = await load("micromark-extension-gfm");

const ENTITIES = { lt: "<", gt: ">", quot: '"', amp: "&" };
const plain = (html) => html.replace(/&(lt|gt|quot|amp);/g, (_, name) => ENTITIES[name]);

const told = process.argv.slice(2).map((path) => {
  const html = micromark(readFileSync(path, "utf8"), { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
  const elements = [...new Set([...html.matchAll(/<([a-z][a-z0-9]*)/gi)].map((match) => match[1]))].sort();
  const rows = [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].map((row) => [...row[1].matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map((cell) => plain(cell[1])));
  return { elements, rows };
});
console.log(JSON.stringify(told));
