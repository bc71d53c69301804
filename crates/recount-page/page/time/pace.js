// Limits how often actions run, however often they are requested.

/**
 * @template {unknown[]} T
 * @param {number} wait in milliseconds
 * @param {(...given: T) => void} action
 * @returns {(...given: T) => void}
 */
export function debounced(wait, action) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), wait);
  };
}

/**
 * Runs at most once per frame, with the last arguments.
 * @template {unknown[]} T
 * @param {(...given: T) => void} action
 * @returns {(...given: T) => void}
 */
export function perFrame(action) {
  /** @type {T | null} */
  let waiting = null;
  return (...given) => {
    const isAsked = waiting !== null;
    waiting = given;
    if (isAsked) return;
    requestAnimationFrame(() => {
      const last = /** @type {T} */ (waiting);
      waiting = null;
      action(...last);
    });
  };
}
