// The chart: lays out, draws, and knows which point is where. Gestures are in gestures.js.
import { drawAxes } from "./axes.js";
import { barAt, barsOf, drawBars } from "./bars.js";
import { saidBy } from "./claims.js";
import { cellOf, columnNamed, data } from "./dataset.js";
import { contextOf, find, make } from "./dom.js";
import { axisLabel, counted, date, human, shortText } from "./format.js";
import { chartTrends, drawChips, drawContext, drawFrontier, drawTrend, trendKey } from "./layers.js";
import { likelyWords } from "./likely.js";
import { colourColumn, drawLabels, drawPoints, groupColour, groupsOf, legendOf, showLegend, sizesOf } from "./marks.js";
import { fitView, scaleOf } from "./scales.js";
import { isPublished } from "./trend.js";

const CELL = 24; // pixels of a cell of the index
export const chart = /** @type {Chart} */ (/** @type {unknown} */ (
  { points: [], rows: [], context: [], visible: [], bars: [], index: new Map(), view: [0, 1, 0, 1], hovered: null }
));

function ink() {
  const style = getComputedStyle(document.documentElement);
  const get = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const family = getComputedStyle(document.body).fontFamily;
  return {
    ...Object.fromEntries(
      ["ink", "muted", "line", "surface", "accent", "edge"].map((name) => [name, get(`--${name}`)]),
    ),
    font: `12px ${family}`,
    small: `11px ${family}`,
    strong: `600 13px ${family}`,
  };
}
export const isDark = () => getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";

/** The points of the rows that have a value on both axes. @param {Row[]} rows @param {Scales} scales */
function placed(rows, { x, y }) {
  const [low, high] = [y.axis.low, y.axis.high].map(columnNamed);
  const known = isPublished(y);
  /** @type {Point[]} */
  const points = [];
  for (const row of rows) {
    const [a, b] = [x.of(row), y.of(row)];
    if (a === null || b === null) continue;
    points.push({ row, x: a, y: b, value: y.column.values[row], low: low ? low.values[row] : null,
      high: high ? high.values[row] : null, hollow: !known(row), px: 0, py: 0, group: 0, size: 1 });
  }
  return points.sort((a, b) => Number(b.hollow) - Number(a.hollow)); // what is published lies above our estimates
}

/** Takes the rows, those that only the search leaves out, and the state; lays out and draws.
 * @param {Row[]} rows @param {Row[]} context @param {State} state */
export function showChart(rows, context, state) {
  const scales = { x: scaleOf(state.x, state.xscale), y: scaleOf(state.y, state.yscale) };
  const points = placed(rows, scales);
  Object.assign(chart, { state, rows, context, scales, points });
  chart.view = state.view && state.view.length === 4
    ? [...state.view]
    : fitView(context.length ? [...points, ...placed(context, scales)] : points, scales, state.view);
  chart.trends = state.trend ? chartTrends(rows, scales, state) : [];
  drawChart();
}

// Draws, and once more where the legend, which names what is in view, took or left room.
export function drawChart() {
  if (!chart.state) return;
  draw();
  if (chartIsStale()) draw();
}

function size() {
  const box = find("plot").getBoundingClientRect();
  return [Math.max(200, box.width), Math.max(140, box.height)];
}

export const chartIsStale = () => size().some((side, i) => Math.abs(side - [chart.width, chart.height][i]) > 0.5);

function draw() {
  const [width, height] = size();
  const ratio = window.devicePixelRatio || 1;
  paintChart(sized(find("points"), width, height), width, height, ratio);
  showLegend(chart.legend, chart.words, isDark(), chart.state.group);
  drawHover();
  describe();
}

/** Lays the chart out for a size and paints it; what a legend has to say is left in chart.legend and chart.words.
 * @param {Context} context @param {number} width @param {number} height @param {number} ratio */
export function paintChart(context, width, height, ratio) {
  const foot = chart.scales.x.kind === "date" ? 24 : 42;
  Object.assign(chart, { left: 52, top: 24, right: width - 14, bottom: height - foot, ink: ink(), width, height });
  const [x0, x1, y0, y1] = chart.view;
  chart.x = (coordinate) => chart.left + ((coordinate - x0) / (x1 - x0)) * (chart.right - chart.left);
  chart.y = (coordinate) => chart.bottom - ((coordinate - y0) / (y1 - y0)) * (chart.bottom - chart.top);
  drawAxes(context, chart);
  locate();
  context.save();
  context.beginPath();
  context.rect(chart.left - 6, chart.top - 6, chart.right - chart.left + 12, chart.bottom - chart.top + 12);
  context.clip();
  paintLayers(context);
  drawPoints(context, chart.visible, { ...pointStyle(), ratio });
  if (chart.state.labels) drawLabels(context, chart, chart.visible, Math.round(width / 75), anyWithin);
  context.restore();
  explain();
}

