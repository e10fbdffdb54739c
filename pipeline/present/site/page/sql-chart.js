// A simple chart of a result: bars for names, dots for dates and numbers; logarithmic where values span three powers of ten.
(function (t) {
  "use strict";
  const { find, make } = t;
  const SPACE = "http://www.w3.org/2000/svg";
  const WIDTH = 900;
  const LINE = 24;
  const MOST_BARS = 30;
  const HEIGHT = 340;

  function draw(tag, attributes, ...children) {
    const element = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

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
    if (what === "number") return numbers;
    const others = columns.map((_, number) => number).filter((number) => rows.some((row) => typeof row[number] === "string"));
    return [...others, ...numbers];
  }

  function chart({ columns, rows }, x, y) {
    const kept = rows.filter((row) => row[x] !== null && row[y] !== null && Number.isFinite(Number(row[y]))).slice(0, 5000);
    const pairs = kept.map((row) => [row[x], Number(row[y])]);
    const isDate = pairs.every(([key]) => /^\d{4}-\d\d-\d\d/.test(key));
    const title = `${columns[y].name} by ${columns[x].name}`;
    if (columns[x].number || isDate) return dots(pairs.map(([key, value]) => [isDate ? Date.parse(key) : Number(key), value]), isDate, title);
    return bars(pairs.slice(0, MOST_BARS), title, pairs.length);
  }

  // A function from values to 0 … 1, logarithmic where that shows more, with ticks [value, text].
  function scale(values, fromZero) {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    if (least > 0 && most / least > 1000) {
      const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
      const step = Math.ceil((high - low) / 6);
      const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => [10 ** (low + i * step), t.power(low + i * step)]);
      return { at: (value) => (Math.log10(value) - low) / (high - low), ticks };
    }
    const [low, high] = [fromZero ? Math.min(0, least) : least, fromZero ? Math.max(0, most) : most];
    const size = 10 ** Math.floor(Math.log10((high - low || 1) / 4));
    const step = [1, 2, 5, 10].map((n) => n * size).find((n) => (high - low) / n <= 6);
    const first = Math.ceil(low / step);
    const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => [(first + i) * step, t.humanCell(Number(((first + i) * step).toPrecision(12)))]);
    return { at: (value) => (value - low) / (high - low || 1), ticks };
  }

  function frame(height, title, ...children) {
    return draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title }, ...children);
  }

  function bars(pairs, title, all) {
    const left = Math.min(300, 14 + 7 * Math.max(...pairs.map(([name]) => Math.min(40, t.humanCell(name).length))));
    const { at } = scale(pairs.map(([, value]) => value), true);
    const start = Math.max(0, at(0) || 0);
    const wide = WIDTH - left - 90;
    const lines = pairs.flatMap(([name, value], row) => {
      const [a, b] = [start, at(value)].sort((one, other) => one - other);
      const text = t.humanCell(name);
      return [
        draw("text", { x: left - 8, y: row * LINE + 16, "text-anchor": "end" }, text.length > 40 ? `${text.slice(0, 39)}…` : text),
        draw("rect", { x: left + a * wide, y: row * LINE + 3, width: Math.max(1, (b - a) * wide), height: LINE - 6, class: "mark" }),
        draw("text", { x: left + b * wide + 6, y: row * LINE + 16 }, t.humanCell(value)),
      ];
    });
    const rest = all > pairs.length ? [draw("text", { x: left, y: pairs.length * LINE + 16 }, `${all - pairs.length} more in the table`)] : [];
    return frame((pairs.length + rest.length) * LINE + 4, title, ...lines, ...rest);
  }

  function dots(pairs, isDate, title) {
    const down = scale(pairs.map(([, value]) => value), false);
    const across = isDate ? years(pairs.map(([key]) => key)) : scale(pairs.map(([key]) => key), false);
    const px = (key) => 80 + across.at(key) * (WIDTH - 110);
    const py = (value) => HEIGHT - 34 - down.at(value) * (HEIGHT - 54);
    return frame(HEIGHT, title,
      ...down.ticks.flatMap(([value, text]) => [draw("line", { x1: 80, x2: WIDTH - 30, y1: py(value), y2: py(value), class: "grid" }), draw("text", { x: 72, y: py(value) + 4, "text-anchor": "end" }, text)]),
      ...across.ticks.map(([key, text]) => draw("text", { x: px(key), y: HEIGHT - 12, "text-anchor": "middle" }, text)),
      ...pairs.map(([key, value]) => draw("circle", { cx: px(key).toFixed(1), cy: py(value).toFixed(1), r: 3.5, class: "mark" })));
  }

  function years(times) {
    const [low, high] = [Math.min(...times), Math.max(...times)];
    const [first, last] = [new Date(low).getUTCFullYear() + 1, new Date(high).getUTCFullYear()];
    const step = Math.max(1, Math.ceil((last - first) / 8));
    const ticks = [];
    for (let year = first; year <= last; year += step) ticks.push([Date.UTC(year, 0), String(year)]);
    return { at: (time) => (time - low) / (high - low || 1), ticks };
  }
})(window.traincompute);
