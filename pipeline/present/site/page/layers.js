// What lies behind the points: the line through the selection with its 90 % band, the records, what can be said of models
// without a value, and the models that only the search leaves out.
(function (t) {
  "use strict";
  const STEPS = 24;

  // The line through the rows of the chart, or null; it is worked out once for a selection.
  t.chartTrend = function (rows, scales, state) {
    if (scales.y.kind === "date") return null;
    const since = t.trendSince(state);
    const line = t.lineOf(rows, scales, since);
    const scope = scales.x.kind === "date" && scales.y.kind === "log" ? t.scopeOf(state) : null;
    return line && Object.assign(line, { since, published: scope && t.publishedTrend(state.y, scope, since) });
  };

  // "4.3× a year (90 %: 4.0–4.7), doubling in 5.7 months", "×2.1 for ten times the parameters", "+3 a year"
  t.trendWords = function (line, { x, y }) {
    const short = t.tenths;
    if (x.kind === "date" && y.kind === "log") {
      const rates = line.published || t.rates(line);
      return `${short(rates.growth_per_year)}× a year (90 %: ${short(rates.growth_low)}–${short(rates.growth_high)})${t.doubling(rates)}`;
    }
    const times = y.kind === "log" ? (slope) => 10 ** slope : (slope) => slope;
    const [low, high] = t.interval90(line.slopes).map(times);
    const per = x.kind === "date" ? "a year" : x.kind === "log" ? `for ten times the ${x.axis.label.toLowerCase()}` : `for each unit of ${x.axis.label.toLowerCase()}`;
    return `${y.kind === "log" ? "×" : line.slope < 0 ? "" : "+"}${short(times(line.slope))} ${per} (90 %: ${short(low)}–${short(high)})`;
  };

  t.drawTrend = function (context, chart, line) {
    const { x, y, ink, scales } = chart;
    const ends = [line.first, line.last];
    const places = Array.from({ length: STEPS + 1 }, (_, i) => ends[0] + ((ends[1] - ends[0]) * i) / STEPS);
    const across = (place) => x(scales.x.kind === "date" ? (place + 2020 - 1970) * 365.2425 : place);
    const band = (line.band ||= places.map((place) => t.interval90(line.slopes.map((slope, i) => line.levels[i] + slope * place))));
    context.fillStyle = ink.accent;
    context.globalAlpha = 0.2;
    trace(context, [...places.map((place, i) => [across(place), y(band[i][1])]), ...places.map((place, i) => [across(place), y(band[i][0])]).reverse()]);
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = ink.accent;
    context.lineWidth = 2;
    trace(context, places.map((place) => [across(place), y(line.level + line.slope * place)]));
    context.stroke();
  };

  function trace(context, corners) {
    context.beginPath();
    corners.forEach(([px, py], i) => (i ? context.lineTo(px, py) : context.moveTo(px, py)));
  }

  // The largest published value so far, as steps.
  t.drawFrontier = function (context, chart) {
    const known = t.isPublished(chart.scales.y);
    const ordered = chart.points.filter((point) => known(point.row)).sort((a, b) => a.x - b.x || b.y - a.y);
    const corners = [];
    for (const point of ordered) {
      const before = corners[corners.length - 1];
      if (before && point.y <= before[1]) continue;
      if (before) corners.push([point.x, before[1]]);
      corners.push([point.x, point.y]);
    }
    if (!corners.length) return;
    corners.push([Math.max(...ordered.map((point) => point.x)), corners[corners.length - 1][1]]);
    context.strokeStyle = chart.ink.ink;
    context.globalAlpha = 0.55;
    context.lineWidth = 1.2;
    trace(context, corners.map(([a, b]) => [chart.x(a), chart.y(b)]));
    context.stroke();
    context.globalAlpha = 1;
  };

  // The middle half and the middle 90 % of what can be said of each listed model without a value.
  t.drawTiers = function (context, chart) {
    if (!t.tiers || chart.state.y !== "training_compute_flop" || chart.scales.y.kind !== "log" || chart.scales.x.kind !== "date") return 0;
    const dates = t.column[t.DATE].values;
    let drawn = 0;
    context.strokeStyle = chart.ink.muted;
    for (const row of chart.rows) {
      const tier = t.tiers.get(row);
      if (!tier || dates[row] === null) continue;
      const px = chart.x(dates[row]);
      for (const [low, high, alpha, width] of [[tier.flop_05, tier.flop_95, 0.14, 1], [tier.flop_25, tier.flop_75, 0.3, 2]]) {
        context.globalAlpha = alpha;
        context.lineWidth = width;
        trace(context, [[px, chart.y(Math.log10(low))], [px, chart.y(Math.log10(high))]]);
        context.stroke();
      }
      drawn += 1;
    }
    context.globalAlpha = 1;
    return drawn;
  };

  // The day on which each chip came out that many models were trained on: a line, and its name at the foot.
  t.drawChips = function (context, chart) {
    const lines = t.chips.map(({ name, released }) => [chart.x(Date.parse(released) / 864e5), name]);
    const ends = [-Infinity, -Infinity, -Infinity]; // of the names in each of three rows, from the foot up
    context.strokeStyle = context.fillStyle = chart.ink.muted;
    context.font = "11px system-ui, sans-serif";
    [context.textAlign, context.textBaseline, context.lineWidth] = ["left", "alphabetic", 1];
    for (const [px, name] of lines.filter(([px]) => px >= chart.left && px <= chart.right).sort((a, b) => a[0] - b[0])) {
      context.globalAlpha = 0.5;
      trace(context, [[px, chart.top], [px, chart.bottom]]);
      context.stroke();
      context.globalAlpha = 1;
      const width = context.measureText(name).width;
      const row = ends.findIndex((end) => end < px);
      if (row < 0 || px + 3 + width > chart.right) continue;
      context.fillText(name, px + 3, chart.bottom - 4 - 13 * row);
      ends[row] = px + 6 + width;
    }
  };

  // Reads data/tiers.js once.
  t.loadTiers = async function () {
    const { columns, rows } = await t.loadPart("tiers");
    const named = rows.map((cells) => Object.fromEntries(columns.map((name, i) => [name, cells[i]])));
    t.tiers = new Map(named.map((row) => [t.rowOf.get(row.model_id), row]));
  };

  t.drawContext = function (context, chart, rows) {
    const { x, y } = chart.scales;
    context.fillStyle = chart.ink.edge;
    context.globalAlpha = 0.7;
    for (const row of rows) {
      const [a, b] = [x.of(row), y.of(row)];
      if (a === null || b === null) continue;
      context.beginPath();
      context.arc(chart.x(a), chart.y(b), 2.5, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  };
})(window.traincompute);
