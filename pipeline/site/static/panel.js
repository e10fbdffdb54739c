// What is pressed and typed: selects, ranges, facets, active filters, legend and search. Each changes the state.
"use strict";
{
  const { AXES, changed, COLOURS, core, DEFAULTS, FACETS, find, FLAGS, FLOP, list, make, models, say, set, state,
    wordsOf } = traincompute;
  const MOST_WORDS = 60; // of a facet
  const PAUSE = 90; // ms in which nothing is typed, then what was typed counts

  function buildControls() {
    const flags = { "": "any", yes: "yes", no: "no", unknown: "unknown" };
    const titles = Object.fromEntries(Object.entries(AXES).map(([column, [title]]) => [column, title]));
    const { publication_date: _, ...upwards } = titles;
    const days = Object.fromEntries(core.days.slice(1).map((day) => [day, day]));
    const options = { x: titles, y: upwards, colour: COLOURS, is_notable: flags, open_weights: flags,
      day: { "": "today", ...days } };
    for (const control of document.querySelectorAll("[data-key]:not([type=search])")) {
      const { key } = control.dataset;
      const offered = Object.entries(options[key] ?? {});
      control.append(...offered.map(([value, text]) => new Option(text, value)));
      control.onchange = () => {
        const value = control.type === "checkbox" ? (control.checked ? "1" : "") : control.value;
        set(key === "colour" ? { colour: value, group: "" } : { [key]: value });
      };
    }
    for (const field of document.querySelectorAll("[data-range]")) {
      const ends = [...field.querySelectorAll("input")];
      const { range: column } = field.dataset;
      field.onchange = () => {
        const text = ends.map((end) => end.value.trim()).join("..");
        set({ [column]: text === ".." ? "" : text });
      };
    }
    find("#facets").append(...Object.keys(FACETS).map(facet));
    buildSearch();
  }

  /** The words of a column with the number of models that have each; those that contain what is typed. */
  function facet(column) {
    const field = make("input", { type: "search", placeholder: "Find", "aria-label": `Find in ${FACETS[column]}` });
    const words = make("div", { className: "words", role: "group", "aria-label": FACETS[column] });
    const chosen = make("span", { className: "muted" });
    const details = make("details", { className: "facet" }, make("summary", {}, FACETS[column], chosen), field, words);
    async function show() {
      const wanted = list(state[column]);
      chosen.textContent = wanted.length ? ` ${wanted.map(say).join(", ")}` : "";
      if (!details.open) return;
      if (traincompute.isLater(column)) await traincompute.loadRest();
      const counted = models.filter((model) => state.is_notable !== "yes" || model.is_notable);
      const counts = d3.rollup(counted.flatMap((model) => wordsOf(model, column)), (some) => some.length, String);
      const shown = d3.sort([...counts], ([word]) => !wanted.includes(word), ([, count]) => -count)
        .filter(([word]) => say(word).toLowerCase().includes(field.value.toLowerCase()));
      words.replaceChildren(...shown.slice(0, MOST_WORDS).map(([word, count]) => {
        const others = wanted.filter((one) => one !== word);
        const box = make("input", { type: "checkbox", checked: wanted.includes(word),
          onchange: () => set({ [column]: (box.checked ? [...others, word] : others).join("|") }) });
        const number = make("span", { className: "muted" }, `${count}`);
        return make("label", { className: "check" }, box, ` ${say(word)} `, number);
      }));
    }
    details.ontoggle = field.oninput = details.show = show;
    return details;
  }

  /** Shows the state in all controls. */
  function showControls({ groups, counts }) {
    for (const control of document.querySelectorAll("[data-key]")) {
      const value = state[control.dataset.key];
      if (control.type === "checkbox") control.checked = Boolean(value);
      else if (control.type !== "search" || control !== document.activeElement) control.value = value;
    }
    for (const field of document.querySelectorAll("[data-range]")) {
      const ends = state[field.dataset.range].split("..");
      field.querySelectorAll("input").forEach((end, place) => { end.value = ends[place] ?? ""; });
    }
    find("[data-key=estimates]").parentElement.hidden = state.y !== FLOP;
    document.querySelectorAll(".facet").forEach((details) => details.show());
    showFilters();
    showLegend(groups, counts);
  }

  /** The active filters; a press takes one away. */
  function showFilters() {
    const names = { ...AXES, ...FACETS, ...FLAGS, q: "Search", group: "Group", day: "Listed on" };
    const active = changed().filter(([key]) => key in names);
    const button = (text, keys) => make("li", {}, make("button", { type: "button", "aria-label": `Remove ${text}`,
      onclick: () => set(Object.fromEntries(keys.map((key) => [key, DEFAULTS[key]]))) }, `${text} ×`));
    const words = (value) => {
      if (!value) return "any";
      return value.includes("..") ? value.replace("..", " – ") : list(value).map(say).join(", ");
    };
    find("#chips").replaceChildren(
      ...active.map(([key, value]) => button(`${[names[key]].flat()[0]}: ${words(value)}`, [key])),
      ...(active.length > 1 ? [button("All filters", active.map(([key]) => key))] : []),
    );
  }

  /** The groups of the colour; those that are pressed are shown alone. */
  function showLegend(groups, counts) {
    const chosen = list(state.group);
    const names = counts.has("Other") ? [...groups, "Other"] : groups;
    find("#legend").replaceChildren(...names.map((name, place) => {
      const isChosen = chosen.includes(name);
      const next = isChosen ? chosen.filter((one) => one !== name) : [...chosen, name];
      const number = make("span", { className: "muted" }, ` ${counts.get(name).toLocaleString("en-US")}`);
      return make("li", {}, make("button", { type: "button", "aria-pressed": `${isChosen}`,
        className: chosen.length && !isChosen ? "off" : "", onclick: () => set({ group: next.join("|") }) },
      traincompute.markOf(name === "Other" ? -1 : place), say(name), number));
    }));
  }

  /** Offers hits below a field, to be chosen by mouse or keys: `typed` gives those of a text, `choose` takes one. */
  function combobox(field, box, typed, choose) {
    let active = -1;
    let newest = 0;
    let waiting = 0;
    const attributes = { role: "combobox", "aria-controls": box.id, "aria-autocomplete": "list",
      "aria-expanded": "false" };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    function show(hits) {
      active = -1;
      field.removeAttribute("aria-activedescendant");
      box.hidden = !hits.length;
      field.setAttribute("aria-expanded", `${!box.hidden}`);
      box.replaceChildren(...hits.map((hit, place) => {
        const about = ` ${hit.kind === "model" ? "" : `${hit.kind}, `}${hit.about ?? ""}`;
        const onclick = (event) => {
          show([]);
          choose(hit, event);
        };
        const link = make("a", { href: hit.href, tabIndex: -1, onclick }, hit.name,
          make("span", { className: "muted" }, about));
        return make("li", { id: `${box.id}-${place}`, role: "option", "aria-selected": "false" }, link);
      }));
    }
    async function offer() {
      clearTimeout(waiting);
      const mine = newest += 1;
      const hits = await typed(field.value.trim());
      if (mine === newest) show(hits);
    }
    field.oninput = () => {
      clearTimeout(waiting);
      waiting = setTimeout(offer, PAUSE);
    };
    // a click on a hit comes first
    field.onblur = () => setTimeout(() => document.activeElement === field || show([]), 200);
    field.onkeydown = async (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step && event.key !== "Enter" && (event.key !== "Escape" || box.hidden)) return;
      event.preventDefault(); // else Enter would press the first button of the dialog
      if (event.key === "Escape") return void show([]);
      if (event.key === "Enter" && active < 0) await offer();
      const items = [...box.children];
      if (event.key === "Enter") return void items[Math.max(active, 0)]?.querySelector("a").click();
      active = (active + step + items.length) % items.length;
      items.forEach((item, place) => item.setAttribute("aria-selected", `${place === active}`));
      field.setAttribute("aria-activedescendant", `${box.id}-${active}`);
    };
  }

  /** The search: what is typed narrows the selection, a hit opens. */
  function buildSearch() {
    function typed(text) {
      if (text !== state.q) set({ q: text });
      return text ? traincompute.search(text) : [];
    }
    combobox(find("#search"), find("#hits"), typed, (hit, event) => {
      if (hit.kind !== "model" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      traincompute.openModels([traincompute.modelOf(hit)]);
    });
  }

  Object.assign(traincompute, { buildControls, combobox, showControls });
}
