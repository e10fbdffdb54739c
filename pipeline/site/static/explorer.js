// The explorer: filters, legend, headline, dialog and downloads around the chart and the table. Everything that is shown
// follows from the state in data.js; a control changes the state, update() shows it.
"use strict";
{
  const { AXES, COLOURS, FACETS, FLAGS, FLOP, DEFAULTS, byId, cellText, changed, core, find, groupOf, human, iso, list, load,
    make, models, power, range, say, select, set, state, wordsOf } = traincompute;
  const SOURCES = { reported: "its developer's figure", third_party: "a third party's estimate", corrected: "a figure that we corrected",
    imputed: "our estimate" };
  const many = (number, word) => `${number.toLocaleString("en-US")} ${word}${number === 1 ? "" : "s"}`;
  let lost = 0; // models of an older list that are gone today
  let shown = { rows: [], groups: [], counts: new Map() };

  /** What is known of a model's training compute, in one or two short lines. */
  function computeLines(model) {
    if (model[FLOP] !== null) {
      return [`${human(model[FLOP])} FLOP, ${SOURCES[model.training_compute_source] ?? ""}`,
        model.training_compute_low === null ? "" : `90 % interval ${traincompute.interval(model)}`].filter(Boolean);
    }
    if (model.flop_50 === null) return ["no published training compute, no estimate"];
    return ["no published training compute", `our estimate: ${traincompute.interval(model)} FLOP (90 %)`, `median ${human(model.flop_50)}`];
  }

  // --- the headline: a sentence, and growth, the largest run and the runs above a threshold
  function scope() {
    const keys = changed().map(([key]) => key).filter((key) => ["q", "open_weights", "publication_date", "is_notable", "group", "day",
      ...Object.keys(AXES), ...Object.keys(FACETS)].includes(key));
    if (!keys.length) return "notable";
    return keys.length === 1 && keys[0] === "is_notable" && state.is_notable === "" ? "all" : null;
  }
  function since() {
    const [low] = range("publication_date");
    return Number.isFinite(low) ? new Date(low).getUTCFullYear() : 1950;
  }
  function headline(rows) {
    const known = rows.filter((model) => model[FLOP] !== null);
    const ours = known.filter((model) => model.training_compute_source === "imputed").length;
    const guessed = rows.filter((model) => model[FLOP] === null && model.flop_50 !== null).length;
    const kind = state.is_notable === "yes" ? "notable model" : "model";
    find("#sentence").textContent = `Of ${many(rows.length, kind)}${since() > 1950 ? ` since ${since()}` : ""}, `
      + `${(known.length - ours).toLocaleString("en-US")} have a published training compute, ${ours.toLocaleString("en-US")} a value that we worked out,`
      + ` and ${guessed.toLocaleString("en-US")} only our interval.`;
    find("#figures").replaceChildren(...[growth(rows), largest(known), above(rows, known)].map(([title, figure, about]) =>
      make("div", {}, make("dt", {}, title), make("dd", {}, make("b", {}, figure), make("span", {}, about)))));
  }
  function growth(rows) {
    const fitted = state.y === FLOP ? traincompute.trendOf(rows) : null;
    const trend = (scope() && core.trends[scope()]) || fitted;
    if (state[FLOP] || !trend) {
      return ["Growth a year", "–", state[FLOP] ? "the filter on compute would decide it" : "fewer than eight published values, or less than three years"];
    }
    const warning = trend.selection_warning ? "; few of the newest publish one" : "";
    return ["Growth a year", `${trend.growth_per_year.toFixed(1)}×`, `90 %: ${trend.growth_low.toFixed(1)}–${trend.growth_high.toFixed(1)}, our line `
      + `through ${many(trend.n, "run")} with a published value since ${Math.max(2010, since())}${warning}`];
  }
  function largest(known) {
    const model = d3.greatest(known, (a, b) => a[FLOP] - b[FLOP] || b.publication_date - a.publication_date);
    if (!model) return ["Largest known run", "–", "none of them has a value"];
    const link = make("a", { href: `model/${model.model_id}.html`, textContent: model.name });
    link.addEventListener("click", (event) => { event.preventDefault(); openModels([model]); });
    const interval = model.training_compute_low === null ? "" : `; 90 %: ${traincompute.interval(model)}`;
    return ["Largest known run", `${human(model[FLOP])} FLOP`,
      make("span", {}, link, `, ${(model.organizations ?? [])[0] ?? ""}, ${iso(model.publication_date).slice(0, 7)}: ${SOURCES[model.training_compute_source]}${interval}`)];
  }
  function above(rows, known) {
    const levels = [1e25, 1e23];
    const level = levels.find((flop) => known.some((model) => model[FLOP] >= flop)) ?? 1e25;
    const runs = new Set(known.filter((model) => model[FLOP] >= level && model.publication_date).map((model) => model.training_run_id)).size;
    const expected = scope() && core.expected.find((row) => row.scope === scope() && row.flop === level);
    const most = rows.filter((model) => model[FLOP] === null && model.flop_95 >= level).length;
    const law = core.thresholds.find(([flop]) => flop === level)?.[1];
    return [`Runs of at least ${power(Math.log10(level))} FLOP (${law})`, `${runs} known`, expected
      ? `we expect ${Math.round(expected.expected_runs)} with those that publish nothing (90 %: ${expected.low_90}–${expected.high_90})`
      : `${many(most, "more model")} could be: our 90 % interval reaches it`];
  }

  // --- controls: each has a key of the state
  function fillSelects() {
    const options = { x: AXES, y: AXES, colour: COLOURS,
      is_notable: { "": "any", yes: "yes", no: "no" }, open_weights: { "": "any", yes: "yes", no: "no", unknown: "unknown" },
      day: { "": "today", ...Object.fromEntries(core.days.slice(1).map((day) => [day, day])) } };
    for (const element of document.querySelectorAll("select[data-key]")) {
      const { key } = element.dataset;
      element.replaceChildren(...Object.entries(options[key]).filter(([value]) => !(key === "y" && value === "publication_date"))
        .map(([value, text]) => new Option(Array.isArray(text) ? text[0] : text, value)));
      element.addEventListener("change", () => set({ [key]: element.value, ...(key === "colour" ? { group: "" } : {}) }));
    }
    for (const element of document.querySelectorAll("input[data-key][type=checkbox]")) {
      element.addEventListener("change", () => set({ [element.dataset.key]: element.checked ? "1" : "" }));
    }
    for (const field of document.querySelectorAll("[data-range]")) {
      const ends = [...field.querySelectorAll("input")];
      field.addEventListener("change", () => set({ [field.dataset.range]: ends.some((end) => end.value) ? ends.map((end) => end.value).join("..") : "" }));
    }
  }
  function showControls() {
    for (const element of document.querySelectorAll("[data-key]")) {
      const value = state[element.dataset.key];
      if (element.type === "checkbox") element.checked = Boolean(value);
      else if (element !== document.activeElement || element.type !== "search") element.value = value;
    }
    for (const field of document.querySelectorAll("[data-range]")) {
      const ends = state[field.dataset.range].split("..");
      field.querySelectorAll("input").forEach((end, place) => { end.value = ends[place] ?? ""; });
    }
    find("[data-key=estimates]").parentElement.hidden = state.y !== FLOP;
  }

  /** A list of the words of a column with how many selected models have each, filtered by a field above it. */
  function facet(column) {
    const box = make("div", { className: "words", role: "group", "aria-label": FACETS[column] });
    const field = make("input", { type: "search", placeholder: "Find", oninput: showWords });
    field.setAttribute("aria-label", `Find in ${FACETS[column]}`);
    const details = make("details", { className: "facet", ontoggle: showWords }, make("summary", {}, FACETS[column], make("span", { className: "muted" })), field, box);
    details.dataset.facet = column;
    function showWords() {
      const chosen = list(state[column]);
      details.querySelector("span").textContent = chosen.length ? ` ${chosen.map(say).join(", ")}` : "";
      if (!details.open) return;
      const counts = d3.rollup(models.filter((model) => !state.is_notable || model.is_notable === (state.is_notable === "yes"))
        .flatMap((model) => wordsOf(model, column)), (some) => some.length, (word) => word);
      const asked = field.value.toLowerCase();
      const words = d3.sort([...counts], ([word]) => !chosen.includes(word), ([, count]) => -count)
        .filter(([word]) => say(word).toLowerCase().includes(asked)).slice(0, 60);
      box.replaceChildren(...words.map(([word, count]) => make("label", { className: "check" },
        make("input", { type: "checkbox", checked: chosen.includes(word), onchange: ({ target }) => set({ [column]:
          (target.checked ? [...list(state[column]), word] : list(state[column]).filter((other) => other !== word)).join("|") }) }),
        ` ${say(word)} `, make("span", { className: "muted" }, String(count)))));
    }
    details.showWords = showWords;
    return details;
  }

  /** The active filters; each can be taken away. */
  function chips() {
    const names = { ...AXES, ...FACETS, ...FLAGS, q: "Search", group: "Shown", day: "As listed on" };
    const filters = changed().filter(([key]) => key in names);
    const texts = filters.map(([key, value]) => `${[names[key]].flat()[0]}: ${!value ? "any" : value.includes("..") ? value.replace("..", " – ")
      : list(value).map(say).join(", ")}`);
    const drop = filters.map(([key]) => ({ [key]: DEFAULTS[key] }));
    const button = (text, change) => make("li", {}, make("button", { type: "button", onclick: () => set(change), "aria-label": `Remove ${text}` }, text, " ×"));
    find("#chips").replaceChildren(...texts.map((text, place) => button(text, drop[place])),
      ...(texts.length > 1 ? [button("All filters", Object.assign({}, ...drop))] : []));
  }

  function legend({ groups, counts }) {
    const chosen = list(state.group);
    const names = [...groups, ...(counts.has("Other") ? ["Other"] : [])];
    find("#legend").replaceChildren(...names.map((name) => {
      const place = groups.indexOf(name);
      const others = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
      const button = make("button", { type: "button", "aria-pressed": String(chosen.includes(name)), onclick: () => set({ group: others.join("|") }) },
        make("span", { className: "mark" }), say(name), make("span", { className: "muted" }, ` ${counts.get(name).toLocaleString("en-US")}`));
      button.classList.toggle("off", chosen.length > 0 && !chosen.includes(name));
      button.firstChild.style.background = `var(--group-${place < 0 ? "other" : place})`;
      return make("li", {}, button);
    }));
  }

  /** What is drawn how, and what is not drawn. */
  function note({ rows }, drawn) {
    const missing = rows.length - drawn.valued - drawn.guessed;
    const undated = rows.filter((model) => !model.publication_date).length;
    const why = state.y !== FLOP ? `have no ${AXES[state.y][0].toLowerCase()}` : state.estimates ? "have neither value nor estimate" : "have no value (estimates are switched off)";
    find("#note").textContent = [
      drawn.guessed ? "Bars: our 50 % and 90 % intervals of models without a value." : "", drawn.ours ? "Hollow: our value." : "",
      missing ? `Not drawn: ${many(missing, "model")}, which ${undated && state.x === "publication_date" ? `have no date (${undated}) or ` : ""}${why}.` : "",
      drawn.isByValue && state.trend ? "No trend: the filter on compute picks the values." : "",
      drawn.trend && state.y !== FLOP ? `Trend: ${drawn.trend.growth_per_year.toFixed(2)}× a year (90 %: ${drawn.trend.growth_low.toFixed(2)}–${drawn.trend.growth_high.toFixed(2)}).` : "",
      state.day ? `Notable models and published compute as Epoch AI listed them on ${state.day}; the rest is of today.${lost ? ` ${many(lost, "model")} of that list have no row today.` : ""}` : "",
    ].filter(Boolean).join(" ");
  }

  // --- the dialog: the top of the page of one model, or several side by side
  function openModels(some) {
    set({ model: some.map((model) => model.model_id).join("|") });
  }
  const FACTS = ["organizations", "publication_date", "domains", "countries", "open_weights", "parameters", "training_tokens", "hardware",
    "training_cost_usd", "training_energy_kwh", "base_model_id"];
  const NAMES = { organizations: "Organisation", domains: "Domain", countries: "Country", hardware: "Chips", base_model_id: "Made from", open_weights: "Open weights" };
  function showDialog() {
    const some = list(state.model).map((id) => byId.get(id)).filter(Boolean);
    const dialog = find("#dialog");
    if (!some.length) return dialog.open && dialog.close();
    const row = (title, cells) => make("tr", {}, make("th", { scope: "row" }, title), ...cells.map((cell) => make("td", {}, ...[cell].flat())));
    const compute = some.map((model) => computeLines(model).map((text, place) => make(place ? "div" : "strong", {}, text)));
    const facts = FACTS.filter((column) => some.some((model) => cellText(model[column]))).map((column) =>
      row(NAMES[column] ?? AXES[column].filter(Boolean).join(", "), some.map((model) => cellText(model[column]))));
    const field = make("input", { type: "search", placeholder: "Compare with …", oninput: offer });
    field.setAttribute("aria-label", "Compare with another model");
    const offers = make("ul", { className: "offers" });
    async function offer() {
      const hits = (await traincompute.search(field.value, 40)).filter((hit) => hit.kind === "model" && !some.includes(byId.get(hit.id))).slice(0, 6);
      offers.replaceChildren(...hits.map((hit) => make("li", {}, make("button", { type: "button", onclick: () => openModels([...some, byId.get(hit.id)]) },
        hit.name, make("span", { className: "muted" }, ` ${hit.about}`)))));
    }
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      offers.querySelector("button")?.click();
    });
    dialog.replaceChildren(
      make("button", { type: "button", className: "close", "aria-label": "Close", onclick: () => dialog.close() }, "×"),
      make("h2", { id: "dialog-title" }, some.map((model) => model.name).join(" and ")),
      make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Facts" }, make("table", {}, make("thead", {}, row("", some.map((model) => make("a", { href: `model/${model.model_id}.html` }, "Every number with its source"))))
        , make("tbody", {}, row("Training compute", compute), ...facts))), field, offers);
    if (!dialog.open) dialog.showModal();
  }

  // --- the search: what is typed narrows the selection; a hit opens
  function buildSearch() {
    const field = find("#search");
    const box = find("#hits");
    let active = -1;
    let asked = 0;
    const close = () => { box.hidden = true; active = -1; field.setAttribute("aria-expanded", "false"); field.removeAttribute("aria-activedescendant"); };
    async function offer() {
      const mine = asked += 1;
      set({ q: field.value });
      const isFirst = !traincompute.index;
      const hits = field.value.trim() ? await traincompute.search(field.value) : [];
      if (mine !== asked) return;
      if (isFirst && hits.length) traincompute.update(); // now by all names
      box.replaceChildren(...hits.map((hit, place) => make("li", { id: `hit-${place}`, role: "option", "aria-selected": "false" },
        make("a", { href: hit.href, tabIndex: -1, onclick: (event) => open(event, hit) }, hit.name, make("span", { className: "muted" }, ` ${hit.kind === "model" ? "" : `${hit.kind} · `}${hit.about ?? ""}`)))));
      active = -1;
      box.hidden = !hits.length;
      field.setAttribute("aria-expanded", String(!box.hidden));
    }
    function open(event, hit) {
      close();
      if (hit.kind !== "model" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      openModels([byId.get(hit.id)]);
    }
    field.addEventListener("input", offer);
    field.addEventListener("blur", () => setTimeout(close, 200));
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && !box.hidden) {
        active = (active + step + box.children.length) % box.children.length;
        [...box.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === active)));
        field.setAttribute("aria-activedescendant", `hit-${active}`);
        event.preventDefault();
      } else if (event.key === "Enter" && box.children.length) {
        event.preventDefault(); // or the dialog's first button would get the key
        box.children[Math.max(active, 0)].querySelector("a").click();
      }
      if (event.key === "Escape") close();
    });
  }

  // --- downloads
  const HIDDEN = new Set(["row", "isAbsent"]);
  const plainCell = (value) => (value instanceof Date ? iso(value) : Array.isArray(value) ? value.join(";") : value ?? "");
  const plainRow = (model) => Object.fromEntries(Object.entries(model).filter(([name]) => !HIDDEN.has(name)).map(([name, value]) => [name, plainCell(value)]));
  const sorted = () => d3.sort(shown.rows, (a, b) => (b[FLOP] ?? 0) - (a[FLOP] ?? 0));
  const SAVES = {
    csv: () => new Blob([d3.csvFormat(sorted().map(plainRow))], { type: "text/csv" }),
    json: () => new Blob([JSON.stringify(sorted().map((model) => ({ ...model, row: undefined, publication_date: iso(model.publication_date) || null })), null, 1)], { type: "application/json" }),
    svg: () => new Blob([traincompute.svgText()], { type: "image/svg+xml" }),
    async png() {
      const image = Object.assign(new Image(), { src: URL.createObjectURL(SAVES.svg()) });
      await image.decode();
      const picture = make("canvas", { width: image.width * 2, height: image.height * 2 });
      picture.getContext("2d").drawImage(image, 0, 0, picture.width, picture.height);
      return new Promise((resolve) => { picture.toBlob(resolve); });
    },
    link: () => location.href,
    citation: () => core.about.citation,
  };
  async function save(kind) {
    await load("data/more.js");
    const made = await SAVES[kind]();
    if (made instanceof Blob) return make("a", { href: URL.createObjectURL(made), download: `traincompute.${kind}` }).click();
    await navigator.clipboard?.writeText(made).catch(() => null);
    find("#toast").textContent = `Copied: ${made}`;
    return setTimeout(() => { find("#toast").textContent = ""; }, 4000);
  }

  function update() {
    const begun = performance.now();
    if (state.day !== traincompute.day) return location.reload(); // another list of models
    showControls();
    shown = select();
    legend(shown);
    note(shown, traincompute.draw(shown));
    headline(shown.rows);
    chips();
    find("#count").textContent = `${many(shown.rows.length, "model")} of ${models.length.toLocaleString("en-US")}`;
    document.querySelectorAll(".facet").forEach((details) => details.showWords());
    traincompute.fill(shown.rows);
    showDialog();
    (traincompute.timings ??= []).push(performance.now() - begun);
    return undefined;
  }

  async function start() {
    Object.assign(traincompute, { computeLines, openModels, update });
    traincompute.readAddress();
    traincompute.day = state.day;
    find("#filters").open = innerWidth > 900;
    fillSelects();
    find("#facets").append(...Object.keys(FACETS).map(facet));
    buildSearch();
    if (state.day) lost = await traincompute.goBack(state.day);
    update();
    document.body.dataset.drawn = "1";
    const redraw = () => { traincompute.readAddress(); update(); };
    addEventListener("popstate", redraw);
    new ResizeObserver(() => note(shown, traincompute.draw(shown))).observe(find("#canvas"));
    find("#plot").addEventListener("keydown", traincompute.onKey);
    find("#dialog").addEventListener("close", () => state.model && set({ model: "" }));
    for (const button of document.querySelectorAll("[data-zoom]")) button.onclick = () => traincompute.zoomBy(Number(button.dataset.zoom));
    for (const button of document.querySelectorAll("[data-save]")) button.onclick = () => save(button.dataset.save);
    await new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); }); // the chart is painted
    await load("data/more.js");
    traincompute.addColumns(traincompute.more);
    await traincompute.makeTable();
    if (![state.x, state.y].every((column) => column in core.columns) || changed().some(([key]) => key in FACETS || key in AXES)) update();
    document.body.dataset.ready = "1";
  }
  start();
}
