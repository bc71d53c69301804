// How names are sorted: numbers in them by their value, case aside.

export const NAME_ORDER = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
