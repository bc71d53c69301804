// What the packed data of a page says: README.md, "The blob".

export interface Counter { name: string; unit?: string; help?: string }
export interface Instance { name: string; id?: string | null; host?: string | null }
export interface PerfObject { name: string; host?: string; counters: Counter[]; instances: Instance[] }

/** Begin and end, in milliseconds. */
export type Span = [number, number];
export interface Mark { ms: number; text: string }
export type Severity = "critical" | "warning" | "info";
export interface Finding { series: number | null; severity: Severity; spans: Span[] }

export type Figure = "min" | "mean" | "p50" | "p95" | "p99" | "max" | "sd" | "first" | "last" | "trend";

/** A row per series. */
export interface Columns extends Record<Figure, (number | null)[]> {
  o: number[]; c: number[]; i: (number | null)[];
  n: number[]; x: number[];
  lo: number[]; hi: number[];
  at: number[]; b: number[]; m?: number[];
}

/** A row per pair. */
export interface PairColumns {
  base: (number | null)[]; new: (number | null)[];
  v: number[]; p: (number | null)[]; e: (number | null)[]; note?: string[];
}

export interface Head {
  begin_ms: number; step_ms: number; num_buckets: number;
  offset_min: number; zone: string; elapsed: boolean;
  hosts: number;
  objects: PerfObject[];
  series: Columns;
  gaps?: Span[]; marks?: Mark[]; findings?: Finding[];
  pairs?: PairColumns;
}

/** Lowest, highest and mean value of each bucket, null where there is none. */
export interface Points { num: number; lowest: (number | null)[]; highest: (number | null)[]; means: (number | null)[] | null }
