// The pages of an organisation, a chip, a country and a source: cards, a picture of its models, and their list.
import { cellOf, data } from "./dataset.js";
import { headsOf, make, region, separated, tableOf, webLink } from "./dom.js";
import { dots } from "./drawing.js";
import { folded, modelLink, scrolled, section, sqlLink } from "./facts-parts.js";
import { date, human, plainWords, shortText, titleOf } from "./format.js";
import { pageOf } from "./model.js";
import { modelsOn, modelsWith, records, rowsOf } from "./records.js";

const FLOP = "training_compute_flop";
const LISTED = 20;
const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "''")}'`;

/** @param {string} name */
export function showOrganization(name) {
  const row = rowsOf("organizations").find((one) => one.organization === name) || {};
  const models = modelsWith("organizations", name);
  if (!models.length && !row.organization) return null;
  const parts = rowsOf("organizations").filter((one) => one.parent === name).map((one) => one.organization);
  return { title: name, parts: [
    cards([
      ["Part of", row.parent && link("organization", row.parent)],
      ["Parts", parts.length ? make("span", {}, ...separated(parts.map((part) => link("organization", part)))) : null],
      ["Kind", row.category && plainWords(row.category)],
      ["Country", row.country && link("country", row.country)],
      ["Also called", (row.aliases || []).join(", ")],
      ...counts(models),
    ]),
    ...listOf(models),
    make("p", {}, sqlLink(
      `select * from models where list_contains(organizations, ${quoted(name)}) order by training_compute_flop desc`,
    )),
  ] };
}

/** @param {string} name */
export function showCountry(name) {
  const models = modelsWith("countries", name);
  if (!models.length) return null;
  const labs = rowsOf("organizations").filter((one) => one.country === name).sort((a, b) => b.models - a.models);
  return { title: name, parts: [
    cards([["Organisations", String(labs.length || "")], ...counts(models)]),
    labs.length
      ? folded("Organisations",
        make("ul", { className: "many" },
          ...labs.map((lab) => make("li", {}, link("organization", lab.organization), ` ${lab.models}`))))
      : null,
    ...listOf(models),
    make("p", {}, sqlLink(`select * from country_shares where country = ${quoted(name)} order by year`)),
  ] };
}

/** @param {string} id */
export function showChip(id) {
  const chip = rowsOf("hardware").find((one) => one.hardware_id === id);
  if (!chip) return null;
  const models = modelsOn(id);
  const told = records.hardware.columns.filter(([name]) =>
    !["hardware_id", "name", "reference_url", "source_id"].includes(name) && chip[name] !== null
  );
  const values = told.map((
    [name, unit, about],
  ) => /** @type {Pair} */ ([named(name), human(chip[name], unit || ""), about]));
  return { title: chip.name, parts: [
    cards([...values, ["Source", link("source", chip.source_id)], ...counts(models)]),
    chip.reference_url ? make("p", {}, webLink("Where its data stand", chip.reference_url)) : null,
    ...listOf(models),
    make("p", {}, sqlLink(`select * from hardware_prices where hardware = ${quoted(chip.name)} order by price_date`)),
  ] };
}

/** @param {string} id */
export function showSource(id) {
  const source = data.sources.find((one) => one.source_id === id);
  if (!source) return null;
  const said = rowsOf("claimed").find((one) => one.source_id === id) || {};
  const snapshots = rowsOf("snapshots").filter((one) => one.source_id === id);
  const lines = snapshots.map((one) =>
    make("tr", {}, make("td", {}, one.snapshot), ...["records", "facts"].map((name) =>
      make("td", { className: "right" }, one[name] === null ? "" : one[name].toLocaleString("en-US"))
    ), make("td", {}, make("code", {}, (one.sha256 || "").slice(0, 16))))
  );
  /** @param {number | undefined} number */
  const many = (number) => (number === undefined ? "" : number.toLocaleString("en-US"));
  return { title: source.title, parts: [
    cards([["Publisher", source.publisher], ["Licence", source.licence], ["Newest snapshot", source.snapshot], [
      "Claims",
      many(said.claims),
    ], ["Chosen", many(said.selected)], ["Models", many(said.models)]]),
    make("p", {}, webLink(source.url || "", source.url)),
    source.attribution ? make("p", { className: "muted" }, `Attribution: ${source.attribution}`) : null,
    snapshots.length ? section("Snapshots", table(["Snapshot", "Records", "Facts", "sha256"], lines, [1, 2])) : null,
    make("p", {}, sqlLink(`select * from claims where source_id = ${quoted(id)}`)),
  ] };
}

