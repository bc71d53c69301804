// Counter paths as PDH writes them: `\\host\object(instance)\counter`.

/**
 * @typedef {object} PathParts
 * @property {string} host "" if the path has none
 * @property {string} object
 * @property {string | null} instance null: the path has no parentheses
 * @property {string} counter
 */

/**
 * @param {string} host
 * @param {string} object
 * @param {string | null} instance
 * @param {string} counter
 */
export const pathOf = (host, object, instance, counter) =>
  `${host === "" ? "" : `\\\\${host}`}\\${object}${instance === null ? "" : `(${instance})`}\\${counter}`;

/**
 * The instance ends at the first `)\` with balanced parentheses, else at the first: names may hold both signs.
 * @param {string} rest behind the opening parenthesis
 */
function endOfInstance(rest) {
  let depth = 1;
  let first = -1;
  for (let at = 0; at < rest.length; at++) {
    if (rest[at] === "(") depth++;
    if (rest[at] !== ")") continue;
    depth--;
    if (rest[at + 1] !== "\\") continue;
    if (depth === 0) return at;
    if (first < 0) first = at;
  }
  return first;
}

/**
 * @param {string} path
 * @returns {PathParts | null} null: it is no path
 */
export function partsOf(path) {
  let [host, rest] = ["", path];
  if (path.startsWith("\\\\")) {
    const end = path.indexOf("\\", 2);
    if (end < 0) return null;
    [host, rest] = [path.slice(2, end), path.slice(end)];
  }
  if (!rest.startsWith("\\")) return null;
  rest = rest.slice(1);
  const [open, backslash] = [rest.indexOf("("), rest.indexOf("\\")];
  if (open >= 0 && (backslash < 0 || open < backslash)) {
    const behind = rest.slice(open + 1);
    const end = endOfInstance(behind);
    if (end < 0) return null;
    return { host, object: rest.slice(0, open), instance: behind.slice(0, end), counter: behind.slice(end + 2) };
  }
  if (backslash < 0) return null;
  return { host, object: rest.slice(0, backslash), instance: null, counter: rest.slice(backslash + 1) };
}

/** @param {string} path */
export function withoutHost(path) {
  const parts = partsOf(path);
  return parts ? pathOf("", parts.object, parts.instance, parts.counter) : path;
}
