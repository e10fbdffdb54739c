// Pointer, wheel, touch, keys and the choice of an area on the chart. What they do to the view goes through `moved`,
// what they open through `open`.
import { data } from "./dataset.js";
import { find, make, timed } from "./dom.js";
import { wholeView, widths } from "./scales.js";
import { chart, drawChart, drawHover, pointAt, pointWords } from "./scatter.js";

const CLICK = 5; // pixels that a click may wander
/** @type {(view: View | null) => void} */
let moved;
/** @type {(row: Row) => void} */
let opened;
/** @type {Map<number, Pixel>} */
const pointers = new Map();
let start = { at: pixel(0, 0), view: /** @type {View} */ ([]), moved: false, spread: 1, middle: pixel(0, 0),
  isBrush: false };
let tapped = false;
let frame = 0;
let resting = 0;

/** @param {(view: View | null) => void} whenMoved @param {(row: Row) => void} whenOpened */
export function listenToChart(whenMoved, whenOpened) {
  [moved, opened] = [whenMoved, whenOpened];
  const surface = find("surface");
  surface.addEventListener("pointerdown", press);
  surface.addEventListener("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) {
    surface.addEventListener(name, (event) => release(/** @type {PointerEvent} */ (event)));
  }
  // the click that a browser sends after a tap would hit, and close, what the tap has opened there
  surface.addEventListener("touchend", (event) => tapped && event.preventDefault());
  surface.addEventListener("pointerleave", () => pointers.size || hover(null));
  surface.addEventListener("wheel", wheel, { passive: false });
  surface.addEventListener("dblclick", (event) => zoom(0.5, ...at(event)));
  surface.addEventListener("keydown", key);
  surface.addEventListener("blur", () => hover(null));
  find("zoom-in").addEventListener("click", () => zoom(0.6));
  find("zoom-out").addEventListener("click", () => zoom(1 / 0.6));
  find("area").addEventListener("click",
    () => find("area").setAttribute("aria-pressed", String(find("area").getAttribute("aria-pressed") !== "true")));
  find("zoom-reset").addEventListener("click", () => moved(null));
  buildSpans();
}

function buildSpans() {
  const last = new Date(
    (data.column.publication_date ? data.column.publication_date.values : [0]).reduce((a, b) => Math.max(a, b ?? a), 0)
      * 864e5,
  ).getUTCFullYear();
  const day = (/** @type {number} */ year) => Date.UTC(year, 0, 1) / 864e5;
  const years = [null, 2010, 2018, last - 3];
  find("spans").append(
    ...years.map((year) =>
      make("button", { type: "button", "aria-label": year ? `Since ${year}` : "All years", onclick: () => {
        if (!chart.points.length) return;
        const whole = wholeView(chart.points, chart.scales);
        if (year === null) moved(whole);
        else moved(day(year) < whole[1] ? [day(year), whole[1]] : null);
      } }, year ? `${year}–` : "All")
    ),
  );
}

/** @param {number} x @param {number} y @returns {Pixel} */
function pixel(x, y) {
  return [x, y];
}

/** @param {MouseEvent} event */
function at(event) {
  const box = find("surface").getBoundingClientRect();
  return pixel(event.clientX - box.left, event.clientY - box.top);
}

/** @param {PointerEvent} event */
function press(event) {
  if (event.pointerType === "mouse" && event.button !== 0) return;
  find("surface").setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, at(event));
  tapped = false;
  const isBrush = pointers.size === 1 && (event.shiftKey || find("area").getAttribute("aria-pressed") === "true");
  start = { at: at(event), view: [...chart.view], moved: false, spread: spread(), middle: middle(), isBrush };
}

/** @param {PointerEvent} event */
function move(event) {
  if (!pointers.has(event.pointerId)) {
    if (event.pointerType === "mouse") hover(pointAt(...at(event)));
    return;
  }
  pointers.set(event.pointerId, at(event));
  const [x, y] = middle();
  const [dx, dy] = [x - start.middle[0], y - start.middle[1]];
  if (!start.moved && Math.hypot(dx, dy) < CLICK && pointers.size === 1) return;
  start.moved = true;
  hover(null);
  if (start.isBrush) return brush(at(event));
  const [x0, x1, y0, y1] = start.view;
  const scale = pointers.size > 1 ? start.spread / Math.max(20, spread()) : 1;
  const perX = (x1 - x0) / (chart.right - chart.left);
  const perY = (y1 - y0) / (chart.bottom - chart.top);
  chart.view = scaled([x0 - dx * perX, x1 - dx * perX, y0 + dy * perY, y1 + dy * perY], scale, x, y);
  redraw();
}

