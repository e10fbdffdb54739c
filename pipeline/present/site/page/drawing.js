// Small pictures as SVG elements, and their scales.
import { countText, plainCount, powerText } from "./format.js";

const NARROW = window.innerWidth < 700; // a phone: fewer words, so that they stay legible
const WIDTH = NARROW ? 460 : 900;
const HEIGHT = 340;
const LINE = 26;
const LETTER = 8; // the width of most letters
const SPACE = "http://www.w3.org/2000/svg";

export const PICTURE_WIDTH = WIDTH;

/** An element of SVG.
 * @param {string} tag @param {Record<string, string | number>} attributes @param {...(string | Node)} children */
export function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A function from values to 0 … 1, logarithmic where that shows more or is asked for, with ticks [value, text].
 * @param {number[]} values @param {boolean} [fromZero] @param {boolean} [isLog] @returns {Ruler} */
export function scaled(values, fromZero = false, isLog = false) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least > 0 && (isLog || most / least > 1000)) {
    const low = Math.floor(Math.log10(least));
    const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
    const step = Math.ceil((high - low) / 6);
    const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 },
      (_, i) => /** @type {[number, string]} */ ([10 ** (low + i * step), powerText(low + i * step)]));
    return { at: (value) => (Math.log10(value) - low) / (high - low), ticks, isLog: true };
  }
  const [low, high] = [fromZero ? Math.min(0, least) : least, fromZero ? Math.max(0, most) : most];
  const size = 10 ** Math.floor(Math.log10((high - low || 1) / 4));
  const fits = [1, 2, 5, 10].map((n) => n * size).find((n) => (high - low) / n <= 6) ?? 10 * size;
  const step = values.every(Number.isInteger) ? Math.max(1, fits) : fits;
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step).map((
    at,
  ) => /** @type {[number, string]} */ ([at, plainCount(Number(at.toPrecision(12)))]));
  return { at: (value) => (value - low) / (high - low || 1), ticks };
}

/** The same for times in milliseconds. @param {number[]} times @returns {Ruler} */
function years(times) {
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const [first, last] = [new Date(low).getUTCFullYear() + 1, new Date(high).getUTCFullYear()];
  const step = Math.max(1, Math.ceil((last - first) / 8));
  /** @type {[number, string][]} */
  const ticks = [];
  for (let year = first; year <= last; year += step) ticks.push([Date.UTC(year, 0), String(year)]);
  return { at: (time) => (time - low) / (high - low || 1), ticks };
}
/** @param {number} height @param {string} title @param {...Node} children */
export const frame = (height, title, ...children) =>
  draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title }, ...children);

/** Lines and words of an axis along the left and one along the bottom; functions from values to pixels.
 * @param {Ruler} down @param {Ruler} across @param {number} height */
function axes(down, across, height) {
  const px = (/** @type {number} */ value) => 80 + across.at(value) * (WIDTH - 110);
  const py = (/** @type {number} */ value) => height - 34 - down.at(value) * (height - 54);
  const lines = down.ticks.flatMap(([value, text]) => [
    draw("line", { x1: 80, x2: WIDTH - 30, y1: py(value), y2: py(value), class: "grid" }),
    draw("text", { x: 72, y: py(value) + 4, "text-anchor": "end" }, text),
  ]);
  const words = across.ticks.map(([value, text]) =>
    draw("text", { x: px(value), y: height - 12, "text-anchor": "middle" }, text)
  );
  return { px, py, parts: [...lines, ...words] };
}

/** Points {x, y, text, href}; x are times in milliseconds or numbers.
 * @param {{ x: number, y: number, text: string }[]} points @param {boolean} isDate @param {string} title */
export function dots(points, isDate, title) {
  const across = (isDate ? years : scaled)(points.map(({ x }) => x));
  const { px, py, parts } = axes(scaled(points.map(({ y }) => y)), across, HEIGHT);
  const marks = points.map(({ x, y, text }) =>
    draw("circle", { cx: px(x).toFixed(1), cy: py(y).toFixed(1), r: 4, class: "mark" }, draw("title", {}, text))
  );
  return frame(HEIGHT, title, ...parts, ...marks);
}

