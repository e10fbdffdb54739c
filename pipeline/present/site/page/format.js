// Values for people, as `traincompute explain` prints them: 3.14e+23 FLOP, 174.6B parameters, 5.101 MW, 21.3 %.
import { cellOf, data, readCell } from "./dataset.js";

/** @type {Record<string, string[]>} */
const prefixes = { W: ["W", "kW", "MW", "GW"], kWh: ["kWh", "MWh", "GWh", "TWh"], byte: ["bytes", "kB", "MB", "GB"] };
/** @type {Record<string, string>} */
const SIGNS = { flop: "FLOP", usd: "USD", kwh: "kWh", w: "W", url: "URL", id: "id" };
/** Letters of a date with no more of it than is stated. @type {Record<string, number>} */
const LENGTHS = { year: 4, month: 7 };
const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** The value, or where it lies exactly between two of that many digits the one that ends even, as Python rounds.
 * @param {number} value @param {number} most */
function evenly(value, most) {
  const [, sign, kept, power] = value.toExponential(60).match(new RegExp(`^(-?)(\\d\\.?\\d{${most - 1}})50*e(.*)$`))
    || [];
  return kept && Number(kept.at(-1)) % 2 === 0 ? Number(`${sign}${kept}e${power}`) : value;
}

/** So many significant digits without trailing zeros, as %.4g has them. @param {number} value @param {number} [most] */
export function digits(value, most = 4) {
  const near = evenly(value, most);
  const text = near && Math.abs(near) < 1e-4 ? near.toExponential(most - 1) : near.toPrecision(most);
  const [number, power] = text.split("e");
  const short = number.includes(".") ? number.replace(/\.?0+$/, "") : number;
  return power ? `${short}e${power.replace("+", "").replace(/^(-?)(\d)$/, "$10$2")}` : short;
}

/** @param {number} value */
export function countText(value) {
  if (value && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e15)) return digits(value);
  for (const [letter, size] of Object.entries({ T: 1e12, B: 1e9, M: 1e6 })) {
    if (Math.abs(value) >= size) return digits(value / size) + letter;
  }
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return digits(value);
}

/** The same, but whole numbers below ten thousand have no comma: they may be years. @param {number} value */
export const plainCount = (
  value,
) => (Number.isInteger(value) && Math.abs(value) < 10_000 ? String(value) : countText(value));

/** Words in the plural, of token/parameter the first; symbols such as USD and kg unchanged.
 * @param {string} unit @param {number} value */
function plural(unit, value) {
  const sign = unit.includes("/") && !unit.endsWith("-day") ? "/" : "_of_";
  const [thing, ...what] = unit.split(sign);
  const many = value === 1 || !/^[a-z/_-]{3,}$/.test(thing) ? "" : "s";
  return [thing + many, ...what].join(sign).replaceAll("_", " ");
}

/** @param {Cell} value @param {string} [unit] */
export function human(value, unit = "") {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(plainWords).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return plainWords(value);
  if (unit.startsWith("FLOP") || unit === "OP/s") return `${digits(value)} ${unit}`;
  if (unit === "1") return value >= 0 && value <= 1 ? `${digits(100 * value)} %` : digits(value);
  if (prefixes[unit]) {
    const step = Math.min(3, Math.max(0, Math.floor((value.toFixed(0).length - 1) / 3)));
    return `${digits(value / 1000 ** step)} ${prefixes[unit][step]}`;
  }
  return `${countText(value)} ${plural(unit, value)}`.trim();
}

/** Without the unit, for cells of the table and ends of intervals. @param {Cell} value @param {string} [unit] */
export function shortText(value, unit = "") {
  if (unit.startsWith("FLOP")) return digits(value);
  return prefixes[unit] || unit === "1" ? human(value, unit) : countText(value);
}

/** A code in plain words; words that are none stay as they are. @param {unknown} code */
export function plainWords(code) {
  const text = String(code);
  return data.settings.words[text] || (/^[a-z0-9]+(_[a-z0-9]+)+$/.test(text) ? text.replaceAll("_", " ") : text);
}

/** 4.0, 12, 310: one decimal below ten. @param {number} value */
export const tenths = (
  value,
) => (Math.abs(value) >= 0.095 && Math.abs(value) < 9.95 ? value.toFixed(1) : digits(value, 2));

/** "1 model", "1,049 models" @param {number} number @param {string} thing */
export const counted = (number, thing) => `${number.toLocaleString("en-US")} ${thing}${number === 1 ? "" : "s"}`;

/** @param {string} name */
export function titleOf(name) {
  const text = name.replaceAll("_", " ").replace(/\b(flop|usd|kwh|w|url|id)\b/g, (unit) => SIGNS[unit]);
  return text[0].toUpperCase() + text.slice(1);
}

export const powerText = (/** @type {number} */ exponent) =>
  `10${exponent < 0 ? "⁻" : ""}${[...String(Math.abs(exponent))].map((digit) => raised[Number(digit)]).join("")}`;

/** A date with no more of it than the source states. @param {Row} row */
export function date(row) {
  const column = data.column.publication_date;
  const iso = column && readCell(column, row);
  if (!iso) return "";
  const precision = cellOf("publication_date_precision", row);
  return iso.slice(0, LENGTHS[precision] || 10);
}

export const axisLabel = (/** @type {string} */ name) =>
  (data.settings.axes.find((axis) => axis.column === name) || { label: titleOf(name) }).label;
