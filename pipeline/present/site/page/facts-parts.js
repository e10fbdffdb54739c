// What the pages of one thing each are made of.
import { cellOf } from "./dataset.js";
import { make } from "./dom.js";
import { pageOf } from "./model.js";

/** @param {string} title @param {Node} content */
export const section = (title, content) => make("section", {}, make("h2", {}, title), content);
/** @param {string} title @param {Node} content */
export const folded = (title, content) => make("details", {}, make("summary", {}, make("h2", {}, title)), content);
/** @param {Node} picture */
export const scrolled = (picture) =>
  make("div", { className: "picture", tabIndex: 0, role: "region", "aria-label": "Picture" }, picture);
/** @param {Row} row */
export const modelLink = (row) => make("a", { href: pageOf("model", cellOf("model_id", row)) }, cellOf("name", row));
/** @param {string} query */
export const sqlLink = (query) =>
  make("a", { href: `sql.html#${new URLSearchParams({ q: query })}` }, "The same in SQL");
