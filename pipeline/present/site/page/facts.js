// One page for everything that has a name: #model=ID, #organization=NAME, #chip=ID, #country=NAME, #source=ID, and
// #compare=ID,ID for models side by side.
import { data } from "./dataset.js";
import { find, make, separated } from "./dom.js";
import { showComparison } from "./facts-compare.js";
import { buildFinder, pagesNamed } from "./facts-find.js";
import { largestFirst, showChip, showCountry, showOrganization, showSource } from "./facts-groups.js";
import { showModelPage } from "./facts-model.js";
import { modelLink, section } from "./facts-parts.js";
import "./head.js";
import { pageOf } from "./model.js";
import { countryNames, records, rowsOf } from "./records.js";

/** @type {Record<string, (id: string) => Page | null | Promise<Page | null>>} */
const kinds = { model: showModelPage, organization: showOrganization, chip: showChip, country: showCountry,
  source: showSource, compare: showComparison };
/** @type {Record<string, string>} */
const names = { model: "model", organization: "organisation", chip: "chip", country: "country", source: "source" };
let turn = 0;

function start() {
  if (!data.columns || !records) {
    find("failure").textContent =
      "data/models.js or data/records.js is missing or damaged: write the folder again with `traincompute site`.";
    find("failure").hidden = false;
    return;
  }
  find("tagline").textContent = `${data.rows.toLocaleString("en-US")} models · version ${data.about.version}`;
  const asked = [...new Set(data.sources.map((source) => source.attribution).filter(Boolean))];
  find("foot").append(
    make("p", {}, "Data: ",
      make("a", { href: "https://creativecommons.org/licenses/by/4.0/", rel: "license noopener noreferrer" },
        "CC BY 4.0"), `. From ${asked.join("; ")}.`),
  );
  buildFinder(() => (wanted()[0] === "compare" ? wanted()[1].split(",").filter((id) => data.rowOf.has(id)) : null));
  window.addEventListener("hashchange", open);
  open();
  document.body.dataset.ready = "1";
}

// [kind, id] that the address asks for.
function wanted() {
  const given = new URLSearchParams(location.hash.slice(1));
  return [...given].find(([kind]) => Object.hasOwn(kinds, kind)) || [null, ""];
}

async function open() {
  const [kind, id] = wanted();
  const mine = (turn += 1);
  const page = kind ? await Promise.resolve(kinds[kind](id)).catch(damaged) : index();
  if (mine === turn) show(page || missing(kind ?? "", id), kind);
}

/** @param {Page} page @param {string | null} kind */
function show({ title, parts }, kind) {
  document.title = `${title} · traincompute`;
  find("content").replaceChildren(make("p", { className: "kind" }, kind ? names[kind] : ""), make("h1", {}, title),
    ...parts.flatMap((part) => part ?? []));
  find("content").dataset.shown = location.hash;
  window.scrollTo(0, 0);
}

const damaged = (/** @type {Error} */ error) => ({ title: "Not to be read",
  parts: [make("p", { className: "notice", role: "alert" }, error.message)] });

/** An id that the dataset does not have, with what is called like it. @param {string} kind @param {string} id */
function missing(kind, id) {
  const near = (pagesNamed(id, [kind]).length ? pagesNamed(id, [kind]) : pagesNamed(id.replaceAll(/[-_]/g, " "))).slice(
    0,
    8,
  );
  return { title: "Not in the dataset", parts: [
    make("p", { className: "notice", role: "alert" }, `The dataset has no ${names[kind]} “${id}”.`),
    near.length
      ? make("p", {}, "Similar: ",
        ...separated(near.map((entry) => make("a", { href: pageOf(entry.kind, entry.id) }, entry.name))))
      : null,
  ] };
}

function index() {
  const largest = largestFirst(Array.from({ length: data.rows }, (_, row) => row)).slice(0, 12);
  const labs = [...rowsOf("organizations")].sort((a, b) => b.models - a.models).slice(0, 24).map((row) =>
    row.organization
  );
  const list = (/** @type {string} */ title, /** @type {Node[]} */ links) =>
    section(title, make("ul", { className: "many" }, ...links.map((link) => make("li", {}, link))));
  return { title: "Pages", parts: [
    list("Largest models", largest.map(modelLink)),
    list("Organisations with most models", labs.map((name) => make("a", { href: pageOf("organization", name) }, name))),
    list("Countries", countryNames().map((name) => make("a", { href: pageOf("country", name) }, name))),
    list("Sources",
      data.sources.map((source) => make("a", { href: pageOf("source", source.source_id) }, source.title))),
  ] };
}

document.addEventListener("DOMContentLoaded", start); // once the data are read, too
