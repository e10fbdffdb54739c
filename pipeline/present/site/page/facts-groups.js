// The pages of an organisation, a chip, a country and a source: cards, a picture of its models, and their list.
(function (t) {
  "use strict";
  const { make } = t;
  const FLOP = "training_compute_flop";
  const LISTED = 20;
  const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

  t.showOrganization = function (name) {
    const row = t.rowsOf("organizations").find((one) => one.organization === name) || {};
    const models = t.modelsWith("organizations", name);
    if (!models.length && !row.organization) return null;
    const parts = t.rowsOf("organizations").filter((one) => one.parent === name).map((one) => one.organization);
    return { title: name, parts: [
      cards([
        ["Part of", row.parent && link("organization", row.parent)],
        ["Parts", parts.length && make("span", {}, ...parts.flatMap((part, number) => [number ? ", " : "", link("organization", part)]))],
        ["Kind", row.category && t.word(row.category)], ["Country", row.country && link("country", row.country)],
        ["Also called", (row.aliases || []).join(", ")], ...counts(models)]),
      ...listOf(models), make("p", {}, t.sqlLink(`select * from models where list_contains(organizations, ${quoted(name)}) order by training_compute_flop desc`)),
    ] };
  };

  t.showCountry = function (name) {
    const models = t.modelsWith("countries", name);
    if (!models.length) return null;
    const labs = t.rowsOf("organizations").filter((one) => one.country === name).sort((a, b) => b.models - a.models);
    return { title: name, parts: [
      cards([["Organisations", labs.length || ""], ...counts(models)]),
      labs.length ? t.folded("Organisations", make("ul", { className: "many" }, ...labs.map((lab) => make("li", {}, link("organization", lab.organization), ` ${lab.models}`)))) : null,
      ...listOf(models), make("p", {}, t.sqlLink(`select * from country_shares where country = ${quoted(name)} order by year`)),
    ] };
  };

  t.showChip = function (id) {
    const chip = t.rowsOf("hardware").find((one) => one.hardware_id === id);
    if (!chip) return null;
    const models = t.modelsOn(id);
    const told = t.records.hardware.columns.filter(([name]) => !["hardware_id", "name", "reference_url", "source_id"].includes(name) && chip[name] !== null);
    return { title: chip.name, parts: [
      cards([...told.map(([name, unit, about]) => [named(name), t.human(chip[name], unit || ""), about]), ["Source", link("source", chip.source_id)], ...counts(models)]),
      chip.reference_url ? make("p", {}, t.link("Where its data stand", chip.reference_url)) : null,
      ...listOf(models), make("p", {}, t.sqlLink(`select * from hardware_prices where hardware = ${quoted(chip.name)} order by price_date`)),
    ] };
  };

  t.showSource = function (id) {
    const source = t.sources.find((one) => one.source_id === id);
    if (!source) return null;
    const said = t.rowsOf("claimed").find((one) => one.source_id === id) || {};
    const snapshots = t.rowsOf("snapshots").filter((one) => one.source_id === id);
    const lines = snapshots.map((one) => make("tr", {}, make("td", {}, one.snapshot), ...["records", "facts"].map((name) => make("td", { className: "right" }, one[name] === null ? "" : one[name].toLocaleString("en-US"))), make("td", {}, make("code", {}, (one.sha256 || "").slice(0, 16)))));
    const many = (number) => (number === undefined ? "" : number.toLocaleString("en-US"));
    return { title: source.title, parts: [
      cards([["Publisher", source.publisher], ["Licence", source.licence], ["Newest snapshot", source.snapshot], ["Claims", many(said.claims)], ["Chosen", many(said.selected)], ["Models", many(said.models)]]),
      make("p", {}, t.link(source.url || "", source.url)), source.attribution ? make("p", { className: "muted" }, `Attribution: ${source.attribution}`) : null,
      snapshots.length ? t.section("Snapshots", table(["Snapshot", "Records", "Facts", "sha256"], lines, [1, 2])) : null,
      make("p", {}, t.sqlLink(`select * from claims where source_id = ${quoted(id)}`)),
    ] };
  };

  // "Peak tensor FP16" for peak_tensor_fp16_flops: the unit stands with the value.
  const named = (column) => t.title(column.replace(/_(flops|ops|bytes|w|nm|mm2|usd)$/, "")).replace(/\b(fp|tf|int)\d+|tdp/gi, (word) => word.toUpperCase());

  const link = (kind, id) => make("a", { href: t.pageOf(kind, id) }, id);

  // Pairs [term, text or element, meaning]; those without a value are left out.
  function cards(pairs) {
    return make("dl", { className: "cards" }, ...pairs.filter(([, value]) => value).map(([term, value, about]) => make("div", { title: about }, make("dt", {}, term), make("dd", {}, make("strong", {}, value)))));
  }

  function counts(models) {
    const known = models.filter((row) => t.cellOf(FLOP, row) !== null);
    return [["Models", models.length.toLocaleString("en-US")], ["With training compute", known.length.toLocaleString("en-US")]];
  }

  // A picture of the models over time, and their list, the largest first.
  function listOf(models) {
    if (!models.length) return [make("p", { className: "muted" }, "No model of the dataset names it.")];
    const [ordered, points] = [t.largestFirst(models), t.pointsOf(models)];
    const rest = ordered.slice(LISTED);
    return [
      points.length > 1 ? t.section("Training compute over time", make("figure", {}, t.scrolled(t.dots(points, true, "Training compute by date of publication")), make("figcaption", { className: "muted" }, "FLOP, one dot for each model with a value and a date."))) : null,
      t.section("Models", modelTable(ordered.slice(0, LISTED))),
      rest.length ? t.folded(`${rest.length} more`, modelTable(rest)) : null,
    ];
  }

  t.largestFirst = (models) => [...models].sort((a, b) => (t.cellOf(FLOP, b) ?? -1) - (t.cellOf(FLOP, a) ?? -1) || a - b);

  t.pointsOf = function (models) {
    return models.map((row) => ({ x: Date.parse(t.cellOf("publication_date", row)), y: t.cellOf(FLOP, row), text: `${t.cellOf("name", row)}: ${t.human(t.cellOf(FLOP, row), "FLOP")}` }))
      .filter(({ x, y }) => y > 0 && Number.isFinite(x));
  };

  function modelTable(models) {
    const shown = (name, row) => (t.column[name] ? t.short(t.cellOf(name, row) ?? undefined, t.column[name].unit || "") : "");
    return table(["Model", "Organisation", "Published", "Compute [FLOP]", "Parameters", "Who says so"], models.map((row) => make("tr", {},
      make("th", { scope: "row" }, t.modelLink(row)), make("td", {}, some(t.cellOf("organizations", row) || [])), make("td", { className: "date" }, t.date(row)),
      make("td", { className: "right" }, t.cellOf(FLOP, row) === null ? "" : shown(FLOP, row)), make("td", { className: "right" }, t.cellOf("parameters", row) === null ? "" : shown("parameters", row)),
      make("td", {}, t.word(t.cellOf("training_compute_source", row) || "")))), [3, 4]);
  }

  const some = (names) => names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");

  function table(heads, lines, right) {
    return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": heads[0] },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((text, number) => make("th", { scope: "col", className: right.includes(number) ? "right" : "" }, text)))), make("tbody", {}, ...lines)));
  }
})(window.traincompute);