/** "Peak tensor FP16" for peak_tensor_fp16_flops: the unit stands with the value. @param {string} column */
const named = (column) =>
  titleOf(column.replace(/_(flops|ops|bytes|w|nm|mm2|usd)$/, "")).replace(/\b(fp|tf|int)\d+|tdp/gi, (word) =>
    word.toUpperCase());

const link = (/** @type {string} */ kind, /** @type {string} */ id) => make("a", { href: pageOf(kind, id) }, id);

/** Pairs [term, text or element, meaning]; those without a value are left out.
 * @param {Pair[]} pairs */
function cards(pairs) {
  return make("dl", { className: "cards" },
    ...pairs.filter(([, value]) => value).map(([term, value, about]) =>
      make("div", { title: about }, make("dt", {}, term), make("dd", {}, make("strong", {}, value)))
    ));
}

/** @param {Row[]} models @returns {Pair[]} */
function counts(models) {
  const known = models.filter((row) => cellOf(FLOP, row) !== null);
  return [["Models", models.length.toLocaleString("en-US")], ["With training compute",
    known.length.toLocaleString("en-US")]];
}

/** A picture of the models over time, and their list, the largest first. @param {Row[]} models */
function listOf(models) {
  if (!models.length) return [make("p", { className: "muted" }, "No model of the dataset names it.")];
  const [ordered, points] = [largestFirst(models), pointsOf(models)];
  const rest = ordered.slice(LISTED);
  return [
    points.length > 1
      ? section("Training compute over time",
        make("figure", {}, scrolled(dots(points, true, "Training compute by date of publication")),
          make("figcaption", { className: "muted" }, "FLOP, one dot for each model with a value and a date.")))
      : null,
    section("Models", modelTable(ordered.slice(0, LISTED))),
    rest.length ? folded(`${rest.length} more`, modelTable(rest)) : null,
  ];
}

export const largestFirst = (/** @type {Row[]} */ models) =>
  [...models].sort((a, b) => (cellOf(FLOP, b) ?? -1) - (cellOf(FLOP, a) ?? -1) || a - b);

/** @param {Row[]} models */
function pointsOf(models) {
  return models.map((row) => ({ x: Date.parse(cellOf("publication_date", row)), y: cellOf(FLOP, row),
    text: `${cellOf("name", row)}: ${human(cellOf(FLOP, row), "FLOP")}` })
  )
    .filter(({ x, y }) => y > 0 && Number.isFinite(x));
}

/** @param {Row[]} models */
function modelTable(models) {
  const shown = (/** @type {string} */ name, /** @type {Row} */ row) => (data.column[name]
    ? shortText(cellOf(name, row) ?? undefined, data.column[name].unit || "")
    : "");
  return table(["Model", "Organisation", "Published", "Compute [FLOP]", "Parameters", "Who says so"],
    models.map((row) =>
      make("tr", {}, make("th", { scope: "row" }, modelLink(row)),
        make("td", {}, some(cellOf("organizations", row) || [])), make("td", { className: "date" }, date(row)),
        make("td", { className: "right" }, cellOf(FLOP, row) === null ? "" : shown(FLOP, row)),
        make("td", { className: "right" }, cellOf("parameters", row) === null ? "" : shown("parameters", row)),
        make("td", {}, plainWords(cellOf("training_compute_source", row) || "")))
    ), [3, 4]);
}

/** @param {string[]} names */
const some = (names) => names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");

/** @param {string[]} heads @param {Node[]} lines @param {number[]} right */
function table(heads, lines, right) {
  const cells = headsOf(...heads);
  for (const number of right) cells[number].className = "right";
  return region("scroll", heads[0], tableOf("", cells, lines));
}
