// Small pictures as SVG elements, and their scales.
(function (t) {
  "use strict";
  const NARROW = window.innerWidth < 700; // a phone: fewer words, so that they stay legible
  const WIDTH = NARROW ? 460 : 900;
  const HEIGHT = 340;
  const LINE = 26;
  const LETTER = 8; // the width of most letters
  const SPACE = "http://www.w3.org/2000/svg";

  t.PICTURE_WIDTH = WIDTH;

  // An element of SVG.
  t.draw = function (tag, attributes, ...children) {
    const element = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  // A function from values to 0 … 1, logarithmic where that shows more or is asked for, with ticks [value, text].
  t.scaled = function (values, fromZero = false, isLog = false) {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    if (least > 0 && (isLog || most / least > 1000)) {
      const low = Math.floor(Math.log10(least));
      const high = Math.max(low + 1, Math.ceil(Math.log10(most)));
      const step = Math.ceil((high - low) / 6);
      const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => [10 ** (low + i * step), t.power(low + i * step)]);
      return { at: (value) => (Math.log10(value) - low) / (high - low), ticks };
    }
    const [low, high] = [fromZero ? Math.min(0, least) : least, fromZero ? Math.max(0, most) : most];
    const size = 10 ** Math.floor(Math.log10((high - low || 1) / 4));
    const step = [1, 2, 5, 10].map((n) => n * size).find((n) => (high - low) / n <= 6);
    const first = Math.ceil(low / step);
    const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => [(first + i) * step, t.count(Number(((first + i) * step).toPrecision(12)))]);
    return { at: (value) => (value - low) / (high - low || 1), ticks };
  };

  // The same for times in milliseconds.
  t.years = function (times) {
    const [low, high] = [Math.min(...times), Math.max(...times)];
    const [first, last] = [new Date(low).getUTCFullYear() + 1, new Date(high).getUTCFullYear()];
    const step = Math.max(1, Math.ceil((last - first) / 8));
    const ticks = [];
    for (let year = first; year <= last; year += step) ticks.push([Date.UTC(year, 0), String(year)]);
    return { at: (time) => (time - low) / (high - low || 1), ticks };
  };
  t.frame = (height, title, ...children) => t.draw("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title }, ...children);

  // Lines and words of an axis along the left and one along the bottom; functions from values to pixels.
  function axes(down, across, height) {
    const px = (value) => 80 + across.at(value) * (WIDTH - 110);
    const py = (value) => height - 34 - down.at(value) * (height - 54);
    const lines = down.ticks.flatMap(([value, text]) => [
      t.draw("line", { x1: 80, x2: WIDTH - 30, y1: py(value), y2: py(value), class: "grid" }),
      t.draw("text", { x: 72, y: py(value) + 4, "text-anchor": "end" }, text)]);
    const words = across.ticks.map(([value, text]) => t.draw("text", { x: px(value), y: height - 12, "text-anchor": "middle" }, text));
    return { px, py, parts: [...lines, ...words] };
  }

  // Points {x, y, text, href}; x are times in milliseconds or numbers.
  t.dots = function (points, isDate, title) {
    const across = (isDate ? t.years : t.scaled)(points.map(({ x }) => x));
    const { px, py, parts } = axes(t.scaled(points.map(({ y }) => y)), across, HEIGHT);
    const marks = points.map(({ x, y, text }) => t.draw("circle", { cx: px(x).toFixed(1), cy: py(y).toFixed(1), r: 4, class: "mark" }, t.draw("title", {}, text)));
    return t.frame(HEIGHT, title, ...parts, ...marks);
  };

  // Rows {text, low, value, high, tag, short, chosen} one below the other on one logarithmic axis; the value may be missing.
  t.intervals = function (rows, title) {
    const left = Math.min(330, 20 + 7.2 * Math.max(...rows.map(({ text }) => text.length)));
    const ends = rows.flatMap(({ low, value, high }) => [low, value, high]).filter((end) => end > 0).map(Math.log10);
    const [least, most] = [Math.floor(Math.min(...ends) - 0.1), Math.ceil(Math.max(...ends) + 0.1)];
    const share = (value) => (Math.log10(value) - least) / (most - least);
    // as wide as leaves room for the words behind each line
    const wide = Math.min(WIDTH - left - (NARROW ? 70 : 110), ...rows.map(({ low, value, high, tag, short = tag }) => {
      const end = high || value || low;
      return end > 0 ? (WIDTH - left - 12 - LETTER * (NARROW ? short : tag).length) / Math.max(share(end), 0.1) : Infinity;
    }));
    const px = (value) => left + share(value) * wide;
    const height = rows.length * LINE + 30;
    const step = Math.ceil((most - least) / 8);
    const ticks = Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, i) => least + i * step);
    const axis = ticks.flatMap((power) => [
      t.draw("line", { x1: px(10 ** power), x2: px(10 ** power), y1: 0, y2: height - 24, class: "grid" }),
      t.draw("text", { x: px(10 ** power), y: height - 8, "text-anchor": "middle" }, t.power(power))]);
    return t.frame(height, title, ...axis, ...rows.flatMap((row, number) => interval(row, number * LINE + LINE / 2, px, left)));
  };

  function interval({ text, low, value, high, chosen, tag, short = tag }, y, px, left) {
    const [from, to] = [low || value || high, high || value || low];
    const words = t.draw("text", { x: left - 12, y: y + 4, "text-anchor": "end", class: chosen ? "strong" : "" }, text);
    const line = from && to && from < to ? [t.draw("line", { x1: px(from), x2: px(to), y1: y, y2: y, class: chosen ? "span strong" : "span" })] : [];
    const mark = value > 0 ? [t.draw("circle", { cx: px(value), cy: y, r: chosen ? 6 : 4.5, class: "mark" })] : [];
    return [words, ...line, ...mark, t.draw("text", { x: px(to) + 12, y: y + 4, class: chosen ? "strong" : "" }, NARROW ? short : tag)];
  }

  // Series {text, points: [[time, value], …]} that keep a value until the next; `end` is where the last one ends.
  t.steps = function (series, end, title) {
    const all = series.flatMap(({ points }) => points);
    const down = t.scaled(all.map(([, value]) => value), false, true);
    const { px, py, parts } = axes(down, t.years([...all.map(([time]) => time), end]), 220);
    const lines = series.flatMap(({ text, points }, number) => {
      const path = points.map(([time, value], at) => (at ? `H${px(time)}V${py(value)}` : `M${px(time)} ${py(value)}`)).join("");
      return [
        t.draw("path", { d: `${path}H${px(end)}`, class: `step step-${number % 4}` }, t.draw("title", {}, text)),
        ...points.map(([time, value]) => t.draw("circle", { cx: px(time), cy: py(value), r: 3.5, class: `mark step-${number % 4}` }, t.draw("title", {}, `${text}: ${t.count(value)}`))),
        t.draw("path", { d: `M${90 + number * 180} 10h32`, class: `step step-${number % 4}` }),
        t.draw("text", { x: 128 + number * 180, y: 14 }, text),
      ];
    });
    return t.frame(220, title, ...parts, ...lines);
  };
})(window.traincompute);
