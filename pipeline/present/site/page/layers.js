// What lies behind the points: the line through the selection with its 90 % band, the records, the chips, and the
// models that only the search leaves out.
import { data } from "./dataset.js";
import { counted, tenths } from "./format.js";
import { doubling, scopeOf } from "./story.js";
import { dayOfYear, growthRates, interval90, isPublished, lineOf, publishedTrend, selectsOnOutcome,
  trendSince } from "./trend.js";

export const DASHES = [7, 4];
const STEPS = 24;
const FRONTIER = "is_frontier_upstream";

/** The line through the rows of the chart and that through their frontier, as far as there are; they are worked out
 * once for a selection.
 * @param {Row[]} rows @param {Scales} scales @param {State} state */
export function chartTrends(rows, scales, state) {
  if (scales.y.kind === "date" || selectsOnOutcome(state, state.y)) return [];
  const since = trendSince(state);
  const isGrowth = scales.x.kind === "date" && scales.y.kind === "log";
  const scope = isGrowth ? scopeOf(state) : null;
  /** @param {Row[]} some @param {string} group @param {string} what */
  const line = (some, group, what) => {
    const found = lineOf(some, scales, since);
    return found && { ...found, since, what, published: scope && publishedTrend(state.y, group, since) };
  };
  const frontier = isGrowth && state.flags[FRONTIER] === "any" ? rows.filter(isFrontier) : [];
  return [line(rows, scope ?? "", ""), line(frontier, "frontier_flag", "frontier")].filter((one) => one !== null);
}

/** As the group of the table `trends` has it. @param {Row} row */
const isFrontier = (row) => [FRONTIER, "is_notable"].every((name) => data.column[name]?.values[row] === 1);

/** @param {Line} line @param {Scales} scales */
export const trendKey = (line, scales) => (
  { className: line.what ? "key-dashed" : "key-trend",
    text: `${line.what ? `${line.what}, ` : line.since ? `since ${line.since.slice(0, 4)}, ` : ""}${
      counted(line.published?.n ?? line.n, "run")
    }: ${trendWords(line, scales)}` }
);

/** "4.3× a year (90 %: 4.0–4.7), doubling in 5.7 months", "×2.1 for ten times the parameters", "+3 a year"
 * @param {Line} line @param {Scales} scales */
function trendWords(line, { x, y }) {
  const short = tenths;
  if (x.kind === "date" && y.kind === "log") {
    const rates = line.published || growthRates(line);
    return `${short(rates.growth_per_year)}× a year (90 %: ${short(rates.growth_low)}–${short(rates.growth_high)})${
      doubling(rates)
    }`;
  }
  const times = y.kind === "log"
    ? (/** @type {number} */ slope) => 10 ** slope
    : (/** @type {number} */ slope) => slope;
  const [low, high] = interval90(line.slopes).map(times);
  const per = x.kind === "date"
    ? "a year"
    : x.kind === "log"
    ? `for ten times the ${x.axis.label.toLowerCase()}`
    : `for each unit of ${x.axis.label.toLowerCase()}`;
  return `${y.kind === "log" ? "×" : line.slope < 0 ? "" : "+"}${short(times(line.slope))} ${per} (90 %: ${
    short(low)
  }–${short(high)})`;
}

/** @param {Context} context @param {Chart} chart @param {Line} line */
export function drawTrend(context, chart, line) {
  const { x, y, ink, scales } = chart;
  const colour = line.what ? ink.ink : ink.accent;
  const ends = [line.first, line.last];
  const places = Array.from({ length: STEPS + 1 }, (_, i) => ends[0] + ((ends[1] - ends[0]) * i) / STEPS);
  const across = (/** @type {number} */ place) => x(scales.x.kind === "date" ? dayOfYear(place) : place);
  const band =
    (line.band ||= places.map((place) => interval90(line.slopes.map((slope, i) => line.levels[i] + slope * place))));
  context.fillStyle = colour;
  context.globalAlpha = line.what ? 0.1 : 0.2;
  trace(context, [...places.map((place, i) => [across(place), y(band[i][1])]),
    ...places.map((place, i) => [across(place), y(band[i][0])]).reverse()]);
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.setLineDash(line.what ? DASHES : []);
  trace(context, places.map((place) => [across(place), y(line.level + line.slope * place)]));
  context.stroke();
  context.setLineDash([]);
}

/** @param {Context} context @param {number[][]} corners */
function trace(context, corners) {
  context.beginPath();
  corners.forEach(([px, py], i) => (i ? context.lineTo(px, py) : context.moveTo(px, py)));
}

/** The largest published value so far, as steps. @param {Context} context @param {Chart} chart */
export function drawFrontier(context, chart) {
  const known = isPublished(chart.scales.y);
  const ordered = chart.points.filter((point) => known(point.row)).sort((a, b) => a.x - b.x || b.y - a.y);
  /** @type {number[][]} */
  const corners = [];
  for (const point of ordered) {
    const before = corners[corners.length - 1];
    if (before && point.y <= before[1]) continue;
    if (before) corners.push([point.x, before[1]]);
    corners.push([point.x, point.y]);
  }
  if (!corners.length) return;
  corners.push([Math.max(...ordered.map((point) => point.x)), corners[corners.length - 1][1]]);
  context.strokeStyle = chart.ink.ink;
  context.globalAlpha = 0.55;
  context.lineWidth = 1.2;
  trace(context, corners.map(([a, b]) => [chart.x(a), chart.y(b)]));
  context.stroke();
  context.globalAlpha = 1;
}

/** The day on which each chip came out that many models were trained on: a line, and its name at the foot.
 * @param {Context} context @param {Chart} chart */
export function drawChips(context, chart) {
  const lines = data.chips.map(({ name, released }) => ({ px: chart.x(Date.parse(released) / 864e5), name }))
    .sort((a, b) => a.px - b.px);
  const ends = [-Infinity, -Infinity, -Infinity]; // of the names in each of three rows, from the foot up
  context.strokeStyle = context.fillStyle = chart.ink.muted;
  context.font = "11px system-ui, sans-serif";
  [context.textAlign, context.textBaseline, context.lineWidth] = ["left", "alphabetic", 1];
  for (const { px, name } of lines.filter(({ px }) => px >= chart.left && px <= chart.right)) {
    context.globalAlpha = 0.5;
    trace(context, [[px, chart.top], [px, chart.bottom]]);
    context.stroke();
    context.globalAlpha = 1;
    const width = context.measureText(name).width;
    const row = ends.findIndex((end) => end < px);
    if (row < 0 || px + 3 + width > chart.right) continue;
    context.fillText(name, px + 3, chart.bottom - 4 - 13 * row);
    ends[row] = px + 6 + width;
  }
}

/** @param {Context} context @param {Chart} chart @param {Row[]} rows */
export function drawContext(context, chart, rows) {
  const { x, y } = chart.scales;
  context.fillStyle = chart.ink.edge;
  context.globalAlpha = 0.7;
  for (const row of rows) {
    const [a, b] = [x.of(row), y.of(row)];
    if (a === null || b === null) continue;
    context.beginPath();
    context.arc(chart.x(a), chart.y(b), 2.5, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
}
