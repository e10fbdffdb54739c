// Puts the parts together: one state, from which everything that is shown follows.
import { available, columnNamed, data } from "./dataset.js";
import { packageName } from "./describe.js";
import { buildModel, showModel } from "./dialog.js";
import { field, find, findAll, make, targetOf, timed, toast } from "./dom.js";
import { saveFile } from "./download.js";
import { chartData, chartPackage, chartPng, chartSvg, copy, csv, csvPackage, embedCode, json } from "./export.js";
import { buildFilters, showFilters } from "./filters.js";
import { counted } from "./format.js";
import { listenToChart } from "./gestures.js";
import "./head.js";
import { chartTrends } from "./layers.js";
import { loadLikely } from "./likely.js";
import { allAxes, axisOf, DATE, rounded, usualScale } from "./scales.js";
import { chart, chartIsStale, drawChart, showChart } from "./scatter.js";
import { prepareSearch } from "./search.js";
import { select, sorted } from "./select.js";
import { buildSlider, showSlider } from "./slider.js";
import { current, defaults, readState, saveState, writeState } from "./state.js";
import { showStory } from "./story.js";
import { buildTable, showTable } from "./table.js";
import { loadVintages, setDay, vintageDays } from "./timetravel.js";
import { buildYears, showYears } from "./years.js";

let chosen = /** @type {ReturnType<typeof select>} */ ({ rows: [], context: [], counts: {} });
let typing = 0;
/** @type {("x" | "y" | "colour" | "size")[]} */
const choosers = ["x", "y", "colour", "size"];
/** @type {Exclude<SwitchKey, "embed">[]} */
const switches = ["intervals", "labels", "trend", "frontier", "tiers", "chips"];
/** @type {("xscale" | "yscale")[]} */
const scaleSwitches = ["xscale", "yscale"];

function start() {
  if (!data.columns) {
    find("failure").textContent =
      "data/models.js is missing or damaged: write the folder again with `traincompute site`.";
    find("failure").hidden = false;
    return;
  }
  current.state = readState(location.hash);
  head();
  buildFilters(changed);
  buildYears();
  buildTable((sort) => apply("sort", { sort }), openModel, linkTo);
  buildModel(() => current.state.model && apply("model", { model: "" }));
  listenToChart((view) => apply("zoom", { view: view && roundedView(view) }), openModel);
  buildSlider((asof) => apply("slider", { asof }));
  controls();
  timed("first draw", refresh);
  showModel(data.rowOf.get(current.state.model) ?? null);
  (window.requestIdleCallback || setTimeout)(prepare);
  arrived();
  document.body.dataset.ready = "1";
  window.traincomputeTimings.ready = performance.now(); // since the navigation began
}

const allModels = () => Object.fromEntries(Object.keys(current.state.flags).map((flag) => [flag, "any"]));

// What most people ask for first: a search, and all models instead of the notable ones.
function prepare() {
  prepareSearch();
  const state = { ...current.state, flags: allModels() };
  if (state.trend) chartTrends(select(state).rows, chart.scales, state);
}

// What an address asks for and is not here yet, or not in the dataset at all.
function arrived() {
  find("unknown").hidden = !current.unknown.length;
  find("unknown").textContent = `This link asks for ${
    current.unknown.join(", and for ")
  }; the dataset does not have that. What remains of it is shown.`;
  document.body.classList.toggle("embed", current.state.embed);
  find("whole").href = `#${writeState({ ...current.state, embed: false })}`;
  if (current.state.asof) loadVintages().then(checkDay).catch((error) => toast(error.message));
  if (current.state.tiers) showTiers();
}

function checkDay() {
  const { asof } = current.state;
  if (!asof || vintageDays().includes(asof)) return apply("slider", {}); // a day may have been asked for twice
  current.unknown.push(`the vintage of ${asof}`);
  apply("slider", { asof: "" });
  arrived();
}

const showTiers = () => loadLikely().then(() => drawChart()).catch((error) => toast(error.message));

/** @param {View} view */
const roundedView = (view) => view.map((end, i) => rounded(end, chart.scales[i < 2 ? "x" : "y"].kind));

