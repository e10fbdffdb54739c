// Colours and shapes of the points (Okabe and Ito 2008, and a shape for each, so that no colour need be told apart),
// the legend, and the names written into the chart.
(function (t) {
  "use strict";
  const colours = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442"];
  const OTHER = { light: "#767676", dark: "#9a9a9a" };
  const shapes = [circle, square, triangle, diamond, cross, down, star, dot];

  function circle(p, x, y, r) {
    p.moveTo(x + r, y);
    p.arc(x, y, r, 0, 2 * Math.PI);
  }
  function dot(p, x, y, r) { circle(p, x, y, 0.72 * r); }
  function square(p, x, y, r) { p.rect(x - 0.87 * r, y - 0.87 * r, 1.74 * r, 1.74 * r); }
  function polygon(p, points) {
    points.forEach(([x, y], i) => (i ? p.lineTo(x, y) : p.moveTo(x, y)));
    p.closePath();
  }
  function triangle(p, x, y, r) { polygon(p, [[x, y - 1.15 * r], [x + 1.05 * r, y + 0.75 * r], [x - 1.05 * r, y + 0.75 * r]]); }
  function down(p, x, y, r) { polygon(p, [[x, y + 1.15 * r], [x + 1.05 * r, y - 0.75 * r], [x - 1.05 * r, y - 0.75 * r]]); }
  function diamond(p, x, y, r) { polygon(p, [[x, y - 1.25 * r], [x + 1.05 * r, y], [x, y + 1.25 * r], [x - 1.05 * r, y]]); }
  function cross(p, x, y, r) {
    const a = 0.4 * r;
    const b = 1.1 * r;
    polygon(p, [[-a, -b], [a, -b], [a, -a], [b, -a], [b, a], [a, a], [a, b], [-a, b], [-a, a], [-b, a], [-b, -a], [-a, -a]].map(([u, v]) => [x + u, y + v]));
  }
  function star(p, x, y, r) {
    polygon(p, Array.from({ length: 10 }, (_, i) => {
      const size = i % 2 ? 0.55 * r : 1.3 * r;
      return [x + size * Math.sin((i * Math.PI) / 5), y - size * Math.cos((i * Math.PI) / 5)];
    }));
  }

  // The groups that a column colours by: {names, ofRow}. The largest seven of the whole dataset keep their colours
  // whatever is filtered; the others share one.
  t.groups = function (name) {
    const column = t.column[name];
    if (!column) return { names: Array(7).fill(null).concat("all models"), ofRow: new Uint8Array(t.rows).fill(7) };
    if (column.groups) return column.groups;
    const several = (t.settings.colours.find((entry) => entry.column === name) || {}).several;
    const groupOf = (word) => (Array.isArray(word) ? (word.length > 1 ? several || word[0] : word[0]) : word);
    const labels = (column.words || []).map(groupOf);
    const count = new Map();
    for (const word of column.values) if (word >= 0) count.set(labels[word], (count.get(labels[word]) || 0) + 1);
    const largest = [...count].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).filter(([label]) => label !== "Other").slice(0, 7).map(([label]) => label);
    const place = labels.map((label) => (largest.includes(label) ? largest.indexOf(label) : 7));
    const ofRow = Uint8Array.from(column.values, (word) => (word < 0 ? 7 : place[word]));
    const rest = count.size > largest.length || column.values.includes(-1);
    column.groups = { names: [...largest.map(t.word), ...(rest ? Array(7 - largest.length).fill(null).concat("Other or none") : [])], ofRow };
    return column.groups;
  };

  // The two blues change places on a dark ground, where the largest group would hardly be seen.
  t.groupColour = (group, dark) => (group === 7 ? OTHER[dark ? "dark" : "light"] : colours[dark ? { 0: 5, 5: 0 }[group] ?? group : group]);

  // The column that colours a chart: "who says so" is that of the quantity shown upwards; null where it has none.
  t.colourColumn = function (state) {
    const entry = t.settings.colours.find((one) => one.column === state.colour);
    if (!entry || !entry.of_axis) return state.colour;
    const axis = t.axisOf(state.y);
    return axis && t.column[axis.source] ? axis.source : null;
  };

  const SMALLEST = 0.55; // of the usual radius
  const LARGEST = 2.2;

  // row → times the usual radius, by the logarithm of a column between its 5 % and 95 % points; null without a column.
  t.sizes = function (name) {
    const column = t.column[name];
    if (!column) return null;
    column.ends ||= t.interval90(column.values.filter((value) => value > 0).map(Math.log10));
    const [low, high] = column.ends;
    return (row) => {
      const value = column.values[row];
      if (!(value > 0)) return SMALLEST;
      const share = Math.max(0, Math.min(1, (Math.log10(value) - low) / (high - low || 1)));
      return SMALLEST + share * (LARGEST - SMALLEST);
    };
  };

  // Draws the points one after another, so that none hides a group; hollow ones are our estimates.
  t.drawPoints = function (context, points, { radius, surface, dark, alpha, ratio }) {
    const made = new Map();
    const pathOf = (group, size) => {
      const key = group + 8 * Math.round(size * 20);
      if (!made.has(key)) {
        const path = context.newPath ? context.newPath() : new Path2D();
        shapes[group](path, 0, 0, radius * size);
        made.set(key, path);
      }
      return made.get(key);
    };
    for (const point of points) {
      const path = pathOf(point.group, point.size ?? 1);
      const colour = t.groupColour(point.group, dark);
      const edge = !dark && point.group === 6 ? "#8a7f00" : null; // yellow on white
      context.setTransform(ratio, 0, 0, ratio, point.px * ratio, point.py * ratio);
      context.globalAlpha = alpha;
      context.fillStyle = point.hollow ? surface : colour;
      context.fill(path);
      context.globalAlpha = 1;
      context.lineWidth = point.hollow ? 1.7 : 0.8;
      context.strokeStyle = edge || (point.hollow ? colour : surface);
      context.stroke(path);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  };

  // [{group, text, hollow}] of the groups in view (group → whether its points are hollow), then what hollow points mean.
  t.legendOf = function (groups, used, hollow) {
    const items = groups.names.map((text, group) => ({ text, group, hollow: used.get(group) })).filter(({ text, group }) => text && used.has(group));
    return hollow ? [...items, { text: "hollow: our estimate", group: 7, hollow: true }] : items;
  };

  t.showLegend = function (items, words, dark) {
    const swatch = ({ group, hollow }) => {
      const canvas = t.make("canvas", { "aria-hidden": "true" });
      const ratio = window.devicePixelRatio || 1;
      canvas.width = canvas.height = 16 * ratio;
      t.drawPoints(canvas.getContext("2d"), [{ px: 8, py: 8, hollow, group }], { radius: 5, surface: "transparent", dark, alpha: 1, ratio });
      return canvas;
    };
    t.find("legend").replaceChildren(...items.map((item) => t.make("li", {}, swatch(item), item.text)), ...words.map(({ text, className }) => t.make("li", { className }, text)));
  };

  // Names of the points that set a record from left to right, then of the highest, where there is room.
  // No name covers a point.
  t.drawLabels = function (context, chart, points, most) {
    const { left, top, right, bottom, ink } = chart;
    const byDate = [...points].sort((a, b) => a.x - b.x || b.y - a.y);
    let record = -Infinity;
    const records = new Set(byDate.filter((point) => point.y > record && (record = point.y, true)));
    const wanted = [...records].reverse().concat([...points].sort((a, b) => b.y - a.y).filter((p) => !records.has(p)).slice(0, 6 * most));
    const taken = [...chart.reserved];
    let written = 0;
    context.font = ink.small;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.lineJoin = "round";
    for (const point of wanted) {
      if (written >= most) break;
      const name = t.cell(t.column.name, point.row);
      const text = name.length > 26 ? `${name.slice(0, 25)}…` : name;
      const wide = context.measureText(text).width;
      const box = [[-wide - 9, -7], [-wide - 4, -19], [9, -7], [-wide / 2, -22], [4, -19], [-wide - 4, 6], [-wide / 2, 9], [4, 6]]
        .map(([dx, dy]) => [point.px + dx, point.py + dy, wide, 14])
        .find(([x, y, w, h]) => x > left && x + w < right - 2 && y > top && y + h < bottom
          && taken.every((o) => x + w + 4 < o[0] || o[0] + o[2] + 4 < x || y + h + 1 < o[1] || o[1] + o[3] + 1 < y)
          && !t.anyWithin(x - 4, y - 2, x + w + 4, y + h + 2, point));
      if (!box) continue;
      taken.push(box);
      written += 1;
      context.strokeStyle = ink.surface;
      context.lineWidth = 3.5;
      context.strokeText(text, box[0], box[1] + 7);
      context.fillStyle = ink.ink;
      context.fillText(text, box[0], box[1] + 7);
    }
  };
})(window.traincompute);
