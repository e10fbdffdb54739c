// The headline: what the selection says of training compute. The runs above a threshold are counted as the view
// `thresholds` counts them; growth is that of the table `trends`, where the selection is one of its groups, else by its
// definition.
import { cellOf, data, readCell } from "./dataset.js";
import { find, make } from "./dom.js";
import { counted, date, human, tenths } from "./format.js";
import { DATE, scaleOf } from "./scales.js";
import { growthRates, lineOf, publishedTrend, selectsOnOutcome, trendPoints, trendSince } from "./trend.js";

const FLOP = "training_compute_flop";
const LEVELS = [1e25, 1e26];
/** @type {Record<string, string>} */
const WHOLE = { all: "all models", notable: "all notable models" };
/** @type {Record<string, string>} */
const SAYERS = { reported: " by its developer's own figure", third_party: " as a third party estimates",
  corrected: " as we corrected a source's figure", imputed: " by our estimate" };

/** "notable" or "all" where nothing else is filtered, else null. @param {State} state */
export function scopeOf(state) {
  const { q, from, to, least, most, group, flags, facets, asof } = state;
  if ([q, from, to, least, most, group, asof].some(Boolean) || Object.values(facets).some((chosen) => chosen.length)) {
    return null;
  }
  const set = Object.entries(flags).filter(([, value]) => value !== "any");
  if (!set.length) return "all";
  return set.length === 1 && set[0].join() === "is_notable,yes" ? "notable" : null;
}

/** The figures of a selection: largest row, runs at or above each level, whose values, growth.
 * @param {Row[]} rows @param {State} state */
export function figuresOf(rows, state) {
  const flop = data.column[FLOP].values;
  const dates = data.column[DATE].values;
  const known = rows.filter((row) => flop[row] !== null);
  const isLarger = (/** @type {Row} */ row, /** @type {Row} */ other) =>
    flop[row] > flop[other] || (flop[row] === flop[other] && dates[row] < dates[other]);
  const largest = known.length ? known.reduce((best, row) => (isLarger(row, best) ? row : best)) : null;
  const source = data.column.training_compute_source;
  const own = source ? known.filter((row) => readCell(source, row) === "reported").length : 0;
  return { largest, known: known.length, own,
    above: Object.fromEntries(LEVELS.map((level) => [level, runsAbove(known, level)])), trend: trendOf(rows, state) };
}

/** @param {Row[]} known @param {number} level */
export function runsAbove(known, level) {
  const [flop, dates, runs] = [data.column[FLOP], data.column[DATE],
    data.column.training_run_id || data.column.model_id].map((column) => column.values);
  return new Set(known.filter((row) => flop[row] >= level && dates[row] !== null).map((row) => runs[row])).size;
}

const OVER_TIME = () => ({ x: scaleOf(DATE, ""), y: scaleOf(FLOP, "log") });

/** @param {Row[]} rows @param {State} state */
function trendOf(rows, state) {
  const since = trendSince({ ...state, x: DATE });
  const published = publishedTrend(FLOP, scopeOf(state), since);
  if (published || selectsOnOutcome(state, FLOP)) return published;
  const line = lineOf(rows, OVER_TIME(), since);
  return line && growthRates(line);
}

/** @param {Row[]} rows @param {State} state */
export function showStory(rows, state) {
  const told = data.column[FLOP] && data.column[DATE] ? figuresOf(rows, state) : null;
  find("story").replaceChildren(...(told ? sentences(told, rows, state) : []));
}

/** @param {ReturnType<typeof figuresOf>} told @param {Row[]} rows @param {State} state */
function sentences(told, rows, state) {
  if (told.largest === null) return [`None of ${who(rows, state)} has a value of training compute.`];
  return [
    `${state.asof ? `As of ${state.asof}, largest` : "Largest"} training run${
      told.known > 1 ? ` of ${who(rows, state)}` : ""
    }: `,
    strong(cellOf("name", told.largest)),
    `${maker(told.largest)}, ${human(data.column[FLOP].values[told.largest], "FLOP")}${sayer(told.largest)}. `,
    ...(rows.length > 1 ? [...growth(told.trend, rows, state), ...above(told.above, state)] : []),
    ...(state.asof || told.known < 2 ? [] : [...valued(rows), ...own(told)]),
  ];
}