function head() {
  const { about } = data;
  const flop = data.column[data.settings.axes[0].column];
  const known = flop ? flop.values.filter((value) => value !== null).length : 0;
  const vintage = about.as_of ? `as of ${about.as_of}` : about.newest
    ? `facts to ${about.newest}${about.entered ? `, entered by hand to ${about.entered}` : ""}`
    : "";
  find("tagline").textContent = `${counted(data.rows, "model")}, ${
    known.toLocaleString("en-US")
  } with training compute · version ${about.version}${vintage ? ` · ${vintage}` : ""}`;
  const asked = [...new Set(data.sources.map((source) => source.attribution).filter(Boolean))];
  find("foot").append(
    make("details", {}, make("summary", {}, `Data: ${about.licence}, from ${counted(asked.length, "source")}`),
      make("p", {},
        make("a", { href: "https://creativecommons.org/licenses/by/4.0/", rel: "license noopener noreferrer" },
          about.licence), `. From ${asked.join("; ")}.`)),
  );
}

function controls() {
  /**
   * @param {"x" | "y" | "colour" | "size"} id @param {(Axis | Entry)[]} entries
   * @param {(value: string) => Partial<State>} [effect] */
  const choose = (id, entries, effect = () => ({})) => {
    find(id).append(...entries.map((entry) => make("option", { value: entry.column }, entry.label)));
    find(id).addEventListener("change",
      (event) => apply(id, { [id]: targetOf(event).value, ...effect(targetOf(event).value) }));
  };
  choose("y", allAxes(), (y) => ({ view: current.state.view?.slice(0, 2) ?? null, yscale: usualScale(y), group: "" }));
  choose("x", allAxes(), (x) => ({ view: null, xscale: usualScale(x) }));
  choose("colour", available("colours"), () => ({ group: "" }));
  choose("size", available("axes"));
  for (const id of switches) {
    find(id).addEventListener("change", (event) => apply(id, { [id]: targetOf(event).checked }));
  }
  for (const id of scaleSwitches) {
    find(id).addEventListener("change", (event) =>
      apply(id, { [id]: targetOf(event).checked ? "linear" : "log", view: null }));
  }
  find("tiers").addEventListener("change", showTiers);
  find("clear-filters").addEventListener("click", () => {
    const { q, from, to, least, most, group, flags, facets } = defaults();
    apply("filter", { q, from, to, least, most, group, flags, facets });
  });
  find("toggle-filters").addEventListener("click", toggleFilters);
  find("legend").addEventListener("click", (event) => {
    const button = targetOf(event).closest("button");
    if (button) apply("filter", { group: button.value === current.state.group ? "" : button.value });
  });
  const base = () => `traincompute-${chosen.rows.length}-models`;
  find("download-csv").addEventListener("click", () => saveFile(`${base()}.csv`, csv(chosen.rows), "text/csv"));
  find("download-json").addEventListener("click",
    () => saveFile(`${base()}.json`, json(chosen.rows), "application/json"));
  find("describe-csv").addEventListener("click",
    () => savePackage(`${base()}.csv`, csvPackage(`${base()}.csv`, chosen.rows)));
  share();
  find("theme").addEventListener("click", drawChart);
  find("widen").addEventListener("click", () => {
    apply("filter", { flags: allModels() });
    find("search").focus();
  });
  document.addEventListener("keydown", shortcut);
  document.addEventListener("click", (event) => event.isTrusted && closeMenus(targetOf(event)));
  find("search").addEventListener("keydown", searchKey);
  window.addEventListener("hashchange", () => {
    current.state = readState(location.hash);
    refresh();
    showModel(data.rowOf.get(current.state.model) ?? null);
    arrived();
  });
  window.addEventListener("popstate", () => window.dispatchEvent(new Event("hashchange")));
  new ResizeObserver(() => chartIsStale() && drawChart()).observe(find("plot"));
  for (const media of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(media).addEventListener("change", () => drawChart());
  }
}

function share() {
  const file = (/** @type {string} */ ending) => `traincompute-${current.state.y}.${ending}`;
  find("save-svg").addEventListener("click", () => saveFile(file("svg"), chartSvg(), "image/svg+xml"));
  find("save-png").addEventListener("click", async () => saveFile(file("png"), await chartPng(), "image/png"));
  find("save-csv").addEventListener("click", () => saveFile(file("csv"), csv(...chartData()), "text/csv"));
  find("save-package").addEventListener("click", () => savePackage(file("csv"), chartPackage(file("csv"))));
  find("copy-link").addEventListener("click", () => {
    saveState(current.state, false);
    copy(location.href, "Link to this view copied");
  });
  find("copy-embed").addEventListener("click", () => copy(embedCode(), "Code to embed this view copied"));
  find("copy-citation").hidden = !data.about.citation;
  find("copy-citation").addEventListener("click", () => copy(data.about.citation ?? "", "Citation copied"));
}

/** Saves what a CSV is, beside it. @param {string} file @param {string} content */
const savePackage = (file, content) => saveFile(packageName(file), content, "application/json");

