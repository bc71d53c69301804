// `recount view`, started for a check and ended with it.

import { spawn } from "node:child_process";

export class Server {
  /** @param {string} command the built recount @param {string[]} words */
  static async start(command, words) {
    const child = spawn(command, ["view", ...words, "--no-open", "--quiet"], { stdio: ["ignore", "pipe", "pipe"] });
    const server = new Server(child);
    server.url = await new Promise((done, fail) => {
      let said = "";
      child.stdout.on("data", (bytes) => {
        said += bytes;
        const line = said.match(/^(http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/)\r?\n/);
        if (line) done(line[1]);
      });
      child.on("exit", (code) => fail(new Error(`recount view ended with ${code}: ${said}${server.errors}`)));
    });
    return server;
  }

  constructor(child) {
    this.child = child;
    this.errors = "";
    this.hasEnded = false;
    child.stderr.on("data", (bytes) => { this.errors += bytes; });
    child.on("exit", () => { this.hasEnded = true; });
  }

  // As the page asks, without the page.
  async ask(name, body) {
    const given = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json", origin: new URL(this.url).origin }, body: JSON.stringify(body) };
    const answer = await fetch(`${this.url}api/${name}`, given);
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  stop() { if (!this.hasEnded) this.child.kill("SIGKILL"); }
}
