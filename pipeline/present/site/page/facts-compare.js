// Up to four models side by side: their compute on one axis, and every quantity in a row.
import { intervalText } from "./claims.js";
import { cellOf, data } from "./dataset.js";
import { make, region, tableOf } from "./dom.js";
import { modelLink } from "./facts-parts.js";
import { ownSaying, sayingsPicture } from "./facts-said.js";
import { axisLabel, date, human } from "./format.js";
import { likelyEnds, likelyOf, loadLikely } from "./likely.js";
import { pageOf } from "./model.js";

const FLOP = "training_compute_flop";
const ROWS = ["organizations", "publication_date", "domains", "training_compute_flop", "training_compute_source",
  "parameters", "training_tokens", "hardware", "hardware_quantity", "training_hours", "training_power_w",
  "training_energy_kwh", "training_carbon_kg", "training_cost_usd", "accessibility", "capability_index"];
export const MOST_COMPARED = 4;

/** @param {string} list */
export async function showComparison(list) {
  await loadLikely();
  const ids = [...new Set(list.split(",").filter(Boolean))];
  const rows = ids.map((id) => data.rowOf.get(id)).filter((row) => row !== undefined).slice(0, MOST_COMPARED);
  const unknown = ids.filter((id) => !data.rowOf.has(id));
  return { title: "Models side by side", parts: [
    unknown.length
      ? make("p", { className: "notice", role: "alert" }, `The dataset has no model with the id ${unknown.join(", ")}.`)
      : null,
    ids.length > MOST_COMPARED
      ? make("p", { className: "notice", role: "alert" }, `${MOST_COMPARED} models at most; the others are left out.`)
      : null,
    make("p", { className: "muted" }, rows.length < MOST_COMPARED
      ? `Find another model above to put it beside ${rows.length ? "these" : "others"}.`
      : "A model that is found above takes the place of the first."),
    sayingsPicture(
      rows.flatMap((row) => ownSaying(row).map((one) => ({ ...one, text: cellOf("name", row), chosen: false }))),
    ),
    rows.length ? table(rows) : null,
  ] };
}

/** @param {Row[]} rows */
function table(rows) {
  /** @param {Row} row */
  const without = (row) => rows.filter((other) => other !== row).map((other) => cellOf("model_id", other)).join(",");
  const heads = rows.map((row) =>
    make("th", { scope: "col" }, modelLink(row), " ",
      make("a", { className: "remove", href: pageOf("compare", without(row)),
        "aria-label": `Remove ${cellOf("name", row)}` }, "×"))
  );
  const lines = ROWS.filter((name) => data.column[name] && rows.some((row) => shown(name, row) !== "–")).map((name) =>
    make("tr", {}, make("th", { scope: "row" }, axisLabel(name)), ...rows.map((row) =>
      make("td", {}, shown(name, row), make("small", { className: "muted" }, intervalText(name, row)))
    ))
  );
  return region("scroll", "Comparison", tableOf("compared", [make("td", {}), ...heads], lines));
}

/** @param {string} name @param {Row} row */
function shown(name, row) {
  const value = cellOf(name, row);
  const likely = name === FLOP ? likelyOf(row) : null;
  if (likely) return `no value; 90 %: ${likelyEnds(likely)} FLOP`;
  return value === null ? "–" : name === "publication_date" ? date(row) : human(value, data.column[name].unit || "");
}
