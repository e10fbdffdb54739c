// The explorer: headline, note, dialog and downloads around the chart and the table. All follows from the state in
// data.js: a control changes it with set(), update() shows it.
"use strict";
{
  const { AXES, byId, changed, core, FACETS, find, FLAGS, FLOP, human, interval, isLater, iso, list, loadRest, make,
    models, openModels, power, range, save, select, set, SOURCES, state, tell, trendOf } = traincompute;
  const LAWS = [1e25, 1e23]; // the first that a known run of the selection reaches is told
  const many = (number, word) => `${number.toLocaleString("en-US")} ${word}${number === 1 ? "" : "s"}`;
  let shown = { rows: [], groups: [], counts: new Map() };

  // --- the headline
  /** "notable" or "all" where nothing else is filtered: then the published tables say growth and expected runs. */
  function scope() {
    const filters = changed().map(([key]) => key)
      .filter((key) => key in AXES || key in FACETS || key in FLAGS || ["q", "group", "day"].includes(key));
    if (!filters.length) return "notable";
    return filters.join() === "is_notable" && !state.is_notable ? "all" : null;
  }
  function growth(rows) {
    if (state[FLOP]) return ["–", "not shown, because a filter on compute biases growth"];
    const trend = core.trends[scope()] ?? trendOf(rows, FLOP);
    if (!trend) return ["–", "not shown: it needs eight published values over three years"];
    const first = Math.max(2010, new Date(Math.max(0, range("publication_date")[0])).getUTCFullYear());
    return [`${trend.growth_per_year.toFixed(1)}×`,
      `90 % interval: ${trend.growth_low.toFixed(1)}–${trend.growth_high.toFixed(1)}. Fitted to ${trend.n} runs `
      + `with a published value since ${first}${trend.selection_warning ? "; few recent runs have one" : ""}`];
  }
  function largest(known) {
    const model = d3.greatest(known, (a, b) => a[FLOP] - b[FLOP] || b.publication_date - a.publication_date);
    if (!model) return ["–", "none of these models has a value"];
    const open = (event) => {
      event.preventDefault();
      openModels([model]);
    };
    const link = make("a", { href: `model/${model.model_id}.html`, onclick: open }, model.name);
    const maker = [(model.organizations ?? ["unknown"])[0], iso(model.publication_date).slice(0, 7)].join(", ");
    const ends = model.training_compute_low === null ? "" : ` (90 % interval: ${interval(model)})`;
    return [`${human(model[FLOP])} FLOP`, link, `, ${maker}: ${SOURCES[model.training_compute_source]}${ends}`];
  }
  function above(rows, known, level) {
    const runs = new Set(known.filter((model) => model[FLOP] >= level && model.publication_date)
      .map((model) => model.training_run_id));
    const expected = core.expected.find((row) => row.scope === scope() && row.flop === level);
    if (expected) {
      return [`${runs.size} known`, `we expect ${Math.round(expected.expected_runs)} including undisclosed models `
        + `(90 % interval: ${expected.low_90}–${expected.high_90})`];
    }
    const others = rows.filter((model) => model[FLOP] === null && model.flop_95 >= level).length;
    return [`${runs.size} known`, `our 90 % interval reaches this level for ${many(others, "other model")}`];
  }
  function headline(rows) {
    const known = rows.filter((model) => model[FLOP] !== null);
    const ours = known.filter((model) => model.training_compute_source === "imputed").length;
    const guessed = rows.filter((model) => model[FLOP] === null && model.flop_50 !== null).length;
    const [first] = range("publication_date");
    find("#sentence").textContent = `Of ${many(rows.length, state.is_notable === "yes" ? "notable model" : "model")}`
      + `${first > 0 ? ` since ${new Date(first).getUTCFullYear()}` : ""}, `
      + `${(known.length - ours).toLocaleString("en-US")} have a published training compute, `
      + `${ours.toLocaleString("en-US")} have a value that we computed, and `
      + `${guessed.toLocaleString("en-US")} have only an estimated range.`;
    const level = LAWS.find((flop) => known.some((model) => model[FLOP] >= flop)) ?? LAWS[0];
    const law = core.thresholds.find(([flop]) => flop === level)?.[1];
    const figures = { "Growth per year": growth(rows), "Largest known run": largest(known),
      [`Runs of at least ${power(Math.log10(level))} FLOP (${law})`]: above(rows, known, level) };
    find("#figures").replaceChildren(...Object.entries(figures).map(([title, [figure, ...about]]) =>
      make("div", {}, make("dt", {}, title), make("dd", {}, make("b", {}, figure), make("span", {}, ...about)))));
  }

  /** What is drawn how, and what is not drawn. */
  function note({ rows }, { valued, guessed, ours, trend, isByValue }) {
    const missing = rows.length - valued - guessed;
    const undated = rows.filter((model) => !model.publication_date).length;
    const without = state.y !== FLOP ? AXES[state.y][0].toLowerCase() : state.estimates ? "value or estimate" : "value";
    find("#note").textContent = [
      guessed && "Bars: our 50 % and 90 % intervals for models without a value.", ours && "Hollow: computed by us.",
      missing && `Not shown: ${many(missing, "model")} without ${undated ? "a date or " : ""}${without}.`,
      state[FLOP] && state.estimates && "For models without a value, the filter uses the median of our estimate.",
      state.trend && isByValue && "No trend shown, because a filter on the values biases it.",
      trend && state.y !== FLOP && `Trend: ${trend.growth_per_year.toFixed(2)}× a year (90 % interval: `
        + `${trend.growth_low.toFixed(2)}–${trend.growth_high.toFixed(2)}).`,
      state.day && `Notable models and their compute are as Epoch AI listed them on ${state.day}. All other data are `
        + "current.",
    ].filter(Boolean).join(" ");
  }

  // --- the dialog: the page of a model, or several models side by side
  function showDialog() {
    const dialog = find("#dialog");
    if (dialog.dataset.shown === state.model) return;
    dialog.dataset.shown = state.model;
    const some = list(state.model).map((id) => byId.get(id)).filter(Boolean);
    if (!some.length) return void dialog.close();
    const title = some.map((model) => model.name).join(" and ");
    const page = `model/${some[0].model_id}.html`;
    dialog.replaceChildren(
      make("div", { className: "bar" }, comparison(some),
        make("a", { href: page, hidden: some.length > 1 }, "Open page"),
        make("button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×")),
      make("h2", { id: "dialog-title", className: some.length > 1 ? "" : "sr-only" }, title),
      some.length > 1 ? traincompute.sideBySide(some) : make("iframe", { src: page, title }),
    );
    if (!dialog.open) dialog.showModal();
  }
  /** A field that adds another model. */
  function comparison(some) {
    const title = "Compare with another model";
    const field = make("input", { type: "search", placeholder: "Compare with …", "aria-label": title });
    const box = make("ul", { id: "offers", role: "listbox", "aria-label": "Search results", hidden: true });
    const typed = async (text) => (text ? await traincompute.search(text, 40) : [])
      .filter((hit) => hit.kind === "model").slice(0, 6);
    traincompute.combobox(field, box, typed, (hit, event) => {
      event.preventDefault();
      openModels([...new Set([...some, traincompute.modelOf(hit)])]);
    });
    return make("div", { className: "search" }, field, box);
  }

  // --- downloads: of what is selected
  /** The rows as the table `models` names and writes them, with the quantiles of predictions. */
  function plainRows() {
    const cell = (value) => (value instanceof Date ? iso(value) : Array.isArray(value) ? value.join(";") : value);
    return d3.sort(shown.rows, (a, b) => (b[FLOP] ?? 0) - (a[FLOP] ?? 0)).map(({ row, isAbsent, ...model }) =>
      Object.fromEntries(Object.entries(model).map(([name, value]) => [name, cell(value)])));
  }
  async function savePng() {
    const svg = new Blob([traincompute.svgText()], { type: "image/svg+xml" });
    const image = make("img", { src: URL.createObjectURL(svg) });
    await image.decode();
    const picture = make("canvas", { width: image.width * 2, height: image.height * 2 });
    picture.getContext("2d").drawImage(image, 0, 0, picture.width, picture.height);
    picture.toBlob((blob) => save(blob, "traincompute.png"));
  }
  const SAVES = {
    csv: async () => {
      await loadRest();
      save(d3.csvFormat(plainRows()), "traincompute.csv", "text/csv");
    },
    svg: () => save(traincompute.svgText(), "traincompute.svg", "image/svg+xml"),
    png: savePng,
    link: () => tell(location.href),
    citation: () => tell(core.about.citation),
  };

  /** The columns that the selection, the chart, and a comparison need. */
  const needed = () => [state.x, state.y, state.colour, ...changed().map(([key]) => key),
    ...(state.model.includes("|") ? ["parameters"] : [])];
  async function update() {
    if (state.day !== traincompute.day) return void location.reload(); // another list of models
    if (needed().some(isLater)) await loadRest();
    if (state.q.trim()) await traincompute.loadIndex();
    shown = select();
    traincompute.showControls(shown);
    note(shown, traincompute.draw(shown));
    headline(shown.rows);
    find("#count").textContent = `${many(shown.rows.length, "model")} of ${models.length.toLocaleString("en-US")}`;
    traincompute.fill(shown.rows);
    showDialog();
  }

  async function start() {
    traincompute.update = update;
    traincompute.readAddress();
    traincompute.day = state.day;
    find("#filters").open = innerWidth > 900 || Boolean(state.day); // which was chosen there
    traincompute.buildControls();
    if (state.day) await traincompute.goBack(state.day);
    await new Promise((resolve) => { setTimeout(resolve); }); // what is pressed meanwhile is heard before the drawing
    await update();
    addEventListener("popstate", () => {
      traincompute.readAddress();
      update();
    });
    const canvas = find("#canvas");
    const isResized = () => canvas.clientWidth !== canvas.firstChild.clientWidth;
    new ResizeObserver(() => isResized() && note(shown, traincompute.draw(shown))).observe(canvas);
    find("#plot").onkeydown = traincompute.onKey;
    find("#dialog").onclose = () => state.model && set({ model: "" });
    for (const button of document.querySelectorAll("[data-zoom]")) {
      button.onclick = () => traincompute.zoomBy(Number(button.dataset.zoom));
    }
    for (const button of document.querySelectorAll("[data-save]")) button.onclick = SAVES[button.dataset.save];
    const table = new IntersectionObserver(async ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      table.disconnect();
      await loadRest();
      await traincompute.makeTable();
    });
    table.observe(find("#table"));
    document.body.dataset.ready = "1";
  }
  start();
}
