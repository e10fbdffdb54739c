// Search: what is searched, and which rows match.
import { cellOf, data, readCell } from "./dataset.js";
import { holds, searched, termsOf } from "./words.js";

const names = ["name", "model_id", "organizations", "arxiv_id", "doi", "huggingface_id", "reference_url"];
/** @type {Searched[] | null} */
let haystacks = null;

// Of each row: names, organisations and those they belong to, ids and links, aliases, and the references of its values.
export function prepareSearch() {
  if (haystacks && haystacks.length === data.rows) return haystacks;
  const columns = names.map((name) => data.column[name]).filter(Boolean);
  const said = Object.values(data.said);
  haystacks = Array.from({ length: data.rows }, (_, row) => {
    const owners = (cellOf("organizations", row) || []).map((/** @type {string} */ name) => data.parents[name] || "");
    const references = said.map(({ words, values }) => (values[row] >= 0 ? words[values[row]] : ""));
    return searched(
      [...columns.map((column) => readCell(column, row) || ""), owners, data.aliases[row] || "", references].flat()
        .join(" "),
    );
  });
  return haystacks;
}
export const forgetSearch = () => {
  haystacks = null;
};

/** row → whether all words of the query occur; null for an empty query. @param {string} query */
export function matcher(query) {
  const wanted = termsOf(query);
  if (!wanted.length) return null;
  const texts = prepareSearch();
  return (/** @type {Row} */ row) => wanted.every((part) => holds(texts[row], part));
}
