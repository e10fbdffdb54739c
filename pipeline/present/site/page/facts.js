// One page for everything that has a name: #model=ID, #organization=NAME, #chip=ID, #country=NAME, #source=ID, and
// #compare=ID,ID for models side by side.
(function (t) {
  "use strict";
  const { find, make } = t;
  const kinds = { model: t.showModelPage, organization: t.showOrganization, chip: t.showChip, country: t.showCountry, source: t.showSource, compare: t.showComparison };
  const names = { model: "model", organization: "organisation", chip: "chip", country: "country", source: "source" };
  let turn = 0;

  t.section = (title, content) => make("section", {}, make("h2", {}, title), content);
  t.folded = (title, content) => make("details", {}, make("summary", {}, make("h2", {}, title)), content);
  t.scrolled = (picture) => make("div", { className: "picture", tabIndex: 0, role: "region", "aria-label": "Picture" }, picture);
  t.modelLink = (row) => make("a", { href: t.pageOf("model", t.cellOf("model_id", row)) }, t.cellOf("name", row));
  t.sqlLink = (query) => make("a", { href: `sql.html#${new URLSearchParams({ q: query })}` }, "The same in SQL");

  function start() {
    if (!t.columns || !t.records) {
      find("failure").textContent = "data/models.js or data/records.js is missing or damaged: write the folder again with `traincompute site`.";
      find("failure").hidden = false;
      return;
    }
    find("tagline").textContent = `${t.rows.toLocaleString("en-US")} models · version ${t.about.version}`;
    const asked = [...new Set(t.sources.map((source) => source.attribution).filter(Boolean))];
    find("foot").append(make("p", {}, "Data: ", make("a", { href: "https://creativecommons.org/licenses/by/4.0/", rel: "license noopener noreferrer" }, "CC BY 4.0"), `. From ${asked.join("; ")}.`));
    t.buildFinder(() => (wanted()[0] === "compare" ? wanted()[1].split(",").filter((id) => t.rowOf.has(id)) : null));
    document.querySelector("[data-skip]").addEventListener("click", (event) => {
      event.preventDefault(); // the address holds what is shown
      find("content").focus();
    });
    window.addEventListener("hashchange", open);
    open();
    document.body.dataset.ready = "1";
  }

  // [kind, id] that the address asks for.
  function wanted() {
    const given = new URLSearchParams(location.hash.slice(1));
    return [...given].find(([kind]) => Object.hasOwn(kinds, kind)) || [null, ""];
  }

  async function open() {
    const [kind, id] = wanted();
    const mine = (turn += 1);
    const page = kind ? await Promise.resolve(kinds[kind](id)).catch(damaged) : index();
    if (mine === turn) show(page || missing(kind, id), kind);
  }

  function show({ title, parts }, kind) {
    document.title = `${title} · traincompute`;
    find("content").replaceChildren(make("p", { className: "kind" }, names[kind] || ""), make("h1", {}, title), ...parts.filter(Boolean));
    find("content").dataset.shown = location.hash;
    window.scrollTo(0, 0);
  }

  const damaged = (error) => ({ title: "Not to be read", parts: [make("p", { className: "notice", role: "alert" }, `${error.message}; is the folder complete?`)] });

  // An id that the dataset does not have, with what is called like it.
  function missing(kind, id) {
    const near = (t.pagesNamed(id, [kind]).length ? t.pagesNamed(id, [kind]) : t.pagesNamed(id.replaceAll(/[-_]/g, " "))).slice(0, 8);
    return { title: "Not in the dataset", parts: [
      make("p", { className: "notice", role: "alert" }, `The dataset has no ${names[kind]} “${id}”.`),
      near.length ? make("p", {}, "Similar: ", ...near.flatMap((entry, number) => [number ? ", " : "", make("a", { href: t.pageOf(entry.kind, entry.id) }, entry.name)])) : null,
    ] };
  }

  function index() {
    const largest = t.largestFirst(Array.from({ length: t.rows }, (_, row) => row)).slice(0, 12);
    const labs = [...t.rowsOf("organizations")].sort((a, b) => b.models - a.models).slice(0, 24).map((row) => row.organization);
    const list = (title, links) => t.section(title, make("ul", { className: "many" }, ...links.map((link) => make("li", {}, link))));
    return { title: "Pages", parts: [
      list("Largest models", largest.map(t.modelLink)),
      list("Organisations with most models", labs.map((name) => make("a", { href: t.pageOf("organization", name) }, name))),
      list("Countries", t.countryNames().map((name) => make("a", { href: t.pageOf("country", name) }, name))),
      list("Sources", t.sources.map((source) => make("a", { href: t.pageOf("source", source.source_id) }, source.title))),
    ] };
  }

  start();
})(window.traincompute);
