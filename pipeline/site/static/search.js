// Search for models, organisations, chips and docs, ranked as `traincompute search` ranks. The index is loaded with the
// first keystroke. matching() narrows the explorer to what is typed.
"use strict";
window.traincompute ??= {};
{
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", λ: "lambda", μ: "mu", π: "pi", σ: "sigma",
    ω: "omega" };

  /** The words of a name as names are compared; the SQL macro name_words does the same. */
  function words(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/×/g, "x")
      .replace(/[αβγδλμπσω]/g, (letter) => ` ${GREEK[letter]} `)
      .replace(/[^\p{L}\p{N}.+_]+/gu, " ").replace(/([^ .+_])\+($|[ .+])/g, "$1 plus $2")
      .replace(/\.+([^0-9]|$)/g, " $1").replace(/(^|[^0-9])\.+/g, "$1 ").replace(/[ +_]+/g, " ")
      .replace(/([0-9]) ?(b|m|t)(?:illions?|rillions?|n)?( |$)/g, "$1$2$3")
      .replace(/([^ .\p{N}]{2})v([0-9])/gu, "$1 $2").replace(/\bv ?([0-9])/g, " $1")
      .replace(/([^ .\p{N}]{2})([0-9])/gu, "$1 $2").replace(/\b([0-9]+)\.0( |$)/g, "$1$2").replace(/ +/g, " ").trim();
  }
  const key = (text) => text.replace(/([0-9]) (?=[0-9])/g, "$1_").replaceAll(" ", "");

  /** Whether one letter too many, too few, wrong or exchanged with the next makes the one word of the other. */
  function isNear(a, b) {
    if (/[0-9]/.test(a + b) || Math.abs(a.length - b.length) > 1 || a.length < 4) return false;
    let start = 0;
    while (start < a.length && a[start] === b[start]) start += 1;
    const [restA, restB] = [a.slice(start), b.slice(start)];
    return restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)
      || (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2));
  }

  /** 100: a name; 80: its beginning; 60: all words in a name; 40: with its maker; 20 or 10: one typing error. */
  function score(entry, asked) {
    let best = 0;
    for (const name of entry.names) {
      if (name.key === asked.key) return 100;
      if (name.key.startsWith(asked.key)) best = 80;
      else if (best < 60 && holds(name.words, asked)) best = 60;
    }
    if (best) return best;
    const all = [...entry.names.flatMap((name) => name.words), ...entry.makers];
    if (holds(all, asked)) return 40;
    const isLike = (word, other) => other === word || (other !== undefined && isNear(word, other));
    if (entry.names.some((name) => asked.words.every((word, place) => isLike(word, name.words[place])))) return 20;
    return asked.words.every((word) => all.some((other) => isLike(word, other))) ? 10 : 0;
  }
  /** Whether all words are there; the last may go on, but 3 does not become 32. */
  const holds = (some, asked) =>
    asked.words.every((word, place) => {
      const goesOn = place === asked.words.length - 1 && /[^0-9]$/.test(word);
      return some.some((other) => (goesOn ? other.startsWith(word) : other === word));
    });
  const ask = (text) => {
    const folded = words(text);
    return { key: key(folded), words: folded.split(" ") };
  };
  /** Those of the entries that fit, with their score; with a typing error only where nothing fits without one. */
  function ranked(entries, text) {
    const asked = ask(text);
    if (!asked.key) return [];
    const found = entries.map((one) => [score(one, asked), one]).filter(([points]) => points);
    const sure = found.filter(([points]) => points >= 40);
    return (sure.length ? sure : found).sort((a, b) => b[0] - a[0]);
  }

  let index = null;
  async function loadIndex() {
    await traincompute.load("data/search.js");
    index ??= traincompute.index.map(([name, kind, href, about, others, makers]) => (
      { names: [name, ...others].map(ask), makers: words(makers ?? "").split(" "), name, kind, about, href }
    ));
  }
  /** The likeliest hits: name, kind, about and href. */
  async function search(text, limit = 8) {
    await loadIndex();
    return ranked(index, text).slice(0, limit).map(([, one]) => one);
  }
  /** The models that a text selects, once the index is there. */
  function matching(text) {
    const some = index.filter((one) => one.kind === "model");
    return new Set(ranked(some, text).map(([, one]) => traincompute.modelOf(one)));
  }

  /** The model of the explorer that a hit is. */
  const modelOf = ({ href }) => traincompute.byId.get(href.slice("model/".length, -".html".length));

  Object.assign(traincompute, { loadIndex, matching, modelOf, search });
}
