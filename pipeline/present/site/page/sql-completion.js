// What may follow in a query: {word: what is being typed, options: [{text, kind, unit, about}]}. Without the page, so
// that it can be tested.

const KEYWORDS =
  "SELECT FROM WHERE GROUP BY ORDER BY LIMIT JOIN LEFT JOIN USING ON WITH AS HAVING QUALIFY UNION ALL CASE WHEN THEN ELSE END AND OR NOT NULL IS IN BETWEEN LIKE ILIKE DISTINCT COUNT DESC ASC NULLS LAST FILTER OVER PARTITION BY";
const FEWEST_LETTERS = 2;
const MOST = 12;

/** @type {{ schema: Schema, tableOf: Map<string, SchemaTable>, unitOf: Map<string, string> }} */
export const dictionary = Object.create(null);

/** @param {Schema} schema */
export function receiveSchema(schema) {
  const tableOf = new Map(schema.tables.map((table) => [table.name, table]));
  Object.assign(dictionary, { schema, tableOf, unitOf: units(schema.tables) });
}

/** Column → its unit, where all tables that give it one agree. @param {SchemaTable[]} tables */
function units(tables) {
  const found = new Map();
  for (const [name, , unit] of tables.flatMap((table) => table.columns)) {
    if (unit) found.set(name, [undefined, unit].includes(found.get(name)) ? unit : "");
  }
  return found;
}

/** @param {SchemaColumn} column */
const ofColumn = ([text, type, unit, about]) => ({ text, kind: type, unit: unit || "", about });
/** @param {SchemaTable} table */
const ofTable = (table) => ({ text: table.name, kind: table.view ? "view" : "table", unit: "", about: table.about });
/** @param {Schema["macros"][number]} macro */
const ofMacro = (macro) => ({ text: `${macro.name}(`, kind: `macro(${macro.parameters.join(", ")})`, unit: "",
  about: macro.about || "" });

/** Name in the query → table, by its own name and by its alias. @param {string} query */
function named(query) {
  const found = new Map();
  for (const [, name, alias] of query.matchAll(
    /\b(?:from|join|,)\s+"?(\w+)"?(?:\s+(?:as\s+)?(?!(?:using|on|where|group|order|join|left|limit)\b)(\w+))?/gi,
  )) {
    const table = dictionary.tableOf.get(name.toLowerCase());
    if (table) { for (const key of [name, alias]) if (key) found.set(key.toLowerCase(), table); }
  }
  return found;
}

/** @param {string} query @param {number} at @param {boolean} [asked] */
export function completions(query, at, asked = false) {
  const before = query.slice(0, at);
  const [, qualifier, word] = before.match(/(?:\b(\w+)\.)?(\w*)$/) ?? ["", "", ""];
  if (inText(before) || (!asked && !qualifier && word.length < FEWEST_LETTERS)) return { word, options: [] };
  const used = named(query);
  const begins = (/** @type {Completion} */ option) =>
    option.text.toLowerCase().startsWith(word.toLowerCase()) && option.text.toLowerCase() !== word.toLowerCase();
  const offered = qualifier
    ? columnsOf([used.get(qualifier.toLowerCase()) || dictionary.tableOf.get(qualifier.toLowerCase())])
    : all(before, used);
  const seen = new Set();
  const options = offered.filter((option) => begins(option) && !seen.has(option.text) && seen.add(option.text));
  return { word, options: options.slice(0, MOST) };
}

/** @param {(SchemaTable | undefined)[]} tables */
const columnsOf = (tables) => tables.flatMap((table) => table?.columns.map(ofColumn) ?? []);

/** Tables after FROM and JOIN; else first the columns of the tables that the query names.
 * @param {string} before @param {Map<string, SchemaTable>} used */
function all(before, used) {
  const tables = dictionary.schema.tables.map(ofTable);
  if (/\b(from|join)\s+\w*$/i.test(before)) return tables;
  const words = KEYWORDS.split(" ").map((text) => ({ text, kind: "keyword", unit: "", about: "" }));
  return [...columnsOf([...new Set(used.values())]), ...dictionary.schema.macros.map(ofMacro), ...words, ...tables,
    ...columnsOf(dictionary.schema.tables)];
}

/** Whether the place lies in a text or a comment. @param {string} before */
const inText = (before) => /--.*$/.test(before) || (before.match(/'/g) || []).length % 2 === 1;
