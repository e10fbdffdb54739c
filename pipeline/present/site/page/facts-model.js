// The page of one model: its value as a picture, all that is said of it on one axis, how sources changed it, its
// family.
import { cellOf, data, loadModel } from "./dataset.js";
import { make, separated } from "./dom.js";
import { steps } from "./drawing.js";
import { folded, modelLink, scrolled, section, sqlLink } from "./facts-parts.js";
import { ownSaying, sayingsPicture } from "./facts-said.js";
import { plainWords } from "./format.js";
import { loadLikely } from "./likely.js";
import { modelAbout, modelCards, modelFoot, modelSections, modelTags, pageOf } from "./model.js";
import { chipsOf, rowsOf } from "./records.js";

const FLOP = "training_compute_flop";
const isPositive = (/** @type {number | null} */ number) => number !== null && number > 0;

/** @param {string} id */
export async function showModelPage(id) {
  const row = data.rowOf.get(id);
  if (row === undefined) return null;
  const [known] = await Promise.all([loadModel(row), loadLikely()]);
  const sections = new Map(modelSections(row, known, "h3"));
  const changes = history(known);
  const sayings = sayingsPicture(saidOf(row, known));
  const main = ["Corrections", "Training compute"].filter((title) => sections.has(title));
  const parts = [...main.map((title) => section(title, /** @type {Node} */ (sections.get(title)))),
    ...[...sections].filter(([title]) => !main.includes(title)).map(([title, content]) => folded(title, content))];
  return { title: cellOf("name", row), parts: [
    modelAbout(row),
    modelTags(row),
    modelCards(row),
    sayings && section("Training compute: all that is said", sayings),
    changes && section("Its value in each snapshot of the sources", changes),
    family(row),
    ...parts,
    modelFoot(row),
    make("p", {}, make("a", { href: `index.html#model=${encodeURIComponent(id)}` }, "In the explorer"), " · ",
      make("a", { href: pageOf("compare", id) }, "Compare with others"), " · ",
      sqlLink(`select * from claims where model_id = '${id}'`)),
  ] };
}

/** {text, low, value, high} of the published value, of every claim with a number, and of every estimate with one.
 * @param {Row} row @param {Known} known */
function saidOf(row, known) {
  const claims = known.claims.filter((claim) =>
    claim.field === (data.claimOf[FLOP] || FLOP) && (claim.value ?? 0) > 0 && claim.status !== "quarantined"
  );
  const estimates = known.estimates.filter((one) =>
    one.field === FLOP && !one.is_predicted && [one.value, one.low, one.high].some(isPositive)
  );
  return [
    ...ownSaying(row),
    ...claims.map(({ publisher, source_id, value: stated, low, high, status }) => ({
      text: `${publisher}, ${source_id}${status === "selected" ? " (chosen)" : ""}`,
      value: stated,
      low,
      high,
    })),
    ...estimates.map(({ method, value: made, low, high, is_selected: isTaken }) => ({
      text: `our ${plainWords(method)}${isTaken ? " (taken)" : made ? "" : " (bound)"}`,
      value: made,
      low,
      high,
    })),
  ];
}

/** The value in each snapshot, source by source; null where no source changed it. @param {Known} known */
function history(known) {
  const changes = known.revisions.filter((one) =>
    one.field === FLOP && (isPositive(one.old_value) || isPositive(one.new_value))
  );
  const series = [...new Set(changes.map((one) => one.source_id))].map((source) => {
    const ordered = changes.filter((one) => one.source_id === source).sort((a,
      b) => (a.to_snapshot < b.to_snapshot ? -1 : 1)
    );
    const first = isPositive(ordered[0].old_value)
      ? [[Date.parse(ordered[0].from_snapshot), Number(ordered[0].old_value)]]
      : [];
    return { text: source, points: [...first, ...ordered.filter((one) => isPositive(one.new_value)).map((
      one,
    ) => [Date.parse(one.to_snapshot), Number(one.new_value)])] };
  }).filter(({ points }) => points.length);
  if (!series.length) return null;
  const end = Math.max(...rowsOf("snapshots").map((row) => Date.parse(row.snapshot)));
  return scrolled(
    steps(series, end, `Training compute in the snapshots of ${series.map(({ text }) => text).join(", ")}`),
  );
}

/** Base model, models derived from it, chips. @param {Row} row */
function family(row) {
  const id = cellOf("model_id", row);
  const base = cellOf("base_model_id", row);
  const derived = data.column.base_model_id
    ? Array.from({ length: data.rows }, (_, other) => other).filter((other) => cellOf("base_model_id", other) === id)
    : [];
  const chips = chipsOf(id);
  const machines = chips.map((chip) => make("a", { href: pageOf("chip", chip.hardware_id) }, chip.name));
  const bases = [data.rowOf.get(base) ?? []].flat();
  const lines = Object.entries({
    "Trained from": bases.map(modelLink),
    "Base of": derived.slice(0, 40).map(modelLink),
    "Trained on": machines,
  }).filter(([, links]) => links.length);
  if (!lines.length) return null;
  return section("Family and machines",
    make("dl", { className: "family" },
      ...lines.map(([term, links]) => make("div", {}, make("dt", {}, term), make("dd", {}, ...separated(links))))));
}