const strong = (/** @type {string} */ text) => make("strong", {}, text);
const who = (/** @type {Row[]} */ rows, /** @type {State} */ state) =>
  WHOLE[scopeOf({ ...state, asof: "" }) ?? ""]
  || counted(rows.length, "model");

/** @param {Row} row */
function maker(row) {
  const names = cellOf("organizations", row);
  return ` (${[names?.[0], date(row).slice(0, 7)].filter(Boolean).join(", ")})`;
}

/** @param {Row} row */
function sayer(row) {
  const source = cellOf("training_compute_source", row);
  return SAYERS[source] || "";
}

/** @param {Rates | null} trend @param {Row[]} rows @param {State} state */
function growth(trend, rows, state) {
  const since = trendSince({ ...state, x: DATE });
  if (!trend) return [noGrowth(rows, state, since)];
  return [`Since ${since.slice(0, 4)} compute grew `, strong(`${tenths(trend.growth_per_year)}× a year`), " ",
    make("span", {}, `(90 %: ${tenths(trend.growth_low)}–${tenths(trend.growth_high)})`),
    `${doubling(trend)}${selected(trend)}. `];
}

/** Whose growth it is, where few of the newest runs have a value. @param {Rates} trend */
const selected = (trend) =>
  trend.selection_warning
    ? `, among those who publish (${Math.round(100 * (trend.valued_share_since_2024 ?? 0))} % of the runs since 2024)`
    : "";

/** Why there is no line. @param {Row[]} rows @param {State} state @param {string} since */
function noGrowth(rows, state, since) {
  if (trendPoints(rows, OVER_TIME(), since).length < data.settings.trend.fewest_runs) {
    return "Too few of its runs have a published value for a trend. ";
  }
  return selectsOnOutcome(state, FLOP)
    ? "No trend: a filter on training compute picks the values themselves, so that their growth would be that of the filter. "
    : "Its runs span too short a time for a trend. ";
}

/** Nothing where the interval contains no growth at all. @param {Rates} trend */
export const doubling = (
  trend,
) => (trend.doubling_months && (trend.growth_low > 1 || trend.growth_high < 1)
  ? `, doubling in ${tenths(trend.doubling_months)} months`
  : "");

/** How many runs reach each level by their values, and how many are expected with the models that have none.
 * @param {Record<string, number>} counts @param {State} state */
function above(counts, state) {
  const [first, second] = LEVELS.map((level) => strong(counted(counts[level], "run")));
  const [more, most] = LEVELS.map((level) => expected(level, scopeOf(state)));
  return [first, ` at or above 10²⁵ FLOP by their values${more}, `, second, ` at or above 10²⁶${most}. `];
}

/** The row of the view `thresholds`, of the newest day unless another is asked for.
 * @param {number} level @param {string | null} scope @param {string} [day] */
export function expectedRuns(level, scope, day) {
  const until = day ?? data.expected.reduce((newest, row) => (row.until > newest ? row.until : newest), "");
  return data.expected.find((row) => row.level === level && row.scope === scope && row.until === until) ?? null;
}

/** @param {number} level @param {string | null} scope */
function expected(level, scope) {
  const found = expectedRuns(level, scope);
  const what = level === LEVELS[0] ? " expected with the models that have none" : " expected";
  return found ? ` (${found.low}–${found.high}${what})` : "";
}

/** How many models have a value, of all and of the last two years. @param {Row[]} rows */
function valued(rows) {
  const flop = data.column[FLOP].values;
  const of = (/** @type {Row[]} */ some) =>
    `${some.filter((row) => flop[row] !== null).length.toLocaleString("en-US")} of ${
      some.length.toLocaleString("en-US")
    }`;
  /** @type {Map<string, Row[]>} */
  const years = new Map();
  for (const row of rows) {
    const year = date(row).slice(0, 4);
    const held = years.get(year);
    if (held) held.push(row);
    else if (year) years.set(year, [row]);
  }
  const recent = [...years.keys()].sort().slice(-2).map((year) => `${of(years.get(year) ?? [])} in ${year}`);
  return [strong(of(rows)), ` have a value${recent.length > 1 ? ` (${recent.join(", ")})` : ""}. `];
}

/** @param {{ known: number, own: number }} given */
function own({ known, own: reported }) {
  return [strong(`${Math.round((100 * reported) / known)} %`),
    ` of the ${known.toLocaleString("en-US")} values are the developers' own.`];
}
