// Which rows the filters let through, and how many models each choice of a facet would give.
import { available, data, dayNumber, readCell } from "./dataset.js";
import { colourColumn, groupsOf } from "./marks.js";
import { matcher } from "./search.js";

export const NONE = "(none)";

/** The choices of a facet: names, and for every word of the column which choices it stands for.
 * @param {Column} column */
export function choices(column) {
  if (column.choices) return column.choices;
  const words = column.words || [];
  const owner = column.name === "organizations" ? data.parents : {}; // Google stands for its labs, too
  const lists = words.map((word) => [...new Set([word].flat().flatMap((name) => [name, owner[name]]).filter(Boolean))]);
  const names = [...new Set(lists.flat())];
  if (column.values.includes(-1)) names.push(NONE);
  const place = new Map(names.map((name, number) => [name, number]));
  const ofWord = lists.map((list) => list.map((name) => place.get(name) ?? -1));
  return column.choices = { names, place, ofWord };
}

/** One test per filter in use: {facet, isSearch, fails: row → boolean}. @param {State} state */
function tests(state) {
  /** @type {{ fails: (row: Row) => boolean, facet: string | null, isSearch?: boolean }[]} */
  const made = [];
  /** @param {(row: Row) => boolean} fails @param {string | null} [facet] */
  const add = (fails, facet = null) => made.push({ fails, facet });
  if (data.isAbsent) add(data.isAbsent);
  const matches = matcher(state.q);
  if (matches) made.push({ fails: (/** @type {Row} */ row) => !matches(row), facet: null, isSearch: true });
  const dates = data.column.publication_date;
  const first = dayNumber(state.from);
  const last = dayNumber(state.to);
  if (dates && Number.isFinite(first)) add((row) => dates.values[row] === null || dates.values[row] < first);
  if (dates && Number.isFinite(last)) add((row) => dates.values[row] === null || dates.values[row] > last);
  const flop = data.column[data.settings.axes[0].column];
  const [least, most] = [parseNumber(state.least), parseNumber(state.most)];
  if (flop && least !== null) add((row) => flop.values[row] === null || flop.values[row] < least);
  if (flop && most !== null) add((row) => flop.values[row] === null || flop.values[row] >= most);
  for (const [flag, value] of Object.entries(state.flags)) {
    if (value === "yes") add((row) => !flagged(flag, row));
    if (value === "no") add((row) => flagged(flag, row));
  }
  for (const [facet, chosen] of Object.entries(state.facets)) if (chosen.length) add(facetTest(facet, chosen), facet);
  if (state.group) add(groupTest(state));
  return made;
}

/** By the colour that the legend chooses. @param {State} state */
function groupTest(state) {
  const { names, ofRow } = groupsOf(colourColumn(state));
  const chosen = names.indexOf(state.group);
  return (/** @type {Row} */ row) => ofRow[row] !== chosen;
}

/** Whether a model has a flag: a column that is true, or a number that is small enough.
 * @param {string} name @param {Row} row */
export function flagged(name, row) {
  const most = data.settings.flags.find((flag) => flag.column === name)?.most;
  const value = data.column[name].values[row];
  return most === undefined ? value === 1 : value !== null && value <= most;
}

/** @param {string} facet @param {string[]} chosen */
function facetTest(facet, chosen) {
  const column = data.column[facet];
  const { place, ofWord } = choices(column);
  const numbers = new Set(chosen.map((name) => place.get(name)));
  const passes = ofWord.map((list) => list.some((number) => numbers.has(number)));
  const none = chosen.includes(NONE);
  return (/** @type {Row} */ row) => (column.values[row] < 0 ? !none : !passes[column.values[row]]);
}

/** A number as people type it (1e25, 10^25, 1,000), or null. @param {string} text */
export function parseNumber(text) {
  const value = Number(String(text).replaceAll(",", "").replace(/^10\^/, "1e").trim() || NaN);
  return Number.isFinite(value) ? value : null;
}

/** {rows: rows that pass, context: rows that only the search keeps out, counts: facet → number of models per choice
 * with
 * all other filters on} @param {State} state */
export function select(state) {
  const made = tests(state);
  const failures = new Uint8Array(data.rows);
  const failed = new Uint8Array(data.rows);
  made.forEach(({ fails }, number) => {
    for (let row = 0; row < data.rows; row += 1) {
      if (fails(row)) {
        failures[row] += 1;
        failed[row] = number;
      }
    }
  });
  const rows = [];
  const context = [];
  for (let row = 0; row < data.rows; row += 1) {
    if (!failures[row]) rows.push(row);
    else if (failures[row] === 1 && made[failed[row]].isSearch) context.push(row);
  }
  /** @type {Counts} */
  const counts = {};
  for (const { column: name } of available("facets")) {
    const column = data.column[name];
    const { names, place, ofWord } = choices(column);
    const found = new Uint32Array(names.length);
    for (let row = 0; row < data.rows; row += 1) {
      if (failures[row] > 1 || (failures[row] === 1 && made[failed[row]].facet !== name)) continue;
      const word = column.values[row];
      if (word < 0) found[place.get(NONE) ?? -1] += 1;
      else for (const number of ofWord[word]) found[number] += 1;
    }
    counts[name] = found;
  }
  return { rows, context, counts };
}

/** Rows in the order of a column, "-" before its name for the largest first; cells without a value come last.
 * @param {Row[]} rows @param {string} sort */
export function sorted(rows, sort) {
  const down = sort.startsWith("-");
  const column = data.column[sort.replace(/^-/, "")];
  const sign = down ? -1 : 1;
  if (["number", "date", "boolean"].includes(column.kind)) {
    const cells = column.values;
    return [...rows].sort((a, b) =>
      Number(cells[a] === null) - Number(cells[b] === null) || sign * (cells[a] - cells[b]) || a - b
    );
  }
  const places = column.ranks ||= ranksOf(column);
  return [...rows].sort((a, b) =>
    Number(places[a] < 0) - Number(places[b] < 0) || sign * (places[a] - places[b]) || a - b
  );
}

/** The place of every row's text in the alphabet, -1 for none. @param {Column} column */
function ranksOf(column) {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const texts = column.values.map((_, row) => [readCell(column, row)].flat().join(", "));
  const order = new Map([...new Set(texts)].sort(collator.compare).map((text, number) => [text, number]));
  return texts.map((text) => (text ? order.get(text) ?? -1 : -1));
}
