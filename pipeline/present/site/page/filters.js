// The filters: builds the form from the settings, shows the state in it, and tells of every change.
(function (t) {
  "use strict";
  const SHOWN = 8; // choices of a facet before "all" is asked for
  const { make, find } = t;
  let change;
  const facets = new Map();

  // Builds the form; `changed(part)` is called with what is to be put into the state.
  t.buildFilters = function (changed) {
    change = changed;
    const form = find("filters");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(searchField(), ...t.available("flags").map(flagField), computeField(), datesField());
    for (const facet of t.available("facets")) form.append(facetField(facet));
  };

  function searchField() {
    const input = make("input", { type: "search", id: "search", placeholder: "Model, lab, arXiv id  ( / )", autocomplete: "off", spellcheck: "false", "aria-keyshortcuts": "/",
      oninput: (event) => change({ q: event.target.value }) });
    return make("div", { className: "block" }, make("label", { for: "search" }, "Search"), input);
  }

  function flagField({ column, label }) {
    const radio = (value, text) => make("label", {}, make("input", { type: "radio", name: column, value,
      onchange: () => change({ flag: [column, value] }) }), make("span", {}, text));
    return make("fieldset", { className: "block flag" }, make("legend", {}, label),
      make("div", { className: "segments" }, radio("any", "any"), radio("yes", "yes"), radio("no", "no")));
  }

  function computeField() {
    const field = (key, label) => make("label", {}, make("span", {}, label), make("input", { type: "text", id: key, inputMode: "text", placeholder: key === "least" ? "1e23" : "1e26",
      autocomplete: "off", oninput: (event) => change({ [key]: event.target.value }) }));
    const marks = t.settings.thresholds.filter((mark) => mark.column === t.settings.axes[0].column);
    const presets = marks.map((mark) => make("button", { type: "button", title: `${mark.label}: ${mark.source}`, "aria-pressed": "false", "data-least": t.digits(mark.flop), onclick: (event) => {
        const value = event.currentTarget.dataset.least;
        change({ least: find("least").value === value ? "" : value });
      } }, `≥ ${t.power(Math.round(Math.log10(mark.flop)))}`));
    return make("fieldset", { className: "block" }, make("legend", {}, "Training compute [FLOP]"),
      make("div", { className: "pair" }, field("least", "at least"), field("most", "below")),
      make("div", { className: "presets" }, ...presets));
  }

  function datesField() {
    const field = (key, label) => make("label", { className: "inline" }, make("span", {}, label),
      make("input", { type: "date", id: key, min: "1940-01-01", max: "2100-01-01", onchange: (event) => change({ [key]: event.target.value }) }));
    return make("fieldset", { className: "block" }, make("legend", {}, "Published"), field("from", "from"), field("to", "to"));
  }

  function facetField({ column, label }) {
    const { names } = t.choices(t.column[column]);
    const badge = make("span", { className: "badge", hidden: true });
    const list = make("ul", { className: "choices", "aria-label": label });
    const more = make("button", { type: "button", className: "quiet", onclick: () => showAll(column) });
    const narrow = names.length > 2 * SHOWN ? make("input", { type: "search", "aria-label": `Find in ${label}`, placeholder: "Find …", autocomplete: "off",
      oninput: () => fill(column) }) : null;
    const body = make("details", { className: "block facet", id: `facet-${column}` }, make("summary", {}, label, badge), narrow, list, more);
    body.addEventListener("toggle", () => body.open && fill(column));
    facets.set(column, { body, badge, list, more, narrow, all: false, opened: new Set(), owners: column === "organizations" ? t.parents : {} });
    return body;
  }

  function showAll(column) {
    const facet = facets.get(column);
    facet.all = !facet.all;
    fill(column);
  }

  // The choices of an open facet: chosen ones first, then by number of models.
  function fill(column) {
    const facet = facets.get(column);
    if (!facet.body.open || !facet.counts) return;
    const { names } = t.choices(t.column[column]);
    const wanted = facet.narrow ? facet.narrow.value.trim().toLowerCase() : "";
    const chosen = new Set(facet.chosen);
    const isShown = (name) => (wanted ? t.word(name).toLowerCase().includes(wanted) : !facet.owners[name] || chosen.has(name));
    const order = names.map((_, number) => number).filter((number) => isShown(names[number])).sort((a, b) => chosen.has(names[b]) - chosen.has(names[a]) || facet.counts[b] - facet.counts[a] || (names[a] < names[b] ? -1 : 1));
    const shown = facet.all ? order : order.slice(0, Math.max(SHOWN, chosen.size));
    const focused = facet.list.contains(document.activeElement) ? document.activeElement.value : null;
    facet.list.replaceChildren(...shown.flatMap((number) => withLabs(column, number, chosen, wanted)));
    if (focused !== null) [...facet.list.querySelectorAll("input, button")].find((input) => input.value === focused)?.focus();
    facet.more.hidden = order.length <= SHOWN;
    facet.more.textContent = facet.all ? "Show fewer" : `Show all ${order.length}`;
  }

  // A choice and, where it is an organisation that owns others and is opened, these below it.
  function withLabs(column, number, chosen, wanted) {
    const facet = facets.get(column);
    const { names, place } = t.choices(t.column[column]);
    const owned = names.filter((name) => facet.owners[name] === names[number] && facet.counts[place.get(name)]);
    const item = (name, at) => choice(column, name, facet.counts[at], chosen.has(name));
    const own = item(names[number], number);
    if (!owned.length || wanted) return [own];
    const opened = facet.opened.has(names[number]);
    own.append(make("button", { type: "button", className: "labs", value: `labs of ${names[number]}`, "aria-expanded": String(opened), "aria-label": `Organisations that belong to ${names[number]}`,
      onclick: () => {
        facet.opened[opened ? "delete" : "add"](names[number]);
        fill(column);
      } }, opened ? "−" : `+${owned.length}`));
    const below = opened ? owned.filter((name) => !chosen.has(name)).sort((a, b) => facet.counts[place.get(b)] - facet.counts[place.get(a)]) : [];
    return [own, ...below.map((name) => { const one = item(name, place.get(name)); one.className = "lab"; return one; })];
  }

  function choice(column, name, count, checked) {
    const input = make("input", { type: "checkbox", value: name, checked, onchange: (event) => {
      const before = facets.get(column).chosen.filter((other) => other !== name);
      change({ facet: [column, event.target.checked ? [...before, name] : before] });
    } });
    const text = name === t.NONE ? "none given" : t.word(name);
    return make("li", {}, make("label", { className: count ? "" : "empty" }, input, make("span", { className: "what" }, text),
      make("span", { className: "many" }, count.toLocaleString("en-US"), make("span", { className: "sr-only" }, " models"))));
  }

  // Shows the state in the form; what is being typed stays as it is typed.
  t.showFilters = function (state, counts) {
    for (const [id, key] of [["search", "q"], ["least", "least"], ["most", "most"], ["from", "from"], ["to", "to"]]) {
      if (find(id).value !== state[key]) find(id).value = state[key];
    }
    for (const id of ["least", "most"]) {
      const wrong = state[id].trim() !== "" && t.number(state[id]) === null;
      find(id).setAttribute("aria-invalid", String(wrong));
    }
    for (const [flag, value] of Object.entries(state.flags)) {
      const radio = document.querySelector(`input[name="${flag}"][value="${value}"]`);
      if (radio && !radio.checked) radio.checked = true;
    }
    for (const button of document.querySelectorAll("[data-least]")) button.setAttribute("aria-pressed", String(button.dataset.least === state.least));
    for (const [column, facet] of facets) {
      facet.chosen = state.facets[column] || [];
      facet.counts = counts[column];
      facet.badge.textContent = facet.chosen.length || "";
      facet.badge.hidden = !facet.chosen.length;
      fill(column);
    }
  };
})(window.traincompute);
