// What is known about one model, part by part: the panel of the explorer and the page of the model are made of these.
import { fieldName, fieldsOf, fieldTable, intervalText, saidBy } from "./claims.js";
import { available, cellOf, data } from "./dataset.js";
import { headsOf, make, region, tableOf, webAddress, webLink } from "./dom.js";
import { date, digits, human, plainWords, shortText, titleOf } from "./format.js";
import { likelyOf, likelyWords } from "./likely.js";
import { flagged } from "./select.js";

/** Who made it, when and where, with links to their pages. @param {Row} row */
export function modelAbout(row) {
  const linked = (/** @type {string} */ kind, /** @type {string[] | null} */ names) =>
    (names || []).flatMap((name, number) => [number ? ", " : "", make("a", { href: pageOf(kind, name) }, name)]);
  const parts = [linked("organization", cellOf("organizations", row)), [date(row)],
    linked("country", cellOf("countries", row))].filter((part) =>
      part.length && part[0] !== undefined && !(part.length === 1 && !part[0])
    );
  return make("p", { className: "muted" }, ...parts.flatMap((part, number) => [number ? " · " : "", ...part]));
}

/** @param {Row} row */
export function modelTags(row) {
  const flags = available("flags").filter((flag) => flagged(flag.column, row)).map((flag) =>
    make("span", { className: "tag" }, flag.label)
  );
  const links = [["reference_url", "Paper or announcement"], ["arxiv_id", "arXiv"], ["doi", "DOI"], ["huggingface_id",
    "Hugging Face"]].map(([name, label]) => link(name, label, cellOf(name, row))).filter(Boolean);
  return make("p", { className: "tags" }, ...flags, ...links);
}

/** The address of the page of a model, an organization, a chip, a country or a source.
 * @param {string} kind @param {string} id */
export const pageOf = (kind, id) => `facts.html#${new URLSearchParams({ [kind]: id })}`;

/** @param {string} name @param {string} label @param {string | null} value */
function link(name, label, value) {
  if (!value) return null;
  const address =
    { arxiv_id: `arXiv:${value}`, doi: `doi:${value}`, huggingface_id: `https://huggingface.co/${value}` }[name]
    || value;
  return webAddress(address) ? webLink(label, address) : null;
}

/** @param {Row} row */
export function modelCards(row) {
  return make("dl", { className: "cards" },
    ...available("axes").slice(0, 5).filter((axis) =>
      cellOf(axis.column, row) !== null || axis === data.settings.axes[0]
    ).map((axis) => {
      const value = cellOf(axis.column, row);
      if (value === null) return card(axis.label, "no value", ...likelyLines(row));
      return card(axis.label, human(value, data.column[axis.column].unit), intervalText(axis.column, row).trim(),
        saidBy(axis.column, row));
    }));
}

/** @param {string} term @param {string} value @param {string} [around] @param {string} [said] */
const card = (term, value, around = "", said = "") =>
  make("div", {}, make("dt", {}, term),
    make("dd", {}, make("strong", {}, value), make("span", {}, around), make("small", {}, said)));

/** @param {Row} row */
function likelyLines(row) {
  const likely = likelyOf(row);
  if (!likely) return [];
  const { ends, middle, rests } = likelyWords(likely);
  return [`${ends}, ${middle}`, rests];
}

/** [title, content] of every section, the fields first; `heading` is the tag of the headings inside.
 * @param {Row} row @param {Known} known @param {"h3" | "h4"} heading @returns {[string, Node][]} */
export function modelSections(row, known, heading) {
  /** @type {[string, Node][]} */
  const parts = fieldsOf(row, known).map((group) => [group.title, fieldTable(group, row)]);
  if (known.estimates.length) {
    parts.push(["Our estimates", make("div", { className: "estimates" }, ...known.estimates.map((one) =>
      estimate(one, row, heading)
    ))]);
  }
  if (known.corrections.length) parts.push(["Corrections", corrections(known.corrections)]);
  if (known.revisions.length) parts.push(["Revisions by the sources", revisions(known.revisions)]);
  return [...parts, ["Sources", sources(known.claims)]];
}

/** @param {Row} row */
export function modelFoot(row) {
  return make("p", { className: "muted" }, "The same in a terminal: ",
    make("code", {}, `traincompute explain ${cellOf("model_id", row)}`),
    data.aliases[row] ? ` · also called ${data.aliases[row]}` : "");
}

