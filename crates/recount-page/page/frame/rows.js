// Charts in rows: as many as fit beside each other, spread so that no row has a single one next to an empty place.

/** Charts are narrowed to this share, if one would be left alone otherwise. */
const SQUEEZED = 0.75;

/**
 * How many of a number stand in each row.
 * @param {number} num @param {number} most that fit in a row @param {boolean} [isRoomForMore] whether a row may hold one more
 * @returns {number[]}
 */
export function rowsOf(num, most, isRoomForMore = false) {
  const isOneLeft = num > 1 && most > 1 && num % most === 1;
  const numRows = isOneLeft && isRoomForMore ? Math.floor(num / most) : Math.ceil(num / Math.max(1, most));
  return Array.from({ length: numRows }, (_, row) => Math.floor(num / numRows) + Number(row < num % numRows));
}

/** @param {HTMLElement} node a flexible box @param {number} least width of a chart, in pixels */
function spread(node, least) {
  const gap = parseFloat(getComputedStyle(node).columnGap) || 0;
  const most = Math.floor((node.clientWidth + gap) / (least + gap));
  const isRoomForMore = (node.clientWidth + gap) / (most + 1) - gap >= SQUEEZED * least;
  const children = /** @type {HTMLElement[]} */ ([...node.children].filter((child) => child instanceof HTMLElement && !child.classList.contains("unseen")));
  /** @type {HTMLElement[]} */
  let group = [];
  const close = () => {
    const sizes = rowsOf(group.length, most, isRoomForMore);
    let at = 0;
    for (const size of sizes) for (const child of group.slice(at, at += size)) child.style.flexBasis = `calc((100% - ${size - 1} * ${gap}px) / ${size} - 0.1px)`;
    // Paper has two beside each other.
    group.forEach((child, k) => child.classList.toggle("odd-end", k === group.length - 1 && k % 2 === 0));
    group = [];
  };
  for (const child of children) {
    if (!child.matches(".wide, .worst")) { group.push(child); continue; }
    close();
    child.style.flexBasis = "100%";
    child.classList.remove("odd-end");
  }
  close();
}

/**
 * Keeps the charts of a box in even rows; call what it returns when they change.
 * @param {HTMLElement | null} node @param {number} least width of a chart, in rem
 * @returns {() => void}
 */
export function keepRows(node, least) {
  if (!node) return () => {};
  const renew = () => spread(node, least * parseFloat(getComputedStyle(document.documentElement).fontSize));
  new ResizeObserver(renew).observe(node);
  renew();
  return renew;
}
