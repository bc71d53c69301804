// Elements are made here and nowhere else: text comes in as text, so no name of a capture is ever parsed as markup.

/** @typedef {Record<string, string | number | boolean | null | undefined> | null} Attributes */
/** @typedef {Node | string | number | null | undefined} Child */

// Elements of the templates, and those that we created: callers check for those that may be missing.
/** @type {(selector: string, root?: ParentNode) => any} */
export const find = (selector, root = document) => root.querySelector(selector);
/** @type {(selector: string, root?: ParentNode) => any[]} */
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} T
 * @param {T} node @param {Attributes} attributes @param {(Child | Child[])[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(typeof child === "number" ? String(child) : child);
  return node;
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} attributes @param {(Child | Child[])[]} children
 */
export const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} attributes @param {(Child | Child[])[]} children
 */
export const shape = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// A name from the capture: its text direction can't affect its surroundings, and it may be cut off, with the whole name
// in the tooltip.
/** @param {string} text @param {string} [title] */
export const named = (text, title) => element("bdi", { class: "cut", title: visible(title || text) }, visible(text));

// Names often differ at their ends, so it is the middle of a long one that is left out.
/** @param {string} text @param {number} most characters */
export function inMiddle(text, most) {
  const signs = [...text];
  if (signs.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${signs.slice(0, most - 1 - end).join("")}…${signs.slice(signs.length - end).join("")}`;
}

// Control characters, and those that change the direction of the text around them: names are shown as written, without
// such effects.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** @param {string} text */
export const visible = (text) => text.replace(UNSEEN, (sign) => `\\u{${sign.charCodeAt(0).toString(16)}}`);

/** @param {string} text @param {(event: MouseEvent) => void} onClick @param {Attributes} [attributes] */
export function button(text, onClick, attributes) {
  const node = element("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", onClick);
  return node;
}

// Says something to screen readers, once it has settled.
let speaking = 0;
/** @param {string} text */
export function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { find("#spoken").textContent = text; }, 300);
}
