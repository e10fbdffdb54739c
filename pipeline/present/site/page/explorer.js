// Puts the parts together: one state, from which everything that is shown follows.
(function (t) {
  "use strict";
  const { find, make } = t;
  let state;
  let chosen = { rows: [], context: [], counts: {} };
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
    t.listenToChart((view) => apply("zoom", { view: view && roundedView(view) }), openModel);
    t.buildSlider((asof) => apply("slider", { asof }));
    controls();
    t.timed("first draw", refresh);
    t.showModel(t.rowOf.get(state.model) ?? null);
    (window.requestIdleCallback || setTimeout)(() => t.prepareSearch());
    arrived();
    document.body.dataset.ready = "1";
    window.traincomputeTimings.ready = performance.now(); // since the navigation began
  }

  // What an address asks for and is not here yet, or not in the dataset at all.
  function arrived() {
    find("unknown").hidden = !t.unknown.length;
    find("unknown").textContent = `This link asks for ${t.unknown.join(", and for ")}; the dataset does not have that. What remains of it is shown.`;
    document.body.classList.toggle("embed", state.embed);
    find("whole").href = `#${t.writeState({ ...state, embed: false })}`;
    if (state.asof) t.loadVintages().then(checkDay).catch((error) => t.toast(error.message));
    if (state.tiers) showTiers();
  }

  function checkDay() {
    if (t.vintageDays().includes(state.asof)) return apply("slider", {});
    t.unknown.push(`the vintage of ${state.asof}`);
    apply("slider", { asof: "" });
    arrived();
  }

  const showTiers = () => t.loadTiers().then(() => t.drawChart()).catch((error) => t.toast(error.message));

  const roundedView = (view) => view.map((end, i) => t.rounded(end, t.chart.scales[i < 2 ? "x" : "y"].kind));

  function head() {
    const { about } = t;
    const flop = t.column[t.settings.axes[0].column];
    const known = flop ? flop.values.filter((value) => value !== null).length : 0;
    const vintage = about.as_of ? `as of ${about.as_of}` : about.newest ? `facts to ${about.newest}` : "";
    find("tagline").textContent = `${t.many(t.rows, "model")}, ${known.toLocaleString("en-US")} with training compute · version ${about.version}${vintage ? ` · ${vintage}` : ""}`;
    if (about.docs) Object.assign(find("docs-link"), { hidden: false, href: about.docs });
    const asked = [...new Set(t.sources.map((source) => source.attribution).filter(Boolean))];
    find("foot").append(make("details", {}, make("summary", {}, `Data: ${about.licence}, from ${t.many(asked.length, "source")}`),
      make("p", {}, make("a", { href: "https://creativecommons.org/licenses/by/4.0/", rel: "license noopener noreferrer" }, about.licence), `. From ${asked.join("; ")}.`)));
  }

  function controls() {
    const choose = (id, entries, effect = () => ({})) => {
      find(id).append(...entries.map((entry) => make("option", { value: entry.column }, entry.label)));
      find(id).addEventListener("change", (event) => apply(id, { [id]: event.target.value, ...effect(event.target.value) }));
    };
    choose("y", t.axes(), (y) => ({ view: state.view && state.view.slice(0, 2), yscale: t.usualScale(y) }));
    choose("x", t.axes(), (x) => ({ view: null, xscale: t.usualScale(x) }));
    choose("colour", t.available("colours"));
    choose("size", t.available("axes"));
    for (const id of ["intervals", "labels", "trend", "frontier", "tiers", "chips"]) find(id).addEventListener("change", (event) => apply(id, { [id]: event.target.checked }));
    for (const id of ["xscale", "yscale"]) find(id).addEventListener("change", (event) => apply(id, { [id]: event.target.checked ? "linear" : "log", view: null }));
    find("tiers").addEventListener("change", showTiers);
    find("clear-filters").addEventListener("click", () => {
      const { q, from, to, least, most, flags, facets } = t.defaults();
      apply("filter", { q, from, to, least, most, flags, facets });
    });
    find("toggle-filters").addEventListener("click", toggleFilters);
    const base = () => `traincompute-${chosen.rows.length}-models`;
    find("download-csv").addEventListener("click", () => t.save(`${base()}.csv`, t.csv(chosen.rows), "text/csv"));
    find("download-json").addEventListener("click", () => t.save(`${base()}.json`, t.json(chosen.rows), "application/json"));
    share();
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
    document.addEventListener("keydown", shortcut);
    document.addEventListener("click", (event) => event.isTrusted && closeMenus(event.target));
    find("search").addEventListener("keydown", searchKey);
    document.querySelector("[data-skip]").addEventListener("click", (event) => {
      event.preventDefault(); // the address holds the view
      find("results").focus();
    });
    window.addEventListener("hashchange", () => {
      state = t.readState(location.hash);
      refresh();
      t.showModel(t.rowOf.get(state.model) ?? null);
      arrived();
    });
    window.addEventListener("popstate", () => window.dispatchEvent(new Event("hashchange")));
    new ResizeObserver(() => t.chartIsStale() && t.drawChart()).observe(find("plot"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => t.drawChart());
  }

  function share() {
    const file = (ending) => `traincompute-${state.y}.${ending}`;
    find("save-svg").addEventListener("click", () => t.save(file("svg"), t.chartSvg(), "image/svg+xml"));
    find("save-png").addEventListener("click", async () => t.save(file("png"), await t.chartPng()));
    find("save-csv").addEventListener("click", () => t.save(file("csv"), t.chartCsv(), "text/csv"));
    find("copy-link").addEventListener("click", () => {
      t.saveState(state, false);
      t.copy(location.href, "Link to this view copied");
    });
    find("copy-embed").addEventListener("click", () => t.copy(t.embedCode(), "Code to embed this view copied"));
    find("copy-citation").hidden = !t.about.citation;
    find("copy-citation").addEventListener("click", () => t.copy(t.about.citation, "Citation copied"));
  }

  function closeMenus(except) {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!except || !menu.contains(except)) menu.open = false;
  }

  // "/" leads to the search, Escape closes a menu.
  function shortcut(event) {
    const typing = event.target.closest("input, select, textarea, dialog");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      document.body.classList.contains("filters-open") || getComputedStyle(find("filters")).display !== "none" || toggleFilters();
      find("search").focus();
    }
    const menu = event.key === "Escape" && event.target.closest("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  }

  // From the search: down to the first model found, Enter opens it, Escape clears.
  function searchKey(event) {
    if (event.key === "ArrowDown") document.querySelector("#table tbody a")?.focus();
    else if (event.key === "Enter" && state.q && chosen.rows.length) openModel(chosen.rows[0]);
    else if (event.key === "Escape" && state.q) apply("search", { q: "" });
    else return;
    event.preventDefault();
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
    t.setDay(state.asof);
    chosen = t.select(state);
    chosen.rows = t.sorted(chosen.rows, state.sort);
    t.showFilters(state, chosen.counts);
    showControls();
    t.showStory(chosen.rows, state);
    t.showSlider(state.asof);
    t.showChart(chosen.rows, chosen.context, state);
    t.showTable(chosen.rows, state);
    count();
  }

  function showControls() {
    for (const id of ["x", "y", "colour", "size"]) find(id).value = state[id];
    for (const id of ["intervals", "labels", "trend", "frontier", "tiers", "chips"]) find(id).checked = state[id];
    for (const id of ["xscale", "yscale"]) find(id).checked = state[id] === "linear";
    const axis = t.axisOf(state.y) || {};
    find("xscale").disabled = state.x === t.DATE;
    find("yscale").disabled = state.y === t.DATE;
    find("spans").hidden = state.x !== t.DATE;
    find("intervals-field").hidden = !(t.column[axis.low] && t.column[axis.high]);
    find("chips-field").hidden = !t.chips.length || state.x !== t.DATE;
    find("tiers-field").hidden = !t.about.tiers || state.y !== t.settings.axes[0].column || state.x !== t.DATE;
  }

  function count() {
    const shown = chosen.rows.length;
    let all = t.rows;
    if (t.isAbsent) for (let row = 0; row < t.rows; row += 1) all -= t.isAbsent(row) ? 1 : 0;
    find("count").textContent = `${shown.toLocaleString("en-US")} of ${t.many(all, "model")}`;
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

  t.state = () => state;
  t.chosenIds = () => chosen.rows.map((row) => t.column.model_id.values[row]);

  start();
})(window.traincompute);
