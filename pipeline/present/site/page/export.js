// The view to take along: picture, data, frame for another page, citation.
import { columnNamed, data, readCell } from "./dataset.js";
import { credit, describe } from "./describe.js";
import { contextOf, find, toast } from "./dom.js";
import { csvText } from "./download.js";
import { counted } from "./format.js";
import { DASHES } from "./layers.js";
import { colourColumn, drawPoints } from "./marks.js";
import { between, sqlOf } from "./query.js";
import { chart, drawChart, isDark, paintChart } from "./scatter.js";
import { current, writeState } from "./state.js";
import { svgContext } from "./svg.js";

const DPI = 300;
const FOOT = 22; // pixels of a line below the chart

/** Paints the chart with its legend, and what it shows and where it is from below it. Gives the height.
 * @param {Context} context @param {number} width @param {number} height @param {number} ratio */
function paint(context, width, height, ratio) {
  paintChart(context, width, height, ratio);
  const { ink } = chart;
  let [x, y] = [12, height + 10];
  context.font = ink.small;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const item of [...chart.legend, .../** @type {Legend[]} */ (chart.words)]) {
    const text = item.text ?? "";
    const wide = context.measureText(text).width + 34;
    if (x + wide > width) [x, y] = [12, y + FOOT];
    if (item.group !== undefined) {
      drawPoints(context, [{ px: x + 6, py: y, group: item.group, hollow: item.hollow }], { radius: 5,
        surface: ink.surface, dark: isDark(), alpha: 1, ratio });
    }
    drawKey(context, item.className ?? "", x, y);
    context.fillStyle = ink.ink;
    context.fillText(text, x + 16, y);
    x += wide;
  }
  context.fillStyle = ink.muted;
  context.fillText(sourceLine(), 12, y + FOOT);
  return y + 2 * FOOT;
}

/** The sign before the words of a layer, as the layer is drawn. @param {Context} context @param {string} key
 * @param {number} x @param {number} y */
function drawKey(context, key, x, y) {
  const { accent, ink, muted, edge } = chart.ink;
  const across = [x, y, x + 12, y];
  /** @type {Record<string, [string, number, number[]]>} */
  const signs = { "key-trend": [accent, 2, across], "key-dashed": [ink, 2, across], "key-frontier": [ink, 1.2, across],
    "key-tiers": [muted, 2, [x + 6, y - 7, x + 6, y + 7]], "key-context": [edge, 5, [x + 4, y, x + 9, y]] };
  if (!signs[key]) return;
  const [colour, width, [x0, y0, x1, y1]] = signs[key];
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(key === "key-dashed" ? DASHES : []);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
}

const sourceLine = () =>
  `${credit(data.about)} · ${counted(chart.visible.length, "model")}${
    current.state.asof ? `, as of ${current.state.asof}` : ""
  }`;

// The chart as an SVG document.
export function chartSvg() {
  const { width, height } = chart;
  const context = svgContext();
  const tall = paint(context, width, height, 1);
  const text = context.done(width, tall, chart.ink.surface);
  drawChart();
  return text;
}

// The chart as a PNG with 300 dots to the inch of 96 pixels.
export function chartPng() {
  const { width, height } = chart;
  const ratio = DPI / 96;
  const tall = paint(svgContext(), width, height, 1);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(tall * ratio) });
  const context = contextOf(canvas);
  context.scale(ratio, ratio);
  context.fillStyle = chart.ink.surface;
  context.fillRect(0, 0, width, tall);
  paint(context, width, height, ratio);
  drawChart();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** @param {Row[]} rows @param {Column[]} [columns] */
export function csv(rows, columns = data.columns) {
  return csvText([columns.map(({ name }) => name),
    ...rows.map((row) => columns.map((column) => readCell(column, row)))]);
}

/** @param {Row[]} rows */
export function json(rows) {
  const lines = rows.map((row) =>
    JSON.stringify(Object.fromEntries(data.columns.map((column) => [column.name, readCell(column, row)])))
  );
  return `[\n${lines.join(",\n")}\n]\n`;
}

/** What the CSV of some models is. @param {string} file @param {Row[]} rows */
export const csvPackage = (file, rows) => packageOf(file, sqlOf(current.state, rows), data.columns);

/** @param {string} file @param {string} query @param {Column[]} columns */
const packageOf = (file, query, columns) =>
  describe(file, data.about, { query, view: `#${writeState(current.state)}`, columns, sources: data.sources });

/** The data behind the chart: the models in view with what their points show. @returns {[Row[], Column[]]} */
export function chartData() {
  const { x, y } = chart.scales;
  const names = ["model_id", "name", x.axis.column, y.axis.column, y.axis.low, y.axis.high, y.axis.source,
    colourColumn(current.state), current.state.size];
  const columns = [...new Set(names)].flatMap((name) => columnNamed(name) ?? []);
  return [chart.visible.map((point) => point.row).sort((a, b) => a - b), columns];
}

/** What the CSV of the chart is. @param {string} file */
export function chartPackage(file) {
  const [rows, columns] = chartData();
  const inView = [between(chart.scales.x, chart.view.slice(0, 2)), between(chart.scales.y, chart.view.slice(2))];
  const names = columns.map((column) => column.name).join(", ");
  return packageOf(file, sqlOf(current.state, rows, names, inView), columns);
}

// The address of this view with nothing but the chart.
const embedAddress = () => `${location.href.split("#")[0]}#${writeState({ ...current.state, embed: true, model: "" })}`;

export function embedCode() {
  const address = embedAddress().replaceAll("&", "&amp;").replaceAll("\"", "&quot;");
  return `<iframe src="${address}" title="traincompute" width="100%" height="520" loading="lazy" style="border:0"></iframe>`;
}

/** @param {string} text @param {string} done */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    const box = find("copy-text"); // pages from disk may not write to the clipboard
    box.value = text;
    find("copy-box").hidden = false;
    box.select();
  }
}
