// The field that finds pages by name. On the page that compares, a model that is found joins those compared.
import { cellOf, data } from "./dataset.js";
import { find, make } from "./dom.js";
import { MOST_COMPARED } from "./facts-compare.js";
import { pageOf } from "./model.js";
import { countryNames, organizationNames, rowsOf } from "./records.js";
import { fold, holds, searched, termsOf } from "./words.js";

const MOST = 12;
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

/** The pages whose name holds every word, those that begin with the text first.
 * @param {string} typed @param {string[] | null} [kinds] */
export function pagesNamed(typed, kinds = null) {
  const words = termsOf(typed);
  if (!words.length) return [];
  const found = all().filter((entry) =>
    (!kinds || kinds.includes(entry.kind)) && words.every((word) => holds(entry.text, word))
  );
  const rank = (
    /** @type {Named} */ { text },
  ) => (text.low.startsWith(fold(typed)) || text.joined.startsWith(` ${fold(typed)}`) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length).slice(0, MOST);
}

/** @param {() => string[] | null} compared */
export function buildFinder(compared) {
  const field = find("find");
  const show = () => {
    const chosen = compared();
    const list = pagesNamed(field.value, chosen && ["model"]);
    const address = (
      /** @type {Named} */ { kind, id },
    ) => (chosen ? pageOf("compare", [...chosen, id].slice(-MOST_COMPARED).join(",")) : pageOf(kind, id));
    find("found").replaceChildren(
      ...list.map((entry) =>
        make("li", {}, make("a", { href: address(entry) }, entry.name),
          make("span", { className: "muted" }, ` ${entry.kind}`))
      ),
    );
    find("found").hidden = !list.length;
  };
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
