// What is known about one model, field by field: the value, who says so and where, and the claims that lost with the
// reason.
import { cellOf, data, readCell } from "./dataset.js";
import { make, webLink } from "./dom.js";
import { date, human, plainWords, shortText, titleOf } from "./format.js";

const inHeading = new Set(["model_id", "name", "organization", "publication_date_precision", "doi", "arxiv_id"]);
const compute = ["training_compute", "flop_convention", "finetune_compute", "post_training_compute", "base_model",
  "arithmetic", "possibly_over"];
const size = ["parameters", "architecture", "training_tokens", "dataset", "epochs", "batch_size"];
const hardware = ["hardware", "chip_hours", "numerical_format", "training_hours", "training_power", "training_energy",
  "training_carbon", "training_cost"];
/** @type {[string, string[]][]} */
const groups = [["Training compute", compute], ["Parameters and data", size], ["Hardware, time and cost", hardware], [
  "About the model",
  [""],
]];
/** @type {Record<string, string>} */
const status = { selected: "chosen", superseded: "not chosen", conflicting: "in conflict",
  quarantined: "could not be read" };

/** [{title, entries: [{name, value, unit, about, derived, claims, selected, estimate}]}], empty groups left out.
 * @param {Row} row @param {Known} known */
export function fieldsOf(row, known) {
  const claims = Map.groupBy ? Map.groupBy(known.claims, (claim) => claim.field) : grouped(known.claims);
  const ends = new Set(data.settings.axes.flatMap((axis) => [axis.low, axis.high]));
  const covered = new Set(["name"]);
  /** @type {Field[]} */
  const entries = [];
  for (const column of data.columns) {
    const field = data.claimOf[column.name] || column.name;
    const value = readCell(column, row);
    if (value === null) continue;
    covered.add(field);
    if (inHeading.has(column.name) || (ends.has(column.name) && hasMiddle(column.name, row))) continue;
    entries.push(entry(column.name, value, column, claims.get(field) || [], known.estimates, field));
  }
  for (const [field, said] of claims) {
    if (!covered.has(field) && !isOfMissingValue(field, row)) {
      entries.push({ ...entry(field, null, {}, said, [], field), beside: true });
    }
  }
  /** @param {string} name */
  const groupOf = (name) => groups.findIndex(([, begins]) => begins.some((begin) => name.startsWith(begin)));
  return groups.map(([title], number) => ({ title, entries: entries.filter(({ name }) => groupOf(name) === number) }))
    .filter((group) => group.entries.length);
}

/** How sure a source is of a value that the model does not have. @param {string} field @param {Row} row */
const isOfMissingValue = (field, row) =>
  field === "training_compute_confidence"
  && cellOf(data.settings.axes[0].column, row) === null;

/** @param {Claim[]} claims */
function grouped(claims) {
  const found = new Map();
  for (const claim of claims) found.set(claim.field, [...(found.get(claim.field) || []), claim]);
  return found;
}

/** Whether the column is an end of an interval that is shown with its value. @param {string} name @param {Row} row */
function hasMiddle(name, row) {
  const axis = data.settings.axes.find((one) => one.low === name || one.high === name);
  return Boolean(
    axis && data.column[axis.column] && readCell(data.column[axis.column], row) !== null
      && intervalText(axis.column, row),
  );
}

/**
 * @param {string} name @param {Cell} value @param {Partial<Column>} column @param {Claim[]} claims
 * @param {Estimate[]} estimates @param {string} field */
function entry(name, value, column, claims, estimates, field) {
  // the estimate gives method, interval and source together with the value
  const about = estimates.map((one) => one.field).find((one) =>
    one === field
    || field.replace(/_(low|high|source|method|confidence)$/, "") === one.replace(/_(flop|usd|kwh|kg|w)$/, "")
  );
  return { name, value, unit: column.unit || "", about: column.about || "", derived: column.derived || "", claims,
    selected: claims.find((claim) => claim.status === "selected") || null,
    estimate: estimates.find((one) => one.is_selected && one.field === about) || null };
}

/** " (1e23 – 9e23)", or nothing. @param {string} name @param {Row} row */
export function intervalText(name, row) {
  const axis = data.settings.axes.find((one) => one.column === name);
  const [low, high] = [axis?.low, axis?.high].map((end) => cellOf(end, row));
  return low && high ? ` (${shortText(low, data.column[name].unit)} – ${shortText(high, data.column[name].unit)})` : "";
}

