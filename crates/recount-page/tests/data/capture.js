// A small capture: one object of two instances and two counters over 8 seconds, and one object without instances.

import { Capture } from "../../page/data/capture.js";

export const head = () => ({
  begin_ms: 0, step_ms: 1000, num_buckets: 8, offset_min: 0, zone: "UTC", elapsed: false, hosts: 1,
  objects: [
    { name: "Process", counters: [{ name: "% Processor Time", unit: "%" }, { name: "Handle Count" }], instances: [{ name: "java", id: "17" }, { name: "java", id: "18" }] },
    { name: "Memory", counters: [{ name: "Available Bytes", unit: "bytes" }], instances: [] },
  ],
  series: {
    o: [0, 0, 0, 1], c: [0, 0, 1, 0], i: [0, 1, 0, null], n: [8, 4, 8, 0], x: [0, 4, 0, 0],
    min: [0, 0, 3, null], mean: [50, 20, 3, null], p50: [50, 20, 3, null], p95: [99, 40, 3, null], p99: [99, 40, 3, null], max: [100, 40, 3, null],
    sd: [1, 1, 0, null], first: [0, 0, 3, null], last: [100, 40, 3, null], trend: [0, 0, 0, null],
    lo: [0, 0, 3, 0], hi: [100, 40, 3, 0], at: [0, 24, 32, -1], b: [8, 4, 8, 1], m: [1, 0, 0, 0],
  },
});

export const EMPTY = 65535;
export const TOP = 65534;

export const WORDS = [
  0, 0, 0, 0, EMPTY, 0, 0, 0, TOP, TOP, TOP, TOP, EMPTY, TOP, TOP, 0, TOP / 2, TOP / 2, TOP / 2, TOP / 2, EMPTY, TOP / 2, TOP / 2, 0,
  0, EMPTY, TOP, 0, TOP, EMPTY, TOP, TOP,
  ...Array(16).fill(0),
];

export const capture = () => new Capture(head(), Uint16Array.from(WORDS));
