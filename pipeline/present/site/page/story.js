// The headline: what the selection says of training compute. The runs above a threshold are counted as the view `thresholds`
// counts them; growth is that of the table `trends`, where the selection is one of its groups, else by its definition.
(function (t) {
  "use strict";
  const { make, find } = t;
  const FLOP = "training_compute_flop";
  const LEVELS = [1e25, 1e26];

  // "notable" or "all" where nothing else is filtered, else null.
  t.scopeOf = function (state) {
    const { q, from, to, least, most, flags, facets, asof } = state;
    if ([q, from, to, least, most, asof].some(Boolean) || Object.values(facets).some((chosen) => chosen.length)) return null;
    const set = Object.entries(flags).filter(([, value]) => value !== "any");
    if (!set.length) return "all";
    return set.length === 1 && set[0].join() === "is_notable,yes" ? "notable" : null;
  };

  // The figures of a selection: largest row, runs at or above each level, whose values, growth.
  t.figuresOf = function (rows, state) {
    const flop = t.column[FLOP].values;
    const dates = t.column[t.DATE].values;
    const known = rows.filter((row) => flop[row] !== null);
    const largest = known.reduce((best, row) => (best === null || flop[row] > flop[best] || (flop[row] === flop[best] && dates[row] < dates[best]) ? row : best), null);
    const source = t.column.training_compute_source;
    const own = source ? known.filter((row) => t.cell(source, row) === "reported").length : 0;
    return { largest, known: known.length, own, above: Object.fromEntries(LEVELS.map((level) => [level, runsAbove(known, level)])), trend: trendOf(rows, state) };
  };

  function runsAbove(known, level) {
    const [flop, dates, runs] = [t.column[FLOP], t.column[t.DATE], t.column.training_run_id || t.column.model_id].map((column) => column.values);
    return new Set(known.filter((row) => flop[row] >= level && dates[row] !== null).map((row) => runs[row])).size;
  }

  function trendOf(rows, state) {
    const since = t.trendSince({ ...state, x: t.DATE });
    const published = t.publishedTrend(FLOP, t.scopeOf(state), since);
    if (published) return published;
    const line = t.lineOf(rows, { x: t.scaleOf(t.DATE), y: t.scaleOf(FLOP, "log") }, since);
    return line && t.rates(line);
  }

  t.showStory = function (rows, state) {
    const told = t.column[FLOP] && t.column[t.DATE] ? t.figuresOf(rows, state) : null;
    find("story").replaceChildren(...(told ? sentences(told, rows, state) : []));
  };

  function sentences(told, rows, state) {
    if (told.largest === null) return [`None of ${who(rows, state)} has a value of training compute.`];
    const since = t.trendSince({ ...state, x: t.DATE });
    return [`${state.asof ? `As of ${state.asof}, largest` : "Largest"} training run${told.known > 1 ? ` of ${who(rows, state)}` : ""}: `, strong(t.cell(t.column.name, told.largest)),
      `${maker(told.largest)}, ${t.human(t.column[FLOP].values[told.largest], "FLOP")}${sayer(told.largest)}. `,
      ...(rows.length > 1 ? [...growth(told.trend, since), ...above(told.above)] : []), ...(state.asof || told.known < 2 ? [] : own(told))];
  }

  const strong = (text) => make("strong", {}, text);
  const who = (rows, state) => ({ all: "all models", notable: "all notable models" })[t.scopeOf({ ...state, asof: "" })] || t.many(rows.length, "model");

  function maker(row) {
    const names = t.column.organizations && t.cell(t.column.organizations, row);
    return ` (${[names && names[0], t.date(row).slice(0, 7)].filter(Boolean).join(", ")})`;
  }

  function sayer(row) {
    const source = t.column.training_compute_source && t.cell(t.column.training_compute_source, row);
    return { reported: " by its developer's own figure", third_party: " as a third party estimates", imputed: " by our estimate" }[source] || "";
  }

  function growth(trend, since) {
    if (!trend) return ["Too few of its runs have a published value for a trend. "];
    return [`Since ${since.slice(0, 4)} compute grew `, strong(`${t.tenths(trend.growth_per_year)}× a year`),
      " ", make("span", {}, `(90 %: ${t.tenths(trend.growth_low)}–${t.tenths(trend.growth_high)})`), `${t.doubling(trend)}. `];
  }

  t.doubling = (trend) => (trend.doubling_months ? `, doubling in ${t.tenths(trend.doubling_months)} months` : "");

  function above(counts) {
    const [first, second] = LEVELS.map((level) => strong(t.many(counts[level], "run")));
    return [first, ` at or above 10²⁵ FLOP, `, second, " at or above 10²⁶. "];
  }

  function own({ known, own: reported }) {
    return [strong(`${Math.round((100 * reported) / known)} %`), ` of the ${known.toLocaleString("en-US")} values are the developers' own.`];
  }
})(window.traincompute);