/** @param {FieldGroup} group @param {Row} row */
export function fieldTable(group, row) {
  const lines = group.entries.map((one) =>
    make("tr", { className: one.beside ? "beside" : "" },
      make("th", { scope: "row", title: one.about }, fieldName(one.name)),
      make("td", { className: "value" }, ...shown(one, row)), make("td", { className: "who" }, ...who(one)))
  );
  return make("table", { className: "fields" }, make("caption", { className: "sr-only" }, group.title),
    make("thead", { className: "sr-only" },
      make("tr", {}, ...["Field", "Value", "Who says so"].map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...lines));
}

/** "reported, arXiv:2005.14165, table 2.1", "our estimate, operation counting", …
 * @param {string} column @param {Row} row */
export function saidBy(column, row) {
  const said = data.said[column] && data.said[column].values[row] >= 0
    ? data.said[column].words[data.said[column].values[row]]
    : "";
  const axis = data.settings.axes.find((one) => one.column === column);
  const source = cellOf(axis?.source, row);
  const method = axis === data.settings.axes[0] ? cellOf("training_compute_method", row) : null;
  return [source && plainWords(source), source === "imputed" ? null : said, method?.map(plainWords).join(", ")]
    .filter(Boolean).join(" · ");
}

/** Words of a field below its group: "Confidence" instead of "Training compute confidence". @param {string} name */
export function fieldName(name) {
  const axis = data.settings.axes.find((one) => one.column === name);
  return axis
    ? axis.label
    : titleOf(
      name.replace(/^training_compute_(?=.)/, "").replace(/^is_/, "").replace(/^pfs_days$/, "in petaflop/s-days"),
    );
}

/** @param {Field} one @param {Row} row */
function shown(one, row) {
  if (one.value === null) return [claimText(one.selected || one.claims[0])];
  const text = typeof one.value === "string" && /^https?:/.test(one.value)
    ? webLink(one.value.replace(/^https?:\/\/(www\.)?/, ""), one.value)
    : human(one.name === "publication_date" ? date(row) : one.value, one.unit);
  return [text, intervalText(one.name, row)];
}

/** @param {Claim} claim */
const claimText = (claim) => ({ true: "yes", false: "no" })[claim.shown] || plainWords(claim.shown);

/** @param {Field} one */
function who(one) {
  const parts = [];
  if (one.selected) parts.push(place(one.selected));
  else if (one.estimate && !one.derived) {
    parts.push(make("p", { className: "muted" }, `our estimate: ${plainWords(one.estimate.method)}, see below`));
  }
  if (one.derived) parts.push(make("p", { className: "muted" }, `derived: ${one.derived}`));
  if (one.beside) parts.push(make("p", { className: "muted" }, "claimed; no column of models"));
  const others = one.claims.filter((claim) => claim !== one.selected);
  if (others.length) {
    parts.push(
      make("details", {}, make("summary", {}, `${others.length} other claim${others.length > 1 ? "s" : ""}`),
        make("ul", {}, ...others.map(loser))),
    );
  }
  return parts;
}

/** @param {Claim} claim */
function loser(claim) {
  return make("li", {}, make("strong", {}, claimText(claim)), ` ${status[claim.status]}: ${claim.reason}`,
    place(claim));
}

/** Who says it, where, since when; how many publishers agree; the text as printed where it was converted.
 * @param {Claim} claim */
function place(claim) {
  const source = data.sources.find((one) => one.source_id === claim.source_id)
    ?? { title: claim.source_id, publisher: claim.source_id, url: null };
  const agree = claim.supporting_publishers > 1 ? ` · ${claim.supporting_publishers} publishers agree` : "";
  const printed = claim.note && claim.value_text !== claim.shown && claim.value_text.length < 120
    ? ` · printed “${claim.value_text}”`
    : "";
  const evidence = claim.evidence
    ? ` · ${
      { seen: "read in the source", secondary: "read in a secondary source",
        recalled: "recalled, not checked" }[claim.evidence] || claim.evidence
    }`
    : "";
  const where = claim.reference
    ? [webLink(claim.reference.replace(/^https?:\/\/(www\.)?/, ""), claim.reference),
      claim.locator ? `, ${claim.locator}` : ""]
    : [webLink(source.title || source.publisher, source.url), claim.locator ? `, ${claim.locator}` : "",
      ` · since ${claim.since}`];
  return make("p", { className: "place" }, ...where, evidence + agree + printed);
}
