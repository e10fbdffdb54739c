// The dataset in memory. data/models.js calls receive() with the columns, data/models/NN.js holds what is known
// about some models. Rows are numbers from 0; readCell(column, row) gives a value as people and files have it.
import { loadPart } from "./parts.js";

/** What data/models.js holds, and what follows from it. */
export const data = /** @type {Dataset} */ ({});

/** @param {Received} made */
export function receive(made) {
  const { claim_of: claimOf, ...others } = made;
  Object.assign(data, others, { claimOf });
  data.column = Object.assign(Object.create(null),
    Object.fromEntries(made.columns.map((column) => [column.name, column])));
  made.columns.forEach(complete);
  data.rows = made.shards.length;
  data.rowOf = new Map(data.column.model_id.values.map((id, row) => [id, row]));
}

/** The values that the file leaves out: those that repeat another column or are a part of it, and the first items of
 * a list.
 * @param {Column} column */
function complete(column) {
  const [like, lists, whole] = [column.like, column.first_of, column.ratio_of].map(columnNamed);
  if (like) {
    column.values = column.values.map((value, row) => value === 0 ? `${column.prefix}${readCell(like, row)}` : value);
  }
  if (whole) {
    column.values = whole.values.map((value) =>
      value === null ? null : Number((value / (column.divisor ?? 1)).toPrecision(12))
    );
  }
  if (lists) Object.assign(column, { words: lists.words.map((list) => list[0]), values: lists.values });
}

/** The value of a cell: number, boolean, ISO date, text, array of texts, or null.
 * @param {Column} column @param {Row} row */
export function readCell(column, row) {
  const value = column.values[row];
  if (column.words) return value < 0 ? null : column.words[value];
  if (value === null) return null;
  if (column.kind === "boolean") return value === 1;
  if (column.kind === "date") return isoDate(value);
  return value;
}

/** The same by the name of the column; null also where the dataset does not have it.
 * @param {string | undefined} name @param {Row} row @returns {Cell} */
export function cellOf(name, row) {
  const column = columnNamed(name);
  return column ? readCell(column, row) : null;
}

/** The column, if the dataset has it. @param {string | null | undefined} name @returns {Column | undefined} */
export const columnNamed = (name) => name ? data.column[name] : undefined;

/** @type {Map<number, string>} */
const isoDates = new Map(); // thousands of models share some hundred days
/** @param {number} days */
function isoDate(days) {
  if (!isoDates.has(days)) isoDates.set(days, new Date(days * 864e5).toISOString().slice(0, 10));
  return isoDates.get(days) ?? "";
}
export const dayNumber = (/** @type {string} */ iso) => Math.floor(Date.parse(iso) / 864e5);

/** The entries of the settings whose column the dataset has.
 * @param {"axes" | "colours" | "flags" | "facets" | "table"} part */
export const available = (part) => data.settings[part].filter((entry) => data.column[entry.column]);

/** The rows of a table as objects. @param {string[]} columns @param {Cell[][]} rows @returns {any[]} */
export const rowsNamed = (columns, rows) =>
  rows.map((cells) => Object.fromEntries(columns.map((column, i) => [column, cells[i]])));

/** Claims, estimates, revisions and corrections of a model as objects. @param {Row} row @returns {Promise<Known>} */
export async function loadModel(row) {
  const shard = await loadPart(`models/${data.shards[row]}`);
  const held = shard.models[data.column.model_id.values[row]];
  const unpack = (/** @type {Cell} */ cell) => {
    if (typeof cell === "number") return shard.words[cell];
    if (Array.isArray(cell)) return cell[0];
    return cell?.list ? cell.list.map(unpack) : cell;
  };
  const table = (/** @type {keyof Known} */ name) =>
    rowsNamed(shard.columns[name], held[name].map((/** @type {Cell[]} */ row) => row.map(unpack)));
  return { claims: table("claims"), estimates: table("estimates"), revisions: table("revisions"),
    corrections: table("corrections") };
}
