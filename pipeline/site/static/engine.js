// DuckDB in a worker, made of scripts of this folder alone: data/worker.js, data/engine.js (WebAssembly) and
// data/database.js (the published tables), each packed by gzip. They are loaded with the first query.
"use strict";
{
  const { load } = traincompute;
  const FILE = "traincompute.duckdb";
  const MOST_ROWS = 100_000;
  let worker = null;
  let starting = null;
  let newest = 0; // the query that was asked last; the answers of others are wanted no more

  /** What libraries.py has packed: seven bits in each character. */
  function bytesOf(text) {
    const bytes = new Uint8Array((text.length * 7) >> 3);
    let [held, bits, place] = [0, 0, 0];
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      held = ((held & 127) << 7) | (code > 127 ? code - 0xB0 : code);
      bits += 7;
      if (bits < 8) continue;
      bits -= 8;
      bytes[place] = held >> bits;
      place += 1;
    }
    return bytes;
  }
  const inflated = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  async function part(name) {
    await load(`data/${name}.js`);
    const bytes = bytesOf(traincompute[name]);
    delete traincompute[name];
    return bytes;
  }

  // Runs in the worker before the engine's own script, which asks for its WebAssembly by address, as a page from disk
  // may not. It gets the bytes that the page sends instead, and nothing else of any address.
  function prologue() {
    const sent = new Promise((resolve) => {
      self.addEventListener("message", function first(event) {
        event.stopImmediatePropagation();
        self.removeEventListener("message", first);
        resolve(event.data);
      });
    });
    self.fetch = async () => new Response(new Blob([await sent]).stream().pipeThrough(new DecompressionStream("gzip")),
      { headers: { "Content-Type": "application/wasm" } });
  }

  async function library() {
    await load("vendor/Arrow.es2015.min.js");
    window.module ??= { exports: {} }; // duckdb-browser.js is a module of CommonJS
    window.require = () => window.Arrow;
    await load("vendor/duckdb-browser.js");
    return window.module.exports;
  }

  let parts = null;
  async function start(say) {
    if (typeof DecompressionStream !== "function") throw new Error("This browser is too old to run DuckDB.");
    say("Loading DuckDB and the tables (15 MB) …", 0.1);
    parts ??= Promise.all([library(), part("worker"), part("engine"), part("database")]);
    const [duckdb, code, wasm, tables] = await parts;
    say("Starting DuckDB …", 0.5);
    const script = [`(${prologue})();\n`, await inflated(code).text()];
    const address = URL.createObjectURL(new Blob(script, { type: "text/javascript" }));
    const failed = new Promise((_, reject) => {
      worker = new Worker(address);
      worker.onerror = ({ message }) => reject(new Error(message || "The browser blocked the DuckDB worker."));
    });
    worker.postMessage(wasm);
    const opened = async () => {
      const database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
      await database.instantiate("engine:"); // an address that is never read, see prologue
      say("Opening the tables …", 0.8);
      await database.registerFileBuffer(FILE, new Uint8Array(await inflated(tables).arrayBuffer()));
      const accessMode = duckdb.DuckDBAccessMode.READ_ONLY;
      await database.open({ path: FILE, accessMode, query: { castDecimalToDouble: true } });
      const made = await database.connect();
      const settings = Object.entries(traincompute.schema.seal);
      for (const [name, value] of settings) await made.query(`SET ${name} = '${value}'`);
      return made;
    };
    const connection = await Promise.race([failed, opened()]);
    URL.revokeObjectURL(address);
    return connection;
  }

  /** Columns, rows of cells and whether there are more; null where another query or a stop came after it. */
  async function runQuery(query, say) {
    stopQuery(false);
    const mine = newest;
    starting ??= start(say).catch((error) => {
      starting = parts = null;
      throw error;
    });
    const connection = await starting;
    if (mine !== newest) return null;
    say("Running …");
    await connection.cancelSent().catch(() => null);
    const reader = await connection.send(query, true);
    await reader.open();
    const columns = reader.schema.fields.map(({ name, type }) => (
      { name, isNumber: /^(Int|Uint|Float|Decimal)/.test(String(type)) }
    ));
    const rows = [];
    for await (const batch of reader) {
      if (mine !== newest) return null;
      const vectors = batch.schema.fields.map((_, place) => batch.getChildAt(place));
      const cellsOf = (row) => vectors.map((cells) => plain(cells.get(row), cells.type));
      rows.push(...Array.from({ length: batch.numRows }, (_, row) => cellsOf(row)));
      if (rows.length > MOST_ROWS) break;
    }
    return mine === newest ? { columns, rows: rows.slice(0, MOST_ROWS), isCut: rows.length > MOST_ROWS } : null;
  }

  /** A cell of Arrow as number, boolean, text, list or null; dates and times are ISO texts. */
  function plain(value, type) {
    if (value === null || value === undefined) return null;
    const kind = String(type);
    const time = () => new Date(Number(value)).toISOString();
    if (/^Date/.test(kind)) return time().slice(0, 10);
    if (/^Timestamp/.test(kind)) return time().slice(0, 19).replace("T", " ");
    if (/^(List|FixedSizeList)/.test(kind)) return [...value].map((item) => plain(item, type.children[0].type));
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    return typeof value === "object" ? String(value) : value;
  }

  /** Nobody wants the answer any more; with `andEngine` the engine ends, too, as a long query does not listen. */
  function stopQuery(andEngine = true) {
    newest += 1;
    if (!andEngine || !worker) return;
    worker.terminate();
    worker = starting = null;
  }

  Object.assign(traincompute, { runQuery, stopQuery });
}
