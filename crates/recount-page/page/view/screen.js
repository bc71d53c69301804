// The viewer's screen: the shared state of its parts, and their interaction.

/** @import { ReportPart } from "./report-part.js" */
/** @import { CaptureAnswer } from "./types.js" */
/** @import { Client } from "./data/client.js" */
/** @import { SeriesInfo } from "./data/catalogue.js" */
/** @import { ScreenState, SeriesName } from "./state/address.js" */
import { addTo } from "./board/adding.js";
import { BoardView } from "./board/board-view.js";
import { titleOfChart } from "./board/titles.js";
import { Catalogue } from "./data/catalogue.js";
import { Finder } from "./find/finder.js";
import { Focus } from "./focus.js";
import { wireKeys } from "./frame/keys.js";
import { keepTop } from "./frame/top.js";
import { Notices } from "./frame/notices.js";
import { wireTimeBox } from "./frame/time-box.js";
import { Tools } from "./frame/tools.js";
import { CommandDialog } from "./keep/command.js";
import { overviewCharts, viewCharts } from "./keep/first-charts.js";
import { saveView } from "./keep/save-view.js";
import { Trail } from "./keep/trail.js";
import { Dock } from "./panel/dock.js";
import { MachinePanel } from "./panel/machine.js";
import { MarksPanel } from "./panel/marks.js";
import { MovedPanel } from "./panel/moved.js";
import { ProgramsPanel } from "./panel/programs.js";
import { SqlPanel } from "./panel/sql.js";
import { TopPanel } from "./panel/top.js";
import { Places } from "./places.js";
import { tellReach } from "./report-part.js";
import { wireFindingKeys } from "../report/finding-keys.js";
import { Board } from "./state/board.js";
import { find } from "../text/elements.js";

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
    this.sql = "";
    /** Choices of the panels. @type {Record<string, string>} */
    this.more = {};
    /** The numbers of the report, once they are there. @type {ReportPart | null} */
    this.report = null;
    this.board = new Board();
    this.focus = new Focus(this);
    this.notices = new Notices();
    page.fail = (error) => this.notices.fail(error);
    this.tools = new Tools();
    this.finder = new Finder(this);
    this.sqlPanel = new SqlPanel(this);
    this.dock = new Dock(this, [new TopPanel(this), new ProgramsPanel(this), new MovedPanel(this), new MachinePanel(this), ...(capture.has_sql ? [this.sqlPanel] : []), new MarksPanel(this)]);
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
    this.page.goTo = (place) => { this.places.show(place, true); this.keep(); };
    wireFindingKeys(this.page.goTo);
    keepTop();
    this.tools.offer(this.dock.panels, (key) => this.dock.flip(key));
    this.tools.wire({
      find: () => (this.finder.isOpen ? this.finder.close() : this.finder.open()),
      command: () => this.commands.open(), save: () => saveView(this), stop: () => this.stop(),
    });
    this.board.listeners.add((kind) => { if (kind !== "selected") this.keep(); });
    this.timeline.windowListeners.add(() => { this.dock.renew(); this.keep(); });
    this.page.theme.listeners.add(() => this.boardView.showPin());
  }

  // What the address says; else the view file; else the overview.
  begin() {
    const { trail: { state }, capture: { view } } = this;
    // A mark that this capture doesn't have: the charts of the view are of use all the same.
    if (view && view.error) this.notices.tell(`the span of the view isn't in this capture: ${view.error}`);
    this.show({ ...state, from: state.from === null && view ? view.from_ms : state.from, to: state.to === null && view ? view.to_ms : state.to });
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
      from: timeline.from > timeline.begin ? timeline.from : null, to: timeline.to < timeline.end ? timeline.to : null, at: this.focus.pinned, span: this.focus.chosen,
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
    this.focus.restore(state.at, state.span);
    this.dock.show(state.panel);
    this.places.show(state.place);
  }

  /** @param {boolean} [isStep] */
  keep(isStep = true) { this.trail.changed(isStep); }

  /** @param {{title: string, series: SeriesName[]}} chart */
  titleOf(chart) { return titleOfChart(this.catalogue, chart); }

  /** @param {SeriesInfo} series @returns {SeriesName[]} */
  bothSides(series) { return this.catalogue.twins(series).map(({ side, path }) => ({ side, path })); }

  /** @param {SeriesName[]} series @param {number | null} id of a chart; null: a new one */
  add(series, id) { addTo(this, series, id); }

  /** @param {{from: number, to: number}} span */
  showSpan(span) { this.boardView.showSpan(span); }

  // Updates the capture: it grew, was counted, or has another mark.
  async reload() {
    try {
      this.take(await this.client.get("capture"));
    } catch (error) { this.notices.fail(/** @type {Error} */ (error)); }
  }

  /** @param {CaptureAnswer} capture */
  take(capture) {
    // New information may suggest other first charts.
    const isFirst = JSON.stringify(this.board.states()) === JSON.stringify(this.firstCharts());
    this.capture = capture;
    this.catalogue = new Catalogue(capture.sides);
    this.page.grow(capture);
    tellReach(this);
    if (isFirst) this.board.set(this.firstCharts());
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
