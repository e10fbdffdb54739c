// Elements without markup in strings: texts of sources may hold anything, so every text goes in as text.

const properties = new Set(["className", "hidden", "tabIndex", "type", "value", "checked", "disabled", "id", "href",
  "title", "open"]);

/**
 * make("a", {href, className, "aria-label": …, onclick}, child, "text", …); null children are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} [attributes] @param {...Child} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (properties.has(name)) Object.assign(element, { [name]: value });
    else element.setAttribute(name, value);
  }
  for (const child of children) if (child !== null && child !== undefined && child !== "") element.append(child);
  return element;
}

/**
 * The element of the page with that id.
 * @template {string} Id
 * @param {Id} id
 * @returns {Id extends keyof ElementOf ? ElementOf[Id] : HTMLElement}
 */
export const find = (id) => /** @type {any} */ (document.getElementById(id));

/** Elements with a text between them. @param {Node[]} elements @param {string} [mark] */
export const separated = (elements, mark = ", ") => elements.flatMap((one, number) => (number ? [mark, one] : [one]));

/** A table, its lines below its heads. @param {string} className @param {Node[]} heads @param {Node[]} lines */
export const tableOf = (className, heads, lines) =>
  make("table", { className }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));

export const headsOf = (/** @type {string[]} */ ...texts) => texts.map((text) => make("th", { scope: "col" }, text));

/** A part that scrolls on its own, by keyboard, too.
 * @param {string} className @param {string} label @param {...Node} parts */
export const region = (className, label, ...parts) =>
  make("div", { className, tabIndex: 0, role: "region", "aria-label": label }, ...parts);

/** @param {HTMLCanvasElement} canvas */
export const contextOf = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

/** The element that an event comes from. @param {Event} event */
export const targetOf = (event) => /** @type {HTMLInputElement} */ (event.target);

/** The first element that a selector finds; there must be one. @param {string} selector @param {ParentNode} [within] */
export const findIn = (selector, within = document) => /** @type {HTMLInputElement} */ (within.querySelector(selector));

/** The elements that a selector finds. @param {string} selector @param {ParentNode} [within] */
export const findAll = (selector,
  within = document) => /** @type {NodeListOf<HTMLInputElement>} */ (within.querySelectorAll(selector));

/** A field of a form, by its id. @param {string} id */
export const field = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));

/** Where a reference of a source leads, or null: only web addresses become links.
 * @param {string | null | undefined} reference */
export function webAddress(reference) {
  const text = String(reference || "");
  if (/^https?:\/\//i.test(text)) return text;
  if (/^arxiv:/i.test(text)) return `https://arxiv.org/abs/${encodeURI(text.slice(6))}`;
  if (/^doi:/i.test(text)) return `https://doi.org/${encodeURI(text.slice(4))}`;
  return null;
}

/** @param {string} text @param {string | null | undefined} reference */
export function webLink(text, reference) {
  const address = webAddress(reference);
  return address
    ? make("a", { href: address, rel: "noopener noreferrer", target: "_blank" }, text)
    : document.createTextNode(text);
}

let fading = 0;

/** @param {string} text */
export function toast(text) {
  const box = find("toast");
  box.textContent = text;
  box.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => box.classList.remove("shown"), 2500);
}

/**
 * Runs work and keeps how long it took where tests and the benchmark find it.
 * @template Result
 * @param {string} name @param {() => Result} work
 */
export function timed(name, work) {
  const start = performance.now();
  const result = work();
  const measure = performance.measure(`traincompute ${name}`, { start, end: performance.now() });
  (window.traincomputeTimings[name] ||= []).push(measure.duration);
  return result;
}
