// The protocol's own checks of servers, against `recount mcp --listen`.
//
//     node conformance.mjs RECOUNT SAMPLES
//
// Many scenarios call tools, resources and prompts of a server that was made for these checks. They don't apply, and are listed with the
// reason: a scenario that is in neither list is an error.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, request } from "node:http";
import { resolve } from "node:path";
import { promisify } from "node:util";

import { listen, packages } from "./session.mjs";

const APPLY = [
  "server-initialize",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
];

const DO_NOT_APPLY = {
  "the server has no logging": ["logging-set-level", "tools-call-with-logging"],
  "the server completes no arguments": ["completion-complete"],
  "resources have no subscriptions": ["resources-subscribe", "resources-unsubscribe"],
  "the server asks nothing of the client": [
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
  "a tool of the checks' own server": [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-progress",
    "json-schema-2020-12",
    "server-sse-polling",
  ],
  "a resource of the checks' own server": ["resources-read-text", "resources-read-binary", "resources-templates-read"],
  "a prompt of the checks' own server": [
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ],
};

const run = promisify(execFile);
const conformance = (...words) => run("node", [resolve(packages, "node_modules/@modelcontextprotocol/conformance/dist/index.js"), ...words]);

/** Adds the token, which the checks can't send. Host and Origin remain what they are, but for the port. */
function withToken(url, token) {
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    for (const name of ["host", "origin"]) {
      headers[name] = headers[name]?.replace(`:${proxy.address().port}`, `:${url.port}`);
      if (!headers[name]) delete headers[name];
    }
    const forwarded = request({ host: url.hostname, port: url.port, method: asked.method, path: asked.url, headers }, (answered) => {
      answer.writeHead(answered.statusCode, answered.headers);
      answered.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    answer.on("close", () => forwarded.destroy());
    asked.pipe(forwarded);
  });
  return new Promise((done) => proxy.listen(0, "127.0.0.1", () => done(proxy)));
}

const { stdout: listed } = await conformance("list", "--server");
const scenarios = [...listed.matchAll(/^ {2}- (\S+)$/gm)].map((found) => found[1]);
assert.deepEqual(scenarios.toSorted(), [...APPLY, ...Object.values(DO_NOT_APPLY).flat()].toSorted());

const { server, url, token } = await listen(process.argv[2], [process.argv[3]]);
const proxy = await withToken(url, token);
try {
  for (const scenario of APPLY) {
    const { stdout } = await conformance("server", "--url", `http://127.0.0.1:${proxy.address().port}/mcp`, "--scenario", scenario);
    console.log(scenario, /Passed: .*/.exec(stdout)?.[0]);
  }
} finally {
  proxy.closeAllConnections();
  proxy.close();
  server.kill();
}
