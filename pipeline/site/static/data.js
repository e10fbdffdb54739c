// The models of the explorer, what is selected of them (the state, which is the address), and the line through them.
"use strict";
window.traincompute ??= {};
{
  const { core, flag, load } = traincompute;
  const DAY = 86_400_000;
  const FLOP = "training_compute_flop";
  // column: what it is called, and its unit
  const AXES = {
    publication_date: ["Published", ""],
    [FLOP]: ["Training compute", "FLOP"],
    parameters: ["Parameters", ""],
    training_tokens: ["Training tokens", ""],
    training_cost_usd: ["Training cost", "USD"],
    training_energy_kwh: ["Training energy", "kWh"],
    training_power_w: ["Training power", "W"],
    training_carbon_kg: ["Carbon emitted", "kg"],
    hardware_quantity: ["Chips", ""],
    training_hours: ["Training time", "h"],
    chip_hours: ["Chip-hours", ""],
    dataset_size: ["Dataset size", ""],
    capability_index: ["Capability index", ""],
  };
  const COLOURS = { domains: "Domain", organizations: "Organisation", countries: "Country",
    training_compute_source: "Source of the figure", open_weights: "Open weights" };
  const FACETS = { domains: "Domain", organizations: "Organisation", countries: "Country",
    training_compute_source: "Source of the figure", accessibility: "Access", training_compute_method: "Method" };
  const FLAGS = { is_notable: "Notable", open_weights: "Open weights" };
  const SOURCES = { reported: "reported by the developer", third_party: "estimated by a third party",
    corrected: "corrected by us", imputed: "our estimate" };
  const DEFAULTS = { q: "", is_notable: "yes", open_weights: "", publication_date: "2010-01-01..", [FLOP]: "",
    day: "", x: "publication_date", y: FLOP, colour: "domains", group: "", estimates: "1", intervals: "", trend: "1",
    records: "1", thresholds: "1", model: "",
    ...Object.fromEntries([...Object.keys(AXES).slice(2), ...Object.keys(FACETS)].map((name) => [name, ""])) };

  const models = Array.from({ length: core.rows }, (_, row) => ({ row }));
  /** Adds columns as explorer.py packs them: numbers as one text, alone or as multiples of another; or a list. */
  function addColumns(columns) {
    for (const [name, packed] of Object.entries(columns)) {
      const whole = (cell, row) => packed.of && cell[0] !== "="
        ? Number((models[row][packed.of] * Number(cell)).toPrecision(4)) : Number(cell.replace("=", ""));
      const cells = Array.isArray(packed) ? packed
        : (packed.multiples ?? packed).split(",").map((cell, row) => (cell === "" ? null : whole(cell, row)));
      cells.forEach((cell, row) => { models[row][name] = cell; });
    }
  }
  addColumns(core.columns);
  const slug = (name) => name.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^-|-$/g, "");
  for (const model of models) {
    model.model_id ||= slug(model.name);
    if (model.training_run_id === 0) model.training_run_id = model.model_id; // an agent that trained nothing has none
    model.publication_date = model.publication_date === null ? null : new Date(model.publication_date * DAY);
  }
  /** Whether the column comes with data/more.js, which is loaded once something needs it. */
  const isLater = (column) => column in AXES || column in FACETS ? !(column in models[0]) : false;
  async function loadRest() {
    await load("data/more.js");
    if (isLater("parameters")) addColumns(traincompute.more);
  }
  const byId = new Map(models.map((model) => [model.model_id, model]));

  // --- the state: a text for each key; what differs from DEFAULTS is in the address
  const state = { ...DEFAULTS };
  const list = (text) => (text ? text.split("|") : []);
  function readAddress() {
    const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    for (const key of Object.keys(DEFAULTS)) state[key] = asked[key] ?? DEFAULTS[key];
    if (!AXES[state.x]) state.x = DEFAULTS.x;
    if (!AXES[state.y]) state.y = DEFAULTS.y;
    if (!COLOURS[state.colour]) state.colour = DEFAULTS.colour;
  }
  const changed = () => Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]);
  const address = () => `#${new URLSearchParams(changed())}`;
  let last = { key: "", at: 0 };
  /** Changes the state; typing on in the same field makes no new entry of the history. */
  function set(change) {
    const key = Object.keys(change).join();
    const goesOn = ["q", "publication_date", FLOP].includes(key) && key === last.key && Date.now() - last.at < 2000;
    last = { key, at: Date.now() };
    Object.assign(state, change);
    history[goesOn ? "replaceState" : "pushState"](null, "", address());
    traincompute.update();
  }

  /** Shows the page of a model, or several models side by side. */
  const openModels = (some) => set({ model: some.map((model) => model.model_id).join("|") });

  // --- the selection
  /** The words of a facet or colour that a model has. */
  function wordsOf(model, column) {
    const value = model[column];
    if (column in FLAGS) return [flag(value)];
    if (Array.isArray(value) && value.length) return value;
    return [value === null || value === undefined ? "none" : value];
  }
  /** Both ends of a range as numbers: "1e23..1e25", "2020-01-01..", "". */
  function range(column, text = state[column]) {
    const [low, high] = (text || "..").split("..");
    const number = (end, open) => {
      const value = column === "publication_date" ? Date.parse(end) : Number(end || NaN);
      return Number.isNaN(value) ? open : value;
    };
    return [number(low, -Infinity), number(high, Infinity)];
  }
  /** Where a model stands: its value, or for training compute the median of its estimate, if those are shown. */
  function at(model, column) {
    const value = model[column];
    if (value !== null && value !== undefined) return value;
    return column === FLOP && state.estimates ? model.flop_50 : null;
  }
  let groups = [];
  const groupOf = (model) => {
    const [word] = wordsOf(model, state.colour);
    return groups.includes(word) ? word : "Other";
  };
  /** The seven commonest groups of the colour (the first word of a model counts), their counts, the selected models. */
  function select() {
    const named = state.q.trim() ? traincompute.matching(state.q) : null;
    const asked = (columns) => Object.keys(columns).filter((column) => state[column]);
    const words = [...asked(FLAGS), ...asked(FACETS)].map((column) => [column, list(state[column])]);
    const ranges = asked(AXES).map((column) => [column, ...range(column)]);
    const before = models.filter((model) =>
      !model.isAbsent
      && (!named || named.has(model))
      && words.every(([column, wanted]) => wordsOf(model, column).some((word) => wanted.includes(word)))
      && ranges.every(([column, low, high]) => {
        const value = at(model, column);
        return value !== null && value >= low && value <= high;
      })
    );
    const commonest = d3.rollup(before, (part) => part.length, (model) => wordsOf(model, state.colour)[0]);
    groups = d3.sort([...commonest], ([, count]) => -count).map(([word]) => word)
      .filter((word) => word !== "none" && word !== "Other").slice(0, 7);
    const chosen = list(state.group);
    const rows = chosen.length ? before.filter((model) => chosen.includes(groupOf(model))) : before;
    return { groups, counts: d3.rollup(before, (part) => part.length, groupOf), rows };
  }

  // --- time travel: undoes the changes of the list of notable models since a day
  async function goBack(day) {
    await load("data/vintages.js");
    for (const [until, row, field, old] of traincompute.vintages.filter(([until]) => until > day)) {
      const model = models[row];
      if (!model) continue; // it has no row today
      if (field === "n") model.is_notable = old === "record_removed";
      else Object.assign(model, { [FLOP]: typeof old === "number" ? old : null, training_compute_low: null,
        training_compute_high: null, training_compute_source: typeof old === "number" ? "third_party" : null });
    }
    for (const model of models) model.isAbsent = model.publication_date > new Date(day);
  }

  // --- growth: least squares of log10 on years through the first model of each training run, without our estimates
  const YEAR = 365.2425 * DAY;
  const Z90 = 1.6448536269514722;
  const SINCE = Date.UTC(2010);
  const FEWEST = 8; // runs, over at least three years, as in the table trends
  function trendOf(rows, column = state.y) {
    const firsts = new Map();
    for (const model of rows) {
      const value = model[column];
      const isOurs = column === FLOP && model.training_compute_source === "imputed";
      if (!(value > 0) || isOurs || !model.training_run_id || !(model.publication_date >= SINCE)) continue;
      const run = firsts.get(model.training_run_id);
      if (!run || model.publication_date < run.publication_date) firsts.set(model.training_run_id, model);
    }
    const points = [...firsts.values()].map((model) => [model.publication_date / YEAR, Math.log10(model[column])]);
    const [first, final] = d3.extent(points, ([x]) => x);
    if (points.length < FEWEST || final - first < 3) return null;
    const [mx, my] = [d3.mean(points, ([x]) => x), d3.mean(points, ([, y]) => y)];
    const sxx = d3.sum(points, ([x]) => (x - mx) ** 2);
    const slope = d3.sum(points, ([x, y]) => (x - mx) * (y - my)) / sxx;
    const variance = d3.sum(points, ([x, y]) => (y - my - slope * (x - mx)) ** 2) / (points.length - 2);
    const line = d3.range(41).map((step) => {
      const x = first + (final - first) * step / 40;
      const y = my + slope * (x - mx);
      const half = Z90 * Math.sqrt(variance * (1 / points.length + (x - mx) ** 2 / sxx));
      return { x: new Date(x * YEAR), y: 10 ** y, low: 10 ** (y - half), high: 10 ** (y + half) };
    });
    const half = Z90 * Math.sqrt(variance / sxx);
    return { line, n: points.length, growth_per_year: 10 ** slope, growth_low: 10 ** (slope - half),
      growth_high: 10 ** (slope + half) };
  }

  Object.assign(traincompute, { AXES, COLOURS, FACETS, FLAGS, FLOP, DEFAULTS, addColumns, at, byId, changed, goBack,
    groupOf, isLater, list, loadRest, models, openModels, range, readAddress, select, set, SOURCES, state, trendOf,
    wordsOf });
}