function pointStyle() {
  const many = chart.visible.length;
  return { radius: many > 1200 ? 3.4 : many > 300 ? 4 : 5, surface: chart.ink.surface, dark: isDark(), alpha: 0.9 };
}

/** What is behind the points. @param {Context} context */
function paintLayers(context) {
  const { state } = chart;
  if (chart.context.length) drawContext(context, chart, chart.context);
  chart.bars = barsOf(chart);
  drawBars(context, chart);
  if (state.chips && chart.scales.x.kind === "date") drawChips(context, chart);
  if (state.frontier && chart.scales.x.kind === "date" && chart.scales.y.kind !== "date") drawFrontier(context, chart);
  for (const line of chart.trends) drawTrend(context, chart, line);
  if (state.intervals) { for (const point of chart.visible) drawInterval(context, point, 0.35); }
}

function explain() {
  const { state, visible } = chart;
  const column = colourColumn(state);
  const { source } = chart.scales.y.axis;
  const hollow = column !== source && visible.some((point) => point.hollow);
  const used = new Map(visible.map((point) => [point.group, column === source && point.hollow]));
  chart.legend = legendOf(groupsOf(column), used, hollow);
  chart.words = [
    ...chart.trends.map((line) => trendKey(line, chart.scales)),
    state.frontier && chart.scales.x.kind === "date" && { className: "key-frontier", text: "largest published so far" },
    chart.bars.length
    && { className: "key-tiers",
      text: `${
        counted(chart.bars.length, "model")
      } without a value: where 50 % and 90 % of what can be said of it lies` },
    chart.context.length && { className: "key-context", text: "not found by the search" },
    data.column[state.size] && { className: "", text: `size: ${axisLabel(state.size).toLowerCase()}` },
    column === null && { className: "", text: "Who says so is not recorded for this quantity" },
  ].filter((words) => typeof words === "object" && words !== null);
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = contextOf(canvas);
  context.scale(ratio, ratio);
  return context;
}

// Pixels and groups of the points in view, and the index by pixels.
function locate() {
  const groups = groupsOf(colourColumn(chart.state));
  const sizes = sizesOf(chart.state.size);
  const [x0, x1, y0, y1] = chart.view;
  chart.index = new Map();
  chart.visible = [];
  for (const point of chart.points) {
    point.px = chart.x(point.x);
    point.py = chart.y(point.y);
    if (point.x < x0 || point.x > x1 || point.y < y0 || point.y > y1) continue;
    chart.visible.push(point);
    point.group = groups.ofRow[point.row];
    point.size = sizes ? sizes(point.row) : 1;
    const cell = indexOf(point.px, point.py);
    if (chart.index.has(cell)) chart.index.get(cell)?.push(point);
    else chart.index.set(cell, [point]);
  }
}

/** @param {Context} context @param {Point} point @param {number} alpha */
function drawInterval(context, point, alpha) {
  const { at } = chart.scales.y;
  if (!point.low || !point.high || point.low < 0) return;
  const [a, b] = [chart.y(at(point.low)), chart.y(at(point.high))];
  context.globalAlpha = alpha;
  context.strokeStyle = groupColour(point.group, isDark());
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(point.px, a);
  context.lineTo(point.px, b);
  for (const end of [a, b]) {
    context.moveTo(point.px - 3, end);
    context.lineTo(point.px + 3, end);
  }
  context.stroke();
  context.globalAlpha = 1;
}

/** @param {number} x @param {number} y */
const indexOf = (x, y) => Math.floor(x / CELL) * 4096 + Math.floor(y / CELL);

/** The nearest point within so many pixels, else the nearest bar, or null.
 * @param {number} x @param {number} y @param {number} [reach] */
