// DuckDB in a worker, made of the scripts of this folder alone: data/worker.js, data/engine.js (WebAssembly) and
// data/database.js (the published file), each gzip in base64. run() loads them the first time it is called.
import { inflated, loadPart, loadScript } from "./parts.js";
import { dictionary } from "./sql-completion.js";

const FILE = "traincompute.duckdb";
const MOST_ROWS = 100_000;
const MOST_BYTES = 256 * 2 ** 20;
/** @type {Promise<Cell> | null} */
let starting = null;
/** @type {Worker | null} */
let worker = null;
/** @type {Cell} */
let connection = null;
let newest = 0; // the query that was asked last; the answers of all others are wanted no more
/** @type {Promise<unknown>} */
let before = Promise.resolve();

// Why no engine can run here, or null.
function whyNoEngine() {
  if (typeof WebAssembly !== "object") return "this browser runs no WebAssembly";
  if (typeof DecompressionStream !== "function") return "this browser cannot inflate gzip (DecompressionStream)";
  if (typeof Worker !== "function") return "this browser has no workers";
  return null;
}

// Runs in the worker before the engine's own script. That script asks for its WebAssembly by address, which a page from
// disk may not read; it gets the bytes that the page sends instead, and nothing else of any address.
function prologue() {
  const sent = new Promise((resolve) => {
    self.addEventListener("message", function first(event) {
      event.stopImmediatePropagation();
      self.removeEventListener("message", first);
      resolve(event.data);
    });
  });
  self.fetch = async () => {
    const body = new Blob([await sent]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(body, { headers: { "Content-Type": "application/wasm" } });
  };
}

async function libraries() {
  if (window.module) return window.module.exports;
  await loadScript("vendor/arrow.js");
  Object.assign(window, { module: { exports: {} }, require: () => window.Arrow }); // duckdb.js is a module of CommonJS
  await loadScript("vendor/duckdb.js");
  return /** @type {any} */ (window).module.exports;
}

async function start() {
  const reason = whyNoEngine();
  if (reason) throw new Error(reason);
  const begun = performance.now();
  const [duckdb, code, wasm, packed] = await Promise.all([libraries(), loadPart("worker"), loadPart("engine"),
    loadPart("database")]);
  const text = await inflated(code).text();
  const address = URL.createObjectURL(new Blob([`(${prologue})();\n`, text], { type: "text/javascript" }));
  const failed = new Promise((_, reject) => {
    worker = new Worker(address);
    worker.addEventListener("error", (event) => reject(new Error(event.message || "the browser refuses the worker")));
  });
  worker?.postMessage(wasm);
  connection = await Promise.race([failed, connected(duckdb, packed)]);
  URL.revokeObjectURL(address);
  (window.traincomputeTimings.engine ||= []).push(performance.now() - begun);
  return connection;
}

/** @param {Cell} duckdb @param {Uint8Array<ArrayBuffer>} packed */
async function connected(duckdb, packed) {
  const database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
  const bytes = inflated(packed).arrayBuffer();
  await database.instantiate("engine:"); // an address that is never read, see prologue
  await database.registerFileBuffer(FILE, new Uint8Array(await bytes));
  await database.open({ path: FILE, accessMode: duckdb.DuckDBAccessMode.READ_ONLY,
    query: { castDecimalToDouble: true } });
  const opened = await database.connect();
  for (const [name, value] of Object.entries(dictionary.schema.seal)) {
    await opened.query(`SET ${name} = '${value}'`);
  }
  return opened;
}

/** {columns: [{name, number}], rows: arrays of cells, cut: whether there are more}, or null where another query or a
 * stop came after it. Throws what DuckDB says. A connection holds one stream: a query cancels the one before, and
 * begins when that has ended.
 * @param {string} query @returns {Promise<Result | null>} */
export function runQuery(query) {
  cancelQuery();
  const mine = newest;
  const isStale = () => mine !== newest;
  const answer = before.then(() => (isStale() ? null : answerOf(query, isStale))).catch((error) => {
    if (isStale()) return null;
    throw error;
  });
  before = answer.catch(() => null);
  return answer;
}

/** @param {string} query @param {() => boolean} isStale @returns {Promise<Result | null>} */
async function answerOf(query, isStale) {
  starting ||= start();
  const opened = await starting.catch((error) => {
    starting = null;
    throw Object.assign(error, { isEngine: true });
  });
  if (isStale()) return null;
  const reader = await opened.send(query, true);
  await reader.open();
  const columns = reader.schema.fields.map(columnOf);
  /** @type {Cell[][]} */
  const rows = [];
  let bytes = 0;
  for await (const batch of reader) {
    rows.push(...rowsOf(batch));
    bytes += batch.data.byteLength;
    if (isStale() || rows.length > MOST_ROWS || bytes > MOST_BYTES) break;
  }
  if (isStale()) return null;
  return { columns, rows: rows.slice(0, MOST_ROWS), cut: rows.length > MOST_ROWS || bytes > MOST_BYTES };
}

/** @param {Cell} field */
const columnOf = (field) => ({ name: field.name, number: /^(Int|Uint|Float|Decimal)/.test(String(field.type)) });

/** @param {Cell} batch @returns {Cell[][]} */
function rowsOf(batch) {
  /** @type {Cell[]} */
  const cells = Array.from(batch.schema.fields, (_, number) => batch.getChildAt(number));
  return Array.from({ length: batch.numRows }, (_, row) => cells.map((column) => plain(column.get(row), column.type)));
}

/** A cell of Arrow as number, bigint, boolean, text, array or null; dates and times become ISO texts.
 * @param {Cell} value @param {Cell} type @returns {Cell} */
function plain(value, type) {
  if (value === null || value === undefined) return null;
  const kind = String(type);
  if (/^Date/.test(kind)) return new Date(Number(value)).toISOString().slice(0, 10);
  if (/^Timestamp/.test(kind)) return new Date(Number(value)).toISOString().slice(0, 19).replace("T", " ");
  if (/^(List|FixedSizeList)/.test(kind)) return [...value].map((item) => plain(item, type.children[0].type));
  return typeof value === "object" ? String(value) : value;
}

// Nobody wants the answer any more; the engine stays.
export function cancelQuery() {
  newest += 1;
  connection?.cancelSent().catch(() => null);
}

// Ends the query by ending the engine; the next query starts another. An engine whose files are being read goes on.
export function stopQuery() {
  newest += 1;
  before = Promise.resolve();
  if (!worker) return;
  worker.terminate();
  worker = null;
  starting = null;
  connection = null;
}
