// Making elements. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; an attribute that is a function is an event listener. */
export const h = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

export const $ = (id) => document.getElementById(id);

let hiding;
/** Say something for a few seconds. */
export function toast(text) {
  const box = $("toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { box.hidden = true; }, 6000);
}

/** Tell a screen reader. */
export function announce(text) {
  $("announcer").textContent = text;
}

export const NAMES = ["Yellow", "Red"];

/** A file the person chooses, as text; at most `most` bytes. */
export async function readFile(input, most) {
  const file = input.files[0];
  input.value = "";
  if (!file) return null;
  if (file.size > most) throw new Error(`${file.name} is too large`);
  return { name: file.name, text: await file.text() };
}
