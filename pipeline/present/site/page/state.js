// What is shown, kept in the address behind #: a link holds the whole view. Only what differs from the default is written.
(function (t) {
  "use strict";
  const plain = ["q", "from", "to", "least", "most", "sort", "x", "y", "colour", "size", "xscale", "yscale", "asof", "model"];
  const switches = ["intervals", "labels", "trend", "frontier", "tiers", "chips", "embed"];
  const scales = ["log", "linear"];

  t.defaults = function () {
    const axes = t.available("axes");
    return {
      q: "", from: "", to: "", least: "", most: "",
      x: t.DATE, y: axes.length ? axes[0].column : t.DATE, size: "", xscale: "log", yscale: "log",
      colour: (t.available("colours")[0] || { column: "" }).column,
      sort: axes.length ? `-${axes[0].column}` : "name",
      flags: Object.fromEntries(t.available("flags").map((flag) => [flag.column, flag.default || "any"])),
      facets: {},
      view: null, // the ends across, or across and upwards: days, powers of ten, or values
      intervals: false, labels: true, trend: true, frontier: true, tiers: false, chips: false, embed: false, // embed: the chart alone
      asof: "", // the day of a vintage
      model: "",
    };
  };

  // The state that an address holds; t.unknown lists what it asks for and the dataset does not have.
  t.readState = function (hash) {
    const state = t.defaults();
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    t.unknown = [];
    for (const key of plain) if (given.has(key)) state[key] = given.get(key);
    for (const axis of ["x", "y"]) if (!given.has(`${axis}scale`)) state[`${axis}scale`] = t.usualScale(state[axis]);
    for (const key of switches) if (given.has(key)) state[key] = given.get(key) === "1";
    for (const flag of Object.keys(state.flags)) {
      if (["any", "yes", "no"].includes(given.get(flag))) state.flags[flag] = given.get(flag);
    }
    for (const facet of t.available("facets")) {
      if (given.has(facet.column)) state.facets[facet.column] = given.getAll(facet.column);
    }
    if (given.has("view")) {
      const ends = given.get("view").split(",").map(Number);
      if ([2, 4].includes(ends.length) && ends.every(Number.isFinite) && ends[0] < ends[1]) state.view = ends;
    }
    check(state);
    return state;
  };

  // Puts the default in place of what the dataset does not have, and notes it.
  function check(state) {
    const usual = t.defaults();
    const known = { x: t.axes(), y: t.axes(), size: t.available("axes"), colour: t.available("colours") };
    for (const [key, entries] of Object.entries(known)) {
      if (state[key] !== usual[key] && !entries.some((entry) => entry.column === state[key])) replace(state, key, usual, `a column “${state[key]}”`);
    }
    for (const key of ["xscale", "yscale"]) if (!scales.includes(state[key])) replace(state, key, usual, `a scale “${state[key]}”`);
    if (!t.column[state.sort.replace(/^-/, "")]) replace(state, "sort", usual, `a column “${state.sort.replace(/^-/, "")}”`);
    for (const [facet, chosen] of Object.entries(state.facets)) {
      const { place } = t.choices(t.column[facet]);
      for (const name of chosen) if (!place.has(name)) t.unknown.push(`“${name}” among its ${facet.replaceAll("_", " ")}`);
    }
    if (state.model && !t.rowOf.has(state.model)) replace(state, "model", usual, `a model “${state.model}”`);
  }

  function replace(state, key, usual, what) {
    t.unknown.push(what);
    state[key] = usual[key];
  }

  t.writeState = function (state) {
    const usual = { ...t.defaults(), xscale: t.usualScale(state.x), yscale: t.usualScale(state.y) };
    const given = new URLSearchParams();
    for (const key of plain) if (state[key] !== usual[key]) given.set(key, state[key]);
    for (const key of switches) if (state[key] !== usual[key]) given.set(key, state[key] ? "1" : "0");
    for (const [flag, value] of Object.entries(state.flags)) if (value !== usual.flags[flag]) given.set(flag, value);
    for (const [facet, chosen] of Object.entries(state.facets)) for (const item of chosen) given.append(facet, item);
    if (state.view) {
      const kinds = [t.scaleOf(state.x, state.xscale).kind, t.scaleOf(state.y, state.yscale).kind];
      given.set("view", state.view.map((end, i) => t.rounded(end, kinds[i >> 1])).join(","));
    }
    return given.toString();
  };

  // Puts the state into the address: as a new step of the history where a model opens, else in place.
  t.saveState = function (state, asStep) {
    const hash = `#${t.writeState(state)}`;
    if (hash === (location.hash || "#")) return;
    try {
      history[asStep ? "pushState" : "replaceState"](null, "", hash);
    } catch (error) {
      location.replace(hash); // browsers that allow no history to a page from disk
    }
  };
})(window.traincompute);
