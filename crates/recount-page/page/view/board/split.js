// A sum into its parts: the instances of the counters that a chart shows.

/** @import { Screen } from "../screen.js" */
import { isSum } from "../panel/suspects.js";
import { MAX_LINES } from "../state/board.js";

const MOST_PARTS = 10;

/**
 * In place of each counter, those of its instances that had most of it in the window.
 * @param {Screen} screen @param {number} id
 */
export async function splitPerInstance(screen, id) {
  const chart = screen.board.chart(id);
  if (!chart) return;
  const { from, to } = screen.timeline;
  /** @type {Map<string, {side: number, object: string, counter: string}>} */
  const wanted = new Map();
  const whole = [];
  for (const { side, path } of chart.series) {
    const { object, counter, instance } = screen.catalogue.about(side, path);
    if (instance === "") whole.push({ side, path });
    else wanted.set(JSON.stringify([side, object, counter]), { side, object, counter });
  }
  try {
    const answers = await Promise.all([...wanted.values()].map(async (asked) => {
      const { rows } = await screen.client.post("top", { ...asked, from, to, limit: MOST_PARTS + 4 });
      return rows.filter((/** @type {{instance: string}} */ row) => !isSum(row.instance)).slice(0, MOST_PARTS)
        .map((/** @type {{path: string}} */ row) => ({ side: asked.side, path: screen.catalogue.spelled(asked.side, row.path) }));
    }));
    screen.board.change(id, { series: [...whole, ...answers.flat()].slice(0, MAX_LINES) });
  } catch (error) {
    screen.notices.fail(/** @type {Error} */ (error));
  }
}

/**
 * A chart for each series in place of one for all; the same series of two captures stay together.
 * @param {Screen} screen @param {number} id
 */
export function oneChartPerLine(screen, id) {
  const { board, catalogue } = screen;
  const at = board.charts.findIndex((chart) => chart.id === id);
  if (at < 0) return;
  const { stacked, logarithmic, series } = board.charts[at];
  /** @type {Map<string, import("../state/address.js").SeriesName[]>} */
  const groups = new Map();
  for (const one of series) {
    const { object, instance, counter } = catalogue.about(one.side, one.path);
    const key = JSON.stringify([object, instance, counter]);
    groups.set(key, [...(groups.get(key) || []), one]);
  }
  const states = board.states();
  states.splice(at, 1, ...[...groups.values()].map((group) => ({ title: "", series: group, stacked, logarithmic, wide: false })));
  board.set(states);
}
