// What a CSV file is, as a file beside it: a Data Package, which says where the rows are from and what its columns
// mean.

const PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json";
/** @type {Record<string, string>} */
const TYPES = { number: "number", boolean: "boolean", date: "date" };

/** "traincompute, version 2026.11.0, CC BY 4.0, with data of Epoch AI" @param {About} about */
export const credit = ({ version, licence }) =>
  `traincompute, ${/^\d/.test(version) ? "version " : ""}${version}, ${licence}, with data of Epoch AI`;

/** The name of the file beside a CSV. @param {string} file */
export const packageName = (file) => `${file.replace(/\.csv$/, "")}.datapackage.json`;

/** @param {string} file @param {About} about @param {Described} told */
export function describe(file, about, { query, view, columns, sources }) {
  const name = file.replace(/\.csv$/, "").toLowerCase();
  const fields = columns.map((column) => (
    { name: column.name, type: TYPES[column.kind] || "string", description: column.about, unit: column.unit }
  ));
  const path = "https://creativecommons.org/licenses/by/4.0/";
  const told = { $schema: PROFILE, name, description: credit(about), version: about.version, facts_until: about.newest,
    view, query, licenses: [{ name: about.licence.replaceAll(" ", "-"), path }],
    sources: sources?.map(({ title, url, attribution }) => ({ title, path: url, attribution })),
    resources: [{ name, path: file, format: "csv", mediatype: "text/csv", encoding: "utf-8", schema: { fields } }] };
  return `${JSON.stringify(told, (_, value) => value || undefined, 2)}\n`;
}
