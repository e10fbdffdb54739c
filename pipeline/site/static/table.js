// The table below the chart, by Tabulator, which is loaded once the chart is drawn: the same models, sorted by any
// column.
"use strict";
{
  const { cellText, find, FLOP, human, load, make, say } = traincompute;
  // title, column, width in px; numbers stand on the right
  const COLUMNS = [
    ["Model", "name", 210],
    ["Organisation", "organizations", 160],
    ["Published", "publication_date", 105],
    ["Compute (FLOP)", FLOP, 115],
    ["Source of the figure", "training_compute_source", 125],
    ["90 % interval (FLOP)", "interval", 165],
    ["Estimate, median (FLOP)", "flop_50", 125],
    ["Parameters", "parameters", 115],
    ["Tokens", "training_tokens", 90],
    ["Cost (USD)", "training_cost_usd", 100],
    ["Power (W)", "training_power_w", 95],
    ["Chips", "hardware", 150],
    ["Domain", "domains", 170],
    ["Country", "countries", 140],
    ["Access", "accessibility", 150],
  ];
  const NUMBERS = [FLOP, "interval", "flop_50", "parameters", "training_tokens", "training_cost_usd",
    "training_power_w"];

  /** The 90 % interval of a value or, without one, of the estimate. */
  function interval(model) {
    const ends = model[FLOP] === null
      ? [model.flop_05, model.flop_95] : [model.training_compute_low, model.training_compute_high];
    return ends[0] === null ? "" : ends.map((end) => human(end)).join(" – ");
  }
  /** What a cell is sorted by: numbers and dates by size, the upper end of an interval, others as text. */
  function sortKey(model, field) {
    const upper = model[FLOP] === null ? model.flop_95 : model.training_compute_high;
    const value = field === "interval" ? upper : model[field];
    return Array.isArray(value) ? `${value}` : value;
  }
  /** What is missing comes last either way. */
  function compare(a, b, way) {
    const missing = [a, b].map((value) => value === null || value === undefined);
    if (missing[0] || missing[1]) return (missing[0] - missing[1]) * (way === "desc" ? -1 : 1);
    return typeof a === "string" ? a.localeCompare(b, "en") : a - b;
  }
  function column([title, field, width]) {
    const isNumber = NUMBERS.includes(field);
    const link = (model) => make("a", { href: `model/${model.model_id}.html`, tabIndex: -1 }, model.name);
    const source = (model) => say(model.training_compute_source ?? "none");
    const special = { interval, name: link, training_compute_source: source };
    const format = special[field] ?? ((model) => cellText(model[field]));
    return { title, field, width: Math.min(width, innerWidth / 2.4), headerWordWrap: true,
      frozen: field === "name" && innerWidth > 700, hozAlign: isNumber ? "right" : "left",
      headerSortStartingDir: isNumber || field === "publication_date" ? "desc" : "asc",
      formatter: (cell) => make("span", {}, format(cell.getData())),
      sorter: (a, b, ...[one, other, , way]) =>
        compare(sortKey(one.getData(), field), sortKey(other.getData(), field), way) };
  }

  let table = null;
  let rows = [];
  let waiting = 0;
  /** Shows models; what was asked before counts no more. The chart is painted first. */
  function fill(some) {
    rows = some;
    clearTimeout(waiting);
    if (table) waiting = setTimeout(() => table.replaceData(rows), 60);
  }
  async function makeTable() {
    // before the styles of the site, which change its colours
    find("link[href$='explorer.css']").before(make("link", { rel: "stylesheet", href: "vendor/tabulator.min.css" }));
    await load("vendor/tabulator.min.js");
    const made = new Tabulator("#table", { height: "28rem", data: rows, index: "row", columns: COLUMNS.map(column),
      initialSort: [{ column: FLOP, dir: "desc" }] });
    await new Promise((resolve) => { made.on("tableBuilt", resolve); });
    made.on("rowClick", (event, row) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      traincompute.openModels([row.getData()]);
    });
    const holder = find("#table .tabulator-tableholder"); // can be scrolled by keys, which no child of a grid may else
    holder.setAttribute("role", "rowgroup");
    holder.firstElementChild.setAttribute("role", "presentation");
    table = made;
  }

  Object.assign(traincompute, { fill, interval, makeTable });
}
