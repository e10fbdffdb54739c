// Models without a value: within what their training compute lies, as the table `predictions` has it.
import { cellOf, data, rowsNamed } from "./dataset.js";
import { digits, plainWords } from "./format.js";
import { loadPart } from "./parts.js";

// Reads data/tiers.js once; a dataset without predictions has none.
export async function loadLikely() {
  if (data.likely || !data.about.tiers) return;
  const { columns, rows } = await loadPart("tiers");
  /** @type {Likely[]} */
  const all = rowsNamed(columns, rows);
  data.likely = new Map(all.map((one) => [data.rowOf.get(one.model_id) ?? -1, one]));
}

/** Null for a model with a value. @param {Row} row */
export const likelyOf = (row) => (cellOf("training_compute_flop", row) === null ? data.likely?.get(row) ?? null : null);

/** "9.16e24 – 2.54e27" @param {Likely} one */
export const likelyEnds = ({ flop_05: low, flop_95: high }) => `${digits(low, 3)} – ${digits(high, 3)}`;

/** What stands in the place of a value. @param {Likely} one */
export function likelyWords(one) {
  const held = one.tier_models
    ? `; of ${one.tier_models} published values such intervals hold ${(100 * one.tier_coverage_90).toFixed(0)} %`
    : "";
  return { ends: `90 %: ${likelyEnds(one)} FLOP`, middle: `half below ${digits(one.flop_50)} FLOP`,
    rests: `tier ${one.tier}, ${plainWords(one.method ?? "")}${held}` };
}
