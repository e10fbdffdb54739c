// The SQL page. The query and its chart are in the address, #q=…&x=…&y=…&mark=…; a link runs its query: the engine can
// reach nothing but the tables.
"use strict";
{
  const { find, human, load, make, power, schema } = traincompute;
  const SHOWN = 1000; // rows
  const DRAWN = 3000;
  const FEWEST_DECADES = 3; // from which on an axis is logarithmic
  let result = null;
  let editor = null;

  const asked = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const queryOf = () => editor.state.doc.toString().trim().replace(/;\s*$/, "");
  const fill = (query) => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: query } });

  function buildEditor() {
    const { basicSetup, EditorView, keymap, PostgreSQL, Prec, sql } = CodeMirror;
    const tables = Object.fromEntries(schema.tables.map(({ name, about, columns }) => [name, {
      self: { label: name, type: "class", info: about },
      children: columns.map(([label, unit, info]) => ({ label, type: "property", detail: unit, info })) }]));
    const macros = schema.macros.map(([label]) => ({ label, type: "function", apply: `${label}(` }));
    editor = new EditorView({ parent: find("#editor"), extensions: [
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }])), basicSetup,
      sql({ dialect: PostgreSQL, schema: tables }), PostgreSQL.language.data.of({ autocomplete: macros }),
      EditorView.lineWrapping, EditorView.contentAttributes.of({ "aria-label": "Query" }) ] });
  }

  function listTables() {
    find("#tables").append(...schema.tables.map(({ name, about, rows, columns }) => make("details", {},
      make("summary", {}, name, make("span", { className: "muted" }, rows === null ? " view" : ` ${rows.toLocaleString("en-US")} rows`)),
      make("p", { className: "muted" }, about),
      make("ul", {}, ...columns.map(([column, unit, meaning]) => make("li", {},
        make("button", { type: "button", title: meaning, onclick: () => insert(column) }, column), make("span", { className: "muted" }, ` ${unit}`)))))));
  }
  function insert(text) {
    editor.dispatch(editor.state.replaceSelection(text));
    editor.focus();
  }

  const say = (text, share) => {
    find("#status").textContent = text;
    find("#progress").hidden = false;
    if (share) find("#progress").value = share;
    else find("#progress").removeAttribute("value");
  };
  async function run() {
    const query = queryOf();
    if (!query) return;
    const begun = performance.now();
    find("#failure").hidden = true;
    find("#stop").hidden = false;
    try {
      const answer = await traincompute.runQuery(query, say);
      if (!answer) return;
      result = answer;
      if (asked().q !== query) history.pushState(null, "", `#${new URLSearchParams({ q: query })}`);
      const took = performance.now() - begun;
      await show();
      const more = result.isCut ? "more than " : "";
      finish(`${more}${result.rows.length.toLocaleString("en-US")} row${result.rows.length === 1 ? "" : "s"}${result.rows.length > SHOWN ? `, the first ${SHOWN.toLocaleString("en-US")} shown` : ""}, ${took < 1000 ? `${took.toFixed(0)} ms` : `${(took / 1000).toFixed(1)} s`}`);
    } catch (error) {
      const said = error.message.startsWith("{") ? JSON.parse(error.message) : null; // a query that it cannot read
      find("#failure").textContent = said ? `${said.exception_type} Error: ${said.exception_message}` : error.message;
      find("#failure").hidden = false;
      find("#result").hidden = true;
      finish("");
    }
  }
  function finish(text) {
    find("#status").textContent = text;
    find("#stop").hidden = find("#progress").hidden = true;
    find("#csv").disabled = !result;
  }

  const shownCell = (value) =>
    typeof value === "number" ? human(value) : Array.isArray(value) ? value.map(shownCell).join("; ") : String(value ?? "");
  async function show() {
    const head = make("tr", {}, ...result.columns.map(({ name }) => make("th", { scope: "col" }, name)));
    const lines = result.rows.slice(0, SHOWN).map((row) => make("tr", {}, ...row.map((cell, place) =>
      make("td", { className: result.columns[place].isNumber ? "right" : "" }, shownCell(cell)))));
    find("#rows").replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
    find("#result").hidden = false;
    await Promise.all([load("vendor/d3.min.js")]);
    await load("vendor/plot.umd.min.js");
    offerChart();
  }

  // --- the chart: two columns and a mark
  const isDate = (column) => result.rows.every((row) => row[column] === null || /^\d{4}-\d\d-\d\d/.test(row[column]));
  function offerChart() {
    const numbers = result.columns.map((column, place) => place).filter((place) => result.columns[place].isNumber);
    find("#drawing").hidden = !numbers.length || result.rows.length < 2;
    if (find("#drawing").hidden) return;
    const fillSelect = (id, places, first) => {
      find(id).replaceChildren(...places.map((place) => new Option(result.columns[place].name, result.columns[place].name)));
      const wanted = asked()[id.slice(1)];
      find(id).value = places.some((place) => result.columns[place].name === wanted) ? wanted : result.columns[first].name;
    };
    const along = result.columns.map((_, place) => place);
    const first = along.find((place) => !numbers.includes(place)) ?? along[0];
    fillSelect("#x", along, first);
    fillSelect("#y", numbers, numbers.find((place) => place !== first) ?? numbers[0]);
    const isAlongTime = isDate(first) || result.columns[first].isNumber;
    find("#mark").value = ["bar", "dot", "line"].includes(asked().mark) ? asked().mark : isAlongTime ? "dot" : "bar";
    drawChart();
  }
  function drawChart() {
    const [x, y] = ["#x", "#y"].map((id) => result.columns.findIndex((column) => column.name === find(id).value));
    const mark = find("#mark").value;
    const time = isDate(x);
    const isOrdinal = !time && !result.columns[x].isNumber;
    const points = result.rows.filter((row) => (isOrdinal || row[x] !== null) && row[y] !== null).slice(0, DRAWN)
      .map((row) => ({ x: time ? new Date(row[x]) : isOrdinal ? (shownCell(row[x]) || "(null)").slice(0, 40) : row[x], y: Number(row[y]), row }));
    const isWide = (values) => d3.min(values) > 0 && d3.max(values) / d3.min(values) >= 10 ** FEWEST_DECADES;
    const type = (values, isNumber) => (isNumber && mark !== "bar" && isWide(values) ? { type: "log", tickFormat: (value) => (Number.isInteger(Math.log10(value)) ? power(Math.log10(value)) : "") } : isNumber ? { tickFormat: human } : {});
    const title = ({ row }) => row.map((cell, place) => `${result.columns[place].name}: ${shownCell(cell)}`).join("\n");
    const along = { label: result.columns[x].name, ...(isOrdinal || time ? { grid: time } : { ...type(points.map((point) => point.x), true), ...(/year/i.test(result.columns[x].name) ? { tickFormat: "d" } : {}) }) };
    const up = { label: result.columns[y].name, grid: true, ...type(points.map((point) => point.y), true) };
    const flipped = isOrdinal; // names stand on the left
    const channels = { x: flipped ? "y" : "x", y: flipped ? "x" : "y", title, tip: true };
    const common = { fill: "var(--group-0)" };
    const marks = { bar: flipped ? Plot.barX(points, { ...channels, ...common }) : Plot.rectY(points, { ...channels, ...common, ...(time ? { interval: "month" } : { x1: (d) => d.x - 0.4, x2: (d) => d.x + 0.4, x: undefined }) }),
      dot: Plot.dot(points, { ...channels, ...common, fillOpacity: 0.7 }), line: Plot.lineY(d3.sort(points, (d) => d.x), { ...channels, stroke: "var(--group-0)", marker: true }) };
    const ordered = [...new Set(points.map((point) => point.x))];
    const picture = Plot.plot({ width: find("#picture").clientWidth || 700, marginLeft: flipped ? 180 : 60, style: "background: none",
      ...(flipped ? { height: Math.min(900, 60 + 22 * ordered.length), x: up, y: { ...along, domain: ordered } } : { height: 360, x: along, y: up }), marks: [marks[mark]] });
    find("#picture").replaceChildren(picture);
  }
  function redraw() {
    const params = new URLSearchParams({ q: queryOf(), x: find("#x").value, y: find("#y").value, mark: find("#mark").value });
    history.replaceState(null, "", `#${params}`);
    drawChart();
  }

  function open() {
    const { q } = asked();
    fill(q || schema.questions[0][1]);
    if (q) run();
  }
  const cell = (value) => (Array.isArray(value) ? value.join(";") : value);
  function start() {
    buildEditor();
    find("#tables").addEventListener("toggle", listTables, { once: true });
    find("#run").onclick = run;
    find("#stop").onclick = () => { traincompute.stopQuery(); finish("Stopped; the next query starts DuckDB again."); };
    find("#csv").onclick = () => {
      const text = d3.csvFormatRows([result.columns.map(({ name }) => name), ...result.rows.map((row) => row.map(cell))]);
      make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: "traincompute-query.csv" }).click();
    };
    find("#copy").onclick = async () => {
      if (asked().q !== queryOf()) history.pushState(null, "", `#${new URLSearchParams({ q: queryOf() })}`);
      await navigator.clipboard?.writeText(location.href).catch(() => null);
      find("#status").textContent = "The link to this query is in the address bar and was copied.";
    };
    for (const id of ["#x", "#y", "#mark"]) find(id).onchange = redraw;
    addEventListener("hashchange", open);
    open();
    document.body.dataset.ready = "1";
  }
  start();
}
