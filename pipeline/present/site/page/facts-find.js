// The field that finds pages by name, and what figures and docs say.
// On the page that compares, a model that is found joins those compared.
import { cellOf, data } from "./dataset.js";
import { find, make } from "./dom.js";
import { MOST_COMPARED } from "./facts-compare.js";
import { pageOf } from "./model.js";
import { countryNames, organizationNames, rowsOf } from "./records.js";
import { loadSections, sectionsAbout } from "./sections.js";
import { fold, holds, searched, termsOf } from "./words.js";

const MOST = 12;
const FIGURES = "figures.html#";
/** @type {Named[] | null} */
let entries = null;

function all() {
  /** @param {string} kind @param {string} id @param {string} name @param {string} [more] */
  const one = (kind, id, name, more = "") => ({ kind, id, name, text: searched(`${name} ${id} ${more}`) });
  entries ||= [
    ...data.column.model_id.values.map((id, row) => one("model", id, cellOf("name", row), data.aliases[row])),
    ...organizationNames().map((name) => one("organization", name, name)),
    ...rowsOf("hardware").map((row) => one("chip", row.hardware_id, row.name)),
    ...countryNames().map((name) => one("country", name, name)),
    ...data.sources.map((source) => one("source", source.source_id, source.title)),
  ];
  return entries;
}

/** The pages whose name holds every word: those that begin with the text first, then those with words that begin so.
 * @param {string} typed @param {string[] | null} [kinds] */
export const pagesNamed = (typed, kinds = null) => placed(typed, kinds).map(({ entry }) => entry).slice(0, MOST);

/** @param {string} typed @param {string[] | null} kinds */
function placed(typed, kinds) {
  const words = termsOf(typed);
  if (!words.length) return [];
  const found = all().filter((entry) =>
    (!kinds || kinds.includes(entry.kind)) && words.every((word) => holds(entry.text, word))
  );
  const place = (/** @type {Searched} */ { low, joined }) => {
    if (low.startsWith(fold(typed)) || joined.startsWith(` ${fold(typed)}`)) return 0;
    return words.every((word) => ` ${low}${joined}`.includes(` ${word}`)) ? 1 : 3;
  };
  return found.map((entry) => ({ entry, at: place(entry.text) }))
    .sort((a, b) => a.at - b.at || a.entry.name.length - b.entry.name.length);
}

/** Figures and sections of the docs stand before the names in which the words are only parts of others.
 * @param {string} typed @returns {Found[]} */
function everything(typed) {
  const named = placed(typed, null).map(({ entry: { kind, id, name }, at }) => ({ kind, name, address: pageOf(kind, id),
    at })
  );
  const told = (termsOf(typed).length && sectionsAbout(termsOf(typed)) || []).map((
    { address, title, heading },
  ) => (address.startsWith(FIGURES)
    ? { kind: "figure", name: heading, address: `docs/${address}`, at: 2 }
    : { kind: "docs", name: heading === title ? title : `${title}: ${heading}`, address: `docs/${address}`, at: 2 })
  );
  return [...named, ...told].sort((a, b) => a.at - b.at).slice(0, MOST);
}

/** @param {() => string[] | null} compared */
export function buildFinder(compared) {
  const field = find("find");
  const show = () => {
    const chosen = compared();
    /** @type {Found[]} */
    const list = chosen
      ? pagesNamed(field.value, ["model"]).map(({ kind, id, name }) => ({ kind, name,
        address: pageOf("compare", [...chosen, id].slice(-MOST_COMPARED).join(",")), at: 0 })
      )
      : everything(field.value);
    find("found").replaceChildren(
      ...list.map(({ kind, name, address }) =>
        make("li", {}, make("a", { href: address }, name), make("span", { className: "muted" }, ` ${kind}`))
      ),
    );
    find("found").hidden = !list.length;
  };
  field.addEventListener("focus", () => loadSections("docs/search-index.js", show));
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") find("found").querySelector("a")?.click();
    if (event.key === "Escape") field.value = "";
    if (event.key === "Escape") show();
  });
  find("found").addEventListener("click", () => {
    field.value = "";
    show();
  });
}
