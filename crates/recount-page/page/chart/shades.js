// Drawings behind and over the lines: gaps, spans of findings, marks.

/** @import { Finding, Mark, Severity, Span } from "../data/types.js" */
/** @import { Colours } from "../frame/theme.js" */
import { thin } from "../frame/theme.js";

/** @type {Severity[]} */
const SEVERITIES = ["info", "warning", "critical"];

/** @param {HTMLCanvasElement} canvas */
export function penOf(canvas) {
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser can't draw");
  return pen;
}

/** @param {CanvasRenderingContext2D} context @param {string} colour @param {number} scale */
export function hatch(context, colour, scale) {
  const size = 6 * scale * devicePixelRatio;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const pen = penOf(tile);
  pen.strokeStyle = colour;
  pen.lineWidth = size / 6;
  pen.beginPath();
  for (const shift of [-size, 0, size]) {
    pen.moveTo(shift, size);
    pen.lineTo(shift + size, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat") || colour;
}

// Cut to the plot; at least two pixels of every span are seen. All spans are one shape, so that overlaps aren't darker.
/** @param {uPlot} plot @param {Span[]} spans @param {string | CanvasPattern} fillStyle */
function shadeSpans(plot, spans, fillStyle, height = plot.bbox.height) {
  const { ctx, bbox } = plot;
  ctx.beginPath();
  for (const [begin, end] of spans) {
    const left = plot.valToPos(begin, "x", true);
    const right = Math.max(plot.valToPos(end, "x", true), left + 2 * devicePixelRatio);
    const from = Math.max(left, bbox.left);
    const to = Math.min(right, bbox.left + bbox.width);
    if (to > from) ctx.rect(from, bbox.top, to - from, height);
  }
  ctx.fillStyle = fillStyle;
  ctx.fill();
}

/** @param {uPlot} plot @param {Colours} colours @param {Span[]} gaps @param {Finding[]} findings @param {number} scale */
export function drawBehind(plot, colours, gaps, findings, scale) {
  const { ctx } = plot;
  ctx.save();
  if (gaps.length) {
    shadeSpans(plot, gaps, thin(colours.gap, 0.25));
    shadeSpans(plot, gaps, hatch(ctx, colours.gap, scale));
  }
  for (const severity of SEVERITIES) {
    const spans = findings.filter((finding) => finding.severity === severity).flatMap((finding) => finding.spans);
    shadeSpans(plot, spans, thin(colours[severity], 0.13));
    shadeSpans(plot, spans, colours[severity], 3 * scale * devicePixelRatio);
  }
  ctx.restore();
}

/** @param {uPlot} plot @param {Colours} colours @param {Mark[]} marks @param {number} scale */
export function drawMarks(plot, colours, marks, scale) {
  const { ctx, bbox } = plot;
  const pixel = devicePixelRatio * scale;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  ctx.font = `${10 * pixel}px system-ui, sans-serif`;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  ctx.direction = "ltr";
  let free = -Infinity;
  for (const mark of [...marks].sort((a, b) => a.ms - b.ms)) {
    const at = Math.round(plot.valToPos(mark.ms, "x", true)) + 0.5;
    if (at < bbox.left || at > bbox.left + bbox.width) continue;
    ctx.strokeStyle = colours.mark;
    ctx.lineWidth = pixel;
    ctx.setLineDash([3 * pixel, 2 * pixel]);
    ctx.beginPath();
    ctx.moveTo(at, bbox.top - 2 * pixel);
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
    if (at < free) continue;
    const text = cutToWidth(ctx, mark.text, Math.min(110 * pixel, bbox.left + bbox.width - at));
    if (!text) continue;
    ctx.fillStyle = colours.mark;
    ctx.fillText(text, at, bbox.top - 2 * pixel);
    free = at + ctx.measureText(text).width + 8 * pixel;
  }
  ctx.restore();
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
function cutToWidth(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text.slice(0, 60)];
  while (letters.length && context.measureText(`${letters.join("")}\u2026`).width > width) letters.pop();
  return letters.length > 2 ? `${letters.join("")}\u2026` : "";
}
