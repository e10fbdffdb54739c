// What the pages of one thing each are made of.
import { cellOf } from "./dataset.js";
import { make, region } from "./dom.js";
import { pageOf } from "./model.js";

/** @param {string} title @param {Node} content */
export const section = (title, content) => make("section", {}, make("h2", {}, title), content);
/** @param {string} title @param {Node} content */
export const folded = (title, content) => make("details", {}, make("summary", {}, make("h2", {}, title)), content);
export const scrolled = (/** @type {Node} */ picture) => region("picture", "Picture", picture);
/** @param {Row} row */
export const modelLink = (row) => make("a", { href: pageOf("model", cellOf("model_id", row)) }, cellOf("name", row));
export const sqlLink = (/** @type {string} */ query) =>
  make("a", { href: `sql.html#${new URLSearchParams({ q: query })}` }, "The same in SQL");
