// The SQL page: the query stands in the address behind #q=. A link fills the field; only a click or a key runs it.
import { packageName } from "./describe.js";
import { field, find, findIn, make, toast } from "./dom.js";
import { saveFile } from "./download.js";
import "./head.js";
import { showChartOf } from "./sql-chart.js";
import { dictionary } from "./sql-completion.js";
import { buildEditor, insert } from "./sql-editor.js";
import { cancelQuery, runQuery, stopQuery } from "./sql-engine.js";
import { extent, resultCsv, resultPackage, showRows } from "./sql-result.js";

const FILE = "traincompute-query.csv";
/** @type {Answer | null} */
let answer = null;

function start() {
  if (!dictionary.schema) {
    return failed("data/schema.js is missing or damaged: write the folder again with `traincompute site`.");
  }
  find("tagline").textContent =
    `${dictionary.schema.tables.length} tables and views in DuckDB, in this browser · version ${dictionary.schema.about.version}`;
  questions();
  find("tables").addEventListener("toggle", () => find("tables").open && tables(), { once: true });
  find("questions").open = matchMedia("(min-width: 821px)").matches;
  buildEditor(run);
  find("run").addEventListener("click", run);
  find("stop").addEventListener("click", stop);
  find("copy-link").addEventListener("click", copyLink);
  find("download-csv").addEventListener("click", () => answer && saveFile(FILE, resultCsv(answer), "text/csv"));
  find("describe-csv").addEventListener("click",
    () => answer && saveFile(packageName(FILE), resultPackage(FILE, answer), "application/json"));
  window.addEventListener("hashchange", open);
  open();
  document.body.dataset.ready = "1";
}

const asked = () => new URLSearchParams(location.hash.slice(1)).get("q");
const linkTo = (/** @type {string} */ query) => `#${new URLSearchParams({ q: query })}`;

// Fills the field with what the address asks, at first with the first question.
function open() {
  cancelQuery();
  fill(asked() || dictionary.schema.questions[0].query);
  clear();
  find("status").textContent = "Run shows the answer.";
}

// Takes away what the query before has shown.
function clear() {
  find("stop").hidden = true;
  find("result").hidden = true;
  find("failure").hidden = true;
  for (const id of ["download-csv", "describe-csv"]) field(id).disabled = true;
}

/** @param {string} query */
function fill(query) {
  find("query").value = query;
  find("query").rows = Math.min(16, Math.max(5, query.split("\n").length + 1));
}

function questions() {
  const sections = [...new Set(dictionary.schema.questions.map((one) => one.section))];
  findIn("div", find("questions")).append(...sections.flatMap((section) => [
    make("h2", {}, section),
    make("ul", {},
      ...dictionary.schema.questions.filter((one) => one.section === section).map((one) =>
        make("li", {}, make("a", { href: linkTo(one.query), onclick: (event) => choose(event, one.query) }, one.title))
      )),
  ]));
}

/** A question that is clicked runs at once; a new tab only shows it. @param {MouseEvent} event @param {string} query */
function choose(event, query) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  fill(query);
  run();
}

function tables() {
  findIn("div", find("tables")).append(
    ...dictionary.schema.tables.map((table) =>
      make("details", {},
        make("summary", {}, table.name,
          make("small", { className: "muted" }, table.view ? " view" : ` ${table.rows.toLocaleString("en-US")} rows`)),
        make("p", { className: "muted" }, table.about),
        make("ul", {}, ...table.columns.map(([name, type, unit, about]) =>
          make("li", {}, make("button", { type: "button", className: "quiet", title: about, onclick: () =>
            insert(name) }, name), make("small", { className: "muted" }, ` ${unit || type}`))
        )))
    ),
  );
}

async function run() {
  const query = find("query").value.trim().replace(/;\s*$/, "");
  if (!query) return;
  const begun = performance.now();
  find("failure").hidden = true;
  find("stop").hidden = false;
  find("status").textContent = window.traincomputeTimings.engine
    ? "Running …"
    : "Loading the engine and the dataset, 15 MB from this folder …";
  try {
    const result = await runQuery(query);
    if (result) show({ ...result, query }, performance.now() - begun);
  } catch (error) {
    refused(/** @type {Error} */ (error), query);
  }
}

/** @param {Answer} result @param {number} took */
function show(result, took) {
  answer = result;
  find("stop").hidden = true;
  if (asked() !== result.query) history.pushState(null, "", linkTo(result.query));
  showRows(result);
  showChartOf(result);
  find("result").hidden = false;
  for (const id of ["download-csv", "describe-csv"]) field(id).disabled = false;
  find("status").textContent = `${extent(result)} in ${
    took < 1000 ? `${took.toFixed(0)} ms` : `${(took / 1000).toFixed(1)} s`
  }`;
  (window.traincomputeTimings.answer ||= []).push(took);
}

/** @param {Error & { isEngine?: boolean }} error @param {string} query */
function refused(error, query) {
  clear();
  find("status").textContent = "";
  const message = plainly(error.message || String(error));
  if (!error.isEngine) return failed(message);
  const shell = `traincompute sql '${query.replaceAll("'", "'\\''")}'`;
  return failed(`The engine cannot run here: ${message}. The same in a terminal:`,
    make("pre", { tabIndex: 0 }, make("code", {}, shell)));
}

/** What DuckDB says, which comes as JSON where it cannot read the query. @param {string} message */
function plainly(message) {
  if (!message.startsWith("{")) return message;
  const { exception_type: kind, exception_message: text } = JSON.parse(message);
  return `${kind} Error: ${text}`;
}

/** @param {...(string | Node)} parts */
function failed(...parts) {
  find("failure").replaceChildren(...parts);
  find("failure").hidden = false;
}

function stop() {
  stopQuery();
  delete window.traincomputeTimings.engine;
  find("stop").hidden = true;
  find("status").textContent = "Stopped; the next query starts the engine again.";
}

async function copyLink() {
  const link = new URL(linkTo(find("query").value.trim()), location.href).href;
  try {
    await navigator.clipboard.writeText(link);
    toast("Link to this query copied");
  } catch {
    toast("Run the query: its link then stands in the address bar");
  }
}

document.addEventListener("DOMContentLoaded", start); // once the data are read, too
