/** What a table shows, and what it is sorted and filtered by. */
export interface SheetState {
  q?: string; sort?: string; page?: number;
  /** Rows that are opened. */
  s?: number[];
  counter?: string; verdict?: string;
}

export interface SheetColumn {
  key: string; title: string; hint?: string;
  /** Numbers are to the right, and the first press sorts the largest to the top. */
  isNumber?: boolean;
  sort?: (row: number) => number | string | null;
  cell: (row: number) => string | Node;
}

/** A choice next to the filter. The value "" means everything. */
export interface Choice {
  key: "counter" | "verdict"; label: string;
  /** Values and their texts. */
  options: string[][];
  test: (row: number, value: string) => boolean;
}

export interface SheetSpec {
  columns: SheetColumn[];
  /** Numbers that mean something to the columns. */
  rows: number[];
  /** The text of a row that the filter searches. */
  words: (row: number) => string;
  /** Fills the place below a pressed row; what it returns is called when that is closed. */
  open: (row: number, host: HTMLElement) => () => void;
  state: SheetState;
  onState: (state: SheetState) => void;
  caption: string; noun: string; placeholder: string;
  rowClass?: (row: number) => string;
  choices?: Choice[];
}
