// Ticks and lines of the chart: dates, powers of ten or plain numbers, on either axis.
import { data } from "./dataset.js";
import { powerText, shortText } from "./format.js";
import { scaleName } from "./scales.js";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const steps = [1, 3, 6, 12, 24, 60, 120, 240]; // months
const DAY = 864e5;
const LINE = 15; // pixels of a line of words

const dayOf = (/** @type {number} */ month) => Date.UTC(Math.floor(month / 12), ((month % 12) + 12) % 12, 1) / DAY;
const monthOf = (/** @type {number} */ day) => {
  const date = new Date(day * DAY);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/** [{at: day, text}] between two days, at least `gap` pixels apart.
 * @param {number} first @param {number} last @param {number} width @param {number} [gap] */
function dateTicks(first, last, width, gap = 56) {
  const span = (last - first) / 30.44;
  const step = steps.find((size) => (width / span) * size >= gap) || 360;
  const ticks = [];
  for (let month = Math.ceil(monthOf(first) / step) * step; dayOf(month) <= last; month += step) {
    if (dayOf(month) < first) continue;
    const year = String(Math.floor(month / 12));
    ticks.push({ at: dayOf(month),
      text: step >= 12 || month % 12 === 0 ? year : `${months[month % 12]} ${year.slice(2)}` });
  }
  return ticks;
}

/** [{at: log10, text}]; below two powers of ten also 2 and 5 times each.
 * @param {number} least @param {number} most @param {number} height @param {number} [gap] */
function powerTicks(least, most, height, gap = 30) {
  const ticks = [];
  const step = Math.max(1, Math.ceil(gap / (height / (most - least))));
  const between = (height / (most - least)) * 0.3 >= gap * 0.6 ? [2, 5] : [];
  for (let power = Math.floor(least); power <= most; power += 1) {
    if (power % step === 0 && power >= least) ticks.push({ at: power, text: powerText(power) });
    for (const times of between) {
      const at = power + Math.log10(times);
      if (at >= least && at <= most) ticks.push({ at, text: `${times}·${powerText(power)}` });
    }
  }
  return ticks;
}

/** [{at: value, text}] at multiples of 1, 2 or 5 times a power of ten.
 * @param {number} least @param {number} most @param {number} length @param {number} gap @param {string} unit */
function plainTicks(least, most, length, gap, unit) {
  const rough = ((most - least) * gap) / length;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 10 * power;
  const ticks = [];
  for (let at = Math.ceil(least / step) * step; at <= most + step * 1e-9; at += step) {
    const value = Math.abs(at) < step * 1e-9 ? 0 : at;
    ticks.push({ at: value, text: shortText(Number(value.toPrecision(12)), unit) });
  }
  return ticks;
}

/** @param {Scale} scale @param {number[]} ends @param {number} length @param {boolean} isAcross */
function ticksOf(scale, [least, most], length, isAcross) {
  if (scale.kind === "date") return dateTicks(least, most, length, isAcross ? 56 : 30);
  const gap = isAcross ? 64 : 30;
  return scale.kind === "log" ? powerTicks(least, most, length, gap) : plainTicks(least, most, length, gap, scale.unit);
}

/** Grid, ticks, thresholds and the names of the axes; `chart` is what scatter.js lays out, and keeps in chart.reserved
 * where words of the thresholds stand. @param {Context} context @param {Chart} chart */
export function drawAxes(context, chart) {
  const { left, top, right, bottom, x, y, view, ink, scales } = chart;
  context.font = ink.font;
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of ticksOf(scales.y, view.slice(2), bottom - top, false)) {
    const at = Math.round(y(tick.at)) + 0.5;
    rule(context, left, at, right, at, ink.line);
    context.fillStyle = ink.muted;
    context.fillText(tick.text, left - 8, at);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const tick of ticksOf(scales.x, view.slice(0, 2), right - left, true)) {
    const at = Math.round(x(tick.at)) + 0.5;
    rule(context, at, top, at, bottom, ink.line);
    context.fillStyle = ink.muted;
    if (at > left + 10 && at < right - 10) context.fillText(tick.text, at, bottom + 6);
  }
  chart.reserved = [];
  for (const mark of data.settings.thresholds) drawMark(context, chart, mark);
  drawNames(context, chart);
}

/** @param {Context} context @param {Chart} chart */
function drawNames(context, { scales, ink, right, bottom, left }) {
  context.fillStyle = ink.ink;
  context.font = ink.strong;
  context.textAlign = "left";
  context.textBaseline = "top";
  context.fillText(scaleName(scales.y), Math.min(8, left), 4);
  context.textAlign = "right";
  if (scales.x.kind !== "date") context.fillText(scaleName(scales.x), right, bottom + 22);
  context.font = ink.font;
}

/**
 * @param {Context} context @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1
 * @param {string} colour */
function rule(context, x0, y0, x1, y1, colour) {
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

/** A threshold as a dashed line with its name; names stand inside the plot and side by side where lines are close.
 * @param {Context} context @param {Chart} chart @param {Threshold} mark */
function drawMark(context, chart, mark) {
  const { left, top, right, bottom, ink, scales } = chart;
  const isUp = scales.y.axis.column === mark.column;
  if (!isUp && scales.x.axis.column !== mark.column) return;
  const at = Math.round(isUp ? chart.y(scales.y.at(mark.flop)) : chart.x(scales.x.at(mark.flop))) + 0.5;
  if (isUp ? at < top || at > bottom : at < left || at > right) return;
  context.setLineDash([5, 4]);
  if (isUp) rule(context, left, at, right, at, ink.muted);
  else rule(context, at, top, at, bottom, ink.muted);
  context.setLineDash([]);
  const text = `${powerText(Math.round(Math.log10(mark.flop)))} ${mark.label}`;
  const wide = context.measureText(text).width + 8;
  const above = at - LINE > top ? at - LINE - 1 : at + 2;
  /** @type {Box} */
  const box = isUp ? [left + 4, above, wide, LINE] : [at + wide > right ? at - wide : at + 3, top + 2, wide, LINE];
  for (const other of chart.reserved) {
    if (!overlaps(box, other)) continue;
    if (isUp) box[0] = other[0] + other[2] + 6;
    else box[1] = other[1] + LINE + 2;
  }
  if (box[0] + wide > right) return;
  context.fillStyle = ink.muted;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.strokeStyle = ink.surface;
  context.lineWidth = 3;
  context.strokeText(text, box[0] + 3, box[1] + LINE / 2);
  context.lineWidth = 1;
  context.fillText(text, box[0] + 3, box[1] + LINE / 2);
  chart.reserved.push(box);
}

/** @param {Box} a @param {Box} b */
const overlaps = (a, b) => a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
