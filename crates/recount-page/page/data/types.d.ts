// The packed data of a page: README.md, "The blob".

export interface Counter { name: string; unit?: string; help?: string }
export interface Instance { name: string; id?: string | null; host?: string | null }
export interface PerfObject { name: string; host?: string; counters: Counter[]; instances: Instance[] }

/** Begin and end, in milliseconds. */
export type Span = [number, number];
/** `change`: it was found, and isn't a mark of the capture. */
export interface Mark { ms: number; text: string; change?: boolean }
export type Severity = "critical" | "warning" | "info";
export interface Finding { series: number | null; severity: Severity; spans: Span[] }

export type Figure = "min" | "mean" | "p50" | "p95" | "p99" | "max" | "sd" | "first" | "last" | "trend";

/** A row per series. */
export interface Columns extends Record<Figure, (number | null)[]> {
  o: number[]; c: number[]; i: (number | null)[];
  n: number[]; x: number[];
  lo: number[]; hi: number[];
  at: number[]; b: number[]; m?: number[]; t?: number[];
}

/** A row per pair. */
export interface PairColumns {
  base: (number | null)[]; new: (number | null)[];
  v: number[]; p: (number | null)[]; e: (number | null)[]; note?: string[];
}

export interface Head {
  begin_ms: number; step_ms: number; num_buckets: number;
  /** Unit of the times of single samples, in ms. */
  tick_ms?: number;
  offset_min: number; zone: string; elapsed: boolean;
  hosts: number;
  objects: PerfObject[];
  series: Columns;
  gaps?: Span[]; marks?: Mark[]; findings?: Finding[];
  pairs?: PairColumns;
}

export type Values = (number | null)[];

/** Lowest, highest and mean value of equal stretches of time, null where there is none. */
export interface Buckets {
  kind: "buckets";
  /** Begin of the first, and length of each, in milliseconds. A bucket has no value of its begin, and those of its end. */
  begin: number; step: number;
  lowest: Values; highest: Values;
  /** null: there are none, and the values between lowest and highest are unknown. */
  means: Values | null;
  /** false: these are coarser than requested, and finer ones can be awaited. */
  isExact: boolean;
  unit?: string;
}

export interface Samples {
  kind: "samples";
  /** Ascending, in milliseconds. */
  times: number[];
  values: Values;
  /** Raw values and their divisors: integers, which may exceed the range of a JavaScript number. */
  raws: (string | null)[] | null; bases: (string | null)[] | null;
  /** Why there is no value, or "". */
  statuses: string[];
  /** The processes that had the name, where several did. */
  ids?: (string | null)[];
  unit?: string;
}

export interface Missing { kind: "missing"; why: string; isFault: boolean }

export type Points = Buckets | Samples | Missing;

/** A series: its index in the packed data, or its path in one of the captures that the server has. */
export type SeriesRef = number | { side: number; path: string };

export interface Question {
  series: SeriesRef[];
  /** The window, in milliseconds, and its width in pixels. */
  from: number; to: number; width: number;
  /** Accept only points as fine as requested. */
  wait: boolean;
}

/** Figures of a series over the whole time. */
export interface Figures { n: number; min: number | null; mean: number | null; max: number | null }

/** Where charts have their points from. */
export interface Provider {
  /** Whether `points` answers immediately, for the whole time, with the same objects for every window. */
  isImmediate: boolean;
  /** Another number: other answers. */
  version: number;
  /** Whether it takes no more requests. */
  isClosed: boolean;
  /** In the order of the question's series. */
  points(question: Question, signal: AbortSignal): Points[] | Promise<Points[]>;
  /** null: not known. */
  figures(series: SeriesRef): Figures | null;
}
