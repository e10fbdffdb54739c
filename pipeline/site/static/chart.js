// The chart: Observable Plot draws axes, thresholds, band, names and the note beside a point; points and bars are one
// path for each colour, so that 3,600 models are drawn in a tenth of a second. Mouse, touch and keys point at a model.
"use strict";
{
  const { at, AXES, FLOP, find, groupOf, human, interval, iso, openModels, power, range, set, SOURCES, state,
    trendOf } = traincompute;
  const DATE = "publication_date";
  const LINEAR = "capability_index"; // the one axis that is not logarithmic
  const ENDS = {
    [FLOP]: ["training_compute_low", "training_compute_high"],
    training_cost_usd: ["training_cost_usd_low", "training_cost_usd_high"],
  };
  // outlines around a point: circle, square, triangle, diamond, triangle down, plus, bow; and a small circle for others
  const SHAPES = [
    "m-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0-7,0z",
    "m-3,-3h6v6h-6z",
    "m0,-4l4,7h-8z",
    "m0,-4.5l4.5,4.5l-4.5,4.5l-4.5,-4.5z",
    "m0,4l4,-7h-8z",
    "m-1.3,-4h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7v-2.6h2.7z",
    "m-4,-3.5l8,7v-7l-8,7z",
    "m-2.5,0a2.5,2.5 0 1,0 5,0a2.5,2.5 0 1,0-5,0z",
  ];
  const OTHER = SHAPES.length - 1;
  const MARGIN = { marginLeft: 52, marginRight: 16, marginTop: 16, marginBottom: 34 };
  const ZOOMS = { "+": 0.5, "-": 2, 0: 0 };
  const REACH = 24; // px around the pointer
  const FEW = 25; // models, of which each is named
  const RECENT = 5; // of the largest medians so far, how many are named
  const MONTH = 30 * 86_400_000;

  let svg = null;
  let points = []; // the models that can be pointed at
  let pointed = null; // one of them

  const short = (number) => number.toFixed(1);
  const groupPlace = (groups, model) => (groups.includes(groupOf(model)) ? groups.indexOf(groupOf(model)) : OTHER);
  const placeOf = (model) => [svg.scale("x").apply(model[state.x]), svg.scale("y").apply(at(model, state.y))];

  /** A mark with one path for each group, made of the outline of each of its rows. */
  function paths(rows, groups, channels, outline, attributes) {
    function render(index, scales, values, { marginTop, height, marginBottom }) {
      const inside = (y) => short(Math.min(height - marginBottom, Math.max(marginTop, y)));
      const parts = d3.rollup(index, (some) => some.map((row) => outline(row, values, inside)).join(""),
        (row) => groupPlace(groups, rows[row]));
      const layer = d3.create("svg:g");
      for (const [name, value] of Object.entries(attributes)) layer.attr(name, value);
      for (const [place, path] of parts) {
        const colour = `var(--group-${place === OTHER ? "other" : place})`;
        layer.append("path").attr("d", path).attr("stroke", colour).attr("fill", attributes.fill ?? colour);
      }
      return layer.node();
    }
    return Plot.dot(rows, { ...channels, render });
  }
  /** Vertical bars between two columns. */
  function bars(rows, groups, low, high, attributes) {
    const channels = { x: state.x, y: low, channels: { high: { value: high, scale: "y" } } };
    const outline = (row, { x, y, high: top }, inside) => `M${short(x[row])},${inside(y[row])}V${inside(top[row])}`;
    return paths(rows, groups, channels, outline, { fill: "none", ...attributes });
  }
  /** Models without a value: the 90 % interval thin, the 50 % interval thick, a tick at the median. */
  const estimates = (rows, groups) => [
    bars(rows, groups, "flop_05", "flop_95", { "stroke-width": 1, "stroke-opacity": 0.3 }),
    bars(rows, groups, "flop_25", "flop_75", { "stroke-width": 2.5, "stroke-opacity": 0.45 }),
    paths(rows, groups, { x: state.x, y: "flop_50" }, (row, { x, y }) => `M${short(x[row] - 3.5)},${short(y[row])}h7`,
      { fill: "none", "stroke-width": 1.5 }),
  ];
  const dots = (rows, groups, attributes) =>
    paths(rows, groups, { x: state.x, y: state.y }, (row, { x, y }) =>
      `M${short(x[row])},${short(y[row])}${SHAPES[groupPlace(groups, rows[row])]}`, attributes);

  /** The models that were the largest when they came out, the newest last. */
  function recordsOf(rows) {
    let most = 0;
    return d3.sort(rows, (model) => model[state.x]).filter((model) => {
      const isLarger = at(model, state.y) > most;
      if (isLarger) most = at(model, state.y);
      return isLarger;
    });
  }

  /** The options of an axis; it reaches over the range that is selected, else over the values. */
  function axis(column, values, size) {
    const [low, high] = range(column);
    const [least = 1, most = 10] = d3.extent(values);
    const ends = (before, after) => [Number.isFinite(low) ? low : before, Number.isFinite(high) ? high : after];
    const common = { grid: true, label: AXES[column].filter(Boolean).join(", ") };
    if (column === DATE) {
      const domain = ends(Number(least) - MONTH, Number(most) + MONTH).map((time) => new Date(time));
      return { ...common, type: "utc", domain, label: null, ticks: size / 90 };
    }
    if (column === LINEAR) return { ...common, type: "linear", domain: ends(least - 2, most + 2) };
    const domain = ends(least / 2, most * 2).map((end) => Math.max(end, Number.MIN_VALUE));
    const [first, last] = domain.map(Math.log10);
    const step = Math.max(1, Math.ceil((last - first) / (size / 45)));
    const powers = d3.range(Math.ceil(first), Math.floor(last) + 1).filter((exponent) => exponent % step === 0);
    return powers.length > 1
      ? { ...common, type: "log", domain, ticks: powers.map((exponent) => 10 ** exponent),
        tickFormat: (value) => power(Math.round(Math.log10(value))) }
      : { ...common, type: "log", domain, ticks: d3.scaleLog(domain, [0, 1]).ticks(4), tickFormat: human };
  }

  /** Marks with the names beside their points, none over another or over the words of a threshold. */
  function labels(models, { x, y }, lines, width, height) {
    const px = Plot.scale({ x: { ...x, range: [MARGIN.marginLeft, width - MARGIN.marginRight] } });
    const py = Plot.scale({ y: { ...y, range: [height - MARGIN.marginBottom, MARGIN.marginTop] } });
    const taken = lines.map(([flop]) => [MARGIN.marginLeft, MARGIN.marginLeft + 150, py.apply(flop) - 7]);
    const sides = { end: [], start: [] };
    for (const model of models.toReversed()) {
      const [left, top] = [px.apply(model[state.x]), py.apply(at(model, state.y))];
      const wide = model.name.length * 6.3 + 8;
      const side = left - wide > MARGIN.marginLeft ? "end" : "start";
      const [from, to] = side === "end" ? [left - wide, left] : [left, left + wide];
      const overlaps = ([start, end, other]) => from < end && to > start && Math.abs(other - top) < 14;
      if (to > width || taken.some(overlaps)) continue;
      taken.push([from, to, top]);
      sides[side].push(model);
    }
    return Object.entries(sides).map(([side, some]) => Plot.text(some, { x: state.x, y: (model) => at(model, state.y),
      text: "name", textAnchor: side, dx: side === "end" ? -7 : 7, fill: "var(--ink)", stroke: "var(--paper)",
      strokeWidth: 3, fontSize: 11.5 }));
  }

  /** Draws the selection; returns how many models are drawn how, and the trend. */
  function draw({ rows, groups }) {
    const { clientWidth: width, clientHeight: height } = find("#canvas");
    const isCompute = state.y === FLOP;
    const isTime = state.x === DATE;
    const valued = rows.filter((model) => model[state.x] && model[state.y] > 0);
    const guessed = isCompute && state.estimates
      ? rows.filter((model) => model[state.x] && model[FLOP] === null && model.flop_50 !== null) : [];
    const isOurs = (model) => isCompute && model.training_compute_source === "imputed";
    const [ours, theirs] = [valued.filter(isOurs), valued.filter((model) => !isOurs(model))];
    const isByValue = Boolean(state[state.y]); // a filter that picks the values themselves leaves no honest trend
    const trend = state.trend && isTime && !isByValue ? trendOf(rows) : null;
    const records = state.records ? recordsOf(theirs) : [];
    const likely = recordsOf([...theirs, ...guessed]).filter((model) => !model[state.y]).slice(-RECENT);
    const few = rows.length <= FEW;
    const named = few ? [...valued, ...guessed] : [...records, ...(state.records ? likely : [])];
    const scales = {
      x: axis(state.x, [...valued, ...guessed].map((model) => model[state.x]), width),
      y: axis(state.y, [...valued.map((model) => model[state.y]), ...guessed.flatMap((model) => [model.flop_25,
        model.flop_95])], height),
    };
    const [low, high] = scales.y.domain;
    const lines = isCompute && state.thresholds
      ? traincompute.core.thresholds.filter(([flop]) => flop > low && flop < high) : [];
    points = [...valued, ...guessed];
    const place = { x: state.x, y: (model) => at(model, state.y) };
    const tip = { title: (model) => model, format: { title: (model) => linesOf(model).join("\n") },
      fill: "var(--paper)", stroke: "var(--line)", fontSize: 12.5, lineWidth: 26 };
    svg = Plot.plot({ width, height, ...MARGIN, style: "background: none", ...scales, marks: [
      Plot.ruleY(lines, { y: ([flop]) => flop, stroke: "var(--muted)", strokeDasharray: "5 4" }),
      Plot.text(lines, { y: ([flop]) => flop, text: ([flop, label]) => `${power(Math.log10(flop))} ${label}`,
        frameAnchor: "left", textAnchor: "start", dx: 4, dy: -7, fill: "var(--muted)", stroke: "var(--paper)" }),
      guessed.length ? estimates(guessed, groups) : null,
      state.intervals && ENDS[state.y] ? bars(valued.filter((model) => model[ENDS[state.y][0]] > 0), groups,
        ...ENDS[state.y], { "stroke-width": 1, "stroke-opacity": 0.35 }) : null,
      trend ? Plot.areaY(trend.line, { x: "x", y1: "low", y2: "high", fill: "var(--accent)", fillOpacity: 0.18,
        clip: true }) : null,
      trend ? Plot.line(trend.line, { x: "x", y: "y", stroke: "var(--accent)", strokeWidth: 2, clip: true }) : null,
      isTime ? Plot.line(records, { x: state.x, y: state.y, curve: "step-after", strokeOpacity: 0.5 }) : null,
      dots(theirs, groups, { "fill-opacity": 0.75 }),
      dots(ours, groups, { fill: "var(--paper)", "fill-opacity": 0.6 }),
      ...labels(named, scales, lines, width, height),
      Plot.dot(points, Plot.pointer({ ...place, maxRadius: REACH, r: 7, stroke: "var(--ink)", strokeWidth: 2 })),
      Plot.tip(points, Plot.pointer({ ...place, maxRadius: REACH, ...tip })),
    ] });
    svg.setAttribute("aria-hidden", "true"); // the arrow keys and the table say it
    svg.addEventListener("input", () => { pointed = svg.value; });
    svg.addEventListener("click", () => svg.value && openModels([svg.value]));
    pointed = null;
    find("#canvas").replaceChildren(svg);
    const [[left, right], [bottom, top]] = [svg.scale("x").range, svg.scale("y").range];
    d3.select(svg).append("g").attr("class", "brush").call(d3.brush().extent([[left, top], [right, bottom]])
      .filter((event) => !event.ctrlKey && !event.button && event.type !== "touchstart")
      .on("end", ({ selection: box, sourceEvent }) => {
        if (box && sourceEvent) narrow(box[0][0], box[1][0], box[1][1], box[0][1]);
      }));
    return { valued: valued.length, guessed: guessed.length, ours: ours.length, trend, isByValue };
  }

  // --- pointing at a model
  /** What is said of a model in few lines, its name first. */
  function linesOf(model) {
    const compute = model[FLOP] !== null
      ? [`${human(model[FLOP])} FLOP, ${SOURCES[model.training_compute_source]}`,
        model.training_compute_low === null ? "" : `90 % interval ${interval(model)}`]
      : ["no published value", model.flop_50 === null ? "no estimate" : `our 90 % interval: ${interval(model)} FLOP`,
        model.flop_50 === null ? "" : `median ${human(model.flop_50)}`];
    const shown = [state.x, state.y].filter((column) => column !== DATE && column !== FLOP && model[column]);
    const about = [...(model.organizations ?? []).slice(0, 2), iso(model.publication_date)].join(", ");
    return [model.name, about, ...compute,
      ...shown.map((column) => `${AXES[column][0]}: ${human(model[column])} ${AXES[column][1]}`)].filter(Boolean);
  }
  /** Arrow keys go to the next point by date or value, as if the mouse did. */
  function onKey(event) {
    if (event.ctrlKey || event.metaKey) return;
    const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, -1], ArrowDown: [1, 1] }[event.key];
    if (way && points.length) {
      const order = d3.sort(points, (model) => placeOf(model)[way[0]]);
      const next = pointed ? order.indexOf(pointed) + way[1] : 0;
      const model = order[Math.max(0, Math.min(order.length - 1, next))];
      const { x, y } = svg.getBoundingClientRect();
      const [left, top] = placeOf(model);
      svg.dispatchEvent(new PointerEvent("pointermove", { clientX: x + left, clientY: y + top }));
      pointed = model; // of several in one place, the mouse finds another
      find("#said").textContent = linesOf(model).join(", ");
    } else if (event.key === "Enter" && pointed) openModels([pointed]);
    else if (event.key in ZOOMS) zoomBy(ZOOMS[event.key]);
    else return;
    event.preventDefault();
  }

  // --- a part of the chart: both ranges become filters
  function narrow(left, right, bottom, top) {
    const flop = (value) => value.toExponential(2).replace("e+", "e");
    const text = (column, value) => (column === DATE ? iso(new Date(value)) : flop(value));
    const ends = (column, scale, low, high) => (
      { [column]: `${text(column, Number(scale.invert(low)))}..${text(column, Number(scale.invert(high)))}` }
    );
    set({ ...ends(state.x, svg.scale("x"), left, right), ...ends(state.y, svg.scale("y"), bottom, top) });
  }
  /** Zooms about the middle; 0 shows all again. */
  function zoomBy(factor) {
    if (!factor) return set({ [state.x]: traincompute.DEFAULTS[state.x], [state.y]: "" });
    const apart = ([from, to]) => [from, to].map((end) => (from + to) / 2 + (end - (from + to) / 2) * factor);
    return narrow(...apart(svg.scale("x").range), ...apart(svg.scale("y").range));
  }

  /** The picture as SVG with its colours filled in. */
  function svgText() {
    const style = getComputedStyle(document.documentElement);
    const isDark = style.colorScheme === "dark"
      || (style.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    const copy = svg.cloneNode(true);
    copy.querySelectorAll(".brush, [aria-label=tip]").forEach((part) => part.remove());
    copy.setAttribute("style", `background: var(--paper); color: var(--ink); font: 12px sans-serif`);
    return new XMLSerializer().serializeToString(copy)
      .replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim())
      .replace(/light-dark\((.+?), (.+?)\)/g, isDark ? "$2" : "$1");
  }

  /** The mark of a group for the legend; -1 for others. */
  function markOf(place) {
    const mark = d3.create("svg").attr("class", "mark").attr("viewBox", "-5 -5 10 10");
    const colour = `var(--group-${place < 0 ? "other" : place})`;
    mark.append("path").attr("d", `M0,0${SHAPES.at(place)}`).attr("fill", colour);
    return mark.node();
  }

  Object.assign(traincompute, { draw, markOf, onKey, placeOf, points: () => points, svgText, zoomBy });
}
