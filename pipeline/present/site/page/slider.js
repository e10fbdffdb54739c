// The slider over the vintages and the list of what changed; timetravel.js has the data.
(function (t) {
  "use strict";
  const { find, make } = t;
  let changed;

  // `moved(day)` is called with a day of the vintages, "" for today.
  t.buildSlider = function (moved) {
    changed = moved;
    if (!t.about.vintages) return;
    find("time-open").hidden = false;
    find("time-open").addEventListener("click", () => (find("time").hidden ? open() : close()));
    find("time-slider").addEventListener("input", (event) => moved(t.vintageDays()[Number(event.target.value)] || ""));
  };

  async function open() {
    try {
      await t.loadVintages();
    } catch (error) {
      t.toast(`${error.message}; is the folder complete?`);
      return;
    }
    find("time").hidden = false;
    changed(t.state().asof);
    find("time-slider").focus();
  }

  function close() {
    find("time").hidden = true;
    changed("");
  }

  t.showSlider = function (day) {
    const days = t.vintageDays();
    const isOpen = Boolean(day) || !find("time").hidden;
    find("time").hidden = !isOpen || !days.length;
    find("time-open").setAttribute("aria-expanded", String(!find("time").hidden));
    if (find("time").hidden) return;
    const words = day ? `as of ${day}` : "today";
    Object.assign(find("time-slider"), { max: days.length, value: day ? days.indexOf(day) : days.length });
    find("time-slider").setAttribute("aria-valuetext", words);
    find("time-day").textContent = words;
    showChanges(t.changesOf(day));
  };

  function showChanges(changes) {
    const counts = changes ? [["added", changes.added], ["removed", changes.removed], ["compute changed", changes.changed], ["notable or no more", changes.notable]] : [];
    const told = counts.filter(([, rows]) => rows.length).map(([words, rows]) => `${rows.length.toLocaleString("en-US")} ${words}`).join(", ");
    find("changes-sum").textContent = changes ? `since ${changes.before}: ${told || "nothing changed"}` : "the first vintage";
    find("changes-list").replaceChildren(...(changes ? t.changeLines(changes) : []).map((line) => make("li", {}, line)));
  }
})(window.traincompute);
