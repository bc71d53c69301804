// What the server answers.

import type { SideInfo } from "./data/catalogue.js";
import type { SeriesName } from "./state/address.js";

export interface CaptureAnswer {
  version: number; state: "counting" | "done"; progress: number; growing: boolean; has_sql: boolean;
  inputs: string[]; title: string;
  begin_ms: number; end_ms: number; step_ms: number | null; offset_min: number; zone: string;
  sides: SideInfo[];
  overview: { title: string; unit: string; series: SeriesName[]; note: string | null; wide: boolean }[];
  view: SavedView | null;
}

/** A view file, as the server has read it. */
export interface SavedView { view: { title?: string; begin?: string; end?: string }; chart: SavedChart[] }

export interface SavedChart { title?: string; counters: string[]; stacked?: boolean; logarithmic?: boolean }
