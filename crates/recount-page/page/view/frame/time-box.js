// The box in the strip in which times are typed: a span becomes the window, a single time is pinned.

/** @import { Screen } from "../screen.js" */
import { exampleTimes } from "../state/example-times.js";
import { parseSpan, TimeError } from "../state/typed-time.js";
import { element, find } from "../../text/elements.js";

/** @param {Screen} screen */
export function wireTimeBox(screen) {
  const { timeline } = screen;
  const box = element("input", { type: "text", id: "time-box", class: "time-box", "aria-label": "Go to a time or a span", spellcheck: "false", autocomplete: "off", "aria-describedby": "time-box-wrong" });
  const hint = () => {
    const examples = exampleTimes(screen.frame(), screen.clock);
    box.placeholder = examples.short;
    box.title = examples.all.join(" \u00b7 ");
  };
  hint();
  box.addEventListener("focus", hint);
  const wrong = element("span", { class: "wrong", id: "time-box-wrong", role: "status" });
  const form = element("form", { class: "go" }, box, wrong);
  const tell = (/** @type {string} */ text) => {
    wrong.textContent = text;
    if (text) box.setAttribute("aria-invalid", "true");
    else box.removeAttribute("aria-invalid");
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value.trim() === "") return;
    try {
      const found = parseSpan(box.value, { ...screen.frame(), near_ms: (timeline.from + timeline.to) / 2 });
      go(screen, found);
      tell("");
    } catch (error) {
      if (!(error instanceof TimeError)) throw error;
      tell(error.message);
    }
  });
  box.addEventListener("input", () => tell(""));
  // Clear the box when the span in it is no longer shown.
  timeline.windowListeners.add(() => {
    if (timeline.isZoomed || document.activeElement === box) return;
    box.value = "";
    tell("");
  });
  const bar = find("#strip .bar");
  bar.insertBefore(form, find(".tools", bar));
}

/** @param {Screen} screen @param {{from: number, to: number} | {at: number}} found */
function go(screen, found) {
  const { timeline } = screen;
  const isIn = (/** @type {number} */ ms) => ms >= timeline.begin && ms <= timeline.end;
  if ("from" in found) {
    if (found.to <= timeline.begin || found.from >= timeline.end) throw new TimeError("The capture has nothing in that span.");
    timeline.show(Math.max(found.from, timeline.begin), Math.min(found.to, timeline.end));
    return;
  }
  if (!isIn(found.at)) throw new TimeError(`That is not between ${screen.clock.full(timeline.begin, timeline.begin, timeline.end)} and ${screen.clock.full(timeline.end, timeline.begin, timeline.end)}.`);
  if (found.at < timeline.from || found.at > timeline.to) timeline.show(found.at - timeline.length / 2, found.at + timeline.length / 2);
  screen.focus.pin(found.at);
}
