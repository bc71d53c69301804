// Findings by severity and group, and buttons that show a span or a moment in all charts.

/** @import { Timeline } from "../time/timeline.js" */
import { element, find, findAll } from "../text/elements.js";
import { NAME_ORDER } from "../text/order.js";

/** @param {Timeline} timeline */
export function wireSpans(timeline) {
  for (const node of findAll("button.span")) {
    const { begin, end, at } = node.dataset;
    node.title = "Show this time in all charts";
    node.addEventListener("click", () => {
      if (at === undefined) return timeline.showSpan(Number(begin), Number(end));
      const whole = timeline.end - timeline.begin;
      timeline.show(Number(at) - whole / 20, Number(at) + whole / 20);
      return timeline.point(Number(at));
    });
  }
}

export function wireFindingSieve() {
  const sieve = find("#finding-sieve");
  const articles = findAll("article.finding");
  if (!sieve || articles.length < 2) return;
  const groups = [...new Set(articles.map((article) => article.dataset.group))].filter(Boolean).sort(NAME_ORDER.compare);
  const told = element("span", { class: "told muted", role: "status" });
  const severity = element("select", { "aria-label": "Severity" },
    [["", "All severities"], ["critical", "Critical"], ["warning", "Warning"], ["info", "Info"]].map(([value, text]) => element("option", { value }, text)));
  const group = element("select", { "aria-label": "Group" }, element("option", { value: "" }, "All groups"), groups.map((name) => element("option", { value: name, dir: "auto" }, name)));
  const sift = () => {
    let num = 0;
    for (const article of articles) {
      const isIn = (!severity.value || article.dataset.severity === severity.value) && (!group.value || article.dataset.group === group.value);
      article.hidden = !isIn;
      num += Number(isIn);
    }
    told.textContent = num === articles.length ? "" : `${num} of ${articles.length}`;
  };
  for (const select of [severity, group]) select.addEventListener("change", sift);
  sieve.append(severity, group, told);
  sieve.hidden = false;
  sieve.clear = () => { severity.value = group.value = ""; sift(); };
}
