// The viewer's screen: what its parts share, and what they do to each other.

/** @import { Chart } from "../chart/chart.js" */
/** @import { ReportPart } from "./report-part.js" */
/** @import { CaptureAnswer } from "./types.js" */
/** @import { Client } from "./data/client.js" */
/** @import { SeriesInfo } from "./data/catalogue.js" */
/** @import { ScreenState, SeriesName } from "./state/address.js" */
/** @import { BoardChart } from "./state/board.js" */
import { BoardView } from "./board/board-view.js";
import { titleOfChart } from "./board/titles.js";
import { Catalogue } from "./data/catalogue.js";
import { Finder } from "./find/finder.js";
import { wireKeys } from "./frame/keys.js";
import { Notices } from "./frame/notices.js";
import { wireTimeBox } from "./frame/time-box.js";
import { Tools } from "./frame/tools.js";
import { CommandDialog } from "./keep/command.js";
import { overviewCharts, viewCharts, viewWindow } from "./keep/first-charts.js";
import { saveView } from "./keep/save-view.js";
import { Trail } from "./keep/trail.js";
import { Dock } from "./panel/dock.js";
import { MachinePanel } from "./panel/machine.js";
import { MarksPanel } from "./panel/marks.js";
import { SqlPanel } from "./panel/sql.js";
import { TopPanel } from "./panel/top.js";
import { Places } from "./places.js";
import { Board } from "./state/board.js";
import { spanAround } from "./state/span.js";
import { refusal } from "../chart/units.js";
import { find, speak } from "../text/elements.js";

export class Screen {
  /**
   * @param {CaptureAnswer} capture
   * @param {Client} client
   * @param {import("./live-page.js").LivePage} page what all charts share
   */
  constructor(capture, client, page) {
    this.client = client;
    this.capture = capture;
    this.page = page;
    this.timeline = page.timeline;
    this.clock = page.clock;
    this.catalogue = new Catalogue(capture.sides);
    /** The time that was pressed. @type {number | null} */
    this.pinned = null;
    /** A span that was chosen without zooming. @type {{from: number, to: number} | null} */
    this.chosen = null;
    this.sql = "";
    /** Choices of the panels. @type {Record<string, string>} */
    this.more = {};
    /** The numbers of the report, once they are there. @type {ReportPart | null} */
    this.report = null;
    /** The chart that was pointed at last. @type {number | null} */
    this.pointed = null;
    this.board = new Board();
    this.notices = new Notices();
    page.fail = (error) => this.notices.fail(error);
    this.tools = new Tools();
    this.finder = new Finder(this);
    this.sqlPanel = new SqlPanel(this);
    this.dock = new Dock(this, [new TopPanel(this), new MachinePanel(this), ...(capture.has_sql ? [this.sqlPanel] : []), new MarksPanel(this)]);
    this.boardView = new BoardView(this);
    this.commands = new CommandDialog(this);
    this.places = new Places(this);
    this.trail = new Trail(() => this.state(), (state) => this.show(state));
    this.wire();
    this.begin();
  }

  wire() {
    wireTimeBox(this);
    wireKeys(this);
    this.tools.wire({
      find: () => (this.finder.isOpen ? this.finder.close() : this.finder.open()),
      ...Object.fromEntries(this.dock.panels.map(({ key }) => [key, () => this.dock.flip(key)])),
      command: () => this.commands.open(), save: () => saveView(this), stop: () => this.stop(),
    });
    this.board.listeners.add((kind) => { if (kind !== "selected") this.keep(); });
    this.timeline.windowListeners.add(() => { this.dock.renew(); this.keep(); });
    this.page.theme.listeners.add(() => this.boardView.showPin());
  }

  // What the address says; else the view file; else the overview.
  begin() {
    const state = this.trail.state;
    let window = { from: /** @type {number | null} */ (null), to: /** @type {number | null} */ (null) };
    try {
      window = viewWindow(this.capture, this.frame());
    } catch (error) {
      // A mark that this capture doesn't have: the charts of the view are of use all the same.
      this.notices.tell(`the span of the view isn't in this capture: ${/** @type {Error} */ (error).message}`);
    }
    this.show({ ...state, from: state.from === null ? window.from : state.from, to: state.to === null ? window.to : state.to });
  }

  frame() {
    const { begin_ms, end_ms, offset_min, sides } = this.capture;
    return { begin_ms, end_ms, offset_min, marks: sides.flatMap(({ marks }) => marks) };
  }

  firstCharts() { return viewCharts(this.capture, this.catalogue) || overviewCharts(this.capture, this.catalogue); }

  /** @returns {ScreenState} */
  state() {
    const { timeline } = this;
    const charts = this.board.states();
    const isFirst = JSON.stringify(charts) === JSON.stringify(this.firstCharts());
    this.boardView.tellFirst(isFirst);
    return {
      from: timeline.from > timeline.begin ? timeline.from : null, to: timeline.to < timeline.end ? timeline.to : null, at: this.pinned,
      charts: isFirst ? null : charts, panel: this.dock.open, sql: this.sql, place: this.places.current, more: this.more,
    };
  }

