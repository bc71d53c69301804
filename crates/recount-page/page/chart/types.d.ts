import type { Capture } from "../data/capture.js";
import type { Finding, Points } from "../data/types.js";
import type { Theme } from "../frame/theme.js";
import type { Clock } from "../time/clock.js";
import type { Timeline } from "../time/timeline.js";
import type { Charts } from "./charts.js";

/** What the charts of a page share. */
export interface ChartPage { capture: Capture; clock: Clock; timeline: Timeline; theme: Theme; charts: Charts }

/** A series in a chart. */
export interface Line {
  /** Index of the series. */
  s: number;
  label: string;
  /** Index of a colour of the style sheet. */
  colour: number | "base";
  dash: number[] | null;
  unit: string;
  isHidden?: boolean;
  /** Once it is drawn. */
  points?: Points | null;
  /** Indices of its columns in the chart library. */
  plotted?: number[];
}

export interface ChartSpec {
  lines: Line[];
  title: string;
  /** Wins over that of the lines. */
  unit?: string;
  /** Of the plot, in pixels. */
  height?: number;
  /** Those whose spans are shaded. */
  findings?: Finding[];
}

/** The edges of a line's band, as columns of the chart library. */
export interface Band { line: Line; series: [number, number] }

/** Size and colours of a drawing. */
export interface Look { width: number; height: number; scale: number; colours: import("../frame/theme.js").Colours }
