// What the explorer and the SQL page share: elements, scripts that are loaded later, numbers and words as texts.
"use strict";
window.traincompute ??= {};
{
  const WORDS = { third_party: "third party", imputed: "our estimate", corrected: "our correction" };

  /** Loads a script of the site once, such as data/more.js. */
  const loading = new Map();
  function load(path) {
    if (!loading.has(path)) {
      loading.set(path, new Promise((resolve, reject) => {
        const script = Object.assign(document.createElement("script"), { src: path, onload: resolve });
        script.onerror = () => reject(new Error(`Could not load ${path}. Is the site folder complete?`));
        document.head.append(script);
      }));
    }
    return loading.get(path);
  }

  const flag = (value) => (value === null || value === undefined ? "unknown" : value ? "yes" : "no");
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const power = (exponent) => `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) =>
    SUPERSCRIPT[digit]).join("")}`;
  /** 3.14e23, 175B, 1,240. */
  function human(value, digits = 3) {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    const rounded = Number(value.toPrecision(digits));
    if (size >= 1e15 || (size < 1e-3 && size > 0)) return rounded.toExponential().replace("e+", "e");
    const units = [[1e12, "T"], [1e9, "B"], [1e6, "M"]];
    const [unit, letter] = units.find(([least]) => Math.abs(rounded) >= least) ?? [1, ""];
    return `${Number((value / unit).toPrecision(digits)).toLocaleString("en-US")}${letter}`;
  }
  const iso = (date) => (date ? date.toISOString().slice(0, 10) : "");
  const say = (word) => WORDS[word] ?? String(word).replaceAll("_", " ");
  /** A cell of any column as a text. */
  const cellText = (value) =>
    value instanceof Date ? iso(value)
      : Array.isArray(value) ? value.map(say).join(", ")
      : typeof value === "number" ? human(value)
      : value === null || value === undefined ? "" : say(typeof value === "boolean" ? flag(value) : value);
  /** An element with properties, attributes (in `data-` or `aria-`) and children. */
  function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (/^(aria|data)-|^role$|^for$/.test(name)) element.setAttribute(name, value);
      else element[name] = value;
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }
  const find = (selector) => document.querySelector(selector);
  /** Saves a text or blob as a file. */
  function save(content, name, type) {
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    make("a", { href: URL.createObjectURL(blob), download: name }).click();
  }
  /** Copies a text and says so in #toast. */
  async function tell(text) {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(); // pages without https may not
    const isCopied = await copied.then(() => true, () => false);
    find("#toast").textContent = `${isCopied ? "Copied: " : ""}${text}`;
    setTimeout(() => { find("#toast").textContent = ""; }, 5000);
  }

  Object.assign(traincompute, { cellText, find, flag, human, iso, load, make, power, save, say, tell });
}
