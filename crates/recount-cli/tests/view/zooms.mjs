// Random windows: what is drawn is exact in each of them.

import { differences, undrawn } from "./points.mjs";
import { withoutHost } from "./oracle.mjs";

// The same windows in every run.
function dice(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export async function zooms({ viewer, oracle, expect, num }) {
  const samples = new Map([...oracle.samples()].map(([path, list]) => [withoutHost(path), list]));
  const all = [...samples.values()][0].map(({ t }) => t);
  const [begin, end] = [all[0], all[all.length - 1]];
  const roll = dice(20261122);
  const seen = { samples: 0, buckets: 0 };
  for (let k = 0; k < num; k++) {
    // From the whole to a few samples, each scale as often.
    const length = (end - begin) * 10 ** (-3.2 * roll());
    const from = begin + roll() * (end - begin - length);
    await viewer.show(from, from + length);
    for (const chart of await viewer.charts()) {
      for (const { points } of chart.lines) seen[points.kind]++;
      const wrong = [...differences(chart, (path) => samples.get(withoutHost(path))), ...undrawn(chart)];
      for (const text of wrong) expect(false, `window ${k} (${from} to ${from + length}), ${chart.title}: ${text}`);
      if (wrong.length) return;
    }
  }
  expect(seen.samples > 0 && seen.buckets > 0, `both samples and buckets have to be seen: ${JSON.stringify(seen)}`);
  console.log(`       ${num} windows, ${seen.buckets} pictures of buckets, ${seen.samples} of samples`);
}
