// Scales: where a value lies along an axis. A coordinate is a day since 1970, a power of ten, or the value itself.
import { data } from "./dataset.js";

export const DATE = "publication_date";

/** The axes to choose from: the date, then the quantities. @returns {Axis[]} */
export const allAxes = () =>
  [{ column: DATE, label: "Date" }, ...data.settings.axes].filter((axis) => data.column[axis.column]);
export const axisOf = (/** @type {string} */ column) => allAxes().find((axis) => axis.column === column);

/** Whether an axis is logarithmic or linear unless it is asked for otherwise. @param {string} column */
export const usualScale = (column) => axisOf(column)?.scale || "log";

const logOf = (/** @type {number} */ value) => (value > 0 ? Math.log10(value) : null);

/** {axis, column, kind: date, log or linear, unit, values, of(row), at(value), value(coordinate)}; of() gives null for
 * no value.
 * @param {string} name @param {string} wish @returns {Scale} */
export function scaleOf(name, wish) {
  const axis = axisOf(name) ?? { column: name, label: name };
  const column = data.column[name];
  const kind = column.kind === "date" ? "date" : wish === "linear" ? "linear" : "log";
  const at = kind === "log" ? logOf : (/** @type {Cell} */ value) => value;
  return { axis, column, kind, unit: column.unit, at,
    of: (row) => (column.values[row] === null ? null : at(column.values[row])),
    value: (coordinate) => (kind === "log" ? 10 ** coordinate : coordinate) };
}

/** "Training compute [FLOP]" @param {Scale} scale */
export const scaleName = ({ axis, unit }) =>
  axis.label
  + (unit && unit !== "1" && !axis.label.toLowerCase().includes(unit) ? ` [${unit.replaceAll("_", " ")}]` : "");

// How narrow and how wide a view may become.
export const widths = { date: [7, 73000], log: [0.2, 60], linear: [1e-6, 1e30] };

const year = (/** @type {number} */ y) => Date.UTC(y, 0, 1) / 864e5;
const ofDay = (/** @type {number} */ day) => new Date(day * 864e5).getUTCFullYear();
const FIRST_YEAR = 2010; // before that there are few models
// share of the smallest values that may lie below the first view: three models below 1e14 halve its scale
const STRAY = 0.004;
const least = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
const most = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/** The ends of an axis that show all coordinates, but not strays nor what is older than 2010; they move little.
 * @param {Scale} scale @param {number[]} coordinates @param {boolean} [whole] */
function fit(scale, coordinates, whole = false) {
  if (scale.kind === "date") return fitDates(coordinates, whole);
  if (!coordinates.length) return scale.kind === "log" ? [20, 26] : [0, 1];
  const ordered = Float64Array.from(coordinates).sort();
  const [low, high] = [ordered[whole ? 0 : Math.floor(STRAY * ordered.length)], ordered[ordered.length - 1]];
  if (scale.kind === "log") return [Math.floor(low - 0.2), Math.ceil(high + 0.35)];
  const span = high - low || Math.abs(high) || 1;
  return [low >= 0 && low < span ? 0 : low - 0.05 * span, high + 0.08 * span];
}

/** @param {number[]} days @param {boolean} whole */
function fitDates(days, whole) {
  if (!days.length) return [year(FIRST_YEAR), year(FIRST_YEAR + 16)];
  const [first, last] = [least(days), most(days)];
  if (whole) return [first - 180, last + 60];
  const from = last > year(FIRST_YEAR + 1) ? Math.max(year(FIRST_YEAR), year(ofDay(first))) : year(ofDay(first));
  return [from, Math.max(last + Math.max(60, 0.02 * (last - from)), from + 365)];
}

/** The view [x0, x1, y0, y1] of some points; `ends` are those of the horizontal axis where they are chosen.
 * @param {Pick<Point, "x" | "y">[]} points @param {Scales} scales @param {View | null} [ends] */
export function fitView(points, { x, y }, ends = null) {
  const across = ends || fit(x, points.map((point) => point.x));
  const seen = points.filter((point) => point.x >= across[0] && point.x <= across[1]);
  return [...across, ...fit(y, (seen.length ? seen : points).map((point) => point.y))];
}

/** @param {Point[]} points @param {Scales} scales */
export const wholeView = (points,
  { x, y }) => [...fit(x, points.map((point) => point.x), true), ...fit(y, points.map((point) => point.y), true)];

/** A coordinate with no more digits than a screen shows: whole days, thousandths of a power of ten.
 * @param {number} coordinate @param {Scale["kind"]} kind */
export const rounded = (coordinate, kind) => (kind === "date"
  ? Math.round(coordinate)
  : kind === "log"
  ? Number(coordinate.toFixed(3))
  : Number(coordinate.toPrecision(4)));
