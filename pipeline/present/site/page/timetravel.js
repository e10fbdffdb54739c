// The dataset as it stood on the day of an older snapshot: data/vintages.js, read when it is first asked for, says
// which models there were, whether they were notable, their dates and their published compute. Those columns change
// their values; what stands elsewhere is of today.
import { data } from "./dataset.js";
import { digits } from "./format.js";
import { loadPart } from "./parts.js";
import { forgetSearch } from "./search.js";
import { forgetLines } from "./trend.js";

const FLOP = "training_compute_flop";
// of what a span says of a model
const NAME = 0;
const DATE = 1;
const SIZE = 2;
const NOTABLE = 3;
/** @type {Record<string, 0 | 1 | 2 | 3>} */
const CHANGED = { name: NAME, publication_date: DATE, [FLOP]: SIZE, is_notable: NOTABLE };
const UNKNOWN = ["training_compute_low", "training_compute_high", "training_compute_source"];
/** @type {("choices" | "groups" | "ranks" | "ends")[]} */
const DERIVED = ["choices", "groups", "ranks", "ends"];
const LISTED = 100;
const SAME = 0.001; // 3.3500e25 for 3.35e25 is no change
/** @type {{ days: string[], states: Vintage[] } | null} */
let vintages = null;
/** @type {Record<string, Cell[]>} */
let today = {};
let todayRows = 0;
let shown = "";

export const vintageDays = () => (vintages ? vintages.days : []);

// Reads the vintages and appends the models that are gone today; they are absent unless a day has them.
export async function loadVintages() {
  if (vintages) return;
  const part = await loadPart("vintages");
  if (vintages) return;
  vintages = { days: part.days, states: part.days.map(() => new Map()) };
  for (const [row, first, last, ...model] of part.spans) {
    for (let day = first; day <= last; day += 1) vintages.states[day].set(row, model);
  }
  todayRows = data.rows;
  append(part.gone);
  today = Object.fromEntries(
    [...Object.keys(CHANGED), ...UNKNOWN].filter((name) => data.column[name]).map((
      name,
    ) => [name, data.column[name].values]),
  );
  data.isAbsent = (row) => row >= todayRows;
}

/** What was worked out of the values. @param {Column} column */
function forget(column) {
  for (const name of DERIVED) delete column[name];
}

/** @param {Gone} gone */
function append(gone) {
  const number = gone.model_id.length;
  for (const column of data.columns) {
    const cells = gone[column.name];
    column.values = [...column.values,
      ...Array.from({ length: number },
        (_, i) => (column.words ? place(column, cells?.[i]) : cells ? cells[i] : null))];
    forget(column);
  }
  for (const said of Object.values(data.said)) said.values = [...said.values, ...Array(number).fill(-1)];
  data.aliases = [...data.aliases, ...Array(number).fill("")];
  gone.model_id.forEach((id, i) => data.rowOf.set(id, todayRows + i));
  data.column.training_run_id?.values.splice(todayRows, number, ...gone.model_id);
  data.rows += number;
  forgetSearch();
}

/** The number of a word of a column, which gets it where it is new. @param {Column} column @param {Cell} cell */
function place(column, cell) {
  if (!cell) return -1;
  const text = JSON.stringify(cell);
  column.numbers ||= new Map(column.words.map((word, number) => [JSON.stringify(word), number]));
  if (!column.numbers.has(text)) column.numbers.set(text, column.words.push(cell) - 1);
  return column.numbers.get(text);
}

/** Puts the values of a day ("" = today) into the columns. @param {string} day */
export function setDay(day) {
  if (!vintages || day === shown) return;
  shown = day;
  const state = vintages.states[vintages.days.indexOf(day)];
  data.isAbsent = state ? (row) => !state.has(row) : (row) => row >= todayRows;
  for (const [name, values] of Object.entries(today)) {
    const column = data.column[name];
    column.values = state ? valuesOf(name, state) : values;
    forget(column);
  }
  forgetLines();
  forgetSearch();
}

/** @param {string} name @param {Vintage} state */
function valuesOf(name, state) {
  const column = data.column[name];
  const none = column.words ? -1 : null;
  if (!(name in CHANGED)) return Array(data.rows).fill(none);
  const at = CHANGED[name];
  return Array.from({ length: data.rows }, (_, row) => {
    const model = state.get(row);
    if (!model) return name === "name" ? today.name[row] : none;
    return column.kind === "boolean" ? Number(model[at]) : model[at];
  });
}

/** {before, added, removed, changed, notable}: what the day ("" = today) has otherwise than the vintage before it; null
 * for the first.
 * @param {string} day @returns {Changes | null} */
export function changesOf(day) {
  if (!vintages) return null;
  const here = day ? vintages.days.indexOf(day) : vintages.days.length;
  if (here < 1) return null;
  const [old, now] = [vintages.states[here - 1], vintages.states[here] || stateOfToday()];
  const known = new Map([...old, ...now]);
  const size = (/** @type {Row} */ row) => known.get(row)?.[SIZE] ?? -1;
  const rows = [...known.keys()].sort((a, b) => size(b) - size(a) || a - b); // the largest first
  const both = rows.flatMap((row) => {
    const [from, to] = [old.get(row), now.get(row)];
    return from && to ? { row, from, to } : [];
  });
  return {
    before: vintages.days[here - 1],
    name: (row) => known.get(row)?.[NAME] ?? "",
    added: rows.filter((row) => !old.has(row)),
    removed: rows.filter((row) => !now.has(row)),
    changed: both.map(({ row, from, to }) => ({ row, from: from[SIZE], to: to[SIZE] }))
      .filter(({ from, to }) => differ(from, to)),
    notable: both.filter(({ from, to }) => from[NOTABLE] !== to[NOTABLE]).map(({ row, to }) => ({ row,
      to: to[NOTABLE] })
    ),
  };
}

/** Whether two values differ by more than their last digits. @param {number | null} from @param {number | null} to */
function differ(from, to) {
  return from === null || to === null ? from !== to : Math.abs(to / from - 1) > SAME;
}

// Today as the vintages are told: published values only.
function stateOfToday() {
  const source = data.column.training_compute_source;
  const ours = source.words.indexOf("imputed");
  const cells = (/** @type {string} */ name, /** @type {Row} */ row) => today[name][row];
  return new Map(
    Array.from({ length: todayRows },
      (_,
        row) => [row, [cells("name", row), cells("publication_date", row),
        cells("training_compute_source", row) === ours ? null : cells(FLOP, row), cells("is_notable", row) === 1]]),
  );
}

/** The changes as a list of lines for people. @param {Changes} changes */
export function changeLines({ name, added, removed, changed, notable }) {
  const flop = (/** @type {number | null} */ value) => (value === null ? "no value" : digits(value));
  /** @param {{ from: number | null, to: number | null }} given */
  const times = ({ from, to }) => (from && to ? ` (×${digits(to / from, 3)})` : "");
  const lines = [...changed.map((one) => `${name(one.row)}: ${flop(one.from)} → ${flop(one.to)} FLOP${times(one)}`),
    ...removed.map((row) => `${name(row)}: removed`),
    ...notable.map(({ row, to }) => `${name(row)}: ${to ? "notable now" : "notable no more"}`),
    ...added.map((row) => `${name(row)}: added`)];
  return lines.length > LISTED
    ? [...lines.slice(0, LISTED), `and ${(lines.length - LISTED).toLocaleString("en-US")} more`]
    : lines;
}
