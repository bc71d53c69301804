// Light, dark or the system's theme; and the colours of the style sheet for drawing on a canvas.

const THEMES = ["system", "light", "dark"];
const KEY_THEME = "recount-theme";

/** @typedef {ReturnType<Theme["read"]>} Colours */

export class Theme {
  constructor() {
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {string} */
    this.choice = this.remembered();
    this.isPrinting = false;
    this.colours = this.read();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.apply());
    this.apply();
  }

  // Storage may be forbidden, as for files in some browsers; then the choice lasts as long as the page.
  /** @returns {string} */
  remembered() {
    try {
      const kept = localStorage.getItem(KEY_THEME);
      return kept !== null && THEMES.includes(kept) ? kept : "system";
    } catch { return "system"; }
  }

  /** @param {string} choice */
  choose(choice) {
    this.choice = choice;
    try { localStorage.setItem(KEY_THEME, choice); } catch { /* see remembered() */ }
    this.apply();
  }

  // Paper is white, whatever the screen is.
  /** @param {boolean} isPrinting */
  print(isPrinting) {
    this.isPrinting = isPrinting;
    this.apply();
  }

  apply() {
    const root = document.documentElement;
    const choice = this.isPrinting ? "light" : this.choice;
    if (choice === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", choice);
    this.colours = this.read();
    for (const listen of this.listeners) listen();
  }

  read() {
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const of = (name) => style.getPropertyValue(name).trim();
    return {
      text: of("--text"), muted: of("--muted"), grid: of("--grid"), line: of("--line"), accent: of("--accent"), panel: of("--panel"),
      gap: of("--gap"), mark: of("--mark"), base: of("--base"), veil: of("--veil"),
      critical: of("--critical"), warning: of("--warning"), info: of("--info"),
      series: Array.from({ length: 8 }, (_, k) => of(`--series-${k + 1}`)),
    };
  }

  /** @param {HTMLElement} node */
  control(node) {
    const show = () => { node.textContent = `Theme: ${this.choice}`; };
    node.addEventListener("click", () => {
      this.choose(THEMES[(THEMES.indexOf(this.choice) + 1) % THEMES.length]);
      show();
    });
    show();
    node.hidden = false;
  }
}

// A colour with transparency, from the #rrggbb of the style sheet.
/** @param {string} colour @param {number} share */
export const thin = (colour, share) => `${colour}${Math.round(share * 255).toString(16).padStart(2, "0")}`;
