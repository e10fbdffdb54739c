// A simple chart of a result: bars for names, dots for dates and numbers; logarithmic where values span three powers of
// ten.
import { find, findIn, make, region } from "./dom.js";
import { dots, draw, frame, PICTURE_WIDTH, scaled } from "./drawing.js";
import { humanCell } from "./sql-result.js";

const WIDTH = PICTURE_WIDTH;
const LINE = 24;
const MOST_BARS = 30;

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
  /** @type {[string, number][]} */
  const pairs = kept.map((row) => [row[x], Number(row[y])]);
  const isDate = pairs.every(([key]) => /^\d{4}-\d\d-\d\d/.test(key));
  const title = `${columns[y].name} by ${columns[x].name}`;
  if (columns[x].number || isDate) {
    return dots(
      pairs.map(([key, value]) => ({ x: isDate ? Date.parse(key) : Number(key), y: value,
        text: `${key}: ${humanCell(value)}` })
      ),
      isDate,
      title,
    );
  }
  return bars(pairs.slice(0, MOST_BARS), title, pairs.length);
}

/** @param {[string, number][]} pairs @param {string} title @param {number} all */
function bars(pairs, title, all) {
  const most = WIDTH > 600 ? 40 : 20; // letters of a name
  const left = Math.min(WIDTH / 3, 14 + 7 * Math.max(...pairs.map(([name]) => Math.min(most, humanCell(name).length))));
  const { at } = scaled(pairs.map(([, value]) => value), true);
  const start = Math.max(0, at(0) || 0);
  const wide = WIDTH - left - 90;
  const lines = pairs.flatMap(([name, value], row) => {
    const [a, b] = [start, at(value)].sort((one, other) => one - other);
    const text = humanCell(name);
    return [
      draw("text", { x: left - 8, y: row * LINE + 16, "text-anchor": "end" },
        text.length > most ? `${text.slice(0, most - 1)}…` : text),
      draw("rect", { x: left + a * wide, y: row * LINE + 3, width: Math.max(1, (b - a) * wide), height: LINE - 6,
        class: "mark" }),
      draw("text", { x: left + b * wide + 6, y: row * LINE + 16 }, humanCell(value)),
    ];
  });
  const rest = all > pairs.length
    ? [draw("text", { x: left, y: pairs.length * LINE + 16 }, `${all - pairs.length} more in the table`)]
    : [];
  return frame((pairs.length + rest.length) * LINE + 4, title, ...lines, ...rest);
}
