// The filters: builds the form from the settings, shows the state in it, and tells of every change.
import { available, data } from "./dataset.js";
import { field, find, findAll, make } from "./dom.js";
import { digits, plainWords, powerText } from "./format.js";
import { choices, NONE, parseNumber } from "./select.js";

const SHOWN = 8; // choices of a facet before "all" is asked for

/** @type {(part: Change) => void} */
let change;
/** @type {Map<string, Facet>} */
const facets = new Map();

/** Builds the form; `changed(part)` is called with what is to be put into the state.
 * @param {(part: Change) => void} changed */
export function buildFilters(changed) {
  change = changed;
  const form = find("filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.append(searchField(), ...available("flags").map(flagField), computeField(), datesField());
  for (const facet of available("facets")) form.append(facetField(facet));
}

function searchField() {
  const input = make("input", { type: "search", id: "search", placeholder: "Model, lab, arXiv id  ( / )",
    autocomplete: "off", spellcheck: "false", "aria-keyshortcuts": "/",
    oninput: (event) => change({ q: event.target.value }) });
  return make("div", { className: "block" }, make("label", { for: "search" }, "Search"), input);
}

/** @param {Entry} entry */
function flagField({ column, label }) {
  const radio = (/** @type {string} */ value, /** @type {string} */ text) =>
    make("label", {}, make("input", { type: "radio", name: column, value, onchange: () =>
      change({ flag: [column, value] }) }), make("span", {}, text));
  return make("fieldset", { className: "block flag" }, make("legend", {}, label),
    make("div", { className: "segments" }, radio("any", "any"), radio("yes", "yes"), radio("no", "no")));
}

function computeField() {
  const labelled = (/** @type {string} */ key, /** @type {string} */ label) =>
    make("label", {}, make("span", {}, label),
      make("input", { type: "text", id: key, inputMode: "text", placeholder: key === "least" ? "1e23" : "1e26",
        autocomplete: "off", oninput: (event) => change({ [key]: event.target.value }) }));
  const marks = data.settings.thresholds.filter((mark) => mark.column === data.settings.axes[0].column);
  const presets = marks.map((mark) =>
    make("button", { type: "button", title: `${mark.label}: ${mark.source}`, "aria-pressed": "false",
      "data-least": digits(mark.flop), onclick: (event) => {
        const value = event.currentTarget.dataset.least;
        change({ least: field("least").value === value ? "" : value });
      } }, `≥ ${powerText(Math.round(Math.log10(mark.flop)))}`)
  );
  return make("fieldset", { className: "block" }, make("legend", {}, "Training compute [FLOP]"),
    make("div", { className: "pair" }, labelled("least", "at least"), labelled("most", "below")),
    make("div", { className: "presets" }, ...presets));
}

function datesField() {
  const labelled = (/** @type {string} */ key, /** @type {string} */ label) =>
    make("label", { className: "inline" }, make("span", {}, label),
      make("input", { type: "date", id: key, min: "1940-01-01", max: "2100-01-01", onchange: (event) =>
        change({ [key]: event.target.value }) }));
  return make("fieldset", { className: "block" }, make("legend", {}, "Published"), labelled("from", "from"),
    labelled("to", "to"));
}

/** @param {Entry} entry */
function facetField({ column, label }) {
  const { names } = choices(data.column[column]);
  const badge = make("span", { className: "badge", hidden: true });
  const list = make("ul", { className: "choices", "aria-label": label });
  const more = make("button", { type: "button", className: "quiet", onclick: () => showAll(column) });
  const narrow = names.length > 2 * SHOWN
    ? make("input", { type: "search", "aria-label": `Find in ${label}`, placeholder: "Find …", autocomplete: "off",
      oninput: () => fill(column) })
    : null;
  const body = make("details", { className: "block facet", id: `facet-${column}` }, make("summary", {}, label, badge),
    narrow, list, more);
  body.addEventListener("toggle", () => body.open && fill(column));
  facets.set(column, { body, badge, list, more, narrow, all: false, opened: new Set(), chosen: [],
    counts: new Uint32Array(names.length), owners: column === "organizations" ? data.parents : {} });
  return body;
}

/** @param {string} column */
function showAll(column) {
  const facet = facetOf(column);
  facet.all = !facet.all;
  fill(column);
}

/** What is known of a facet that the form has. @param {string} column */
const facetOf = (column) => /** @type {Facet} */ (facets.get(column));

/** The choices of an open facet: chosen ones first, then by number of models. @param {string} column */
function fill(column) {
  const facet = facetOf(column);
  if (!facet.body.open) return;
  const { names } = choices(data.column[column]);
  const wanted = facet.narrow ? facet.narrow.value.trim().toLowerCase() : "";
  const chosen = new Set(facet.chosen);
  const isShown = (
    /** @type {string} */ name,
  ) => (wanted ? plainWords(name).toLowerCase().includes(wanted) : !facet.owners[name] || chosen.has(name));
  const order = names.map((_, number) => number).filter((number) => isShown(names[number])).sort((a, b) =>
    Number(chosen.has(names[b])) - Number(chosen.has(names[a])) || facet.counts[b] - facet.counts[a]
    || (names[a] < names[b] ? -1 : 1)
  );
  const shown = facet.all ? order : order.slice(0, Math.max(SHOWN, chosen.size));
  const focused = findAll(":focus", facet.list)[0]?.value;
  facet.list.replaceChildren(...shown.flatMap((number) => withLabs(column, number, chosen, wanted)));
  [...findAll("input, button", facet.list)].find((input) => input.value === focused)?.focus();
  facet.more.hidden = order.length <= SHOWN;
  facet.more.textContent = facet.all ? "Show fewer" : `Show all ${order.length}`;
}

/** A choice and, where it is an organisation that owns others and is opened, these below it.
 * @param {string} column @param {number} number @param {Set<string>} chosen @param {string} wanted */
function withLabs(column, number, chosen, wanted) {
  const facet = facetOf(column);
  const { names, place } = choices(data.column[column]);
  const at = (/** @type {string} */ name) => place.get(name) ?? -1;
  const owned = names.filter((name) => facet.owners[name] === names[number] && facet.counts[at(name)]);
  const item = (/** @type {string} */ name) => choice(column, name, facet.counts[at(name)], chosen.has(name));
  const own = item(names[number]);
  if (!owned.length || wanted) return [own];
  const opened = facet.opened.has(names[number]);
  const sign = opened ? "−" : `+${owned.length}`; // a label holds what is seen
  own.append(
    make("button", { type: "button", className: "labs", value: `labs of ${names[number]}`,
      "aria-expanded": String(opened), "aria-label": `${sign} organisations that belong to ${names[number]}`,
      onclick: () => {
        facet.opened[opened ? "delete" : "add"](names[number]);
        fill(column);
      } }, sign),
  );
  const below = opened
    ? owned.filter((name) => !chosen.has(name)).sort((a, b) => facet.counts[at(b)] - facet.counts[at(a)])
    : [];
  return [own, ...below.map((name) => {
    const one = item(name);
    one.className = "lab";
    return one;
  })];
}

/** @param {string} column @param {string} name @param {number} count @param {boolean} checked */
function choice(column, name, count, checked) {
  const input = make("input", { type: "checkbox", value: name, checked, onchange: (event) => {
    const before = facetOf(column).chosen.filter((other) => other !== name);
    change({ facet: [column, event.target.checked ? [...before, name] : before] });
  } });
  const text = name === NONE ? "none given" : plainWords(name);
  return make("li", {},
    make("label", { className: count ? "" : "empty" }, input, make("span", { className: "what" }, text),
      make("span", { className: "many" }, count.toLocaleString("en-US"),
        make("span", { className: "sr-only" }, " models"))));
}

/** Shows the state in the form; what is being typed stays as it is typed.
 * @param {State} state @param {Counts} counts */
export function showFilters(state, counts) {
  const { q: search, least, most, from, to } = state;
  for (const [id, value] of Object.entries({ search, least, most, from, to })) {
    if (field(id).value !== value) field(id).value = value;
  }
  for (const [id, value] of Object.entries({ least, most })) {
    const wrong = value.trim() !== "" && parseNumber(value) === null;
    find(id).setAttribute("aria-invalid", String(wrong));
  }
  for (const [flag, value] of Object.entries(state.flags)) {
    for (const radio of findAll(`input[name="${flag}"][value="${value}"]`)) radio.checked = true;
  }
  for (const button of findAll("[data-least]")) {
    button.setAttribute("aria-pressed", String(button.dataset.least === state.least));
  }
  for (const [column, facet] of facets) {
    facet.chosen = state.facets[column] || [];
    facet.counts = counts[column];
    facet.badge.textContent = String(facet.chosen.length || "");
    facet.badge.hidden = !facet.chosen.length;
    fill(column);
  }
}
