// Search: what is searched, and which rows match.
import { cellOf, data, readCell } from "./dataset.js";
import { fold, termsOf } from "./words.js";

const searched = ["name", "model_id", "organizations", "arxiv_id", "doi", "huggingface_id", "reference_url"];
/** @type {string[] | null} */
let haystacks = null;

// Of each row: names, organisations and those they belong to, ids and links, aliases, and the references of its values.
export function prepareSearch() {
  if (haystacks && haystacks.length === data.rows) return haystacks;
  const columns = searched.map((name) => data.column[name]).filter(Boolean);
  const said = Object.values(data.said);
  haystacks = Array.from({ length: data.rows }, (_, row) => {
    const owners = (cellOf("organizations", row) || []).map((/** @type {string} */ name) => data.parents[name] || "");
    const references = said.map(({ words, values }) => (values[row] >= 0 ? words[values[row]] : ""));
    return fold(
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
  return (/** @type {Row} */ row) => wanted.every((part) => texts[row].includes(part));
}
