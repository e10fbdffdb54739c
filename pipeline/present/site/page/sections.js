// The sections of the docs, and which of them are about the words of a search.
import { make } from "./dom.js";
import { unpacked } from "./parts.js";
import { fold } from "./words.js";

/** @type {Section[] | null} */
let sections = null;
let whenThere = () => {};

/** @param {string} base64 */
export async function receiveSearch(base64) {
  /** @type {[string, string, string, string, string][]} */
  const entries = await unpacked(base64);
  sections = entries.map(([page, title, anchor, heading, text]) => (
    { address: `${page}#${anchor}`, title, heading, text, high: fold(`${title} ${heading}`), low: fold(text),
      headWords: words(`${title} ${heading}`), textWords: words(text) }
  ));
  whenThere();
}

/** Loads them from that script, once; `then` is called as soon as they are there.
 * @param {string} src @param {() => void} then */
export function loadSections(src, then) {
  whenThere = then;
  if (!document.getElementById("search-index")) document.head.append(make("script", { id: "search-index", src }));
}

/** The words of a text with one blank before each. @param {string} text */
const words = (text) => ` ${fold(text).replace(/[^\p{L}\p{N}]+/gu, " ").trim()}`;

/** The sections in which every term occurs, those that are about them first; null before they are there.
 * @param {string[]} terms */
export function sectionsAbout(terms) {
  const starts = terms.map(words);
  const phrase = words(terms.join(" "));
  const rank = (/** @type {Section} */ { headWords, textWords, heading }) =>
    starts.reduce((sum, start) => sum + (headWords.includes(start) ? 4 : 0) + (textWords.includes(start) ? 1 : 0), 0)
    + (words(heading) === phrase ? 8 : 0) + (textWords.includes(phrase) ? 8 : 0);
  const all = sections?.filter(({ high, low }) => terms.every((term) => high.includes(term) || low.includes(term)));
  return all?.map((section) => ({ section, at: rank(section) })).sort((a, b) => b.at - a.at).map(({ section }) =>
    section
  ) ?? null;
}
