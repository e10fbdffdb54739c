// The table below the chart, by Tabulator, which is loaded once it is scrolled to: the same models, in any order.
// And several models side by side, with the same columns.
"use strict";
{
  const { cellText, find, FLOP, human, load, make, say } = traincompute;
  // title, column, width in px, and whether it holds numbers, which stand on the right
  const COLUMNS = [
    ["Model", "name", 210],
    ["Organisation", "organizations", 160],
    ["Published", "publication_date", 118],
    ["Compute (FLOP)", FLOP, 115, true],
    ["Source of the figure", "training_compute_source", 125],
    ["90 % interval (FLOP)", "interval", 165, true],
    ["Median estimate (FLOP)", "flop_50", 125, true],
    ["Parameters", "parameters", 122, true],
    ["Tokens", "training_tokens", 90, true],
    ["Cost (USD)", "training_cost_usd", 100, true],
    ["Power (W)", "training_power_w", 95, true],
    ["Chips", "hardware", 150],
    ["Domain", "domains", 170],
    ["Country", "countries", 140],
    ["Access", "accessibility", 150],
  ];

  /** The 90 % interval of a value or, without one, of the estimate. */
  function interval(model) {
    const ends = model[FLOP] === null
      ? [model.flop_05, model.flop_95] : [model.training_compute_low, model.training_compute_high];
    return ends[0] === null ? "" : ends.map((end) => human(end)).join(" – ");
  }
  /** Compares two models by a column; an interval counts by its upper end, and what is missing comes last. */
  function compare(one, other, field, way) {
    const [a, b] = [one, other].map((model) => {
      if (field === "interval") return model[FLOP] === null ? model.flop_95 : model.training_compute_high;
      return Array.isArray(model[field]) ? `${model[field]}` : model[field] ?? null;
    });
    if (a === null || b === null) return ((a === null) - (b === null)) * (way === "desc" ? -1 : 1);
    return typeof a === "string" ? a.localeCompare(b, "en") : a - b;
  }
  /** A cell as people read it; the name is a link. */
  function shown(model, field) {
    if (field === "name") return make("a", { href: `model/${model.model_id}.html`, tabIndex: -1 }, model.name);
    if (field === "interval") return interval(model);
    return field === "training_compute_source" ? say(model[field] ?? "none") : cellText(model[field]);
  }
  function column([title, field, width, isNumber = false]) {
    return { title, field, width: Math.min(width, innerWidth / 2.4), headerWordWrap: true,
      frozen: field === "name" && innerWidth > 700, hozAlign: isNumber ? "right" : "left",
      headerSortStartingDir: isNumber || field === "publication_date" ? "desc" : "asc",
      formatter: (cell) => make("span", {}, shown(cell.getData(), field)),
      sorter: (a, b, one, other, _, way) => compare(one.getData(), other.getData(), field, way) };
  }
  /** The columns of the table as rows, for a few models. */
  function sideBySide(some) {
    const rows = COLUMNS.filter(([, field]) => some.some((model) => shown(model, field)))
      .map(([title, field]) => make("tr", {}, make("th", { scope: "row" }, title),
        ...some.map((model) => make("td", {}, shown(model, field)))));
    return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Comparison" },
      make("table", {}, ...rows));
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

  Object.assign(traincompute, { fill, interval, makeTable, sideBySide });
}
