// The chart: Observable Plot draws axes, thresholds, band and names; points and bars are one path for each colour and
// shape, so that 3,600 models take no longer than one. Mouse, touch and keys point at one model at a time.
"use strict";
{
  const { AXES, FLOP, at, find, groupOf, human, iso, list, power, say, set, state, trendOf } = traincompute;
  const DATE = "publication_date";
  const ENDS = { [FLOP]: ["training_compute_low", "training_compute_high"],
    training_cost_usd: ["training_cost_usd_low", "training_cost_usd_high"] };
  // outlines around a point, in the order of the groups: circle, square, triangle, diamond, triangle, cross, bow, circle
  const SHAPES = ["m-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0-7,0z", "m-3,-3h6v6h-6z", "m0,-4l4,7h-8z", "m0,-4.5l4.5,4.5l-4.5,4.5l-4.5,-4.5z",
    "m0,4l4,-7h-8z", "m-1.3,-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z", "m-4,-3.5l8,7v-7l-8,7z", "m-2.5,0a2.5,2.5 0 1,0 5,0a2.5,2.5 0 1,0-5,0z"];
  const MARGIN = { marginLeft: 52, marginRight: 16, marginTop: 14, marginBottom: 34 };
  const REACH = 24; // px around the pointer
  const LABEL = { letter: 6.3, height: 15, most: 40 };

  let chart = null; // the svg
  let points = []; // {model, x, y} in px, what can be pointed at
  let pointed = null; // the model

  const isDate = (column) => column === DATE;
  const colourOf = (groups) => (model) => {
    const place = groups.indexOf(groupOf(model));
    return `var(--group-${place < 0 ? "other" : place})`;
  };

  /** A path for each colour with the outline that `outline` gives for each model. */
  function merged(rows, channels, groups, outline, attributes) {
    const colour = colourOf(groups);
    return Plot.dot(rows, { ...channels, render(index, scales, values) {
      const parts = d3.rollup(index, (some) => some.map((row) => outline(values, row, groups)).join(""),
        (row) => colour(rows[row]));
      return d3.create("svg:g").call((g) => g.selectAll("path").data(parts).join("path")
        .attr("d", ([, path]) => path).attr("stroke", ([name]) => name).attr("fill", ([name]) => name)
        .each(function apply() { for (const [name, value] of Object.entries(attributes)) this.setAttribute(name, value); }))
        .node();
    } });
  }
  /** Bars of models without a value: 90 % thin, 50 % thick, a tick at the median. */
  function estimateBars(rows, groups) {
    const channels = Object.fromEntries(["flop_05", "flop_25", "flop_75", "flop_95"].map((name) => (
      [name, { value: name, scale: "y" }]
    )));
    const bar = (low, high) => ({ x, [low]: from, [high]: to }, row) =>
      `M${x[row].toFixed(1)},${from[row].toFixed(1)}V${to[row].toFixed(1)}`;
    const common = { x: state.x, y: "flop_50", channels };
    return [
      merged(rows, common, groups, bar("flop_05", "flop_95"), { "stroke-width": 1, "stroke-opacity": 0.3, fill: "none" }),
      merged(rows, common, groups, bar("flop_25", "flop_75"), { "stroke-width": 2.5, "stroke-opacity": 0.45, fill: "none" }),
      merged(rows, common, groups, ({ x, y }, row) => `M${(x[row] - 3.5).toFixed(1)},${y[row].toFixed(1)}h7`,
        { "stroke-width": 1.5, "stroke-opacity": 0.9, fill: "none" }),
    ];
  }
  function valueBars(rows, groups) {
    const [low, high] = ENDS[state.y];
    const some = rows.filter((model) => model[low] > 0 && model[high] > 0);
    const channels = { low: { value: low, scale: "y" }, high: { value: high, scale: "y" } };
    return merged(some, { x: state.x, y: state.y, channels }, groups, ({ x, low: from, high: to }, row) =>
      `M${x[row].toFixed(1)},${from[row].toFixed(1)}V${to[row].toFixed(1)}`,
      { "stroke-width": 1, "stroke-opacity": 0.35, fill: "none" });
  }
  function dots(rows, groups, attributes) {
    const shape = (model) => SHAPES[Math.max(groups.indexOf(groupOf(model)), groups.includes(groupOf(model)) ? 0 : 7) % 8];
    return merged(rows, { x: state.x, y: state.y }, groups, ({ x, y }, row) =>
      `M${x[row].toFixed(1)},${y[row].toFixed(1)}${shape(rows[row])}`, { "stroke-width": 1, ...attributes });
  }

  /** The models that were the largest published when they came out, the newest last. */
  function recordsOf(rows) {
    let most = 0;
    return d3.sort(rows, (model) => model[state.x]).filter((model) => model[state.y] > most && (most = model[state.y]));
  }

  /** The domain of an axis: the range that is selected, else what the models take up. */
  function domainOf(column, values) {
    const [low, high] = traincompute.range(column);
    let [least, most] = d3.extent(values);
    if (least === undefined) [least, most] = isDate(column) ? [Date.UTC(2010), Date.now()] : [1, 10];
    if (isDate(column)) {
      const room = Math.max(86_400_000 * 20, (most - least) * 0.02);
      return [new Date(Number.isFinite(low) ? low : least - room), new Date(Number.isFinite(high) ? high : Number(most) + room)];
    }
    if (column === "capability_index") return [Number.isFinite(low) ? low : least - 2, Number.isFinite(high) ? high : most + 2];
    return [low > 0 ? low : least / 2, Number.isFinite(high) ? high : most * 2];
  }
  function scaleOf(column, values, horizontal, size) {
    const domain = domainOf(column, values);
    const label = horizontal ? null : `↑ ${AXES[column].filter(Boolean).join(", ")}`;
    if (isDate(column)) return { type: "utc", domain, grid: true, label, ticks: size / 90 };
    if (column === "capability_index") return { type: "linear", domain, grid: true, label };
    const [low, high] = domain.map(Math.log10);
    const step = Math.max(1, Math.ceil((high - low) / (size / 45)));
    const powers = d3.range(Math.ceil(low), Math.floor(high) + 1).filter((exponent) => exponent % step === 0);
    const ticks = powers.length > 1 ? powers.map((exponent) => 10 ** exponent) : d3.scaleLog(domain, [0, 1]).ticks(4);
    const tickFormat = (value) => (powers.length > 1 ? power(Math.round(Math.log10(value))) : human(value));
    return { type: "log", domain, grid: true, label, ticks, tickFormat };
  }

  /** Names beside their points, none over another; the newest first. */
  function placeLabels(models, scales, width) {
    const taken = [];
    return models.toReversed().slice(0, LABEL.most).flatMap((model) => {
      const [x, y] = [scales.x.apply(model[state.x]), scales.y.apply(at(model, state.y))];
      const wide = model.name.length * LABEL.letter;
      const isLeft = x - wide - 8 > MARGIN.marginLeft;
      const box = isLeft ? [x - wide - 8, x - 6] : [x + 6, x + wide + 8];
      const overlaps = taken.some(([from, to, top]) => box[0] < to && box[1] > from && Math.abs(top - y) < LABEL.height);
      if (overlaps || box[1] > width || !(y > 0)) return [];
      taken.push([...box, y]);
      return [{ model, isLeft }];
    });
  }

  /** Draws the selection; returns what is said below the chart. */
  function draw({ rows, groups }) {
    const canvas = find("#canvas");
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const isCompute = state.y === FLOP;
    const hasBoth = (model) => model[state.x] !== null && model[state.x] !== undefined && model[state.y] > 0;
    const valued = rows.filter(hasBoth);
    const guessed = isCompute && state.estimates && state.x !== FLOP
      ? rows.filter((model) => model[FLOP] === null && model.flop_50 !== null && model[state.x]) : [];
    const ours = isCompute ? valued.filter((model) => model.training_compute_source === "imputed") : [];
    const theirs = isCompute ? valued.filter((model) => model.training_compute_source !== "imputed") : valued;
    const byValue = state.y === FLOP && traincompute.state[FLOP];
    const trend = state.trend && isDate(state.x) && !byValue ? trendOf(rows) : null;
    const records = state.records ? recordsOf(theirs) : [];
    const named = list(state.model).map((id) => traincompute.byId.get(id)).filter((model) => model && rows.includes(model));
    const labelled = rows.length <= 25 ? [...valued, ...guessed] : records;
    const lows = guessed.flatMap((model) => [model.flop_05, model.flop_95]);
    const scales = { x: scaleOf(state.x, [...valued, ...guessed].map((model) => model[state.x]), true, width),
      y: scaleOf(state.y, [...valued.map((model) => model[state.y]), ...lows], false, height) };
    const placed = placeLabels([...labelled, ...named], { x: Plot.scale({ x: { ...scales.x,
      range: [MARGIN.marginLeft, width - MARGIN.marginRight] } }), y: Plot.scale({ y: { ...scales.y,
      range: [height - MARGIN.marginBottom, MARGIN.marginTop] } }) }, width);
    const text = (isLeft) => Plot.text(placed.filter((one) => one.isLeft === isLeft), { x: ({ model }) => model[state.x],
      y: ({ model }) => at(model, state.y), text: ({ model }) => model.name, dx: isLeft ? -7 : 7, textAnchor: isLeft ? "end" : "start",
      fill: "var(--ink)", stroke: "var(--paper)", strokeWidth: 3, fontSize: 11.5 });
    const lines = isCompute && state.thresholds ? traincompute.core.thresholds.filter(([flop]) =>
      flop > scales.y.domain[0] && flop < scales.y.domain[1]) : [];
    const svg = Plot.plot({ width, height, ...MARGIN, clip: true, style: "background: none; overflow: visible", ...scales,
      marks: [
        Plot.ruleY(lines, { y: 0, stroke: "var(--muted)", strokeDasharray: "5 4" }),
        Plot.text(lines, { y: 0, text: ([flop, label]) => `${power(Math.log10(flop))} ${label}`, frameAnchor: "left", dx: 4, dy: -7,
          textAnchor: "start", fill: "var(--muted)", stroke: "var(--paper)", strokeWidth: 3 }),
        guessed.length ? estimateBars(guessed, groups) : null,
        state.intervals && ENDS[state.y] ? valueBars(valued, groups) : null,
        trend ? Plot.areaY(trend.line, { x: "x", y1: "low", y2: "high", fill: "var(--accent)", fillOpacity: 0.18 }) : null,
        trend ? Plot.line(trend.line, { x: "x", y: "y", stroke: "var(--accent)", strokeWidth: 2 }) : null,
        state.records && isDate(state.x)
          ? Plot.line(records, { x: state.x, y: state.y, curve: "step-after", stroke: "var(--ink)", strokeOpacity: 0.5 }) : null,
        dots(theirs, groups, { "fill-opacity": 0.75 }),
        dots(ours, groups, { fill: "var(--paper)", "fill-opacity": 0.6 }),
        text(true), text(false),
      ] });
    svg.setAttribute("aria-hidden", "true");
    canvas.replaceChildren(svg);
    chart = svg;
    const [x, y] = [svg.scale("x"), svg.scale("y")];
    points = [...valued, ...guessed].map((model) => ({ model, x: x.apply(model[state.x]), y: y.apply(at(model, state.y)) }))
      .filter((point) => point.x >= MARGIN.marginLeft - 4 && point.x <= width && point.y >= 0 && point.y <= height);
    listen(svg, x, y, width, height);
    point(null);
    return { valued: valued.length, guessed: guessed.length, ours: ours.length, trend, byValue };
  }

  /** Points at a model: a ring, a note beside it, and for screen readers its words. */
  function point(found) {
    pointed = found?.model ?? null;
    find("#tip").hidden = !found;
    d3.select(chart).selectAll(".ring").data(found ? [found] : []).join("circle").attr("class", "ring").attr("r", 7)
      .attr("cx", (one) => one.x).attr("cy", (one) => one.y).attr("fill", "none").attr("stroke", "var(--ink)").attr("stroke-width", 2);
    if (!found) return;
    const tip = find("#tip");
    tip.replaceChildren(...lines(found.model).map((text, number) => traincompute.make(number ? "div" : "strong", {}, text)));
    const isRight = found.x > chart.clientWidth / 2;
    tip.style.left = isRight ? "auto" : `${found.x + 14}px`;
    tip.style.right = isRight ? `${chart.clientWidth - found.x + 14}px` : "auto";
    tip.style.top = `${Math.min(found.y, chart.clientHeight - 110)}px`;
  }
  /** What is said of a model in few lines: the name first. */
  function lines(model) {
    const [label, unit] = AXES[state.y];
    const both = [...new Set([state.x, state.y])].filter((column) => !isDate(column) && column !== FLOP);
    return [model.name, [(model.organizations ?? []).slice(0, 2).join(", "), iso(model.publication_date)].filter(Boolean).join(" · "),
      ...traincompute.computeLines(model),
      ...both.filter((column) => model[column]).map((column) => `${AXES[column][0]}: ${human(model[column])} ${AXES[column][1]}`),
      `${label}${unit}` ? "" : ""].filter(Boolean);
  }

  const nearest = (x, y) => {
    const best = d3.least(points, (one) => (one.x - x) ** 2 + (one.y - y) ** 2);
    return best && (best.x - x) ** 2 + (best.y - y) ** 2 < REACH ** 2 ? best : null;
  };
  const textOf = (column, value) => (isDate(column) ? iso(new Date(value)) : Number(value.toPrecision(3)).toExponential().replace("e+", "e"));
  /** Selects what lies between two values of both axes. */
  function narrow([x1, x2], [y1, y2]) {
    const ends = (column, low, high) => ({ [column]: `${textOf(column, low)}..${textOf(column, high)}` });
    set({ ...ends(state.x, x1, x2), ...ends(state.y, y1, y2) });
  }
  /** Zooms about the middle; 0 shows all again. */
  function zoomBy(factor) {
    if (!factor) return set({ [state.x]: traincompute.DEFAULTS[state.x], [state.y]: "" });
    const [left, right, top, bottom] = [MARGIN.marginLeft, chart.clientWidth - MARGIN.marginRight, MARGIN.marginTop,
      chart.clientHeight - MARGIN.marginBottom];
    const apart = (from, to, scale) => [from, to].map((end) => Number(scale.invert((from + to) / 2 + (end - (from + to) / 2) * factor)));
    return narrow(apart(left, right, chart.scale("x")), apart(bottom, top, chart.scale("y")));
  }

  function listen(svg, x, y, width, height) {
    const area = [[MARGIN.marginLeft, MARGIN.marginTop], [width - MARGIN.marginRight, height - MARGIN.marginBottom]];
    const brush = d3.brush().extent(area).filter((event) => !event.ctrlKey && !event.button && event.type !== "touchstart")
      .on("end", ({ selection: box, sourceEvent }) => {
        if (!box || !sourceEvent) return;
        narrow([x.invert(box[0][0]), x.invert(box[1][0])].map(Number), [y.invert(box[1][1]), y.invert(box[0][1])]);
      });
    const zoom = d3.zoom().filter((event) => (event.type === "wheel" ? event.ctrlKey : event.touches?.length === 2))
      .on("end", ({ transform: { k, x: dx, y: dy }, sourceEvent }) => {
        if (!sourceEvent || k === 1) return;
        const [[left, top], [right, bottom]] = area;
        narrow([left, right].map((px) => Number(x.invert((px - dx) / k))), [bottom, top].map((px) => y.invert((px - dy) / k)));
      });
    const layer = d3.select(svg).append("g").attr("class", "brush").call(brush);
    layer.selectAll(".overlay").attr("cursor", "crosshair");
    d3.select(svg).call(zoom).on("dblclick.zoom", null).on("pointermove", (event) => {
      if (event.pointerType !== "touch") point(nearest(...d3.pointer(event, svg)));
    }).on("pointerleave", () => point(null)).on("click", (event) => {
      const found = nearest(...d3.pointer(event, svg));
      if (found) traincompute.openModels([found.model]);
    });
  }

  /** Arrow keys go to the next point by date or value. */
  function onKey(event) {
    const column = { ArrowLeft: "x", ArrowRight: "x", ArrowUp: "y", ArrowDown: "y" }[event.key];
    if (column) {
      const order = d3.sort(points, (one) => (column === "x" ? one.x : -one.y));
      const place = order.findIndex((one) => one.model === pointed);
      const step = event.key === "ArrowRight" || event.key === "ArrowUp" ? 1 : -1;
      const found = order[place < 0 ? (step > 0 ? 0 : order.length - 1) : Math.max(0, Math.min(order.length - 1, place + step))];
      if (found) point(found);
      find("#said").textContent = found ? lines(found.model).join(", ") : "";
    } else if (event.key === "Enter" && pointed) traincompute.openModels([pointed]);
    else if (event.key === "+" || event.key === "-") zoomBy(event.key === "+" ? 0.5 : 2);
    else if (event.key === "0") zoomBy(0);
    else return;
    event.preventDefault();
  }

  /** The picture as SVG with its colours filled in. */
  function svgText() {
    const style = getComputedStyle(document.documentElement);
    const copy = chart.cloneNode(true);
    copy.querySelectorAll(".brush, .ring").forEach((part) => part.remove());
    copy.setAttribute("font-family", "sans-serif");
    copy.style.background = style.getPropertyValue("--paper");
    copy.style.color = style.getPropertyValue("--ink");
    return new XMLSerializer().serializeToString(copy).replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  }

  Object.assign(traincompute, { draw, onKey, pointAt: (model) => point(points.find((one) => one.model === model)),
    points: () => points, svgText, zoomBy });
}
