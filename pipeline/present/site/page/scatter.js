// The chart: lays out, draws, and knows which point is where. Gestures are in gestures.js.
(function (t) {
  "use strict";
  const { find } = t;
  const CELL = 24; // pixels of a cell of the index
  const FIRST_YEAR = 2010; // before that there are few models
  const STRAY = 0.004; // share of the smallest values that may lie below the first view: three models below 1e14 halve its scale
  const chart = { points: [], index: new Map(), view: [0, 1, 0, 1], hovered: null };
  t.chart = chart;

  function ink() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    const family = getComputedStyle(document.body).fontFamily;
    return { ink: get("--ink"), muted: get("--muted"), line: get("--line"), surface: get("--surface"),
      font: `12px ${family}`, small: `11px ${family}`, strong: `600 13px ${family}` };
  }
  t.isDark = () => getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";

  // The points of the rows that have a date and a value of the axis.
  function placed(rows, axis) {
    const [dates, values] = [t.column.publication_date, t.column[axis.column]];
    if (!dates || !values) return [];
    const [low, high] = [t.column[axis.low], t.column[axis.high]];
    const source = t.column[axis.source];
    const ours = source ? source.words.indexOf("imputed") : -1;
    const points = [];
    for (const row of rows) {
      const value = values.values[row];
      if (value > 0 && dates.values[row] !== null) {
        points.push({ row, day: dates.values[row], value, y: Math.log10(value), low: low ? low.values[row] : null, high: high ? high.values[row] : null,
          hollow: ours >= 0 && source.values[row] === ours, px: 0, py: 0 });
      }
    }
    return points;
  }

  // The view that shows all points since 2010, or all there are; whole years and powers of ten, so that it moves little.
  t.fitView = function (points, ends = null) {
    const year = (y) => Date.UTC(y, 0, 1) / 864e5;
    const ofDay = (day) => new Date(day * 864e5).getUTCFullYear();
    if (!points.length) return [...(ends || [year(FIRST_YEAR), year(FIRST_YEAR + 16)]), 20, 26];
    const days = points.map((point) => point.day);
    const last = days.reduce((a, b) => Math.max(a, b));
    const first = days.reduce((a, b) => Math.min(a, b));
    const from = last > year(FIRST_YEAR + 1) ? Math.max(year(FIRST_YEAR), year(ofDay(first))) : year(ofDay(first));
    const span = ends || [from, Math.max(last + Math.max(60, 0.02 * (last - from)), from + 365)];
    const seen = points.filter((point) => point.day >= span[0] && point.day <= span[1]).map((point) => point.y);
    const ys = seen.length ? seen : points.map((point) => point.y);
    ys.sort((a, b) => a - b);
    const [least, most] = [ys[Math.floor(STRAY * ys.length)], ys[ys.length - 1]];
    return [...span, Math.floor(least - 0.2), Math.ceil(most + 0.35)];
  };

  // The view that leaves no point out.
  t.wholeView = function (points, end) {
    const ys = points.map((point) => point.y);
    const first = points.reduce((least, point) => Math.min(least, point.day), end) - 180;
    return [first, end, Math.floor(ys.reduce((a, b) => Math.min(a, b)) - 0.2), Math.ceil(ys.reduce((a, b) => Math.max(a, b)) + 0.35)];
  };

  // Takes the rows and the state, lays out and draws. Pixels of every point are kept for the index.
  t.showChart = function (rows, state) {
    chart.state = state;
    chart.axis = t.settings.axes.find((axis) => axis.column === state.y);
    chart.points = chart.axis ? placed(rows, chart.axis) : [];
    chart.view = state.view && state.view.length === 4 ? [...state.view] : t.fitView(chart.points, state.view);
    t.drawChart();
  };

  // Draws, and once more where the legend, which names what is in view, took or left room.
  t.drawChart = function () {
    if (!chart.state) return;
    draw();
    if (t.chartIsStale()) draw();
  };

  function size() {
    const box = find("plot").getBoundingClientRect();
    return [Math.max(200, box.width), Math.max(160, box.height)];
  }

  t.chartIsStale = () => size().some((side, i) => Math.abs(side - [chart.width, chart.height][i]) > 0.5);

  function draw() {
    const [width, height] = size();
    const context = sized(find("points"), width, height);
    Object.assign(chart, { left: 52, top: 30, right: width - 14, bottom: height - 30, ink: ink(), width, height });
    const [x0, x1, y0, y1] = chart.view;
    chart.x = (day) => chart.left + ((day - x0) / (x1 - x0)) * (chart.right - chart.left);
    chart.y = (value) => chart.bottom - ((value - y0) / (y1 - y0)) * (chart.bottom - chart.top);
    const unit = t.column[chart.state.y] ? t.column[chart.state.y].unit : "";
    t.drawAxes(context, chart, t.settings.thresholds.filter((mark) => mark.column === chart.state.y), axisName(chart.axis, unit));
    drawAll(context);
    t.drawHover();
    describe();
  }

  const axisName = (axis, unit) => (axis ? axis.label + (unit && !axis.label.toLowerCase().includes(unit) ? ` [${unit}]` : "") : "");

  function sized(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    return context;
  }

  function drawAll(context) {
    const groups = t.groups(chart.state.colour);
    chart.index = new Map();
    chart.visible = [];
    for (const point of chart.points) {
      point.px = chart.x(point.day);
      point.py = chart.y(point.y);
      if (point.px < chart.left - 6 || point.px > chart.right + 6 || point.py < chart.top - 6 || point.py > chart.bottom + 6) continue;
      chart.visible.push(point);
      point.group = groups.ofRow[point.row];
      const cell = cellOf(point.px, point.py);
      if (chart.index.has(cell)) chart.index.get(cell).push(point);
      else chart.index.set(cell, [point]);
    }
    context.save();
    context.beginPath();
    context.rect(chart.left - 6, chart.top - 6, chart.right - chart.left + 12, chart.bottom - chart.top + 12);
    context.clip();
    const many = chart.visible.length;
    const dark = t.isDark();
    const style = { radius: many > 1200 ? 3.4 : many > 300 ? 4 : 5, surface: chart.ink.surface, dark, alpha: 0.9, ratio: window.devicePixelRatio || 1 };
    if (chart.state.intervals) for (const point of chart.visible) drawInterval(context, point, 0.35);
    t.drawPoints(context, chart.visible, style);
    if (chart.state.labels) t.drawLabels(context, chart, chart.visible, Math.round(chart.width / 75));
    context.restore();
    const used = new Set(chart.visible.map((point) => point.group));
    const hollow = chart.state.colour !== chart.axis?.source && chart.visible.some((point) => point.hollow);
    t.showLegend(groups, used, dark, hollow);
  }

  function drawInterval(context, point, alpha) {
    if (!(point.low > 0) || !(point.high > 0)) return;
    const [a, b] = [chart.y(Math.log10(point.low)), chart.y(Math.log10(point.high))];
    context.globalAlpha = alpha;
    context.strokeStyle = t.groupColour(t.groups(chart.state.colour).ofRow[point.row], t.isDark());
    context.lineWidth = 1.2;
    context.beginPath();
    context.moveTo(point.px, a);
    context.lineTo(point.px, b);
    for (const end of [a, b]) {
      context.moveTo(point.px - 3, end);
      context.lineTo(point.px + 3, end);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  const cellOf = (x, y) => Math.floor(x / CELL) * 4096 + Math.floor(y / CELL);

  // The nearest point within so many pixels, or null.
  t.pointAt = function (x, y, reach = 14) {
    let best = null;
    let least = reach * reach;
    for (let dx = -1; dx <= 1; dx += 1) {
      for (let dy = -1; dy <= 1; dy += 1) {
        for (const point of chart.index.get(cellOf(x + dx * CELL, y + dy * CELL)) || []) {
          const far = (point.px - x) ** 2 + (point.py - y) ** 2;
          if (far < least) [best, least] = [point, far];
        }
      }
    }
    return best;
  };

  // Whether a point other than that one lies in a rectangle.
  t.anyWithin = function (x0, y0, x1, y1, except) {
    for (let x = Math.floor(x0 / CELL); x <= Math.floor(x1 / CELL); x += 1) {
      for (let y = Math.floor(y0 / CELL); y <= Math.floor(y1 / CELL); y += 1) {
        const found = chart.index.get(x * 4096 + y);
        if (found && found.some((p) => p !== except && p.px > x0 && p.px < x1 && p.py > y0 && p.py < y1)) return true;
      }
    }
    return false;
  };

  // Ring, interval and words of the point under the pointer or the keyboard.
  t.drawHover = function () {
    const context = sized(find("overlay"), chart.width, chart.height);
    const point = chart.hovered && chart.points.find((other) => other.row === chart.hovered.row);
    const tip = find("tooltip");
    tip.hidden = !point || !chart.visible.includes(point);
    if (tip.hidden) return;
    drawInterval(context, point, 1);
    context.strokeStyle = chart.ink.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(point.px, point.py, 8, 0, 2 * Math.PI);
    context.stroke();
    tip.replaceChildren(...t.pointWords(point).map((line, i) => t.make(i ? "span" : "strong", {}, line)));
    const wide = tip.offsetWidth;
    const high = tip.offsetHeight;
    const x = point.px + 16 + wide > chart.width ? point.px - 16 - wide : point.px + 16;
    tip.style.left = `${Math.max(4, Math.min(chart.width - wide - 4, x))}px`;
    tip.style.top = `${Math.max(4, Math.min(chart.height - high - 4, point.py - high / 2))}px`;
  };

  // Name; organisation and date; value with interval; who says so.
  t.pointWords = function (point) {
    const { column, label } = chart.axis;
    const { unit } = t.column[column];
    const organisations = t.column.organizations ? t.cell(t.column.organizations, point.row) || [] : [];
    const who = organisations.length > 3 ? `${organisations.slice(0, 3).join(", ")} and ${organisations.length - 3} more` : organisations.join(", ");
    const interval = point.low && point.high ? ` (${t.short(point.low, unit)} – ${t.short(point.high, unit)})` : "";
    return [t.cell(t.column.name, point.row), [who, t.date(point.row)].filter(Boolean).join(" · "),
      `${label}: ${t.human(point.value, unit)}${interval}`, t.saidBy(column, point.row)].filter(Boolean);
  };

  function describe() {
    const { points, visible, axis } = chart;
    const name = axis ? axis.label.toLowerCase() : "value";
    const missing = points.length - visible.length;
    find("chart-note").textContent = `${visible.length.toLocaleString("en-US")} ${chart.width < 500 ? "" : "models "}in view${missing ? `, ${missing.toLocaleString("en-US")} outside` : ""}`;
    find("surface").setAttribute("aria-label", `Scatter plot of ${name} by date of publication, ${visible.length} models in view`);
    const empty = find("no-points");
    empty.hidden = visible.length > 0;
    empty.textContent = points.length ? "All models lie outside this view." : `None of the models listed has a date and a value of ${name}.`;
  }
})(window.traincompute);
