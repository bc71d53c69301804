// Puts the parts together. The page reads well before this runs, and stays as it is if the data can't be read.

class Page {
  constructor(theme, capture) {
    Object.assign(this, { theme, capture });
    this.clock = new Clock(capture.head);
    this.timeline = new Timeline(capture);
    this.charts = new Charts(this);
    this.strip = new Strip(this);
    wireSpans(this);
    wireFindingSieve();
    for (const host of findAll(".plot[data-series]")) this.placedChart(host);
    if (capture.head.pairs) wirePairs(this);
    this.routes = new Routes(this);
    this.paper = new Paper(this);
    find("#keys").hidden = false;
  }

  placedChart(host) {
    const indices = host.dataset.series.trim().split(/\s+/).filter(Boolean).map(Number).filter((s) => s < this.capture.numSeries);
    if (!indices.length) return;
    const own = host.dataset.finding === undefined ? undefined : [this.capture.head.findings[Number(host.dataset.finding)]];
    this.seriesChart(host, indices, { title: host.dataset.title, unit: host.dataset.unit, findings: own, height: own ? 150 : 170 });
  }

  // Spans of findings about a series are shaded in every chart of it.
  seriesChart(host, indices, spec) {
    const about = (this.capture.head.findings || []).filter((finding) => indices.includes(finding.series));
    return new Chart(this, host, { ...spec, lines: linesOf(this.capture, indices, spec.unit), findings: spec.findings || about });
  }
}

async function start() {
  const theme = new Theme();
  theme.control(find("#theme"));
  try {
    const page = new Page(theme, await openBlob());
    document.documentElement.setAttribute("data-ready", String(page.capture.numSeries));
  } catch (error) {
    const notice = find("#notice");
    notice.textContent = `No charts and no tables of series: ${error.message}. What was found stands below.`;
    notice.hidden = false;
    document.documentElement.setAttribute("data-ready", "failed");
    console.error(error);
  }
}

start();
