// What is known about one model, field by field: the value, who says so and where, and the claims that lost with the reason.
(function (t) {
  "use strict";
  const { make } = t;
  const inHeading = new Set(["model_id", "name", "organization", "publication_date_precision", "huggingface_id", "doi", "arxiv_id"]);
  const compute = ["training_compute", "flop_convention", "finetune_compute", "post_training_compute", "base_model", "arithmetic", "possibly_over"];
  const data = ["parameters", "architecture", "training_tokens", "dataset", "epochs", "batch_size"];
  const hardware = ["hardware", "chip_hours", "numerical_format", "training_hours", "training_power", "training_energy", "training_carbon", "training_cost"];
  const groups = [["Training compute", compute], ["Parameters and data", data], ["Hardware, time and cost", hardware], ["About the model", [""]]];
  const status = { selected: "chosen", superseded: "not chosen", conflicting: "in conflict", quarantined: "could not be read" };

  // [{title, entries: [{name, value, unit, about, derived, claims, selected, estimate}]}], empty groups left out.
  t.fieldsOf = function (row, known) {
    const claims = Map.groupBy ? Map.groupBy(known.claims, (claim) => claim.field) : grouped(known.claims);
    const ends = new Set(t.settings.axes.flatMap((axis) => [axis.low, axis.high]));
    const covered = new Set(["name"]);
    const entries = [];
    for (const column of t.columns) {
      const field = t.claimOf[column.name] || column.name;
      const value = t.cell(column, row);
      if (value === null) continue;
      covered.add(field);
      if (inHeading.has(column.name) || (ends.has(column.name) && hasMiddle(column.name, row))) continue;
      entries.push(entry(column.name, value, column, claims.get(field) || [], known.estimates, field));
    }
    for (const [field, said] of claims) {
      if (!covered.has(field)) entries.push({ ...entry(field, null, {}, said, [], field), beside: true });
    }
    const groupOf = (name) => groups.findIndex(([, begins]) => begins.some((begin) => name.startsWith(begin)));
    return groups.map(([title], number) => ({ title, entries: entries.filter(({ name }) => groupOf(name) === number) })).filter((group) => group.entries.length);
  };

  function grouped(claims) {
    const found = new Map();
    for (const claim of claims) found.set(claim.field, [...(found.get(claim.field) || []), claim]);
    return found;
  }

  // Whether the column is an end of an interval that is shown with its value.
  function hasMiddle(name, row) {
    const axis = t.settings.axes.find((one) => one.low === name || one.high === name);
    return Boolean(axis && t.column[axis.column] && t.cell(t.column[axis.column], row) !== null && t.interval(axis.column, row));
  }

  function entry(name, value, column, claims, estimates, field) {
    // the estimate gives method, interval and source together with the value
    const about = estimates.map((one) => one.field).find((one) => one === field || field.replace(/_(low|high|source|method|confidence)$/, "") === one.replace(/_(flop|usd|kwh|kg|w)$/, ""));
    return { name, value, unit: column.unit || "", about: column.about || "", derived: column.derived || "", claims,
      selected: claims.find((claim) => claim.status === "selected") || null,
      estimate: estimates.find((one) => one.is_selected && one.field === about) || null };
  }

  // " (1e23 – 9e23)", or nothing.
  t.interval = function (name, row) {
    const axis = t.settings.axes.find((one) => one.column === name) || {};
    const [low, high] = [axis.low, axis.high].map((end) => (t.column[end] ? t.cell(t.column[end], row) : null));
    return low && high ? ` (${t.short(low, t.column[name].unit)} – ${t.short(high, t.column[name].unit)})` : "";
  };

  t.fieldTable = function (group, row) {
    const lines = group.entries.map((one) => make("tr", { className: one.beside ? "beside" : "" },
      make("th", { scope: "row", title: one.about }, t.fieldName(one.name)),
      make("td", { className: "value" }, ...shown(one, row)),
      make("td", { className: "who" }, ...who(one))));
    return make("table", { className: "fields" }, make("caption", { className: "sr-only" }, group.title),
      make("thead", { className: "sr-only" }, make("tr", {}, ...["Field", "Value", "Who says so"].map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...lines));
  };

  // "reported, arXiv:2005.14165, table 2.1", "our estimate, operation counting", …
  t.saidBy = function (column, row) {
    const said = t.said[column] && t.said[column].values[row] >= 0 ? t.said[column].words[t.said[column].values[row]] : "";
    const axis = t.settings.axes.find((one) => one.column === column);
    const source = t.column[axis.source] && t.cell(t.column[axis.source], row);
    const method = axis === t.settings.axes[0] && t.column.training_compute_method && t.cell(t.column.training_compute_method, row);
    return [source && t.word(source), source === "imputed" ? null : said, method && method.map(t.word).join(", ")].filter(Boolean).join(" · ");
  };

  // Words of a field below its group: "Confidence" instead of "Training compute confidence".
  t.fieldName = function (name) {
    const axis = t.settings.axes.find((one) => one.column === name);
    return axis ? axis.label : t.title(name.replace(/^training_compute_(?=.)/, "").replace(/^is_/, "").replace(/^pfs_days$/, "in petaflop/s-days"));
  };

  function shown(one, row) {
    if (one.value === null) return [claimText(one.selected || one.claims[0])];
    const text = typeof one.value === "string" && /^https?:/.test(one.value) ? t.link(one.value.replace(/^https?:\/\/(www\.)?/, ""), one.value) : t.human(one.name === "publication_date" ? t.date(row) : one.value, one.unit);
    return [text, t.interval(one.name, row)];
  }

  const claimText = (claim) => ({ true: "yes", false: "no" })[claim.shown] || t.word(claim.shown);

  function who(one) {
    const parts = [];
    if (one.selected) parts.push(t.place(one.selected));
    else if (one.estimate && !one.derived) parts.push(make("p", { className: "muted" }, `our estimate: ${t.word(one.estimate.method)}, see below`));
    if (one.derived) parts.push(make("p", { className: "muted" }, `derived: ${one.derived}`));
    if (one.beside) parts.push(make("p", { className: "muted" }, "claimed; no column of models"));
    const others = one.claims.filter((claim) => claim !== one.selected);
    if (others.length) {
      parts.push(make("details", {}, make("summary", {}, `${others.length} other claim${others.length > 1 ? "s" : ""}`),
        make("ul", {}, ...others.map(loser))));
    }
    return parts;
  }

  function loser(claim) {
    return make("li", {}, make("strong", {}, claimText(claim)), ` ${status[claim.status]}: ${claim.reason}`, t.place(claim));
  }

  // Who says it, where, since when; how many publishers agree; the text as printed where it was converted.
  t.place = function (claim) {
    const source = t.sources.find((one) => one.source_id === claim.source_id) || { publisher: claim.source_id };
    const agree = claim.supporting_publishers > 1 ? ` · ${claim.supporting_publishers} publishers agree` : "";
    const printed = claim.note && claim.value_text !== claim.shown && claim.value_text.length < 120 ? ` · printed “${claim.value_text}”` : "";
    const evidence = claim.evidence ? ` · ${{ seen: "read in the source", secondary: "read in a secondary source", recalled: "recalled, not checked" }[claim.evidence] || claim.evidence}` : "";
    const where = claim.reference
      ? [t.link(claim.reference.replace(/^https?:\/\/(www\.)?/, ""), claim.reference), claim.locator ? `, ${claim.locator}` : ""]
      : [t.link(source.title || source.publisher, source.url), claim.locator ? `, ${claim.locator}` : "", ` · since ${claim.since}`];
    return make("p", { className: "place" }, ...where, evidence + agree + printed);
  };
})(window.traincompute);
