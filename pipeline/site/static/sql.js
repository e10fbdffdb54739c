// The SQL page. The query and its chart are in the address, #q=…&x=…&y=…&mark=…; a link runs its query, as the engine
// can reach nothing but the tables.
"use strict";
{
  const { find, human, load, make, power, save, schema, tell } = traincompute;
  const SHOWN = 1000; // rows in the table
  const DRAWN = 3000; // rows in the chart
  const DIGITS = 4; // as the command line and the docs print
  const WIDE = 1000; // ratio of the largest to the smallest value from which an axis is logarithmic
  let result = null;
  let editor = null;

  const asked = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const queryOf = () => editor.state.doc.toString().trim().replace(/;\s*$/, "");
  const fill = (query) => editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: query } });
  function remember(change, how = "pushState") {
    const params = new URLSearchParams({ q: queryOf(), ...change });
    if (`#${params}` !== location.hash) history[how](null, "", `#${params}`);
  }

  function buildEditor() {
    const { basicSetup, EditorView, HighlightStyle, keymap, PostgreSQL, Prec, sql, tags } = CodeMirror;
    const tables = Object.fromEntries(schema.tables.map(({ name, about, columns }) => [name, {
      self: { label: name, type: "class", info: about },
      children: columns.map(([label, unit, info]) => ({ label, type: "property", detail: unit, info })),
    }]));
    const macros = schema.macros.map(([label]) => ({ label, type: "function", apply: `${label}(` }));
    const groups = [[tags.keyword, 4], [tags.string, 2], [tags.number, 5], [tags.comment, "other"], [tags.typeName, 6]];
    const colours = HighlightStyle.define(groups.map(([tag, group]) => ({ tag, color: `var(--group-${group})` })));
    const run = { key: "Mod-Enter", run: () => Boolean(answer()) };
    editor = new EditorView({ parent: find("#editor"), extensions: [
      Prec.highest(keymap.of([run])), CodeMirror.syntaxHighlighting(colours), basicSetup, EditorView.lineWrapping,
      sql({ dialect: PostgreSQL, schema: tables }), PostgreSQL.language.data.of({ autocomplete: macros }),
      EditorView.contentAttributes.of({ "aria-label": "Query" }),
    ] });
  }

  // --- the answer
  function say(text, share) {
    find("#status").textContent = text;
    find("#progress").hidden = false;
    if (share) find("#progress").value = share;
    else find("#progress").removeAttribute("value");
  }
  function finish(text) {
    find("#status").textContent = text;
    find("#stop").hidden = find("#progress").hidden = true;
    find("#csv").disabled = !result;
  }
  async function answer() {
    const query = queryOf();
    const begun = performance.now();
    find("#failure").hidden = true;
    find("#stop").hidden = false;
    try {
      const found = await traincompute.runQuery(query, say);
      if (!found) return; // another query came after it
      result = found;
      if (asked().q !== query) remember({});
      const seconds = ((performance.now() - begun) / 1000).toFixed(2);
      await show();
      const number = `${result.isCut ? "more than " : ""}${result.rows.length.toLocaleString("en-US")}`;
      const part = result.rows.length > SHOWN ? ` (first ${SHOWN} shown)` : "";
      finish(`${number} row${result.rows.length === 1 ? "" : "s"}${part}, ${seconds} s`);
    } catch (error) {
      // what it cannot read comes as JSON
      const told = error.message.startsWith("{") ? JSON.parse(error.message).exception_message : error.message;
      find("#failure").textContent = told;
      find("#failure").hidden = false;
      find("#result").hidden = true;
      finish("");
    }
  }
  function shownCell(value) {
    if (typeof value === "number") return human(value, DIGITS);
    return Array.isArray(value) ? value.map(shownCell).join("; ") : String(value ?? "");
  }
  async function show() {
    const head = result.columns.map(({ name }) => make("th", { scope: "col" }, name));
    const lines = result.rows.slice(0, SHOWN).map((row) => make("tr", {}, ...row.map((cell, place) =>
      make("td", { className: result.columns[place].isNumber ? "right" : "" }, shownCell(cell)))));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines));
    find("#rows").replaceChildren(table);
    find("#result").hidden = false;
    await load("vendor/d3.min.js");
    await load("vendor/plot.umd.min.js");
    offerChart();
  }
  function saveCsv() {
    const cell = (value) => (Array.isArray(value) ? value.join(";") : value);
    const rows = [result.columns.map(({ name }) => name), ...result.rows.map((row) => row.map(cell))];
    save(d3.csvFormatRows(rows), "traincompute-query.csv", "text/csv");
  }

  // --- the chart: two columns and a mark
  const isDate = (column) => result.rows.every((row) => row[column] === null || /^\d{4}-\d\d-\d\d/.test(row[column]));
  function offerChart() {
    const places = result.columns.map((_, place) => place);
    const numbers = places.filter((place) => result.columns[place].isNumber);
    find("#drawing").hidden = !numbers.length || result.rows.length < 2;
    if (find("#drawing").hidden) return;
    const across = places.find((place) => !numbers.includes(place)) ?? places[0];
    const up = numbers.find((place) => place !== across) ?? numbers[0];
    const names = (some) => some.map((place) => result.columns[place].name);
    const isNamed = !numbers.includes(across) && !isDate(across);
    const offers = { x: [names(places), result.columns[across].name], y: [names(numbers), result.columns[up].name],
      mark: [["bar", "dot", "line"], isNamed ? "bar" : "dot"] };
    for (const [key, [options, first]] of Object.entries(offers)) {
      find(`#${key}`).replaceChildren(...options.map((option) => new Option(option)));
      find(`#${key}`).value = options.includes(asked()[key]) ? asked()[key] : first;
    }
    drawChart();
  }
  /** The options of an axis of numbers. */
  function numeric(label, values, isBar) {
    const isLog = !isBar && d3.min(values) > 0 && d3.max(values) / d3.min(values) >= WIDE;
    const exponent = (value) => (Number.isInteger(Math.log10(value)) ? power(Math.log10(value)) : "");
    const plain = /year/i.test(label) ? String : human;
    const tickFormat = isLog ? exponent : (value) => plain(value);
    return { label, grid: true, type: isLog ? "log" : "linear", tickFormat };
  }
  function drawChart() {
    const [x, y] = ["#x", "#y"].map((id) => result.columns.findIndex(({ name }) => name === find(id).value));
    const mark = find("#mark").value;
    const isTime = isDate(x);
    const isNamed = !isTime && !result.columns[x].isNumber; // names stand on the left
    const along = (cell) => (isNamed ? (shownCell(cell) || "(none)").slice(0, 40) : isTime ? new Date(cell) : cell);
    const points = result.rows.filter((row) => row[y] !== null && (isNamed || row[x] !== null)).slice(0, DRAWN)
      .map((row) => ({ x: along(row[x]), y: Number(row[y]), row }));
    const title = ({ row }) => row.map((cell, place) => `${result.columns[place].name}: ${shownCell(cell)}`).join("\n");
    const channels = { x: isNamed ? "y" : "x", y: isNamed ? "x" : "y", title, tip: true, stroke: "var(--group-0)" };
    const marks = {
      bar: () => (isNamed ? Plot.barX(points, { ...channels, fill: "var(--group-0)" })
        : Plot.ruleX(points, { ...channels, y1: 0, y2: "y", strokeWidth: 5 })),
      dot: () => Plot.dot(points, { ...channels, fill: "var(--group-0)", fillOpacity: 0.6 }),
      line: () => Plot.line(d3.sort(points, (one) => one.x), { ...channels, marker: true }),
    };
    const upwards = numeric(result.columns[y].name, points.map((one) => one.y), mark === "bar");
    const domain = [...new Set(points.map((one) => one.x))];
    const across = { label: result.columns[x].name };
    const axes = isNamed
      ? { x: upwards, y: { ...across, domain }, marginLeft: 180, height: 60 + 22 * domain.length }
      : { x: isTime ? across : numeric(across.label, domain, false), y: upwards, marginLeft: 60, height: 360 };
    const width = find("#picture").clientWidth;
    const svg = Plot.plot({ width, style: "background: none", ...axes, marks: [marks[mark]()] });
    svg.setAttribute("aria-hidden", "true"); // the table says it
    find("#picture").replaceChildren(svg);
  }

  function open() {
    const { q } = asked();
    fill(q || schema.questions[0][1]);
    if (q) answer();
  }
  function start() {
    buildEditor();
    find("#run").onclick = answer;
    find("#stop").onclick = () => {
      traincompute.stopQuery();
      finish("Stopped. The next query restarts DuckDB.");
    };
    find("#csv").onclick = saveCsv;
    find("#copy").onclick = () => {
      if (asked().q !== queryOf()) remember({});
      tell(location.href);
    };
    const keys = ["x", "y", "mark"];
    for (const key of keys) {
      find(`#${key}`).onchange = () => {
        remember(Object.fromEntries(keys.map((one) => [one, find(`#${one}`).value])), "replaceState");
        drawChart();
      };
    }
    addEventListener("hashchange", open);
    open();
    document.body.dataset.ready = "1";
  }
  start();
}
