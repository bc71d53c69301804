// Drives `recount mcp` with the client of npm's SDK: every tool over standard input and output, and over HTTP; resources and prompts.
//
//     node drive.mjs RECOUNT SAMPLES OUT

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";

import { listen, load } from "./session.mjs";

const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");

const recount = process.argv[2];
const [samples, out] = process.argv.slice(3, 5).map((path) => resolve(path));

async function driveAll(client, page) {
  // From here on the client checks every structured answer against the schema of its tool.
  const { tools } = await client.listTools();
  const names = new Set(tools.map((tool) => tool.name));
  const text = readFileSync(new URL("calls.json", import.meta.url), "utf8").replaceAll("SAMPLES", samples).replaceAll("OUT/page", `${out}/${page}`);
  const calls = JSON.parse(text).filter(([name]) => names.has(name));
  assert.deepEqual(new Set(calls.map(([name]) => name)), names);
  for (const [name, parameters] of calls) {
    const result = await client.callTool({ name, arguments: parameters });
    assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    assert.match(result.structuredContent.command, /^recount /);
    assert.ok(result.structuredContent.output || name === "report", name);
  }
  assert.ok(readdirSync(out).includes(`${page}.html`));

  const refused = await client.callTool({ name: "digest", arguments: { capture: "/etc/passwd" } });
  assert.ok(refused.isError && refused.structuredContent.exit_code === 2, refused);
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /there is no such tool/);
}

async function driveOthers(client) {
  const { resources } = await client.listResources();
  const { uri } = resources.find((resource) => resource.name === "objects.blg");
  const { contents } = await client.readResource({ uri });
  assert.match(contents[0].text, /^capture {3}/);
  await assert.rejects(client.readResource({ uri: "recount://capture//etc/passwd" }));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.equal(resourceTemplates[0].uriTemplate, "recount://capture/{path}");
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ["postmortem", "compare"]);
  const prompt = await client.getPrompt({ name: "compare", arguments: { base: "a.blg", new: "b.blg" } });
  assert.match(prompt.messages[0].content.text, /"b\.blg"/);
  await client.ping();
}

async function drive(transport, page) {
  const client = new Client({ name: "recount-test", version: "1" });
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, "recount");
  await driveAll(client, page);
  await driveOthers(client);
  await client.close();
}

const args = ["mcp", "--allow", samples, "--allow", out];
await drive(new StdioClientTransport({ command: recount, args }), "stdio");

const { server, url, token } = await listen(recount, [samples, out]);
try {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await drive(new StreamableHTTPClientTransport(url, { requestInit }), "http");
  const stranger = new Client({ name: "stranger", version: "1" });
  await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(url)));
} finally {
  server.kill();
}
