// A result as the terminal prints it with --human, and as CSV with a file beside it that says where it is from.
import { describe } from "./describe.js";
import { find, make, tableOf, webAddress, webLink } from "./dom.js";
import { csvText } from "./download.js";
import { plainCount } from "./format.js";
import { dictionary } from "./sql-completion.js";

const SHOWN_ROWS = 1000;

/** A cell as `traincompute sql --human` shows it: 3.14e23, 174.6B, lists joined by ;, null empty.
 * @param {Cell} value @returns {string} */
export function humanCell(value) {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(humanCell).join(";");
  if (typeof value !== "number" && typeof value !== "bigint") return String(value);
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value).toLowerCase();
  return plainCount(number);
}

/** @param {Result} result */
export function showRows({ columns, rows }) {
  const head = columns.map(({ name, number }) => {
    const unit = dictionary.unitOf.get(name);
    return make("th", { scope: "col", className: number ? "right" : "" }, name,
      unit ? make("span", { className: "unit" }, ` ${unit}`) : null);
  });
  const lines = rows.slice(0, SHOWN_ROWS).map((row) =>
    make("tr", {}, ...row.map((cell, number) => shown(cell, columns[number])))
  );
  find("rows").replaceChildren(tableOf("", head, lines));
}

/** @param {Cell} cell @param {Result["columns"][number]} column */
function shown(cell, column) {
  const text = humanCell(cell);
  return make("td", { className: column.number ? "right" : "" },
    typeof cell === "string" && webAddress(cell) ? webLink(text, cell) : text);
}

/** How much of the result is shown. @param {Result} result */
export function extent({ rows, cut }) {
  const many = `${rows.length.toLocaleString("en-US")} row${rows.length === 1 ? "" : "s"}`;
  const below = rows.length > SHOWN_ROWS ? `, the first ${SHOWN_ROWS.toLocaleString("en-US")} shown` : "";
  return (cut ? `the first ${many} of more; add a LIMIT or run it in a terminal` : many) + below;
}

/** @param {Result} result */
export const resultCsv = ({ columns, rows }) => csvText([columns.map(({ name }) => name), ...rows]);

/** What that CSV is. @param {string} file @param {Answer} answer */
export function resultPackage(file, { columns, query }) {
  const described = columns.map(({ name, number }) => (
    { name, kind: number ? "number" : "text", unit: dictionary.unitOf.get(name) }
  ));
  return describe(file, dictionary.schema.about, { query, columns: described });
}
