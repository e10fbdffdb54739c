// What a training run takes: the formulas of traincompute/planning, on the defaults of data/estimate.js, and the form.
"use strict";
{
  const { find, human, make } = traincompute;
  const NUMBERS = ["flop", "parameters", "active_parameters", "tokens", "epochs", "training_factor", "chips", "hours",
    "days", "utilization", "price_per_hour", "pue"];
  const SUFFIXES = { k: 1e3, m: 1e6, b: 1e9, t: 1e12, "%": 0.01 };
  // quantity: label, unit, and the samples that it rests on
  const SHOWN = {
    flop: ["Training compute", "FLOP", []],
    chip_hours: ["Chip-hours", "", ["utilization"]],
    days: ["Days", "", []],
    cost_usd: ["Cost", "USD", ["price_per_hour", "rent"]],
    energy_kwh: ["Energy", "kWh", ["draw", "pue"]],
    carbon_kg: ["Carbon", "kg", ["grams_per_kwh"]],
  };

  const first = (a, b) => (Number.isNaN(a) ? b : a);
  const spread = (sample) => (sample ? [Math.log10(sample[0] / sample[1]), Math.log10(sample[2] / sample[0])] : [0, 0]);
  const combined = (...spreads) => [0, 1].map((end) => Math.hypot(...spreads.map((each) => each[end])));
  const isGiven = (given, ...names) => names.some((name) => given[name] !== undefined);
  const isCounted = (given) =>
    isGiven(given, "flop") || (isGiven(given, "tokens") && isGiven(given, "parameters", "active_parameters"));
  const isTimed = (given) => isGiven(given, "chips") && isGiven(given, "hours", "days");

  /** The samples [value, low, high, basis] for the numbers that are not given, and the rate of the chip. */
  function assume(given, data) {
    const chip = data.chips[given.chip];
    const rate = chip?.rates[given.precision || "BF16"];
    if (!rate) return { samples: {}, peak: NaN, tdp: NaN };
    const place = data.regions[given.region || ""];
    const samples = { draw: chip.draw, grams_per_kwh: place.grams_per_kwh };
    if (!isGiven(given, "utilization") && !(isCounted(given) && isTimed(given))) samples.utilization = rate.utilization;
    if (!isGiven(given, "price_per_hour")) {
      Object.assign(samples, { price_per_hour: chip.price_per_hour, rent: chip.rent });
    }
    if (!isGiven(given, "pue")) samples.pue = place.pue;
    return { samples, peak: rate.peak, tdp: chip.tdp_w ?? NaN };
  }

  /** [value, low, high] of each quantity, NaN where it is not known, and the samples that they rest on. `given` has
   * numbers by name, chip, precision and region; the order of the products is that of formulas.py. */
  function estimate(given, data) {
    const row = Object.fromEntries(NUMBERS.map((name) => [name, given[name] ?? NaN]));
    const { samples, peak, tdp } = assume(given, data);
    const usual = (name) => samples[name]?.[0] ?? NaN;
    const counted = first(row.training_factor, 6) * first(row.active_parameters, row.parameters) * row.tokens
      * first(row.epochs, 1);
    const compute = first(row.flop, counted);
    const hourly = peak * 3600 * first(row.utilization, usual("utilization"));
    const worked = row.chips * first(row.hours, row.days * 24);
    const chipHours = first(worked, compute / hourly);
    const energy = chipHours * tdp * usual("draw") * first(row.pue, usual("pue")) / 1000;
    const values = {
      flop: first(compute, worked * hourly),
      chip_hours: chipHours,
      days: chipHours / row.chips / 24,
      cost_usd: chipHours * first(row.price_per_hour, usual("price_per_hour")),
      energy_kwh: energy,
      carbon_kg: energy * usual("grams_per_kwh") / 1000,
    };
    const rates = spread(samples.utilization);
    const hours = isTimed(given) ? [0, 0] : [rates[1], rates[0]]; // the faster, the fewer
    const ofEnergy = combined(hours, spread(samples.draw), spread(samples.pue));
    const spreads = {
      flop: isCounted(given) ? [0, 0] : rates,
      chip_hours: hours,
      days: hours,
      cost_usd: combined(hours, spread(samples.price_per_hour)),
      energy_kwh: ofEnergy,
      carbon_kg: combined(ofEnergy, spread(samples.grams_per_kwh)),
    };
    const ends = ([name, value]) => [name, [value, value * 10 ** -spreads[name][0], value * 10 ** spreads[name][1]]];
    return { ...Object.fromEntries(Object.entries(values).map(ends)), samples,
      utilization: values.flop / (chipHours * 3600 * peak) };
  }

  /** 70B, 15T, 1.5e13 or 40% as a number; NaN for anything else. */
  function read(text) {
    const [, number, suffix] = /^([\d.,]+(?:e[+-]?\d+)?)\s*([kmbt%]?)$/i.exec(text.trim()) ?? [];
    return Number(number?.replaceAll(",", "")) * (SUFFIXES[suffix?.toLowerCase()] ?? 1);
  }

  /** What the form says, and the names of fields that are no numbers. */
  function readForm(form) {
    const filled = [...new FormData(form)].filter(([, text]) => text.trim());
    const given = Object.fromEntries(filled.map(([name, text]) => [name, NUMBERS.includes(name) ? read(text) : text]));
    return { given, wrong: Object.keys(given).filter((name) => Number.isNaN(given[name])) };
  }

  function show(form, data) {
    const { given, wrong } = readForm(form);
    const made = estimate(given, data);
    const isImpossible = made.utilization > 1;
    find("#estimate-note").textContent = wrong.length ? `Not a number: ${wrong.join(", ").replaceAll("_", " ")}`
      : isImpossible ? "These chips cannot do that much in this time. Check the hours and the size."
      : Number.isNaN(made.flop[0]) ? "Enter parameters and tokens, or FLOP, or chips and hours." : "";
    find("#estimate-rows").replaceChildren(...Object.entries(SHOWN).map(([name, [label, unit, samples]]) => {
      const [value, low, high] = made[name];
      const isKnown = !wrong.length && !isImpossible && !Number.isNaN(value);
      const interval = isKnown && low < high ? `${human(low)} to ${human(high)}` : "";
      const basis = samples.map((sample) => made.samples[sample]?.[3]).filter(Boolean).join("; ");
      const cells = [label, isKnown ? `${human(value)} ${unit}` : "", interval, basis];
      return make("tr", {}, ...cells.map((text) => make("td", {}, text)));
    }));
  }

  Object.assign(traincompute, { estimate, readNumber: read });
  const form = window.document ? find("#estimate-form") : null; // the formulas are tested without a page
  if (form) {
    form.oninput = () => show(form, traincompute.estimateData);
    form.onsubmit = (event) => event.preventDefault();
    show(form, traincompute.estimateData);
  }
}
