// The layers of the strip, from back to front.

/** @import { Severity } from "../data/types.js" */
/** @import { Strip } from "./strip.js" */
import { hatch } from "../chart/shades.js";
import { thin } from "../frame/theme.js";

/** @type {Severity[]} */
export const LANES = ["critical", "warning", "info"];
export const AXIS_HEIGHT = 15;

/** @param {CanvasRenderingContext2D} pen @param {(ms: number) => number} x @param {number} width @param {Strip} strip */
export function drawStripBack(pen, x, width, strip) {
  const { colours } = strip.page.theme;
  const foot = strip.height - AXIS_HEIGHT;
  const { ticks, step } = strip.clock.ticks(strip.timeline.begin, strip.timeline.end, Math.max(2, width / 80));
  const labels = strip.clock.labels(ticks, step);
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "alphabetic";
  ticks.forEach((tick, k) => {
    const at = Math.round(x(tick)) + 0.5;
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    pen.moveTo(at, 0);
    pen.lineTo(at, foot);
    pen.stroke();
    pen.fillStyle = colours.muted;
    const half = pen.measureText(labels[k]).width / 2;
    if (at - half >= -1 && at + half <= width + 1) pen.fillText(labels[k], at - half, strip.height - 3);
  });
  const pattern = hatch(pen, colours.gap, 1);
  for (const [begin, end] of strip.page.gaps) {
    for (const style of [thin(colours.gap, 0.25), pattern]) {
      pen.fillStyle = style;
      pen.fillRect(x(begin), 0, Math.max(2, x(end) - x(begin)), foot);
    }
  }
}

/** @param {CanvasRenderingContext2D} pen @param {(ms: number) => number} x @param {Strip} strip */
export function drawStripFindings(pen, x, strip) {
  const { colours } = strip.page.theme;
  const height = strip.laneHeight;
  for (const finding of strip.page.findings) {
    const lane = LANES.indexOf(finding.severity);
    pen.fillStyle = colours[finding.severity];
    for (const [begin, end] of finding.spans) pen.fillRect(x(begin), 2 + lane * height + 1, Math.max(2, x(end) - x(begin)), height - 2);
  }
  pen.strokeStyle = pen.fillStyle = colours.mark;
  for (const mark of strip.page.marks) {
    const at = Math.round(x(mark.ms)) + 0.5;
    pen.beginPath();
    pen.moveTo(at, 0);
    pen.lineTo(at, strip.height - AXIS_HEIGHT);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(at, 0);
    pen.lineTo(at + 6, 3.5);
    pen.lineTo(at, 7);
    pen.fill();
  }
}

/** @param {CanvasRenderingContext2D} pen @param {(ms: number) => number} x @param {number} width @param {Strip} strip */
export function drawStripFront(pen, x, width, strip) {
  const { colours } = strip.page.theme;
  const { timeline, held } = strip;
  const height = strip.height - AXIS_HEIGHT;
  const isChoosing = held && held.isDrag && !held.isPan;
  if (timeline.isZoomed || isChoosing) {
    const [from, to] = isChoosing ? [Math.min(held.at, held.now), Math.max(held.at, held.now)] : [timeline.from, timeline.to];
    pen.fillStyle = thin(colours.veil, 0.72);
    pen.fillRect(0, 0, x(from), height);
    pen.fillRect(x(to), 0, width - x(to), height);
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 2;
    pen.strokeRect(x(from), 1, Math.max(2, x(to) - x(from)), height - 2);
    pen.lineWidth = 1;
  }
  if (timeline.cursor !== null) {
    const at = Math.round(x(timeline.cursor)) + 0.5;
    pen.strokeStyle = colours.text;
    pen.beginPath();
    pen.moveTo(at, 0);
    pen.lineTo(at, height);
    pen.stroke();
  }
}
