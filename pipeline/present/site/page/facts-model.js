// The page of one model: its value as a picture, all that is said of it on one axis, how sources changed it, its family.
(function (t) {
  "use strict";
  const { make } = t;
  const FLOP = "training_compute_flop";
  const cell = (name, row) => t.cellOf(name, row);

  t.showModelPage = async function (id) {
    const row = t.rowOf.get(id);
    if (row === undefined) return null;
    const known = await t.loadModel(row);
    const sections = new Map(t.modelSections(row, known, "h3"));
    const sayings = pictureOf(t.saidOf(row, known));
    const main = ["Corrections", "Training compute"].filter((title) => sections.has(title));
    const parts = [...main.map((title) => t.section(title, sections.get(title))), ...[...sections].filter(([title]) => !main.includes(title)).map(([title, content]) => t.folded(title, content))];
    return { title: cell("name", row), parts: [
      t.modelAbout(row), t.modelTags(row), t.modelCards(row),
      sayings && t.section("Training compute: all that is said", sayings),
      history(known) && t.section("Its value in each snapshot of the sources", history(known)),
      family(row), ...parts, t.modelFoot(row),
      make("p", {}, make("a", { href: `index.html#model=${encodeURIComponent(id)}` }, "In the explorer"), " · ", make("a", { href: t.pageOf("compare", id) }, "Compare with others"), " · ",
        t.sqlLink(`select * from claims where model_id = '${id}'`)),
    ] };
  };

  const interval = ({ low, value, high }) => (low && high ? `(${t.digits(low, 3)} – ${t.digits(high, 3)})` : value ? "" : [low && `≥ ${t.digits(low, 3)}`, high && `≤ ${t.digits(high, 3)}`].filter(Boolean).join(" "));
  const tag = (one) => [one.value ? t.digits(one.value) : "", interval(one)].filter(Boolean).join(" ");

  // {text, low, value, high} of the published value, of every claim with a number, and of every estimate with one.
  t.saidOf = function (row, known) {
    const claims = known.claims.filter((claim) => claim.field === (t.claimOf[FLOP] || FLOP) && claim.value > 0 && claim.status !== "quarantined");
    const estimates = known.estimates.filter((one) => one.field === FLOP && (one.value > 0 || one.low > 0 || one.high > 0));
    const value = cell(FLOP, row);
    const published = value ? [{ text: "published here", value, low: cell("training_compute_low", row), high: cell("training_compute_high", row), chosen: true }] : [];
    return [
      ...published,
      ...claims.map(({ publisher, source_id, value: stated, low, high, status }) => ({ text: `${publisher}, ${source_id}${status === "selected" ? " (chosen)" : ""}`, value: stated, low, high })),
      ...estimates.map(({ method, value: made, low, high, is_selected: isTaken }) => ({ text: `our ${t.word(method)}${isTaken ? " (taken)" : made ? "" : " (bound)"}`, value: made, low, high })),
    ].map((one) => ({ ...one, tag: tag(one), short: one.value ? t.digits(one.value) : "" }));
  };

  function pictureOf(rows) {
    if (!rows.length) return null;
    return make("figure", {}, t.scrolled(t.intervals(rows, `Training compute in FLOP: ${rows.map((one) => `${one.text} ${one.tag}`).join("; ")}`)),
      make("figcaption", { className: "muted" }, "FLOP on a logarithmic axis; dots are values, lines 90 % intervals or bounds."));
  }

  // The value in each snapshot, source by source; null where no source changed it.
  function history(known) {
    const changes = known.revisions.filter((one) => one.field === FLOP && (one.old_value > 0 || one.new_value > 0));
    const series = [...new Set(changes.map((one) => one.source_id))].map((source) => {
      const ordered = changes.filter((one) => one.source_id === source).sort((a, b) => (a.to_snapshot < b.to_snapshot ? -1 : 1));
      const first = ordered[0].old_value > 0 ? [[Date.parse(ordered[0].from_snapshot), ordered[0].old_value]] : [];
      return { text: source, points: [...first, ...ordered.filter((one) => one.new_value > 0).map((one) => [Date.parse(one.to_snapshot), one.new_value])] };
    }).filter(({ points }) => points.length);
    if (!series.length) return null;
    const end = Math.max(...t.rowsOf("snapshots").map((row) => Date.parse(row.snapshot)));
    return t.scrolled(t.steps(series, end, `Training compute in the snapshots of ${series.map(({ text }) => text).join(", ")}`));
  }

  // Base model, models derived from it, chips.
  function family(row) {
    const id = cell("model_id", row);
    const base = cell("base_model_id", row);
    const derived = t.column.base_model_id ? Array.from({ length: t.rows }, (_, other) => other).filter((other) => cell("base_model_id", other) === id) : [];
    const chips = t.chipsOf(id);
    const lines = [
      base && t.rowOf.has(base) ? ["Trained from", [t.modelLink(t.rowOf.get(base))]] : null,
      derived.length ? ["Base of", derived.slice(0, 40).map(t.modelLink)] : null,
      chips.length ? ["Trained on", chips.map((chip) => make("a", { href: t.pageOf("chip", chip.hardware_id) }, chip.name))] : null,
    ].filter(Boolean);
    if (!lines.length) return null;
    return t.section("Family and machines", make("dl", { className: "family" }, ...lines.map(([term, links]) => make("div", {}, make("dt", {}, term), make("dd", {}, ...links.flatMap((link, number) => (number ? [", ", link] : [link])))))));
  }
})(window.traincompute);