/** @param {Node} [except] */
function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!except || !menu.contains(except)) menu.removeAttribute("open");
  }
}

/** "/" leads to the search, Escape closes a menu. @param {KeyboardEvent} event */
function shortcut(event) {
  const typing = targetOf(event).closest("input, select, textarea, dialog");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    document.body.classList.contains("filters-open") || getComputedStyle(find("filters")).display !== "none"
      || toggleFilters();
    find("search").focus();
  }
  const menu = event.key === "Escape" && targetOf(event).closest("details.menu[open]");
  if (!menu) return;
  menu.removeAttribute("open");
  menu.querySelector("summary")?.focus();
}

/** From the search: down to the first model found, Enter opens it, Escape clears. @param {KeyboardEvent} event */
function searchKey(event) {
  if (event.key === "ArrowDown") findAll("#table tbody a")[0]?.focus();
  else if (event.key === "Enter" && current.state.q && chosen.rows.length) openModel(chosen.rows[0]);
  else if (event.key === "Escape" && current.state.q) apply("search", { q: "" });
  else return;
  event.preventDefault();
}

function toggleFilters() {
  const open = document.body.classList.toggle("filters-open");
  find("toggle-filters").setAttribute("aria-expanded", String(open));
  find("toggle-filters").textContent = open ? "Hide filters" : "Show filters";
}

/** What the filters tell: {q}, {least}, {flag: [column, value]}, {facet: [column, choices]}, … @param {Change} part */
function changed(part) {
  if (part.flag) return apply("filter", { flags: { ...current.state.flags, [part.flag[0]]: part.flag[1] } });
  if (part.facet) return apply("filter", { facets: { ...current.state.facets, [part.facet[0]]: part.facet[1] } });
  return apply("q" in part ? "search" : "filter", part);
}

/** @param {string} name @param {Partial<State>} part */
function apply(name, part) {
  current.state = { ...current.state, ...part };
  if (name === "model") return save(false);
  timed(name, refresh);
  save(false);
}

/** @param {boolean} asStep */
function save(asStep) {
  clearTimeout(typing); // browsers allow a hundred changes of the address in half a minute
  if (asStep) saveState(current.state, true);
  else typing = setTimeout(() => saveState(current.state, false), 120);
}

function refresh() {
  setDay(current.state.asof);
  chosen = select(current.state);
  chosen.rows = sorted(chosen.rows, current.state.sort);
  showFilters(current.state, chosen.counts);
  showControls();
  showStory(chosen.rows, current.state);
  showYears(chosen.rows, current.state);
  showSlider(current.state.asof);
  showChart(chosen.rows, chosen.context, current.state);
  showTable(chosen.rows, current.state);
  count();
}

function showControls() {
  for (const id of choosers) field(id).value = current.state[id];
  for (const id of switches) field(id).checked = current.state[id];
  for (const id of scaleSwitches) field(id).checked = current.state[id] === "linear";
  const axis = axisOf(current.state.y);
  field("xscale").disabled = current.state.x === DATE;
  field("yscale").disabled = current.state.y === DATE;
  find("spans").hidden = current.state.x !== DATE;
  find("intervals-field").hidden = !(columnNamed(axis?.low) && columnNamed(axis?.high));
  find("chips-field").hidden = !data.chips.length || current.state.x !== DATE;
  find("tiers-field").hidden = !data.about.tiers || current.state.y !== data.settings.axes[0].column
    || current.state.x !== DATE;
}

function count() {
  const shown = chosen.rows.length;
  let all = data.rows;
  if (data.isAbsent) { for (let row = 0; row < data.rows; row += 1) all -= data.isAbsent(row) ? 1 : 0; }
  find("count").textContent = `${shown.toLocaleString("en-US")} of ${counted(all, "model")}`;
  const wide = current.state.q && Object.values(current.state.flags).some((value) => value !== "any")
    ? select({ ...current.state, flags: {} }).rows.length - shown
    : 0;
  find("widen").hidden = wide <= 0;
  find("widen").textContent = `${wide.toLocaleString("en-US")} more among all models`;
}

/** @param {Row} row */
const linkTo = (row) => `#${writeState({ ...current.state, model: data.column.model_id.values[row] })}`;

/** @param {Row} row */
function openModel(row) {
  saveState(current.state, false); // the step before is the view without the model
  current.state = { ...current.state, model: data.column.model_id.values[row] };
  save(true);
  showModel(row);
}

export const chosenIds = () => chosen.rows.map((row) => data.column.model_id.values[row]);

document.addEventListener("DOMContentLoaded", start); // once the data are read, too
