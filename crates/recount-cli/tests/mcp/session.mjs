// A server over HTTP, and the packages that are installed for the tests.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Where the packages of package-lock.json are. */
export const packages = resolve(process.env.RECOUNT_MCP_CLIENTS);

const require = createRequire(`${packages}/`);

/** A module of a package. */
export const load = (name) => import(pathToFileURL(require.resolve(name)));

/** Starts `recount mcp --listen`: its process, address and token. */
export async function listen(recount, folders) {
  const allow = folders.flatMap((folder) => ["--allow", folder]);
  const server = spawn(recount, ["mcp", ...allow, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "inherit", "pipe"] });
  for await (const line of createInterface({ input: server.stderr })) {
    const said = /listening at (\S+), token (\S+)/.exec(line);
    if (said) return { server, url: new URL(said[1]), token: said[2] };
  }
  throw new Error("the server didn't say where it listens");
}