/** @param {PointerEvent} event */
function release(event) {
  if (!pointers.delete(event.pointerId)) return;
  if (pointers.size) {
    start = { ...start, view: [...chart.view], spread: spread(), middle: middle() };
    return;
  }
  if (start.moved) {
    const area = chart.brush;
    chart.brush = null;
    if (event.type === "pointerup") moved(area ? within(area) : [...chart.view]);
    else drawHover();
    return;
  }
  const point = event.type === "pointerup" ? pointAt(...at(event), event.pointerType === "touch" ? 24 : 14) : null;
  hover(point);
  tapped = point !== null;
  if (point) opened(point.row);
}

/** Marks the area between the press and here. @param {number[]} place */
function brush([x, y]) {
  /** @param {number[]} ends @param {number} least @param {number} most */
  const within = (ends, least, most) => ends.map((end) => Math.max(least, Math.min(most, end))).sort((a, b) => a - b);
  const [x0, x1] = within([start.at[0], x], chart.left, chart.right);
  const [y0, y1] = within([start.at[1], y], chart.top, chart.bottom);
  chart.brush = [x0, y0, x1, y1];
  drawHover();
}

/** The view of an area of pixels. @param {number[]} area */
function within([x0, y0, x1, y1]) {
  const [a, b, c, d] = chart.view;
  const across = (/** @type {number} */ pixel) => a + ((pixel - chart.left) / (chart.right - chart.left)) * (b - a);
  const up = (/** @type {number} */ pixel) => c + ((chart.bottom - pixel) / (chart.bottom - chart.top)) * (d - c);
  return x1 - x0 < CLICK || y1 - y0 < CLICK ? [...chart.view] : [across(x0), across(x1), up(y1), up(y0)];
}

const middle = () => {
  const all = [...pointers.values()];
  const [x, y] = [0, 1].map((i) => all.reduce((sum, one) => sum + one[i], 0) / Math.max(1, all.length));
  return pixel(x, y);
};
const spread = () => {
  const all = [...pointers.values()];
  return all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 1;
};

/** The wheel zooms where the page itself has nothing to scroll, with Ctrl, or once the chart has the focus.
 * @param {WheelEvent} event */
function wheel(event) {
  const scrolls = document.documentElement.scrollHeight > window.innerHeight + 1;
  if (scrolls && !event.ctrlKey && !event.metaKey && document.activeElement !== find("surface")) return;
  event.preventDefault();
  zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.005), ...at(event));
}

/** The view with its sides times `factor` around a pixel; for dates between a week and 200 years.
 * @param {View} view @param {number} factor @param {number} px @param {number} py */
function scaled([x0, x1, y0, y1], factor, px, py) {
  const u = (px - chart.left) / (chart.right - chart.left);
  const v = (chart.bottom - py) / (chart.bottom - chart.top);
  /** @param {number} span @param {Scale} scale */
  const limited = (span, { kind }) => Math.max(widths[kind][0], Math.min(widths[kind][1], span * factor));
  const [wide, high] = [limited(x1 - x0, chart.scales.x), limited(y1 - y0, chart.scales.y)];
  const [cx, cy] = [x0 + u * (x1 - x0), y0 + v * (y1 - y0)];
  return [cx - u * wide, cx + (1 - u) * wide, cy - v * high, cy + (1 - v) * high];
}

/** @param {number} factor @param {number} [px] @param {number} [py] */
function zoom(factor, px = (chart.left + chart.right) / 2, py = (chart.top + chart.bottom) / 2) {
  chart.view = scaled(chart.view, factor, px, py);
  redraw();
  clearTimeout(resting);
  resting = setTimeout(() => moved([...chart.view]), 150);
}

function redraw() {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(drawChart);
}

/** @param {Point | null} point */
function hover(point) {
  if (point === chart.hovered) return;
  chart.hovered = point;
  find("surface").classList.toggle("on-point", Boolean(point));
  timed("hover", drawHover);
}

/** @type {Record<string, ["x" | "y", number]>} */
const keys = { ArrowRight: ["x", 1], ArrowLeft: ["x", -1], ArrowUp: ["y", 1], ArrowDown: ["y", -1] };

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (keys[event.key]) step(keys[event.key][0], keys[event.key][1]);
  else if (event.key === "Enter" && chart.hovered) opened(chart.hovered.row);
  else if (event.key === "+" || event.key === "=") zoom(0.6);
  else if (event.key === "-") zoom(1 / 0.6);
  else if (event.key === "0") moved(null);
  else if (event.key === "Escape") hover(null);
  else return;
  event.preventDefault();
}

/** To the next point or bar in view across or upwards. @param {"x" | "y"} by @param {number} sign */
function step(by, sign) {
  const order = [...chart.visible, ...chart.bars].sort((a, b) => a[by] - b[by] || a.row - b.row);
  if (!order.length) return;
  const here = chart.hovered ? order.findIndex((point) => point.row === chart.hovered?.row) : -1;
  const next = here < 0 ? (sign > 0 ? 0 : order.length - 1) : Math.max(0, Math.min(order.length - 1, here + sign));
  hover(order[next]);
  find("point-said").textContent = pointWords(order[next]).join(", ");
}
