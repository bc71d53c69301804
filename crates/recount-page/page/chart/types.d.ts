import type { Finding, Mark, Points, Provider, SeriesRef, Span } from "../data/types.js";
import type { Colours, Theme } from "../frame/theme.js";
import type { Clock } from "../time/clock.js";
import type { Timeline } from "../time/timeline.js";
import type { Chart } from "./chart.js";
import type { Charts } from "./charts.js";

/** What the charts of a page share. */
export interface ChartPage {
  clock: Clock; timeline: Timeline; theme: Theme; charts: Charts; provider: Provider;
  /** Looked at whenever a chart is drawn. */
  gaps: Span[]; marks: Mark[];
  /** Told when there is no answer about points. What is drawn stays. */
  fail?: (error: Error) => void;
}

/** A series in a chart. */
export interface Line {
  series: SeriesRef;
  /** In full, for who wants to know. */
  name: string;
  /** What tells it from the chart's other lines. */
  label: string;
  /** Index of a colour of the style sheet. */
  colour: number | "base";
  dash: number[] | null;
  unit: string;
  isHidden?: boolean;
}

/** What may change while a chart is there. */
export interface ChartContent {
  lines: Line[];
  title: string;
  /** Those whose spans are shaded. */
  findings?: Finding[];
  /** Means on top of each other, per unit. A stack is never logarithmic: its heights would not add up. */
  isStacked?: boolean;
  isLogarithmic?: boolean;
}

export interface ChartSpec extends ChartContent {
  /** Of the plot, in pixels. */
  height?: number;
  /** Whether the wheel zooms by itself. Else it takes Ctrl, so that the wheel alone scrolls the page. */
  wheelZooms?: boolean;
  /** A click at a time, or Enter at the cursor. */
  onPress?: (chart: Chart, ms: number) => void;
  /** A drag. true: it was for you, and doesn't zoom. */
  onSpan?: (chart: Chart, from: number, to: number, isShift: boolean) => boolean;
  /** The plot is there, or has another place: what lies over it follows. */
  onPlaced?: () => void;
}

/** A value axis of a chart: the first is at the left, the second at the right. */
export interface ValueAxis { key: "y" | "y2"; unit: string }

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
  /** Stacked: what it stands on. */
  below: number | null;
}

/** Size and colours of a drawing. */
export interface Look { width: number; height: number; scale: number; colours: Colours }
