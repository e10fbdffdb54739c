// The tables of data/records.js: organisations, chips, which chips models were trained on, snapshots, claims by source.
import { cellOf, data, rowsNamed } from "./dataset.js";

/** @type {Record<string, Records>} */
export const records = {};
export const receiveRecords = (/** @type {Record<string, Records>} */ tables) => Object.assign(records, tables);

/** The rows of a table as objects. @param {string} name */
export function rowsOf(name) {
  const table = records[name];
  table.objects ||= rowsNamed(table.columns.map(([column]) => column), table.rows);
  return table.objects;
}

/** The numbers of all models with that entry in a column of lists. @param {string} name @param {string} entry */
export function modelsWith(name, entry) {
  return Array.from({ length: data.rows }, (_, row) => row).filter((row) => (cellOf(name, row) || []).includes(entry));
}

/** @param {string} chip */
export function modelsOn(chip) {
  const ids = rowsOf("model_hardware").filter((row) => row.hardware_id === chip).map((row) => row.model_id);
  return [...new Set(ids)].map((id) => data.rowOf.get(id)).filter((row) => row !== undefined);
}

/** @param {string} model */
export function chipsOf(model) {
  const ids = new Set(rowsOf("model_hardware").filter((row) => row.model_id === model).map((row) => row.hardware_id));
  return rowsOf("hardware").filter((row) => ids.has(row.hardware_id));
}

export const countryNames = () =>
  [...new Set(Array.from({ length: data.rows }, (_, row) => cellOf("countries", row) || []).flat())].sort();
export const organizationNames = () => [
  ...new Set([...rowsOf("organizations").map((row) => row.organization),
    ...Array.from({ length: data.rows }, (_, row) => cellOf("organizations", row) || []).flat()]),
];
