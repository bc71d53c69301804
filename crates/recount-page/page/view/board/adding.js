// Series that are added: to a chart that takes them, or to a new one.

/** @import { Screen } from "../screen.js" */
/** @import { SeriesName } from "../state/address.js" */
import { refusal } from "../../chart/units.js";
import { speak } from "../../text/elements.js";

/** @param {Screen} screen @param {SeriesName[]} series @param {number | null} id of the chart; null: a new one */
export function addTo(screen, series, id) {
  if (!series.length) return;
  const { board, boardView, catalogue, notices } = screen;
  const chart = board.chart(id);
  const refused = chart ? refusal(boardView.contentOf(chart).lines, catalogue.about(series[0].side, series[0].path).unit) : "";
  if (refused) notices.tell(`${refused} It has a new chart.`);
  if (!chart || refused) {
    const added = board.addChart({ series });
    boardView.reveal(added.id);
    speak(`New chart: ${screen.titleOf(added)}`);
    return;
  }
  const why = board.addSeries(chart.id, series);
  if (why) notices.tell(why);
  else speak(`Added to ${screen.titleOf(chart)}: ${series[0].path}`);
  boardView.reveal(chart.id);
}

/**
 * The chart to which a panel adds a series: the selected one, else one with the same counter, else a new one.
 * @param {Screen} screen @param {string} path
 */
export function targetOf(screen, path) {
  const { board, catalogue } = screen;
  if (board.selected !== null) return board.selected;
  const { object, counter } = catalogue.about(0, path);
  const same = board.charts.find(({ series }) => series.length > 0 && series.every((one) => {
    const about = catalogue.about(one.side, one.path);
    return about.object === object && about.counter === counter;
  }));
  return same ? same.id : null;
}
