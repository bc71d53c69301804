// The header and the strip stay at the top; what is next to the charts begins below them, however high they are. On a narrow
// screen the title scrolls away: the tools and the strip stay.

import { find } from "../../text/elements.js";

export function keepTop() {
  const node = find("#stay");
  const bars = find("#bars");
  const narrow = matchMedia("(max-width: 640px)");
  const tell = () => {
    const away = narrow.matches ? Math.round(bars.getBoundingClientRect().top - node.getBoundingClientRect().top) : 0;
    document.documentElement.style.setProperty("--away", `${away}px`);
    document.documentElement.style.setProperty("--top", `${Math.round(node.getBoundingClientRect().height) - away}px`);
  };
  new ResizeObserver(tell).observe(node);
  narrow.addEventListener("change", tell);
  tell();
}
