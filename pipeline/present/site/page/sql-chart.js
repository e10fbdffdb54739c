// A simple chart of a result: bars for names, dots for dates and numbers; logarithmic where values span three powers of ten.
(function (t) {
  "use strict";
  const { find, make, draw } = t;
  const WIDTH = t.PICTURE_WIDTH;
  const LINE = 24;
  const MOST_BARS = 30;

  // Shows a chart of the result, or nothing where it has no number beside another column.
  t.showChartOf = function (result) {
    const values = choose(result, "number");
    const along = choose(result, "along");
    find("chart").hidden = !values.length || !along.length || result.rows.length < 2;
    if (find("chart").hidden) return;
    const box = find("chart").querySelector("div");
    const picture = make("div", { className: "picture", tabIndex: 0, role: "region", "aria-label": "Chart" });
    const pick = (label, options, first) => {
      const select = make("select", { onchange: redraw }, ...options.map((number) => make("option", { value: String(number) }, result.columns[number].name)));
      select.value = String(first);
      return [select, make("label", { className: "field" }, make("span", {}, label), select)];
    };
    const y = values.find((number) => number !== along[0]) ?? values[0];
    const [selectY, fieldY] = pick("Show", values, y);
    const [selectX, fieldX] = pick("by", along, along[0]);
    function redraw() {
      picture.replaceChildren(chart(result, Number(selectX.value), Number(selectY.value)));
    }
    box.replaceChildren(make("div", { className: "bar" }, fieldY, fieldX), picture);
    redraw();
  };

  // The columns that can stand on an axis, names and dates before numbers.
  function choose({ columns, rows }, what) {
    const numbers = columns.map((_, number) => number).filter((number) => columns[number].number && rows.some((row) => row[number] !== null));
    if (what === "number") return numbers.sort((a, b) => isYear(columns[a]) - isYear(columns[b]));
    const others = columns.map((_, number) => number).filter((number) => rows.some((row) => typeof row[number] === "string"));
    return [...others, ...numbers];
  }

  const isYear = ({ name }) => /^year$/i.test(name);

  function chart({ columns, rows }, x, y) {
    const kept = rows.filter((row) => row[x] !== null && row[y] !== null && Number.isFinite(Number(row[y]))).slice(0, 5000);
    const pairs = kept.map((row) => [row[x], Number(row[y])]);
    const isDate = pairs.every(([key]) => /^\d{4}-\d\d-\d\d/.test(key));
    const title = `${columns[y].name} by ${columns[x].name}`;
    if (columns[x].number || isDate) return t.dots(pairs.map(([key, value]) => ({ x: isDate ? Date.parse(key) : Number(key), y: value, text: `${key}: ${t.humanCell(value)}` })), isDate, title);
    return bars(pairs.slice(0, MOST_BARS), title, pairs.length);
  }

  function bars(pairs, title, all) {
    const most = WIDTH > 600 ? 40 : 20; // letters of a name
    const left = Math.min(WIDTH / 3, 14 + 7 * Math.max(...pairs.map(([name]) => Math.min(most, t.humanCell(name).length))));
    const { at } = t.scaled(pairs.map(([, value]) => value), true);
    const start = Math.max(0, at(0) || 0);
    const wide = WIDTH - left - 90;
    const lines = pairs.flatMap(([name, value], row) => {
      const [a, b] = [start, at(value)].sort((one, other) => one - other);
      const text = t.humanCell(name);
      return [
        draw("text", { x: left - 8, y: row * LINE + 16, "text-anchor": "end" }, text.length > most ? `${text.slice(0, most - 1)}…` : text),
        draw("rect", { x: left + a * wide, y: row * LINE + 3, width: Math.max(1, (b - a) * wide), height: LINE - 6, class: "mark" }),
        draw("text", { x: left + b * wide + 6, y: row * LINE + 16 }, t.humanCell(value)),
      ];
    });
    const rest = all > pairs.length ? [draw("text", { x: left, y: pairs.length * LINE + 16 }, `${all - pairs.length} more in the table`)] : [];
    return t.frame((pairs.length + rest.length) * LINE + 4, title, ...lines, ...rest);
  }
})(window.traincompute);
