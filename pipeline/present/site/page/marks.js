// Colours and shapes of the points (Okabe and Ito 2008, and a shape for each, so that no colour need be told apart),
// the legend, and the names written into the chart.
import { cellOf, columnNamed, data } from "./dataset.js";
import { contextOf, find, findAll, make } from "./dom.js";
import { plainWords } from "./format.js";
import { axisOf } from "./scales.js";
import { interval90 } from "./trend.js";

const colours = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442"];
const OTHER = { light: "#767676", dark: "#9a9a9a" };
const star = Array.from({ length: 10 }, (_, i) => {
  const [size, angle] = [i % 2 ? 0.55 : 1.3, (i * Math.PI) / 5];
  return [size * Math.sin(angle), -size * Math.cos(angle)];
});
/** The shape of each group: the radius of a circle or the corners of a polygon, for a mark of radius 1. */
const shapes = [
  1,
  [[-0.87, -0.87], [0.87, -0.87], [0.87, 0.87], [-0.87, 0.87]],
  [[0, -1.15], [1.05, 0.75], [-1.05, 0.75]],
  [[0, -1.25], [1.05, 0], [0, 1.25], [-1.05, 0]],
  [[-0.4, -1.1], [0.4, -1.1], [0.4, -0.4], [1.1, -0.4], [1.1, 0.4], [0.4, 0.4], [0.4, 1.1], [-0.4, 1.1], [-0.4, 0.4], [
    -1.1,
    0.4,
  ], [-1.1, -0.4], [-0.4, -0.4]],
  [[0, 1.15], [1.05, -0.75], [-1.05, -0.75]],
  star,
  0.72,
];

/** @param {Shape} path @param {number | number[][]} shape @param {number} radius */
function outline(path, shape, radius) {
  if (typeof shape === "number") {
    path.moveTo(shape * radius, 0);
    path.arc(0, 0, shape * radius, 0, 2 * Math.PI);
    return;
  }
  for (const [i, [x, y]] of shape.entries()) {
    if (i) path.lineTo(x * radius, y * radius);
    else path.moveTo(x * radius, y * radius);
  }
  path.closePath();
}

/** The groups that a column colours by: {names, ofRow}. The largest seven of the whole dataset keep their colours
 * whatever is filtered; the others share one. @param {string | null} name */
export function groupsOf(name) {
  const column = columnNamed(name);
  if (!column) return { names: Array(7).fill(null).concat("all models"), ofRow: new Uint8Array(data.rows).fill(7) };
  if (column.groups) return column.groups;
  const several = data.settings.colours.find((entry) => entry.column === name)?.several;
  /** @param {Cell} word */
  const groupOf = (word) => (Array.isArray(word) ? (word.length > 1 ? several || word[0] : word[0]) : word);
  const labels = (column.words || []).map(groupOf);
  const count = new Map();
  for (const word of column.values) if (word >= 0) count.set(labels[word], (count.get(labels[word]) || 0) + 1);
  const largest = [...count].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).filter(([label]) =>
    label !== "Other"
  ).slice(0, 7).map(([label]) => label);
  const place = labels.map((label) => (largest.includes(label) ? largest.indexOf(label) : 7));
  const ofRow = Uint8Array.from(column.values, (word) => (word < 0 ? 7 : place[word]));
  const rest = count.size > largest.length || column.values.includes(-1);
  column.groups = {
    names: [...largest.map(plainWords), ...(rest ? Array(7 - largest.length).fill(null).concat("Other or none") : [])],
    ofRow,
  };
  return column.groups;
}

/** The two blues change places on a dark ground, where the largest group would hardly be seen.
 * @param {number} group @param {boolean} dark */
export const groupColour = (group,
  dark) => (group === 7 ? OTHER[dark ? "dark" : "light"] : colours[dark ? { 0: 5, 5: 0 }[group] ?? group : group]);

/** The column that colours a chart: "who says so" is that of the quantity shown upwards; null where it has none.
 * @param {State} state */
export function colourColumn(state) {
  const entry = data.settings.colours.find((one) => one.column === state.colour);
  if (!entry?.of_axis) return state.colour;
  const axis = axisOf(state.y);
  return axis?.source && data.column[axis.source] ? axis.source : null;
}

const SMALLEST = 0.55; // of the usual radius
const LARGEST = 2.2;

/** row → times the usual radius, by the logarithm of a column between its 5 % and 95 % points; null without a column.
 * @param {string} name */
export function sizesOf(name) {
  const column = data.column[name];
  if (!column) return null;
  column.ends ||= interval90(column.values.filter((value) => value > 0).map(Math.log10));
  const [low, high] = column.ends;
  return (/** @type {Row} */ row) => {
    const value = column.values[row];
    if (!(value > 0)) return SMALLEST;
    const share = Math.max(0, Math.min(1, (Math.log10(value) - low) / (high - low || 1)));
    return SMALLEST + share * (LARGEST - SMALLEST);
  };
}

/** Draws the points one after another, so that none hides a group; hollow ones are our estimates.
 * @param {Context} context @param {Mark[]} points
 * @param {{ radius: number, surface: string, dark: boolean, alpha: number, ratio: number }} given */