/** @param {Estimate} one @param {Row} row @param {"h3" | "h4"} heading */
function estimate(one, row, heading) {
  const field = one.field === "training_compute_flop" ? "" : `${titleOf(one.field)}: `;
  const name = `${field}${plainWords(one.method)}`;
  if (one.shown === null) return bound(name, one, heading);
  const interval = one.low && one.high
    ? ` (90 %: ${shortText(one.low, one.unit)} – ${shortText(one.high, one.unit)})`
    : "";
  const apart = typeof one.disagreement_dex === "number"
    ? ` · ${digits(10 ** one.disagreement_dex, 3)} × the published value`
    : "";
  return make("div", { className: "estimate" },
    make(heading, {}, name, one.is_selected ? make("span", { className: "tag" }, "taken") : null),
    make("p", {}, make("strong", {}, one.shown), interval, apart),
    make("p", { className: "formula" }, `= ${one.formula}`),
    one.inputs?.length ? make("ul", {}, ...one.inputs.map((part) => input(part, row))) : null,
    make("p", { className: "muted" },
      [one.is_selected ? "" : "not taken", one.reason,
        one.assumptions?.length ? `assumes ${one.assumptions.join(", ")}` : ""].filter(Boolean).join("; ")));
}

/** Without a value: what the method lacks, and the bound that it can give.
 * @param {string} name @param {Estimate} one @param {"h3" | "h4"} heading */
function bound(name, one, heading) {
  const ends = [["≥", one.low], ["≤", one.high]].filter(([, end]) => end).map(([sign, end]) =>
    `${sign} ${human(end, one.unit)}`
  ).join(", ");
  return make("div", { className: "estimate" },
    make(heading, {}, name, one.is_selected ? make("span", { className: "tag" }, "taken") : null),
    ends ? make("p", {}, make("strong", {}, ends)) : null,
    ends && one.formula ? make("p", { className: "formula" }, one.formula) : null,
    make("p", { className: "muted" }, `${ends ? "a bound" : "abstains"}: ${one.reason}`));
}

/** @param {Input} input @param {Row} row */
function input([id, field, value, place, reference], row) {
  if (!id) return make("li", {}, value);
  const of = id !== cellOf("model_id", row) && data.rowOf.has(id)
    ? make("a", { href: `#model=${encodeURIComponent(id)}` }, id)
    : null;
  return make("li", {}, `${titleOf(field)} `, make("strong", {}, value), " · ", webLink(place, reference),
    of && " · of ", of);
}

/** What a person corrected in what a source prints, and by what evidence. @param {Correction[]} all */
function corrections(all) {
  return make("ul", { className: "sources" },
    ...all.map((one) =>
      make("li", {}, make("strong", {}, fieldName(one.field)), `: ${one.source_id} prints “${one.value_text || "–"}”, `,
        one.action === "set" ? `taken as ${one.new_value}` : plainWords(one.action), ` (${one.reason}) · `,
        webLink(one.reference || "no reference", one.reference), ` · ${one.entered}`)
    ));
}

/** @param {Revision[]} all */
function revisions(all) {
  const head = ["New in", "Field", "Before", "After", "Source"];
  const lines = merged(all).map((one) =>
    make("tr", {}, make("td", {}, one.to_snapshot),
      make("th", { scope: "row" }, one.kind.startsWith("record") ? "Record" : fieldName(one.field)),
      make("td", {}, one.old === null ? "–" : one.old),
      make("td", {}, one.new === null ? "–" : one.new, one.ratio ? ` (×${digits(one.ratio, 3)})` : "",
        ["record_added", "record_removed", "split", "renamed"].includes(one.kind) ? ` ${plainWords(one.kind)}` : ""),
      make("td", {}, ...one.sources.flatMap((source, i) => (i ? [make("br"), source] : [source]))))
  );
  return region("wide", "Revisions", tableOf("revisions", headsOf(...head), lines));
}

/** One entry per change, also where two files of a publisher made it, with the first snapshot that has it.
 * @param {Revision[]} all */
function merged(all) {
  /** @type {Map<string, Revision & { sources: string[] }>} */
  const found = new Map();
  for (const one of all) {
    const key = [one.field, one.kind, one.old, one.new].join("\n");
    const held = found.get(key);
    if (!held) found.set(key, { ...one, sources: [one.source_id] });
    else {
      if (one.to_snapshot < held.to_snapshot) held.to_snapshot = one.to_snapshot;
      if (!held.sources.includes(one.source_id)) held.sources.push(one.source_id);
    }
  }
  return [...found.values()].sort((a, b) => b.to_snapshot.localeCompare(a.to_snapshot));
}

/** @param {Claim[]} claims */
function sources(claims) {
  const used = new Set(claims.map((claim) => claim.source_id));
  return make("ul", { className: "sources" },
    ...data.sources.filter((source) => used.has(source.source_id)).map((source) =>
      make("li", {}, webLink(source.title, source.url),
        ` · ${source.publisher} · snapshot ${source.snapshot || "–"} · ${source.licence}`)
    ));
}