  /** @param {ScreenState} state */
  show(state) {
    const { timeline } = this;
    this.board.set(state.charts || this.firstCharts());
    timeline.show(state.from === null ? timeline.begin : state.from, state.to === null ? timeline.end : state.to);
    this.sql = state.sql;
    this.sqlPanel.set(state.sql);
    this.more = { ...state.more };
    this.pin(state.at, "history");
    this.dock.show(state.panel);
    this.places.show(state.place);
  }

  /** @param {boolean} [isStep] */
  keep(isStep = true) { this.trail.changed(isStep); }

  /** @param {{title: string, series: SeriesName[]}} chart */
  titleOf(chart) { return titleOfChart(this.catalogue, chart); }

  /** @param {SeriesInfo} series @returns {SeriesName[]} */
  bothSides(series) { return this.catalogue.twins(series).map(({ side, path }) => ({ side, path })); }

  /**
   * Adds series to a chart, or to a new one.
   * @param {SeriesName[]} series @param {number | null} id
   */
  add(series, id) {
    if (!series.length) return;
    const chart = this.board.chart(id);
    if (!chart) {
      const added = this.board.addChart({ series });
      this.boardView.reveal(added.id);
      speak(`New chart: ${this.titleOf(added)}`);
      return;
    }
    const { lines } = this.boardView.contentOf(chart);
    const refused = refusal(lines, this.catalogue.about(series[0].side, series[0].path).unit);
    if (refused) {
      this.notices.tell(`${refused} It has a new chart.`);
      this.add(series, null);
      return;
    }
    const why = this.board.addSeries(chart.id, series);
    if (why) this.notices.tell(why);
    else speak(`Added to ${this.titleOf(chart)}: ${series[0].path}`);
    this.boardView.reveal(chart.id);
  }

  /**
   * The chart that a series of a panel goes to: the selected one, else one that has the same counter, else a new one.
   * @param {string} path
   */
  targetOf(path) {
    if (this.board.selected !== null) return this.board.selected;
    const { object, counter } = this.catalogue.about(0, path);
    const same = this.board.charts.find(({ series }) => series.length > 0 && series.every((one) => {
      const about = this.catalogue.about(one.side, one.path);
      return about.object === object && about.counter === counter;
    }));
    return same ? same.id : null;
  }

  /** @param {number | null} at ms @param {string} [by] who pins: "machine" steps, "history" */
  pin(at, by = "") {
    const { begin, end } = this.timeline;
    this.pinned = at === null ? null : Math.min(Math.max(at, begin), end);
    if (by !== "history") this.chosen = null;
    this.boardView.showPin();
    this.timeline.restAt(this.pinned);
    if (by !== "machine") this.dock.renew();
    // Stepping through samples isn't worth an entry each.
    if (by !== "history") this.keep(false);
  }

  // A chart was pressed: its time is pinned, and it offers what can be asked there.
  /** @param {Chart} chart @param {number} at */
  press(chart, at) {
    this.boardView.isAsking = this.boardView.pointAt(chart);
    this.pin(at);
  }

  // A span of a chart was chosen: questions are about it now.
  /** @param {Chart} chart @param {{from: number, to: number}} span */
  choose(chart, span) {
    this.boardView.isAsking = this.boardView.pointAt(chart);
    this.chosen = span;
    this.pinned = null;
    this.timeline.restAt(null);
    this.boardView.showPin();
    this.dock.renew();
  }

  // What questions are about: the chosen span, that around the pinned time, or the window.
  span() {
    if (this.chosen) return this.chosen;
    const { timeline } = this;
    return this.pinned === null ? { from: timeline.from, to: timeline.to } : spanAround(this.pinned, timeline, this.capture.step_ms || 1000);
  }

  // The moment that a table of one sample is about.
  momentOr() {
    const { timeline } = this;
    return this.pinned !== null ? this.pinned : this.chosen ? this.chosen.to : timeline.to;
  }

  /** @param {number} side @returns {SeriesInfo | null} */
  seriesPointedAt(side) {
    const chart = this.board.chart(this.pointed) || this.board.chart(this.board.selected) || this.board.charts[0];
    const series = chart && (chart.series.find((one) => one.side === side) || chart.series[0]);
    return series ? { ...this.catalogue.about(series.side, series.path), side } : null;
  }

  /** @param {string} panel @param {BoardChart} chart */
  ask(panel, chart) {
    this.pointed = chart.id;
    // What was chosen before was about another chart.
    this.more = this.catalogue.sides.length > 1 && this.more.side ? { side: this.more.side } : {};
    this.dock.show(panel);
  }

  /** @param {{from: number, to: number}} span */
  showSpan(span) { this.boardView.showSpan(span); }

  // The capture anew: it grew, was counted, or has another mark.
  async reload() {
    try {
      this.take(await this.client.get("capture"));
    } catch (error) { this.notices.fail(/** @type {Error} */ (error)); }
  }

  /** @param {CaptureAnswer} capture */
  take(capture) {
    this.capture = capture;
    this.catalogue = new Catalogue(capture.sides);
    this.page.grow(capture);
    this.finder.renew();
    this.boardView.renew();
    this.dock.renew();
  }

  async stop() {
    try {
      await this.client.post("quit", {});
      this.page.stop();
      this.notices.put("recount view has ended. What is drawn stays until the page is closed.", "lasting");
      find("#tools").inert = true;
    } catch (error) { this.notices.fail(/** @type {Error} */ (error)); }
  }
}
