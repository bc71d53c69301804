// Mouse and keyboard in a chart.

/** @import { Chart } from "./chart.js" */
import { neighbour } from "../data/points.js";
import { speak } from "../text/elements.js";
import { steer } from "../time/timeline.js";

// Less is a click.
const LEAST_DRAG = 4;

export class Pointer {
  /** @param {Chart} chart */
  constructor(chart) {
    this.chart = chart;
    this.timeline = chart.timeline;
    this.pressedX = 0;
    this.isShift = false;
    chart.canvasHost.addEventListener("keydown", (event) => this.onKey(event));
    chart.canvasHost.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
  }

  // Our own listeners, not the library's hook, which also reports cursors that we set.
  /** @param {uPlot} plot */
  follow(plot) {
    const { chart, timeline } = this;
    const timeAt = (/** @type {MouseEvent} */ event) => chart.snapped(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
    plot.over.addEventListener("mousemove", (event) => {
      chart.page.charts.pointed = chart;
      timeline.point(timeAt(event));
    });
    plot.over.addEventListener("mouseleave", () => timeline.point(null));
    plot.over.addEventListener("mousedown", (event) => {
      this.pressedX = event.clientX;
      this.isShift = event.shiftKey;
    });
    plot.over.addEventListener("click", (event) => {
      const isClick = Math.abs(event.clientX - this.pressedX) < LEAST_DRAG && event.detail < 2;
      if (isClick && chart.spec.onPress) chart.spec.onPress(chart, timeAt(event));
    });
  }

  /** @param {uPlot} plot */
  onSelect(plot) {
    const { left, width } = plot.select;
    if (width < LEAST_DRAG) return;
    const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const { onSpan } = this.chart.spec;
    if (!onSpan || !onSpan(this.chart, from, to, this.isShift)) this.timeline.show(from, to);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { chart, timeline } = this;
    if (event.key === "Enter" && timeline.cursor !== null && chart.spec.onPress) {
      chart.spec.onPress(chart, timeline.cursor);
      return;
    }
    if (!this.stepSample(event)) {
      if (!steer(timeline, event)) return;
      if (timeline.cursor !== null) timeline.point(chart.snapped(timeline.cursor));
    }
    const { cursor } = timeline;
    if (cursor === null) return;
    chart.page.charts.pointed = chart;
    speak(`${chart.page.charts.timeText(cursor)}. ${chart.lines.map((line, k) => `${line.label}: ${chart.textAt(k, cursor)}`).join(". ")}`);
  }

  // From sample to sample; true if the key was for that.
  /** @param {KeyboardEvent} event */
  stepSample(event) {
    const { chart, timeline } = this;
    const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (direction === 0 || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || timeline.cursor === null) return false;
    const shown = chart.points.filter((_, k) => !chart.lines[k].isHidden);
    const next = neighbour(shown, timeline.cursor, direction);
    if (next === null || next < timeline.from || next > timeline.to) return false;
    event.preventDefault();
    timeline.point(next);
    return true;
  }

  /** @param {WheelEvent} event */
  onWheel(event) {
    const { plot } = this.chart;
    // The wheel alone scrolls the page.
    if (!(event.ctrlKey || event.metaKey) || !plot) return;
    event.preventDefault();
    const left = event.clientX - plot.over.getBoundingClientRect().left;
    this.timeline.zoom(event.deltaY < 0 ? 0.8 : 1.25, plot.posToVal(left, "x"));
  }
}
