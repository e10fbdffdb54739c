// The search box of the docs: every word must stand in a section; sections with a word in the heading come first.
import { find, findAll, findIn, make } from "./dom.js";
import { counted } from "./format.js";
import "./head.js";
import { loadSections, sectionsAbout } from "./sections.js";
import { marked, termsOf } from "./words.js";

const MOST = 12;
const AROUND = 60; // letters before the first word
const form = find("search");
const box = findIn("input", form);
const list = find("found");
/** @param {Section} section @param {string} term */
function excerpt({ text, low }, term) {
  const from = Math.max(0, low.indexOf(term) - AROUND);
  const to = from + 3 * AROUND;
  return (from ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
}

/** @param {Section} section @param {string[]} terms */
function item(section, terms) {
  const { address, title, heading } = section;
  const words = terms.join(" ");
  return make("li", {},
    make("a", { href: address, onclick: () => list.hidden = true },
      ...marked(heading === title ? title : `${title}: ${heading}`, words)),
    make("span", {}, ...marked(excerpt(section, terms[0]), words)));
}

function show() {
  const terms = termsOf(box.value);
  const all = sectionsAbout(terms);
  list.hidden = !all || !terms.length;
  find("found-said").textContent = "";
  if (!all || !terms.length) return;
  list.replaceChildren(...all.slice(0, MOST).map((section) => item(section, terms)));
  find("found-said").textContent = all.length ? counted(all.length, "section") : "nothing found";
}

/** @param {number} by */
function step(by) {
  const links = [...findAll("a", list)];
  const next = links.indexOf(/** @type {HTMLInputElement} */ (document.activeElement)) + by;
  (next < 0 ? box : links[Math.min(next, links.length - 1)] ?? box).focus();
}

form.hidden = false;
box.addEventListener("focus", () => loadSections("search-index.js", show));
box.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
form.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    step(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Escape") {
    box.value = "";
    show();
    box.focus();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !document.activeElement?.matches("input, textarea, select")) {
    event.preventDefault();
    box.focus();
  }
});
