// Year by year: how many of the models listed have a value, and how many runs reach each threshold, by their values and
// as expected with the models that have none.
import { data } from "./dataset.js";
import { find, findIn, headsOf, make, region, tableOf } from "./dom.js";
import { powerText } from "./format.js";
import { DATE } from "./scales.js";
import { expectedRuns, runsAbove, scopeOf } from "./story.js";

const FLOP = "training_compute_flop";
/** @type {() => void} */
let fill;

// Filled where it is open: a filter need not wait for it.
export const buildYears = () => find("years").addEventListener("toggle", () => find("years").open && fill());

/** @param {Row[]} rows @param {State} state */
export function showYears(rows, state) {
  fill = () => findIn("div", find("years")).replaceChildren(region("scroll", "Year by year", table(rows, state)));
  find("years").hidden = !data.column[FLOP] || !data.expected.length || Boolean(state.asof);
  if (find("years").open) fill();
}

/** @param {Row[]} rows @param {State} state */
function table(rows, state) {
  const levels = data.settings.thresholds.filter((mark) => mark.column === FLOP);
  const heads = headsOf("Until", "New, with a value",
    ...levels.map(({ flop }) => `≥ ${powerText(Math.log10(flop))} FLOP`));
  const days = [...new Set(data.expected.map((one) => one.until))].sort();
  return tableOf("", heads, days.map((day, number) => {
    const cells = levels.map(({ flop }) => make("td", {}, ...reached(rows, state, flop, day)));
    return make("tr", {}, make("th", { scope: "row" }, day),
      make("td", {}, coverage(rows, days[number - 1] ?? "", day)), ...cells);
  }).reverse());
}

const dayOf = (/** @type {string} */ iso) => (iso ? Date.parse(iso) / 864e5 : -Infinity);

/** "50 of 106": of the models published after one day and until another. @param {Row[]} rows @param {string} after
 * @param {string} until */
function coverage(rows, after, until) {
  const [dates, flop] = [DATE, FLOP].map((name) => data.column[name].values);
  const some = rows.filter((row) => dates[row] !== null && dates[row] > dayOf(after) && dates[row] <= dayOf(until));
  return `${some.filter((row) => flop[row] !== null).length} of ${some.length}`;
}

/** The runs until a day, and the interval of what is expected where the selection is all or all notable models.
 * @param {Row[]} rows @param {State} state @param {number} level @param {string} day */
function reached(rows, state, level, day) {
  const [dates, flop] = [DATE, FLOP].map((name) => data.column[name].values);
  const known = rows.filter((row) => flop[row] !== null && dates[row] !== null && dates[row] <= dayOf(day));
  const found = expectedRuns(level, scopeOf(state), day);
  return [make("strong", {}, String(runsAbove(known, level))),
    found ? make("small", { className: "muted" }, ` ${found.low}–${found.high} expected`) : null].filter((part) =>
      part !== null
    );
}