/** Rows {text, low, value, high, inner, tag, short, chosen} one below the other on one logarithmic axis; the value may
 * be missing.
 * @param {Interval[]} rows @param {string} title */
export function intervals(rows, title) {
  const left = Math.min(330, 20 + 7.2 * Math.max(...rows.map(({ text }) => text.length)));
  const ends = rows.flatMap(({ low, value, high }) => [low, value, high]).flatMap((end) =>
    end && end > 0 ? Math.log10(end) : []
  );
  const [least, most] = [Math.floor(Math.min(...ends) - 0.1), Math.ceil(Math.max(...ends) + 0.1)];
  const share = (/** @type {number} */ value) => (Math.log10(value) - least) / (most - least);
  // as wide as leaves room for the words behind each line
  const wide = Math.min(WIDTH - left - (NARROW ? 70 : 110), ...rows.map(({ low, value, high, tag, short = tag }) => {
    const end = high || value || low;
    return end && end > 0
      ? (WIDTH - left - 12 - LETTER * (NARROW ? short : tag).length) / Math.max(share(end), 0.1)
      : Infinity;
  }));
  const px = (/** @type {number} */ value) => left + share(value) * wide;
  const height = rows.length * LINE + 30;
  const step = Math.ceil((most - least) / 8);
  const ticks = Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, i) => least + i * step);
  const axis = ticks.flatMap((power) => [
    draw("line", { x1: px(10 ** power), x2: px(10 ** power), y1: 0, y2: height - 24, class: "grid" }),
    draw("text", { x: px(10 ** power), y: height - 8, "text-anchor": "middle" }, powerText(power)),
  ]);
  return frame(height, title, ...axis,
    ...rows.flatMap((row, number) => interval(row, number * LINE + LINE / 2, px, left)));
}

/** @param {Interval} row @param {number} y @param {(value: number) => number} px @param {number} left */
function interval({ text, low, value, high, inner, chosen, tag, short = tag }, y, px, left) {
  const [from, to] = [low || value || high, high || value || low];
  const words = draw("text", { x: left - 12, y: y + 4, "text-anchor": "end", class: chosen ? "strong" : "" }, text);
  const line = from && to && from < to
    ? [draw("line", { x1: px(from), x2: px(to), y1: y, y2: y, class: chosen && !inner ? "span strong" : "span" })]
    : [];
  const half = inner
    ? [draw("line", { x1: px(inner[0]), x2: px(inner[2]), y1: y, y2: y, class: "span half" }),
      draw("line", { x1: px(inner[1]), x2: px(inner[1]), y1: y - 7, y2: y + 7, class: "span" })]
    : [];
  const mark = value && value > 0 ? [draw("circle", { cx: px(value), cy: y, r: chosen ? 6 : 4.5, class: "mark" })] : [];
  return [words, ...line, ...half, ...mark,
    draw("text", { x: px(to ?? 0) + 12, y: y + 4, class: chosen ? "strong" : "" }, NARROW ? short : tag)];
}

/** Series {text, points: [[time, value], …]} that keep a value until the next; `end` is where the last one ends.
 * @param {{ text: string, points: number[][] }[]} series @param {number} end @param {string} title */
export function steps(series, end, title) {
  const all = series.flatMap(({ points }) => points);
  const down = scaled(all.map(([, value]) => value), false, true);
  const { px, py, parts } = axes(down, years([...all.map(([time]) => time), end]), 220);
  const lines = series.flatMap(({ text, points }, number) => {
    const path = points.map(([time, value], at) => (at ? `H${px(time)}V${py(value)}` : `M${px(time)} ${py(value)}`))
      .join("");
    return [
      draw("path", { d: `${path}H${px(end)}`, class: `step step-${number % 4}` }, draw("title", {}, text)),
      ...points.map(([time, value]) =>
        draw("circle", { cx: px(time), cy: py(value), r: 3.5, class: `mark step-${number % 4}` },
          draw("title", {}, `${text}: ${countText(value)}`))
      ),
      draw("path", { d: `M${90 + number * 180} 10h32`, class: `step step-${number % 4}` }),
      draw("text", { x: 128 + number * 180, y: 14 }, text),
    ];
  });
  return frame(220, title, ...parts, ...lines);
}
