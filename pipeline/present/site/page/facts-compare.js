// Up to four models side by side: their compute on one axis, and every quantity in a row.
(function (t) {
  "use strict";
  const { make } = t;
  const FLOP = "training_compute_flop";
  const ROWS = ["organizations", "publication_date", "domains", "training_compute_flop", "training_compute_source", "parameters", "training_tokens", "hardware", "hardware_quantity", "training_hours", "training_power_w", "training_energy_kwh", "training_carbon_kg", "training_cost_usd", "accessibility", "capability_index"];
  t.MOST_COMPARED = 4;

  t.showComparison = function (list) {
    const ids = [...new Set(list.split(",").filter(Boolean))];
    const rows = ids.map((id) => t.rowOf.get(id)).filter((row) => row !== undefined).slice(0, t.MOST_COMPARED);
    const unknown = ids.filter((id) => !t.rowOf.has(id));
    return { title: "Models side by side", parts: [
      unknown.length ? make("p", { className: "notice", role: "alert" }, `The dataset has no model with the id ${unknown.join(", ")}.`) : null,
      ids.length > t.MOST_COMPARED ? make("p", { className: "notice", role: "alert" }, `${t.MOST_COMPARED} models at most; the others are left out.`) : null,
      make("p", { className: "muted" }, rows.length < t.MOST_COMPARED ? `Find another model above to put it beside ${rows.length ? "these" : "others"}.` : "A model that is found above takes the place of the first."),
      picture(rows), rows.length ? table(rows) : null,
    ] };
  };

  function picture(rows) {
    const shown = rows.filter((row) => t.cellOf(FLOP, row) > 0).map((row) => {
      const [value, low, high] = [FLOP, "training_compute_low", "training_compute_high"].map((name) => t.cellOf(name, row));
      return { text: t.cellOf("name", row), value, low, high, tag: t.digits(value) };
    });
    if (!shown.length) return null;
    return make("figure", {}, t.scrolled(t.intervals(shown, `Training compute: ${shown.map((one) => `${one.text} ${one.tag} FLOP`).join("; ")}`)),
      make("figcaption", { className: "muted" }, "Training compute in FLOP on a logarithmic axis, with the 90 % interval where there is one."));
  }

  function table(rows) {
    const without = (row) => rows.filter((other) => other !== row).map((other) => t.cellOf("model_id", other)).join(",");
    const heads = rows.map((row) => make("th", { scope: "col" }, t.modelLink(row), " ", make("a", { className: "remove", href: t.pageOf("compare", without(row)), "aria-label": `Remove ${t.cellOf("name", row)}` }, "×")));
    const lines = ROWS.filter((name) => t.column[name] && rows.some((row) => t.cellOf(name, row) !== null)).map((name) => make("tr", {},
      make("th", { scope: "row" }, t.axisLabel(name)), ...rows.map((row) => make("td", {}, shown(name, row), make("small", { className: "muted" }, t.interval(name, row))))));
    return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Comparison" },
      make("table", { className: "compared" }, make("thead", {}, make("tr", {}, make("td", {}), ...heads)), make("tbody", {}, ...lines)));
  }

  function shown(name, row) {
    const value = t.cellOf(name, row);
    return value === null ? "–" : name === "publication_date" ? t.date(row) : t.human(value, t.column[name].unit || "");
  }
})(window.traincompute);
