// The table below the chart, by Tabulator, which is loaded once the chart is drawn: the same models, sorted by any column.
"use strict";
{
  const { cellText, find, FLOP, human, load, make, say } = traincompute;
  const COLUMNS = [["Model", "name", 210], ["Organisation", "organizations", 160], ["Published", "publication_date", 105],
    ["Compute (FLOP)", FLOP, 125], ["Source of the figure", "training_compute_source", 130],
    ["90 % interval (FLOP)", "interval", 165], ["Estimate, median (FLOP)", "flop_50", 125], ["Parameters", "parameters", 105],
    ["Tokens", "training_tokens", 90], ["Cost (USD)", "training_cost_usd", 100], ["Power (W)", "training_power_w", 95],
    ["Chips", "hardware", 150], ["Domain", "domains", 170], ["Country", "countries", 140], ["Access", "accessibility", 150]];
  const NUMBERS = new Set([FLOP, "flop_50", "parameters", "training_tokens", "training_cost_usd", "training_power_w"]);

  /** The ends of the 90 % interval of a value or, without one, of the estimate. */
  const endsOf = (model) => (model[FLOP] === null
    ? [model.flop_05, model.flop_95] : [model.training_compute_low, model.training_compute_high]);
  const interval = (model) => (endsOf(model)[0] === null ? "" : endsOf(model).map(human).join(" – "));

  function column([title, field, width]) {
    const isNumber = NUMBERS.has(field);
    const format = (cell) => {
      const model = cell.getData();
      if (field === "interval") return interval(model);
      if (field === "training_compute_source") return say(model[field] ?? "none");
      if (field !== "name") return cellText(model[field]);
      return make("a", { href: `model/${model.model_id}.html`, textContent: model.name, tabIndex: -1 });
    };
    const plain = field === "interval" ? (model) => endsOf(model)[1] : (model) => model[field];
    return { title, field, width, frozen: field === "name" && innerWidth > 700, hozAlign: isNumber || field === "interval" ? "right" : "left",
      formatter: (cell) => { const made = format(cell); return made instanceof Node ? made : document.createTextNode(made); },
      headerSortStartingDir: isNumber || field === "publication_date" ? "desc" : "asc",
      sorter: (a, b, rowA, rowB, _, way) => compare(plain(rowA.getData()), plain(rowB.getData()), way) };
  }
  /** Numbers and dates by size, others by text; what is missing comes last either way. */
  function compare(a, b, way) {
    const [noA, noB] = [a, b].map((value) => value === null || value === undefined);
    if (noA || noB) return (noA - noB) * (way === "desc" ? -1 : 1);
    return typeof a === "object" && !(a instanceof Date) || typeof a === "string"
      ? String(a).localeCompare(String(b), "en") : a - b;
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
      initialSort: [{ column: FLOP, dir: "desc" }], headerSortElement: "<span aria-hidden='true'>↕</span>" });
    await new Promise((resolve) => { made.on("tableBuilt", resolve); });
    made.on("rowClick", (event, row) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      traincompute.openModels([row.getData()]);
    });
    table = made;
  }

  Object.assign(traincompute, { endsOf, fill, interval, makeTable });
}
