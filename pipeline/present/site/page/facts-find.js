// The field that finds pages by name. On the page that compares, a model that is found joins those compared.
(function (t) {
  "use strict";
  const { find, make } = t;
  const MOST = 12;
  let entries = null;

  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  function all() {
    const one = (kind, id, name, more = "") => ({ kind, id, name, text: fold(`${name} ${id} ${more}`) });
    entries ||= [
      ...t.column.model_id.values.map((id, row) => one("model", id, t.cellOf("name", row), t.aliases[row])),
      ...t.organizationNames().map((name) => one("organization", name, name)),
      ...t.rowsOf("hardware").map((row) => one("chip", row.hardware_id, row.name)),
      ...t.countryNames().map((name) => one("country", name, name)),
      ...t.sources.map((source) => one("source", source.source_id, source.title)),
    ];
    return entries;
  }

  // The pages whose name holds every word, those that begin with the text first.
  t.pagesNamed = function (typed, kinds = null) {
    const words = fold(typed).split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = all().filter((entry) => (!kinds || kinds.includes(entry.kind)) && words.every((word) => entry.text.includes(word)));
    const rank = ({ text }) => (text.startsWith(fold(typed)) ? 0 : 1);
    return found.sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length).slice(0, MOST);
  };

  t.buildFinder = function (compared) {
    const field = find("find");
    const show = () => {
      const chosen = compared();
      const list = t.pagesNamed(field.value, chosen && ["model"]);
      const address = ({ kind, id }) => (chosen ? t.pageOf("compare", [...chosen, id].slice(-t.MOST_COMPARED).join(",")) : t.pageOf(kind, id));
      find("found").replaceChildren(...list.map((entry) => make("li", {}, make("a", { href: address(entry) }, entry.name), make("span", { className: "muted" }, ` ${entry.kind}`))));
      find("found").hidden = !list.length;
    };
    field.addEventListener("input", show);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && find("found").querySelector("a")) find("found").querySelector("a").click();
      if (event.key === "Escape") field.value = "";
      if (event.key === "Escape") show();
    });
    find("found").addEventListener("click", () => {
      field.value = "";
      show();
    });
  };
})(window.traincompute);
