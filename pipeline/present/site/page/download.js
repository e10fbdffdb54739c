// Files that are made in the browser.
import { make } from "./dom.js";

/** As the published CSV: null empty, numbers from 1e16 as 6.58e+19 (pandas takes that many digits for a text), lists
 * joined by ;, a text that a spreadsheet would run begins with '. @param {Cell} value */
function csvCell(value) {
  if (value === null) return "";
  if (typeof value === "number" && Math.abs(value) >= 1e16 && Number.isFinite(value)) return value.toExponential();
  const text = Array.isArray(value) ? value.join(";") : String(value);
  const safe = typeof value !== "number" && /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe;
}

/** @param {Cell[][]} rows */
export const csvText = (rows) => `${rows.map((row) => row.map(csvCell).join(",")).join("\n")}\n`;

/** @param {string} name @param {string | Blob} content @param {string} type */
export function saveFile(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
