// The server's answers.

import type { SideInfo } from "./data/catalogue.js";
import type { SeriesName } from "./state/address.js";

export interface CaptureAnswer {
  version: number; state: "counting" | "done"; progress: number; growing: boolean; has_sql: boolean;
  inputs: string[]; title: string;
  begin_ms: number; end_ms: number; step_ms: number | null; offset_min: number; zone: string;
  sides: SideInfo[];
  overview: { title: string; unit: string; series: SeriesName[]; note: string | null }[];
  view: SavedView | null;
}

/** A view file on this capture. */
export interface SavedView { from_ms: number | null; to_ms: number | null; error: string | null; charts: SavedChart[] }

export interface SavedChart { title: string; series: SeriesName[]; stacked: boolean; logarithmic: boolean }
