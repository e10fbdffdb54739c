// What is shown, kept in the address behind #: a link holds the whole view. Only what differs from the default is written.
(function (t) {
  "use strict";
  const plain = ["q", "from", "to", "least", "most", "sort", "y", "colour", "model"];
  const switches = ["intervals", "labels"];

  t.defaults = function () {
    const axes = t.available("axes");
    return {
      q: "", from: "", to: "", least: "", most: "",
      y: axes.length ? axes[0].column : "",
      colour: (t.available("colours")[0] || { column: "" }).column,
      sort: axes.length ? `-${axes[0].column}` : "name",
      flags: Object.fromEntries(t.available("flags").map((flag) => [flag.column, flag.default || "any"])),
      facets: {},
      view: null, // [first day, last day] or [first day, last day, least log10, most log10]
      intervals: false, labels: true, model: "",
    };
  };

  t.readState = function (hash) {
    const state = t.defaults();
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    for (const key of plain) if (given.has(key)) state[key] = given.get(key);
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
    if (!t.available("axes").some((axis) => axis.column === state.y)) state.y = t.defaults().y;
    if (!t.available("colours").some((entry) => entry.column === state.colour)) state.colour = t.defaults().colour;
    if (!t.column[state.sort.replace(/^-/, "")]) state.sort = t.defaults().sort;
    return state;
  };

  t.writeState = function (state) {
    const usual = t.defaults();
    const given = new URLSearchParams();
    for (const key of plain) if (state[key] !== usual[key]) given.set(key, state[key]);
    for (const key of switches) if (state[key] !== usual[key]) given.set(key, state[key] ? "1" : "0");
    for (const [flag, value] of Object.entries(state.flags)) if (value !== usual.flags[flag]) given.set(flag, value);
    for (const [facet, chosen] of Object.entries(state.facets)) for (const item of chosen) given.append(facet, item);
    if (state.view) given.set("view", state.view.map((end) => Number(end.toFixed(3))).join(","));
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
