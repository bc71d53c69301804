// The header and the strip stay at the top; what is next to the charts begins below them, however high they are.

import { find } from "../../text/elements.js";

export function keepTop() {
  const node = find("#stay");
  const tell = () => document.documentElement.style.setProperty("--top", `${Math.round(node.getBoundingClientRect().height)}px`);
  new ResizeObserver(tell).observe(node);
  tell();
}
