// The viewer: requests the contents, assembles the screen, and follows the program that answers.

/** @import { Client } from "./data/client.js" */
/** @import { Progress } from "./data/progress.js" */
/** @import { Theme } from "../frame/theme.js" */
import { ProgressWatch } from "./data/progress.js";
import { Counting } from "./frame/counting.js";
import { LivePage } from "./live-page.js";
import { showReport } from "./report-part.js";
import { Screen } from "./screen.js";
import { Paper } from "../frame/paper.js";
import { find } from "../text/elements.js";

const REPORT_AGAIN_MS = 30_000;

export class Viewer {
  /** @param {Theme} theme @param {Client} client who answers */
  constructor(theme, client) {
    this.theme = theme;
    this.client = client;
    /** Version of the capture that the report on the screen is about. */
    this.reported = -1;
    this.reportedAt = 0;
    this.isReporting = false;
  }

  async start() {
    const capture = await this.client.get("capture");
    this.page = new LivePage(capture, this.theme, this.client);
    this.counting = new Counting();
    this.screen = new Screen(capture, this.client, this.page);
    new Paper(this.page);
    find("#keys").hidden = false;
    document.documentElement.setAttribute("data-ready", String(capture.version));
    this.watch = new ProgressWatch(this.client, (now) => this.follow(now), () => this.lose());
    await this.follow(capture);
    if (capture.state !== "done" || capture.growing) this.watch.start(0);
  }

  /** @param {Progress} now */
  async follow(now) {
    const { screen, page, counting } = this;
    if (!screen || !page || !counting) return;
    counting.show(now);
    // Asked for before the charts ask anew: the findings have been waited for longest.
    const isDue = now.state === "done" && now.version !== this.reported && !this.isReporting && this.isReportDue(now.growing);
    const report = isDue ? this.client.get("report") : null;
    // A failure is reported below.
    await report?.catch(() => {});
    if (now.version !== page.version) await screen.reload();
    if (report) await this.report(now.version, report);
  }

  // For a growing log only now and then, and not while the user reads the findings: they are replaced as a whole.
  /** @param {boolean} isGrowing */
  isReportDue(isGrowing) {
    if (!isGrowing || this.reported < 0) return true;
    const isBelow = find("#view-report").getBoundingClientRect().top > innerHeight;
    return isBelow && performance.now() - this.reportedAt > REPORT_AGAIN_MS;
  }

  /** @param {number} version @param {Promise<any>} asked */
  async report(version, asked) {
    if (!this.screen) return;
    this.isReporting = true;
    this.reportedAt = performance.now();
    try {
      await showReport(this.screen, await asked);
      this.reported = version;
      document.documentElement.setAttribute("data-report", String(version));
    } catch (error) {
      this.reported = version;
      this.screen.notices.fail(/** @type {Error} */ (error));
    }
    this.isReporting = false;
  }

  lose() {
    if (!this.screen || !this.page || this.page.isStopped) return;
    this.page.stop();
    this.screen.notices.put("recount view doesn't answer any more. What is drawn stays; start it again to look further.", "lasting");
  }
}
