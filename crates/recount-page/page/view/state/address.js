// The state of the screen, as the fragment of the address: reload, history and links restore it.
//
//   #from=MS&to=MS&at=MS&span=MS..MS&charts=JSON&panel=top&sql=...&place=all-series?q=x

/**
 * @typedef {{side: number, path: string}} SeriesName
 * @typedef {object} ChartState
 * @property {string} title
 * @property {SeriesName[]} series
 * @property {boolean} stacked
 * @property {boolean | null} logarithmic null: if a few values flatten all others
 * @property {boolean} wide
 * @property {string} [unit] of the values, where it is known better than from the counters
 */

/**
 * @typedef {object} ScreenState
 * @property {number | null} from ms; null: from the begin
 * @property {number | null} to
 * @property {number | null} at the time that was pinned
 * @property {{from: number, to: number} | null} span that was chosen without zooming
 * @property {ChartState[] | null} charts null: those of the overview
 * @property {string} panel the key of one, or ""; the dock ignores a key that it does not know
 * @property {string} sql
 * @property {string} place of the report: "findings", "all-series?q=x" or ""
 * @property {Record<string, string>} more choices of the panels, each under its own key
 */

/**
 * A chart with all parts in a fixed order, so that two can be compared as strings.
 * @param {Partial<ChartState>} given
 * @returns {ChartState}
 */
export function chartState({ title = "", series = [], stacked = false, logarithmic = null, wide = false, unit }) {
  return { title, series: series.map(({ side, path }) => ({ side, path })), stacked, logarithmic, wide, ...(unit !== undefined && { unit }) };
}

const MORE_KEYS = ["object", "counter", "sort", "side", "by", "pick"];
const MAX_CHARTS = 100;

/** @param {SeriesName} series */
const packed = ({ side, path }) => (side === 0 ? path : `${side}:${path}`);

/** @param {unknown} text @returns {SeriesName | null} */
function unpacked(text) {
  if (typeof text !== "string") return null;
  const [, side, path] = text.match(/^(?:(\d):)?(\\.*)$/s) || [];
  return path === undefined ? null : { side: Number(side || 0), path };
}

/** @param {ChartState[]} charts */
export const packCharts = (charts) => JSON.stringify(charts.map((chart) => {
  const flags = `${chart.stacked ? "s" : ""}${chart.logarithmic === null ? "" : chart.logarithmic ? "l" : "e"}${chart.wide ? "w" : ""}`;
  return { t: chart.title, s: chart.series.map(packed), ...(flags && { o: flags }), ...(chart.unit && { u: chart.unit }) };
}));

/** @param {string} text @returns {ChartState[] | null} null: it makes no sense */
export function unpackCharts(text) {
  let given;
  try { given = JSON.parse(text); } catch { return null; }
  if (!Array.isArray(given)) return null;
  return given.slice(0, MAX_CHARTS).filter((chart) => chart && Array.isArray(chart.s)).map((chart) => {
    const flags = typeof chart.o === "string" ? chart.o : "";
    const series = chart.s.map(unpacked).filter((/** @type {SeriesName | null} */ one) => one !== null);
    return {
      title: typeof chart.t === "string" ? chart.t : "", series, stacked: flags.includes("s"), logarithmic: flags.includes("l") ? true : flags.includes("e") ? false : null,
      wide: flags.includes("w"), ...(typeof chart.u === "string" && { unit: chart.u }),
    };
  });
}

/** @param {number} ms */
const written = (ms) => String(Math.round(ms * 1000) / 1000);

/** @param {string | undefined} text @returns {{from: number, to: number} | null} */
function spanOf(text) {
  const [, from, to] = (text || "").match(/^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/) || [];
  return to !== undefined && Number(from) < Number(to) ? { from: Number(from), to: Number(to) } : null;
}

/** @param {ScreenState} state */
export function fragmentOfState(state) {
  /** @type {[string, string][]} */
  const parts = [];
  for (const key of /** @type {const} */ (["from", "to", "at"])) {
    const ms = state[key];
    if (ms !== null) parts.push([key, written(ms)]);
  }
  if (state.span) parts.push(["span", `${written(state.span.from)}..${written(state.span.to)}`]);
  if (state.charts) parts.push(["charts", packCharts(state.charts)]);
  if (state.panel) parts.push(["panel", state.panel]);
  for (const key of MORE_KEYS) if (state.more[key]) parts.push([key, state.more[key]]);
  if (state.sql) parts.push(["sql", state.sql]);
  if (state.place) parts.push(["place", state.place]);
  return parts.length ? `#${parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}` : "";
}

/** @param {string} text */
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return ""; }
}

/** @param {string} fragment @returns {ScreenState} */
export function stateOfFragment(fragment) {
  /** @type {Record<string, string>} */
  const found = {};
  const text = fragment.replace(/^#/, "");
  // A place alone, as links within the report have it.
  if (!/^[a-z]+=/.test(text)) found.place = decoded(text);
  else for (const part of text.split("&")) {
    const [key, ...value] = part.split("=");
    found[key] = decoded(value.join("="));
  }
  const ms = (/** @type {string | undefined} */ value) => (value !== undefined && value !== "" && Number.isFinite(Number(value)) ? Number(value) : null);
  return {
    from: ms(found.from), to: ms(found.to), at: ms(found.at), span: spanOf(found.span), charts: found.charts === undefined ? null : unpackCharts(found.charts),
    panel: /^[a-z]+$/.test(found.panel || "") ? found.panel : "", sql: found.sql || "", place: found.place || "",
    more: Object.fromEntries(MORE_KEYS.filter((key) => found[key]).map((key) => [key, found[key]])),
  };
}
