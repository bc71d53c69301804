// What is shown hangs on the fragment, so that every state has an address, also for a file, and back and forward work:
//   #finding-3, #health ...            a place of the report
//   #object-process?q=java&sort=-mean  the table of an object's series, its filter, order, page and opened charts
//   #all-series?...                    the same of all series

const LISTS = new Set(["s"]);

function parseFragment(hash) {
  const [name, query] = hash.replace(/^#/, "").split("?", 2);
  const state = {};
  for (const [key, value] of new URLSearchParams(query || "")) {
    if (LISTS.has(key)) state[key] = value.split(".").map(Number).filter((k) => Number.isInteger(k) && k >= 0);
    else if (key === "page") state.page = Math.max(0, Math.floor(Number(value) - 1) || 0);
    else if (["q", "sort", "counter", "verdict"].includes(key)) state[key] = value;
  }
  return { name, state };
}

function fragmentOf(name, state) {
  const query = new URLSearchParams();
  for (const key of ["q", "sort", "counter", "verdict"]) if (state[key]) query.set(key, state[key]);
  if (state.page) query.set("page", state.page + 1);
  if (state.s && state.s.length) query.set("s", state.s.join("."));
  return `#${name}${String(query) ? `?${query}` : ""}`;
}

class Routes {
  constructor(page) {
    this.page = page;
    this.report = find("#view-report");
    this.view = find("#view-series");
    this.objects = new Map(findAll("a[data-object]").map((link) => [link.getAttribute("href").slice(1), Number(link.dataset.object)]));
    this.title = document.title;
    addEventListener("hashchange", () => this.follow());
    // A click on the address one is at tells no change, but shall go there again.
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#']");
      if (link && link.getAttribute("href") === location.hash) this.follow();
    });
    this.follow(true);
  }

  follow(isFirst) {
    const { name, state } = parseFragment(location.hash);
    if (name === "main") return find("#main").focus();
    if (name === "all-series") return this.showSeries(name, null, state);
    if (this.objects.has(name)) return this.showSeries(name, this.objects.get(name), state);
    this.showReport();
    if (this.page.pairs && (!this.sheet || name === "changes")) this.showPairs(state);
    return this.goTo(name, isFirst);
  }

  showReport() {
    if (this.series) this.series.close();
    this.series = null;
    this.view.hidden = true;
    this.view.replaceChildren();
    this.report.hidden = false;
    document.title = this.title;
    this.current("");
  }

  goTo(name, isFirst) {
    const target = name ? document.getElementById(name) : null;
    if (!target || !this.report.contains(target)) return isFirst ? undefined : scrollTo(0, this.left || 0);
    if (target.hidden) find("#finding-sieve").clear();
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    this.current(`#${name}`);
    if (target.matches("#start")) return scrollTo(0, 0);
    target.scrollIntoView();
    const heading = find("h2, h3", target) || target;
    heading.setAttribute("tabindex", "-1");
    return isFirst ? undefined : heading.focus({ preventScroll: true });
  }

  showSeries(name, index, state) {
    // Where the report was left, for the way back.
    if (!this.series) this.left = scrollY;
    if (this.series) this.series.close();
    state.s = (state.s || []).filter((s) => s < this.page.capture.numSeries && (index === null || this.page.capture.columns.o[s] === index));
    this.series = new SeriesView(this.page, index, state, (now) => this.keep(name, now));
    this.report.hidden = true;
    this.view.replaceChildren(this.series.node);
    this.view.hidden = false;
    scrollTo(0, 0);
    const heading = find("#object-title");
    document.title = `${heading.textContent} - ${this.title}`;
    heading.focus({ preventScroll: true });
    this.current(index === null ? "#all-series" : "#objects");
  }

  showPairs(state) {
    if (this.sheet) this.sheet.close();
    state.s = (state.s || []).filter((p) => p < this.page.pairs.columns.v.length);
    if (state.sort === undefined) state.sort = "verdict";
    this.sheet = this.page.pairs.sheet(state, (now) => this.keep("changes", now));
    find("#pairs").replaceChildren(this.sheet.node);
  }

  // Replaced, not pushed: back leaves the table instead of undoing letters of the filter.
  keep(name, state) {
    try { history.replaceState(null, "", fragmentOf(name, state)); } catch { /* some browsers forbid it for files: then the address stays */ }
  }

  current(href) {
    for (const link of findAll(".places a")) {
      if (link.getAttribute("href") === href) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}