export function pointAt(x, y, reach = 14) {
  /** @type {Point | null} */
  let best = null;
  let least = reach * reach;
  for (let dx = -1; dx <= 1; dx += 1) {
    for (let dy = -1; dy <= 1; dy += 1) {
      for (const point of chart.index.get(indexOf(x + dx * CELL, y + dy * CELL)) || []) {
        const far = (point.px - x) ** 2 + (point.py - y) ** 2;
        if (far <= least) [best, least] = [point, far];
      }
    }
  }
  return best || barAt(chart, x, y, reach / 2);
}

/** Whether a point other than that one lies in a rectangle.
 * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {Point} except */
function anyWithin(x0, y0, x1, y1, except) {
  for (let x = Math.floor(x0 / CELL); x <= Math.floor(x1 / CELL); x += 1) {
    for (let y = Math.floor(y0 / CELL); y <= Math.floor(y1 / CELL); y += 1) {
      const found = chart.index.get(x * 4096 + y);
      if (found?.some((p) => p !== except && p.px > x0 && p.px < x1 && p.py > y0 && p.py < y1)) return true;
    }
  }
  return false;
}

// Ring, interval and words of the point under the pointer or the keyboard, and the area being chosen.
export function drawHover() {
  const context = sized(find("overlay"), chart.width, chart.height);
  if (chart.brush) drawBrush(context, chart.brush);
  const point = [...chart.visible, ...chart.bars].find((other) => other.row === chart.hovered?.row);
  const tip = find("tooltip");
  tip.hidden = !point;
  if (!point) return;
  drawInterval(context, point, 1);
  context.strokeStyle = chart.ink.ink;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(point.px, point.py, 8, 0, 2 * Math.PI);
  context.stroke();
  tip.replaceChildren(...pointWords(point).map((line, i) => make(i ? "span" : "strong", {}, line)));
  const wide = tip.offsetWidth;
  const high = tip.offsetHeight;
  const x = point.px + 16 + wide > chart.width ? point.px - 16 - wide : point.px + 16;
  tip.style.left = `${Math.max(4, Math.min(chart.width - wide - 4, x))}px`;
  tip.style.top = `${Math.max(4, Math.min(chart.height - high - 4, point.py - high / 2))}px`;
}

/** @param {CanvasRenderingContext2D} context @param {number[]} area */
function drawBrush(context, [x0, y0, x1, y1]) {
  context.fillStyle = chart.ink.accent;
  context.strokeStyle = chart.ink.accent;
  context.globalAlpha = 0.15;
  context.fillRect(x0, y0, x1 - x0, y1 - y0);
  context.globalAlpha = 1;
  context.strokeRect(x0, y0, x1 - x0, y1 - y0);
}

/** Name; organisation and date; the values with the interval; who says so. @param {Point} point */
export function pointWords(point) {
  const { x, y } = chart.scales;
  const organisations = cellOf("organizations", point.row) ?? [];
  const who = organisations.length > 3
    ? `${organisations.slice(0, 3).join(", ")} and ${organisations.length - 3} more`
    : organisations.join(", ");
  const interval = point.low && point.high
    ? ` (${shortText(point.low, y.unit)} – ${shortText(point.high, y.unit)})`
    : "";
  /** @param {Scale} scale */
  const told = ({ axis, column, unit }) => `${axis.label}: ${human(column.values[point.row], unit)}`;
  const heading = [cellOf("name", point.row), [who, date(point.row)].filter(Boolean).join(" · ")];
  if (point.likely) return [...heading, `${y.axis.label}: no value`, ...Object.values(likelyWords(point.likely))];
  return [...heading, x.kind === "date" ? "" : told(x),
    ...(y.kind === "date" ? [] : [told(y) + interval, saidBy(y.axis.column, point.row)])].filter(Boolean);
}

function describe() {
  const { points, visible, scales } = chart;
  const [across, up] = [scales.x, scales.y].map((scale) => scale.axis.label.toLowerCase());
  const missing = points.length - visible.length;
  find("chart-note").textContent = `${counted(visible.length, "model")} in view${
    missing ? `, ${missing.toLocaleString("en-US")} outside` : ""
  }`;
  find("surface").setAttribute("aria-label",
    `Scatter plot of ${up} by ${across}, ${counted(visible.length, "model")} in view`);
  const empty = find("no-points");
  empty.hidden = visible.length > 0;
  empty.textContent = points.length
    ? "All models lie outside this view."
    : `None of the models listed has both ${across} and ${up}.`;
}
