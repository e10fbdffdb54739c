// In the place of a point, a bar for each model without a value: the middle half and the middle 90 % of what can be
// said of it.
import { data } from "./dataset.js";
import { likelyOf } from "./likely.js";
import { DATE } from "./scales.js";

const FLOP = "training_compute_flop";
const NO_GROUP = 7;

/** Where the bars of the listed models stand. @param {Chart} chart @returns {Point[]} */
export function barsOf({ rows, scales, state, view, x, y }) {
  if (!state.tiers || state.asof || state.y !== FLOP || scales.y.kind !== "log" || scales.x.kind !== "date") return [];
  const dates = data.column[DATE].values;
  return rows.flatMap((row) => {
    const likely = likelyOf(row);
    const day = dates[row];
    if (!likely || day === null || day < view[0] || day > view[1]) return [];
    const middle = Math.log10(likely.flop_50);
    return [{ row, likely, x: day, y: middle, value: likely.flop_50, low: likely.flop_05, high: likely.flop_95,
      hollow: true, px: x(day), py: y(middle), group: NO_GROUP, size: 1 }];
  });
}

/** @param {Context} context @param {Chart} chart */
export function drawBars(context, { bars, ink, y }) {
  context.strokeStyle = ink.muted;
  for (const { px, likely } of bars) {
    if (!likely) continue;
    for (const [low, high, alpha, width] of [[likely.flop_05, likely.flop_95, 0.14, 1], [likely.flop_25, likely.flop_75,
      0.3, 2]])
    {
      context.globalAlpha = alpha;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(px, y(Math.log10(low)));
      context.lineTo(px, y(Math.log10(high)));
      context.stroke();
    }
  }
  context.globalAlpha = 1;
}

/** The nearest bar within so many pixels to the left or right, or null: of several the one whose middle is nearest.
 * @param {Chart} chart @param {number} x @param {number} y @param {number} reach */
export function barAt({ bars, scales, y: up }, x, y, reach) {
  const far = (/** @type {Point} */ { px, py }) => Math.hypot(4 * (px - x), py - y);
  const found = bars.filter(({ px, low, high }) =>
    Math.abs(px - x) < reach && y <= up(Number(scales.y.at(low))) && y >= up(Number(scales.y.at(high)))
  );
  return found.length ? found.reduce((best, bar) => (far(bar) < far(best) ? bar : best)) : null;
}
