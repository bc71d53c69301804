import type { Finding, Mark, Points, Provider, SeriesRef, Span } from "../data/types.js";
import type { Colours, Theme } from "../frame/theme.js";
import type { Clock } from "../time/clock.js";
import type { Timeline } from "../time/timeline.js";
import type { Chart } from "./chart.js";
import type { Charts } from "./charts.js";

/** State shared by the charts of a page. */
export interface ChartPage {
  clock: Clock; timeline: Timeline; theme: Theme; charts: Charts; provider: Provider;
  /** Looked at whenever a chart is drawn. */
  gaps: Span[]; marks: Mark[];
  /** Called when a request for points fails. The drawing stays as it is. */
  fail?: (error: Error) => void;
}

/** A series in a chart. */
export interface Line {
  series: SeriesRef;
  /** The full name. */
  name: string;
  /** The part of its name that the chart's other lines don't share. */
  label: string;
  /** Index of a colour of the style sheet. */
  colour: number | "base";
  dash: number[] | null;
  unit: string;
  /** In words what 100 % of it is, where that needs saying. */
  hundred?: string;
  /** A difference: the second of two other lines of the chart less the first, by their places. Nothing is asked for it. */
  minus?: [number, number];
  isHidden?: boolean;
}

/** Properties that may change during a chart's life. */
export interface ChartContent {
  lines: Line[];
  title: string;
  /** Those whose spans are shaded. */
  findings?: Finding[];
  /** Means on top of each other, per unit. A stack is never logarithmic: its heights would not add up. */
  isStacked?: boolean;
  /** null: if a few values flatten all others. */
  isLogarithmic?: boolean | null;
}

export interface ChartSpec extends ChartContent {
  /** Of the plot, in pixels. */
  height?: number;
  /** A click at a time, or Enter at the cursor. */
  onPress?: (chart: Chart, ms: number) => void;
  /** A drag. true: it was for you, and doesn't zoom. */
  onSpan?: (chart: Chart, from: number, to: number, isShift: boolean) => boolean;
  /** Called when the plot has been created or moved, so that overlays can follow. */
  onPlaced?: () => void;
}

/** A value axis of a chart: the first is at the left, the second at the right. */
export interface ValueAxis {
  key: "y" | "y2"; unit: string;
  /** What 100 % is, or "". */
  label: string;
}

/** What the pointer stands for: a sample, or a stretch of time, and the middle of it. In ms. */
export interface Stand { at: number; from: number; to: number }

export type Column = (number | null | undefined)[];

/** A line as it is drawn: indices of its columns. */
export interface Drawn {
  line: Line;
  axis: ValueAxis;
  points: Points | null;
  /** dots: single samples; band: lowest, highest, means; edges: lowest and highest, which are the line where they are one. */
  shape: "dots" | "band" | "edges";
  highest: number; lowest: number;
  /** The line itself, where it is not the edges. */
  middle: number | null;
  /** Stacked: the sum below it. */
  below: number | null;
}

/** Size and colours of a drawing. */
export interface Look { width: number; height: number; scale: number; colours: Colours }
