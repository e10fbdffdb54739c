// What is shown, kept in the address behind #: a link holds the whole view. Only what differs from the default is
// written.
import { available, data } from "./dataset.js";
import { colourColumn, groupsOf } from "./marks.js";
import { allAxes, DATE, rounded, scaleOf, usualScale } from "./scales.js";
import { choices } from "./select.js";

/** @type {TextKey[]} */
const plain = ["q", "from", "to", "least", "most", "sort", "x", "y", "colour", "group", "size", "xscale", "yscale",
  "asof", "model"];
/** @type {SwitchKey[]} */
const switches = ["intervals", "labels", "trend", "frontier", "tiers", "chips", "embed"];
const scales = ["log", "linear"];
/** @type {("xscale" | "yscale")[]} */
const scaleKeys = ["xscale", "yscale"];

/** What is shown now, and what the address asked for and the dataset does not have. */
export const current = { state: /** @type {State} */ ({}), unknown: /** @type {string[]} */ ([]) };

/** @returns {State} */
export function defaults() {
  const axes = available("axes");
  return {
    q: "",
    from: "",
    to: "",
    least: "",
    most: "",
    x: DATE,
    y: axes.length ? axes[0].column : DATE,
    size: "",
    xscale: "log",
    yscale: "log",
    colour: (available("colours")[0] || { column: "" }).column,
    group: "", // the one colour that is shown
    sort: axes.length ? `-${axes[0].column}` : "name",
    flags: Object.fromEntries(
      available("flags").map((flag) => [flag.column, /** @type {Entry} */ (flag).default || "any"]),
    ),
    facets: {},
    view: null, // the ends across, or across and upwards: days, powers of ten, or values
    intervals: false,
    labels: true,
    trend: true,
    frontier: true,
    tiers: true,
    chips: false,
    embed: false, // embed: the chart alone
    asof: "", // the day of a vintage
    model: "",
  };
}

/** The state that an address holds; current.unknown lists what it asks for and the dataset does not have.
 * @param {string} hash */
export function readState(hash) {
  const state = defaults();
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  current.unknown = [];
  for (const key of plain) state[key] = given.get(key) ?? state[key];
  if (!given.has("xscale")) state.xscale = usualScale(state.x);
  if (!given.has("yscale")) state.yscale = usualScale(state.y);
  for (const key of switches) if (given.has(key)) state[key] = given.get(key) === "1";
  for (const flag of Object.keys(state.flags)) {
    const value = given.get(flag) ?? "";
    if (["any", "yes", "no"].includes(value)) state.flags[flag] = value;
  }
  for (const facet of available("facets")) {
    if (given.has(facet.column)) state.facets[facet.column] = given.getAll(facet.column);
  }
  const ends = (given.get("view") ?? "").split(",").map(Number);
  if ([2, 4].includes(ends.length) && ends.every(Number.isFinite) && ends[0] < ends[1]) state.view = ends;
  check(state);
  return state;
}

/** Puts the default in place of what the dataset does not have, and notes it. @param {State} state */
function check(state) {
  const usual = defaults();
  const known = { x: allAxes(), y: allAxes(), size: available("axes"), colour: available("colours") };
  for (const [name, entries] of Object.entries(known)) {
    const key = /** @type {keyof typeof known} */ (name);
    if (state[key] !== usual[key] && !entries.some((entry) => entry.column === state[key])) {
      replace(state, key, usual, `a column “${state[key]}”`);
    }
  }
  for (const key of scaleKeys) {
    if (!scales.includes(state[key])) replace(state, key, usual, `a scale “${state[key]}”`);
  }
  if (state.group && !groupsOf(colourColumn(state)).names.includes(state.group)) {
    replace(state, "group", usual, `a colour “${state.group}”`);
  }
  if (!data.column[state.sort.replace(/^-/, "")]) {
    replace(state, "sort", usual, `a column “${state.sort.replace(/^-/, "")}”`);
  }
  for (const [facet, chosen] of Object.entries(state.facets)) {
    const { place } = choices(data.column[facet]);
    for (const name of chosen) {
      if (!place.has(name)) current.unknown.push(`“${name}” among its ${facet.replaceAll("_", " ")}`);
    }
  }
  if (state.model && !data.rowOf.has(state.model)) replace(state, "model", usual, `a model “${state.model}”`);
}

/** @param {State} state @param {TextKey} key @param {State} usual @param {string} what */
function replace(state, key, usual, what) {
  current.unknown.push(what);
  state[key] = usual[key];
}

/** @param {State} state */
export function writeState(state) {
  const usual = { ...defaults(), xscale: usualScale(state.x), yscale: usualScale(state.y) };
  const given = new URLSearchParams();
  for (const key of plain) if (state[key] !== usual[key]) given.set(key, state[key]);
  for (const key of switches) if (state[key] !== usual[key]) given.set(key, state[key] ? "1" : "0");
  for (const [flag, value] of Object.entries(state.flags)) if (value !== usual.flags[flag]) given.set(flag, value);
  for (const [facet, chosen] of Object.entries(state.facets)) for (const item of chosen) given.append(facet, item);
  if (state.view) {
    const kinds = [scaleOf(state.x, state.xscale).kind, scaleOf(state.y, state.yscale).kind];
    given.set("view", state.view.map((end, i) => rounded(end, kinds[i >> 1])).join(","));
  }
  return given.toString();
}

/** Puts the state into the address: as a new step of the history where a model opens, else in place.
 * @param {State} state @param {boolean} asStep */
export function saveState(state, asStep) {
  const hash = `#${writeState(state)}`;
  if (hash === (location.hash || "#")) return;
  try {
    history[asStep ? "pushState" : "replaceState"](null, "", hash);
  } catch {
    location.replace(hash); // browsers that allow no history to a page from disk
  }
}
