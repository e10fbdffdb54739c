// Words of a search, and where they stand in a text.
import { make } from "./dom.js";

/** Small letters without accents. @param {string} text */
export const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** A text as it is searched: its letters, and the same where a number stands at the word before it, as in gpt5.
 * @param {string} text @returns {Searched} */
export function searched(text) {
  const low = fold(text);
  return { low, joined: ` ${low.replace(/([a-z])[\s_-]+(?=\d)/g, "$1")}` };
}

/** Whether the text has the term, or begins a word with it. @param {Searched} text @param {string} term */
export const holds = ({ low, joined }, term) => low.includes(term) || joined.includes(` ${term}`);

export const termsOf = (/** @type {string} */ query) => fold(query).split(/\s+/).filter(Boolean);

/** The text in pieces, those that match in <mark>. @param {string} text @param {string} query */
export function marked(text, query) {
  const wanted = termsOf(query);
  if (!wanted.length) return [text];
  const letters = [...text];
  const folded = letters.map(fold);
  const starts = [0];
  for (const part of folded) starts.push(starts[starts.length - 1] + part.length);
  const whole = folded.join("");
  const hit = letters.map(() => false);
  for (const part of wanted) {
    for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
      letters.forEach((_, i) => {
        if (starts[i] < at + part.length && starts[i + 1] > at) hit[i] = true;
      });
    }
  }
  /** @type {{ text: string, hit: boolean }[]} */
  const pieces = [];
  letters.forEach((letter, i) => {
    if (i && hit[i] === hit[i - 1]) pieces[pieces.length - 1].text += letter;
    else pieces.push({ text: letter, hit: hit[i] });
  });
  return pieces.map((piece) => (piece.hit ? make("mark", {}, piece.text) : piece.text));
}
