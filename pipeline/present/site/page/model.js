// The page of one model, in a dialog over the explorer: what `traincompute explain` shows.
(function (t) {
  "use strict";
  const { make, find } = t;
  let closed;
  let shown = -1;
  let before = null;

  t.buildModel = function (whenClosed) {
    closed = whenClosed;
    const dialog = find("model");
    dialog.addEventListener("close", () => {
      shown = -1;
      closed();
      if (before && before.isConnected) before.focus({ preventScroll: true });
    });
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  };

  // Opens the model of a row, or closes the page for null.
  t.showModel = async function (row) {
    const dialog = find("model");
    if (row === null) {
      if (dialog.open) dialog.close();
      return;
    }
    if (row === shown && dialog.open) return;
    shown = row;
    const start = performance.now();
    find("model-page").replaceChildren(...heading(row), make("p", { className: "muted", role: "status" }, "Reading the claims …"));
    dialog.setAttribute("aria-labelledby", "model-name");
    if (!dialog.open) {
      before = document.activeElement;
      dialog.showModal();
    }
    dialog.scrollTop = 0;
    find("model-close").focus();
    try {
      const known = await t.loadModel(row);
      if (shown !== row) return;
      find("model-page").lastChild.remove();
      find("model-page").append(...body(row, known));
      (window.traincomputeTimings.model ||= []).push(performance.now() - start);
    } catch (error) {
      find("model-page").lastChild.textContent = `${error.message}; is the folder complete?`;
    }
  };

  const cell = (name, row) => (t.column[name] ? t.cell(t.column[name], row) : null);

  function heading(row) {
    const about = [(cell("organizations", row) || []).join(", "), t.date(row), (cell("countries", row) || []).join(", ")].filter(Boolean);
    const flags = t.available("flags").filter((flag) => t.flagged(flag.column, row)).map((flag) => make("span", { className: "tag" }, flag.label));
    const links = [["reference_url", "Paper or announcement"], ["arxiv_id", "arXiv"], ["doi", "DOI"], ["huggingface_id", "Hugging Face"]].map(([name, label]) => link(name, label, cell(name, row))).filter(Boolean);
    return [
      make("div", { className: "model-head" },
        make("div", {}, make("h2", { id: "model-name" }, cell("name", row)), make("p", { className: "muted" }, about.join(" · "))),
        make("button", { type: "button", id: "model-close", "aria-label": "Close", onclick: () => find("model").close() }, "×")),
      make("p", { className: "tags" }, ...flags, ...links),
      make("dl", { className: "cards" }, ...cards(row)),
    ];
  }

  function link(name, label, value) {
    if (!value) return null;
    const address = { arxiv_id: `arXiv:${value}`, doi: `doi:${value}`, huggingface_id: `https://huggingface.co/${value}` }[name] || value;
    return t.address(address) ? t.link(label, address) : null;
  }

  function cards(row) {
    return t.available("axes").slice(0, 5).filter((axis) => cell(axis.column, row) !== null || axis === t.settings.axes[0]).map((axis) => {
      const value = cell(axis.column, row);
      const said = value === null ? "no value" : t.saidBy(axis.column, row);
      return make("div", {}, make("dt", {}, axis.label),
        make("dd", {}, make("strong", {}, value === null ? "–" : t.human(value, t.column[axis.column].unit)), make("span", {}, t.interval(axis.column, row).trim()), make("small", {}, said)));
    });
  }

  function body(row, known) {
    const id = cell("model_id", row);
    const parts = t.fieldsOf(row, known).flatMap((group) => section(group.title, t.fieldTable(group, row)));
    if (known.estimates.length) parts.push(...section("Our estimates", make("div", { className: "estimates" }, ...known.estimates.map(estimate))));
    if (known.revisions.length) parts.push(...section("Revisions by the sources", revisions(known.revisions)));
    parts.push(...section("Sources", sources(known.claims)));
    parts.push(make("p", { className: "muted" }, "The same in a terminal: ", make("code", {}, `traincompute explain ${id}`), t.aliases[row] ? ` · also called ${t.aliases[row]}` : ""));
    return parts;
  }

  const section = (title, content) => [make("h3", {}, title), content];

  function estimate(one) {
    const field = one.field === "training_compute_flop" ? "" : `${t.title(one.field)}: `;
    const name = `${field}${t.word(one.method)}`;
    if (one.shown === null) return bound(name, one);
    const interval = one.low && one.high ? ` (90 %: ${t.short(one.low, one.unit)} – ${t.short(one.high, one.unit)})` : "";
    const apart = typeof one.disagreement_dex === "number" ? ` · ${t.digits(10 ** one.disagreement_dex, 3)} × the published value` : "";
    return make("div", { className: "estimate" },
      make("h4", {}, name, one.is_selected ? make("span", { className: "tag" }, "taken") : null),
      make("p", {}, make("strong", {}, one.shown), interval, apart),
      make("p", { className: "formula" }, `= ${one.formula}`),
      (one.inputs || []).length ? make("ul", {}, ...one.inputs.map(input)) : null,
      make("p", { className: "muted" }, [one.is_selected ? "" : "not taken", one.reason, (one.assumptions || []).length ? `assumes ${one.assumptions.join(", ")}` : ""].filter(Boolean).join("; ")));
  }

  // Without a value: what the method lacks, and the bound that it can give.
  function bound(name, one) {
    const ends = [["≥", one.low], ["≤", one.high]].filter(([, end]) => end).map(([sign, end]) => `${sign} ${t.human(end, one.unit)}`).join(", ");
    return make("div", { className: "estimate" }, make("h4", {}, name, one.is_selected ? make("span", { className: "tag" }, "taken") : null),
      ends ? make("p", {}, make("strong", {}, ends)) : null, ends && one.formula ? make("p", { className: "formula" }, one.formula) : null,
      make("p", { className: "muted" }, `${ends ? "a bound" : "abstains"}: ${one.reason}`));
  }

  function input([id, field, value, place, reference]) {
    if (!id) return make("li", {}, value);
    const of = shown >= 0 && id !== cell("model_id", shown) && t.rowOf.has(id) ? make("a", { href: `#model=${encodeURIComponent(id)}` }, id) : null;
    return make("li", {}, `${t.title(field)} `, make("strong", {}, value), " · ", t.link(place, reference), of && " · of ", of);
  }

  function revisions(all) {
    const head = ["New in", "Field", "Before", "After", "Source"];
    const lines = merged(all).map((one) => make("tr", {}, make("td", {}, one.to_snapshot), make("th", { scope: "row" }, one.kind.startsWith("record") ? "Record" : t.fieldName(one.field)),
      make("td", {}, one.old === null ? "–" : one.old), make("td", {}, one.new === null ? "–" : one.new, one.ratio ? ` (×${t.digits(one.ratio, 3)})` : "", ["record_added", "record_removed", "split", "renamed"].includes(one.kind) ? ` ${t.word(one.kind)}` : ""),
      make("td", {}, ...one.sources.flatMap((source, i) => (i ? [make("br"), source] : [source])))));
    return make("div", { className: "wide", tabIndex: 0, role: "region", "aria-label": "Revisions" }, make("table", { className: "revisions" }, make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))), make("tbody", {}, ...lines)));
  }

  // One entry per change, also where two files of a publisher made it, with the first snapshot that has it.
  function merged(all) {
    const found = new Map();
    for (const one of all) {
      const key = [one.field, one.kind, one.old, one.new].join("\n");
      const held = found.get(key);
      if (!held) found.set(key, { ...one, sources: [one.source_id] });
      else {
        if (one.to_snapshot < held.to_snapshot) held.to_snapshot = one.to_snapshot;
        if (!held.sources.includes(one.source_id)) held.sources.push(one.source_id);
      }
    }
    return [...found.values()].sort((a, b) => (a.to_snapshot < b.to_snapshot) - (a.to_snapshot > b.to_snapshot));
  }

  function sources(claims) {
    const used = new Set(claims.map((claim) => claim.source_id));
    return make("ul", { className: "sources" }, ...t.sources.filter((source) => used.has(source.source_id)).map((source) =>
      make("li", {}, t.link(source.title, source.url), ` · ${source.publisher} · snapshot ${source.snapshot || "–"} · ${source.licence}`)));
  }
})(window.traincompute);