export function drawPoints(context, points, { radius, surface, dark, alpha, ratio }) {
  const made = new Map();
  const pathOf = (/** @type {number} */ group, /** @type {number} */ size) => {
    const key = group + 8 * Math.round(size * 20);
    if (!made.has(key)) {
      const path = "newPath" in context ? context.newPath() : new Path2D();
      outline(path, shapes[group], radius * size);
      made.set(key, path);
    }
    return made.get(key);
  };
  for (const point of points) {
    const path = pathOf(point.group, point.size ?? 1);
    const colour = groupColour(point.group, dark);
    const edge = !dark && point.group === 6 ? "#8a7f00" : null; // yellow on white
    context.setTransform(ratio, 0, 0, ratio, point.px * ratio, point.py * ratio);
    context.globalAlpha = alpha;
    context.fillStyle = point.hollow ? surface : colour;
    context.fill(path);
    context.globalAlpha = 1;
    context.lineWidth = point.hollow ? 1.7 : 0.8;
    context.strokeStyle = edge || (point.hollow ? colour : surface);
    context.stroke(path);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** [{group, text, hollow}] of the groups in view (group → whether its points are hollow), then what hollow points mean.
 * @param {Groups} groups @param {Map<number, boolean>} used @param {boolean} hollow */
export function legendOf(groups, used, hollow) {
  const items = groups.names.map((text, group) => ({ text, group, hollow: used.get(group) })).filter((
    { text, group },
  ) => text && used.has(group));
  return hollow ? [...items, { text: "hollow: our estimate", group: 7, hollow: true, isWords: true }] : items;
}

/** A colour is a button that shows its models alone, and then all again.
 * @param {Legend[]} items @param {Said[]} words @param {boolean} dark @param {string} chosen */
export function showLegend(items, words, dark, chosen) {
  const swatch = (/** @type {Legend} */ { group, hollow }) => {
    const canvas = make("canvas", { "aria-hidden": "true" });
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.height = 16 * ratio;
    drawPoints(contextOf(canvas), [{ px: 8, py: 8, hollow, group: group ?? 7 }], { radius: 5, surface: "transparent",
      dark, alpha: 1, ratio });
    return canvas;
  };
  const focused = document.activeElement?.closest("#legend button")?.textContent;
  const content = (/** @type {Legend} */ item) => (item.isWords
    ? [swatch(item), item.text]
    : [
      make("button", { type: "button", value: item.text, "aria-pressed": String(item.text === chosen) }, swatch(item),
        item.text),
    ]);
  find("legend").replaceChildren(...items.map((item) => make("li", {}, ...content(item))),
    ...words.map(({ text, className }) => make("li", { className }, text)));
  for (const button of findAll("#legend button")) if (button.textContent === focused) button.focus();
}

/** Names of the points that set a record from left to right, then of the highest, where there is room.
 * No name covers a point.
 * @param {Context} context @param {Chart} chart @param {Point[]} points @param {number} most
 * @param {(x0: number, y0: number, x1: number, y1: number, except: Point) => boolean} isTaken */
export function drawLabels(context, chart, points, most, isTaken) {
  const { left, top, right, bottom, ink } = chart;
  const byDate = [...points].sort((a, b) => a.x - b.x || b.y - a.y);
  /** @type {Set<Point>} */
  const records = new Set();
  let record = -Infinity;
  for (const point of byDate) {
    if (point.y > record) records.add(point);
    record = Math.max(record, point.y);
  }
  const wanted = [...records].reverse().concat(
    [...points].sort((a, b) => b.y - a.y).filter((p) => !records.has(p)).slice(0, 6 * most),
  );
  const taken = [...chart.reserved];
  let written = 0;
  context.font = ink.small;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.lineJoin = "round";
  for (const point of wanted) {
    if (written >= most) break;
    const name = cellOf("name", point.row);
    const text = name.length > 26 ? `${name.slice(0, 25)}…` : name;
    const wide = context.measureText(text).width;
    const box = [[-wide - 9, -7], [-wide - 4, -19], [9, -7], [-wide / 2, -22], [4, -19], [-wide - 4, 6], [-wide / 2, 9],
      [4, 6]]
      .map(([dx, dy]) => [point.px + dx, point.py + dy, wide, 14])
      .find(([x, y, w, h]) =>
        x > left && x + w < right - 2 && y > top && y + h < bottom
        && taken.every((o) => x + w + 4 < o[0] || o[0] + o[2] + 4 < x || y + h + 1 < o[1] || o[1] + o[3] + 1 < y)
        && !isTaken(x - 4, y - 2, x + w + 4, y + h + 2, point)
      );
    if (!box) continue;
    taken.push(/** @type {Box} */ (box));
    written += 1;
    context.strokeStyle = ink.surface;
    context.lineWidth = 3.5;
    context.strokeText(text, box[0], box[1] + 7);
    context.fillStyle = ink.ink;
    context.fillText(text, box[0], box[1] + 7);
  }
}
