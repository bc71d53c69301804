// A table of a panel: a head that sorts, and rows that are replaced as a whole.

import { button, element } from "../../text/elements.js";

/**
 * @typedef {object} GridColumn
 * @property {string} key
 * @property {string | Node} title
 * @property {string} [hint]
 * @property {boolean} [isNumber]
 * @property {boolean} [isSorting]
 */

export class Grid {
  /**
   * @param {string} caption
   * @param {(key: string) => void} onSort
   */
  constructor(caption, onSort) {
    this.onSort = onSort;
    this.head = element("tr", {});
    this.body = element("tbody", {});
    this.table = element("table", { class: "sheet many" }, element("caption", { class: "unseen" }, caption), element("thead", {}, this.head), this.body);
    this.node = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, this.table);
    this.key = "";
  }

  /**
   * @param {GridColumn[]} columns
   * @param {{key: string, isDown: boolean}} sorted
   */
  columns(columns, sorted) {
    const key = JSON.stringify([columns.map(({ key: one }) => one), sorted]);
    if (key === this.key) return;
    this.key = key;
    // A press on a head must not lose the focus.
    const focused = this.head.contains(document.activeElement) ? [...this.head.children].findIndex((cell) => cell.contains(document.activeElement)) : -1;
    this.head.replaceChildren(...columns.map((column) => {
      const cell = element("th", { scope: "col", class: column.isNumber ? "number" : null });
      if (column.isSorting) {
        const press = button("", () => this.onSort(column.key), { title: column.hint || "Sort by this" });
        press.append(column.title);
        cell.append(press);
        if (sorted.key === column.key) cell.setAttribute("aria-sort", sorted.isDown ? "descending" : "ascending");
      } else cell.append(column.title);
      return cell;
    }));
    const again = focused < 0 ? null : this.head.children[focused] && this.head.children[focused].querySelector("button");
    if (again) again.focus();
  }

  /** @param {Node[]} rows @param {string} none what stands in place of no rows */
  rows(rows, none) {
    const focused = this.body.contains(document.activeElement) ? document.activeElement && document.activeElement.getAttribute("data-focus") : null;
    this.body.replaceChildren(...(rows.length ? rows : [element("tr", {}, element("td", { class: "none", colspan: Math.max(1, this.head.children.length) }, none))]));
    if (focused === null) return;
    const again = [...this.body.querySelectorAll("[data-focus]")].find((node) => node.getAttribute("data-focus") === focused);
    if (again instanceof HTMLElement) again.focus();
  }
}
