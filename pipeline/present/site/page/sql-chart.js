// A simple chart of a result: a line of its own for each name, dots for dates and numbers; logarithmic where values
// span three powers of ten.
import { find, findIn, make, region } from "./dom.js";
import { dots, draw, frame, PICTURE_WIDTH, scaled } from "./drawing.js";
import { humanCell } from "./sql-result.js";

const WIDTH = PICTURE_WIDTH;
const LINE = 24;
const TOP = 20; // the words of the axis
const MOST_LINES = 30;

/** @typedef {{ key: string, value: number, text: string }} Mark a row: where it stands, and all that it says */

/** Shows a chart of the result, or nothing where it has no number beside another column. @param {Result} result */
export function showChartOf(result) {
  const values = choose(result, "number");
  const along = choose(result, "along");
  find("chart").hidden = !values.length || !along.length || result.rows.length < 2;
  if (find("chart").hidden) return;
  const box = findIn("div", find("chart"));
  const picture = region("picture", "Chart");
  const pick = (/** @type {string} */ label, /** @type {number[]} */ options, /** @type {number} */ first) => {
    const select = make("select", { onchange: redraw },
      ...options.map((number) => make("option", { value: String(number) }, result.columns[number].name)));
    select.value = String(first);
    return { select, label: make("label", { className: "field" }, make("span", {}, label), select) };
  };
  const y = values.find((number) => number !== along[0]) ?? values[0];
  const upwards = pick("Show", values, y);
  const across = pick("by", along, along[0]);
  function redraw() {
    picture.replaceChildren(chart(result, Number(across.select.value), Number(upwards.select.value)));
  }
  box.replaceChildren(make("div", { className: "bar" }, upwards.label, across.label), picture);
  redraw();
}

/** The columns that can stand on an axis, names and dates before numbers.
 * @param {Result} result @param {"number" | "along"} what */
function choose({ columns, rows }, what) {
  const numbers = columns.map((_, number) => number).filter((number) =>
    columns[number].number && rows.some((row) => row[number] !== null)
  );
  if (what === "number") return numbers.sort((a, b) => Number(isYear(columns[a])) - Number(isYear(columns[b])));
  const others = columns.map((_, number) => number).filter((number) =>
    rows.some((row) => typeof row[number] === "string")
  );
  return [...others, ...numbers];
}

const isYear = (/** @type {{ name: string }} */ { name }) => /^year$/i.test(name);

/** @param {Result} result @param {number} x @param {number} y */
function chart({ columns, rows }, x, y) {
  const kept = rows.filter((row) => row[x] !== null && row[y] !== null && Number.isFinite(Number(row[y]))).slice(0,
    5000);
  /** @type {Mark[]} */
  const marks = kept.map((row) => ({ key: row[x], value: Number(row[y]), text: row.map(humanCell).join(" · ") }));
  const isDate = marks.every(({ key }) => /^\d{4}-\d\d-\d\d/.test(key));
  const title = `${columns[y].name} by ${columns[x].name}`;
  if (columns[x].number || isDate) {
    const points = marks.map(({ key, value, text }) => ({ x: isDate ? Date.parse(key) : Number(key), y: value, text }));
    return dots(points, isDate, title);
  }
  const lines = grouped(marks);
  return named(lines.slice(0, MOST_LINES), title, lines.length - MOST_LINES);
}

/** The rows of each name: one may stand in several. @param {Mark[]} marks */
function grouped(marks) {
  /** @type {Map<string, Mark[]>} */
  const found = new Map();
  for (const mark of marks) found.set(mark.key, [...found.get(mark.key) ?? [], mark]);
  return [...found.values()];
}

/** A line for each name below one axis: a bar where all have one value and the axis begins at zero, else dots.
 * @param {Mark[][]} lines @param {string} title @param {number} more */
function named(lines, title, more) {
  const most = WIDTH > 600 ? 36 : 18; // letters of a name
  const short = (/** @type {string} */ text) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const names = lines.map(([{ key }]) => short(humanCell(key)));
  const left = Math.min(WIDTH / 3, 14 + 8 * Math.max(...names.map((name) => name.length)));
  const { at, ticks, isLog } = scaled(lines.flat().map(({ value }) => value), true);
  const px = (/** @type {number} */ value) => left + at(value) * (WIDTH - left - 90);
  const single = lines.every((line) => line.length === 1);
  const height = TOP + lines.length * LINE;
  const rows = lines.flatMap((line, number) => {
    const y = TOP + number * LINE;
    const shown = single && !isLog
      ? [bar(px(0), px(line[0].value), y)]
      : line.map((mark) => dot(px(mark.value), y, mark.text));
    const end = Math.max(px(line[0].value), isLog ? 0 : px(0)) + 10;
    const said = single ? [draw("text", { x: end, y: y + 16 }, humanCell(line[0].value))] : [];
    return [draw("text", { x: left - 8, y: y + 16, "text-anchor": "end" }, names[number]), ...shown, ...said];
  });
  const rest = more > 0 ? [draw("text", { x: left, y: height + 18 }, `${more} more in the table`)] : [];
  return frame(height + 4 + 24 * rest.length, title, ...axis(ticks, px, height), ...rows, ...rest);
}

/** @param {Ruler["ticks"]} ticks @param {(value: number) => number} px @param {number} end */
const axis = (ticks, px, end) =>
  ticks.flatMap(([value, text]) => [
    draw("line", { x1: px(value), x2: px(value), y1: TOP, y2: end, class: "grid" }),
    draw("text", { x: px(value), y: 14, "text-anchor": "middle", class: "tick" }, text),
  ]);

/** @param {number} from @param {number} to @param {number} y */
const bar = (from, to, y) =>
  draw("rect", { x: Math.min(from, to), y: y + 3, width: Math.max(1, Math.abs(to - from)), height: LINE - 6,
    class: "mark" });

/** @param {number} cx @param {number} y @param {string} text */
const dot = (cx, y, text) => draw("circle", { cx, cy: y + LINE / 2, r: 5, class: "mark" }, draw("title", {}, text));
