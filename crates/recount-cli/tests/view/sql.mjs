// Questions in SQL: completion, the answer as a table and a chart, files.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export async function sql({ viewer, expect, command, inputs, object, counter }) {
  const { page } = viewer;
  await page.locator("[data-tool=sql]").click();
  const text = page.getByLabel("Query in SQL");
  const query = `SELECT time, instance, "${counter}" FROM ${object} ORDER BY time LIMIT 200`;
  await text.fill("");
  await text.pressSequentially(`SELECT time, instance, ${counter.slice(2, 6)}`);
  // Several names begin with these letters: Tab takes the one that the arrow keys point at.
  const offers = page.locator("#sql-offers [role=option]");
  await offers.first().waitFor();
  const place = (await offers.allInnerTexts()).findIndex((offer) => offer.includes(counter));
  for (let k = 0; k < place; k++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  expect((await text.inputValue()).includes(`"${counter}`), `completion gives ${await text.inputValue()}`);
  await text.fill(query);
  const answered = page.waitForResponse("**/api/query");
  await page.keyboard.press("Control+Enter");
  const answer = await (await answered).json();
  const told = JSON.parse(execFileSync(command, ["query", ...inputs, query, "--quiet", "--format", "json"], { encoding: "utf8" }));
  expect(answer.rows.length === told.length && told.length > 0, `${answer.rows.length} rows, recount query says ${told.length}`);
  answer.rows.forEach((row, k) => expect(row[2] === told[k][counter], `row ${k} is ${row[2]}, recount query says ${told[k][counter]}`));
  await page.locator("#panel-sql .plot[data-chart=drawn]").waitFor();
  const cells = await page.locator("#panel-sql tbody tr").first().locator("td").allInnerTexts();
  expect(cells.length === 3 && cells[2] === (answer.rows[0][2] === null ? "\u2013" : String(answer.rows[0][2])), `the first row is shown as ${cells}`);
  for (const [name, begin] of [["CSV", "time,"], ["Parquet", "PAR1"]]) {
    const download = page.waitForEvent("download");
    await page.locator("#panel-sql").getByRole("button", { name }).click();
    const bytes = readFileSync(await (await download).path());
    expect(bytes.length > 20 && bytes.subarray(0, 40).toString("latin1").replaceAll('"', "").startsWith(begin), `${name} begins with ${bytes.subarray(0, 12)}`);
  }
  viewer.expected.push("400");
  await text.fill("SELECT nothing FROM nowhere");
  await page.keyboard.press("Control+Enter");
  await page.locator("#panel-sql .wrong").waitFor();
  expect((await page.locator("#panel-sql .wrong").innerText()).length > 10, "what is wrong with a query isn't told");
  await page.locator("#dock .bar > button").click();
}
