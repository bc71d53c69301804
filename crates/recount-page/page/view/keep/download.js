// Files that the page offers as downloads.

import { element } from "../../text/elements.js";

/** How long the browser may take to read the file. */
const KEPT_MS = 60_000;

/** @param {Blob} blob @param {string} name */
export function saveAs(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
