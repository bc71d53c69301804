// Elements are made here and nowhere else: text comes in as text, so no name of a capture is ever parsed as markup.

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const shape = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// A name of the capture: its direction can't leak into what stands beside it, and it may be cut, with all of it in the tooltip.
const named = (text, title) => element("bdi", { class: "cut", title: title || text }, text);

function button(text, onClick, attributes) {
  const node = element("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", onClick);
  return node;
}

// Says something to screen readers, once it has settled.
let speaking = 0;
function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => { find("#spoken").textContent = text; }, 300);
}

function debounced(wait, action) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), wait);
  };
}

// Runs at most once per frame, with the last arguments.
function perFrame(action) {
  let waiting = false;
  let last = [];
  return (...given) => {
    last = given;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; action(...last); });
  };
}
