// Puts the parts together: one state, from which everything that is shown follows.
(function (t) {
  "use strict";
  const { find, make } = t;
  let state;
  let chosen = { rows: [], counts: {} };
  let typing = 0;

  function start() {
    if (!t.columns) {
      find("failure").textContent = "data/models.js is missing or damaged: write the folder again with `traincompute site`.";
      find("failure").hidden = false;
      return;
    }
    state = t.readState(location.hash);
    head();
    t.buildFilters(changed);
    t.buildTable((sort) => apply("sort", { sort }), openModel, linkTo);
    t.buildModel(() => state.model && apply("model", { model: "" }));
    t.listenToChart((view) => apply("zoom", { view }), openModel);
    controls();
    t.timed("first draw", refresh);
    t.showModel(t.rowOf.get(state.model) ?? null);
    if (t.prepareSearch) (window.requestIdleCallback || setTimeout)(() => t.prepareSearch());
    document.body.dataset.ready = "1";
    window.traincomputeTimings.ready = performance.now(); // since the navigation began
  }

  function head() {
    const { about } = t;
    const flop = t.column[t.settings.axes[0].column];
    const known = flop ? flop.values.filter((value) => value !== null).length : 0;
    const vintage = about.as_of ? `as of ${about.as_of}` : about.newest ? `facts to ${about.newest}` : "";
    find("tagline").textContent = `${t.rows.toLocaleString("en-US")} models, ${known.toLocaleString("en-US")} with training compute · version ${about.version}${vintage ? ` · ${vintage}` : ""}`;
    if (about.docs) Object.assign(find("docs-link"), { hidden: false, href: about.docs });
    const asked = [...new Set(t.sources.map((source) => source.attribution).filter(Boolean))];
    find("foot").append(make("p", {}, "Data: ", make("a", { href: "https://creativecommons.org/licenses/by/4.0/", rel: "license noopener noreferrer" }, "CC BY 4.0"), `. From ${asked.join("; ")}.`));
  }

  function controls() {
    const choose = (id, entries, key) => {
      find(id).append(...entries.map((entry) => make("option", { value: entry.column }, entry.label)));
      find(id).addEventListener("change", (event) => apply(key, { [key]: event.target.value, ...(key === "y" ? { view: state.view && state.view.slice(0, 2) } : {}) }));
    };
    choose("axis", t.available("axes"), "y");
    choose("colour", t.available("colours"), "colour");
    for (const id of ["intervals", "labels"]) find(id).addEventListener("change", (event) => apply(id, { [id]: event.target.checked }));
    find("clear-filters").addEventListener("click", () => {
      const { q, from, to, least, most, flags, facets } = t.defaults();
      apply("filter", { q, from, to, least, most, flags, facets });
    });
    find("toggle-filters").addEventListener("click", toggleFilters);
    find("download-csv").addEventListener("click", () => t.save(`traincompute-${chosen.rows.length}-models.csv`, t.csv(chosen.rows), "text/csv"));
    find("download-json").addEventListener("click", () => t.save(`traincompute-${chosen.rows.length}-models.json`, t.json(chosen.rows), "application/json"));
    find("copy-link").addEventListener("click", copyLink);
    find("theme").textContent = `Theme: ${t.theme}`;
    find("theme").addEventListener("click", () => {
      t.nextTheme();
      find("theme").textContent = `Theme: ${t.theme}`;
      t.drawChart();
    });
    find("widen").addEventListener("click", () => {
      apply("filter", { flags: Object.fromEntries(Object.keys(state.flags).map((flag) => [flag, "any"])) });
      find("search").focus();
    });
    document.querySelector("[data-skip]").addEventListener("click", (event) => {
      event.preventDefault(); // the address holds the view
      find("results").focus();
    });
    window.addEventListener("hashchange", () => {
      state = t.readState(location.hash);
      refresh();
      t.showModel(t.rowOf.get(state.model) ?? null);
    });
    window.addEventListener("popstate", () => window.dispatchEvent(new Event("hashchange")));
    new ResizeObserver(() => t.chartIsStale() && t.drawChart()).observe(find("plot"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => t.drawChart());
  }

  function toggleFilters() {
    const open = document.body.classList.toggle("filters-open");
    find("toggle-filters").setAttribute("aria-expanded", String(open));
    find("toggle-filters").textContent = open ? "Hide filters" : "Show filters";
  }

  // What the filters tell: {q}, {least}, {flag: [column, value]}, {facet: [column, choices]}, …
  function changed(part) {
    if (part.flag) return apply("filter", { flags: { ...state.flags, [part.flag[0]]: part.flag[1] } });
    if (part.facet) return apply("filter", { facets: { ...state.facets, [part.facet[0]]: part.facet[1] } });
    return apply("q" in part ? "search" : "filter", part);
  }

  function apply(name, part) {
    state = { ...state, ...part };
    if (name === "model") return save(false);
    t.timed(name, refresh);
    save(false);
  }

  function save(asStep) {
    clearTimeout(typing); // browsers allow a hundred changes of the address in half a minute
    if (asStep) t.saveState(state, true);
    else typing = setTimeout(() => t.saveState(state, false), 120);
  }

  function refresh() {
    chosen = t.select(state);
    chosen.rows = t.sorted(chosen.rows, state.sort);
    t.showFilters(state, chosen.counts);
    find("axis").value = state.y;
    find("colour").value = state.colour;
    const axis = t.settings.axes.find((one) => one.column === state.y) || {};
    find("intervals-field").hidden = !(t.column[axis.low] && t.column[axis.high]);
    find("intervals").checked = state.intervals;
    find("labels").checked = state.labels;
    t.showChart(chosen.rows, state);
    t.showTable(chosen.rows, state);
    count();
  }

  function count() {
    const shown = chosen.rows.length;
    find("count").textContent = `${shown.toLocaleString("en-US")} of ${t.rows.toLocaleString("en-US")} models`;
    const wide = state.q && Object.values(state.flags).some((value) => value !== "any")
      ? t.select({ ...state, flags: {} }).rows.length - shown : 0;
    find("widen").hidden = wide <= 0;
    find("widen").textContent = `${wide.toLocaleString("en-US")} more among all models`;
  }

  const linkTo = (row) => `#${t.writeState({ ...state, model: t.column.model_id.values[row] })}`;

  function openModel(row) {
    t.saveState(state, false); // the step before is the view without the model
    state = { ...state, model: t.column.model_id.values[row] };
    save(true);
    t.showModel(row);
  }

  async function copyLink() {
    t.saveState(state, false);
    try {
      await navigator.clipboard.writeText(location.href);
      t.toast("Link to this view copied");
    } catch (error) {
      t.toast("The link to this view stands in the address bar");
    }
  }

  t.state = () => state;
  t.chosenIds = () => chosen.rows.map((row) => t.column.model_id.values[row]);

  start();
})(window.traincompute);
