// The slider over the vintages and the list of what changed; timetravel.js has the data.
import { data } from "./dataset.js";
import { find, make, targetOf, toast } from "./dom.js";
import { current } from "./state.js";
import { changeLines, changesOf, loadVintages, vintageDays } from "./timetravel.js";

/** @type {(day: string) => void} */
let changed;

/** `moved(day)` is called with a day of the vintages, "" for today. @param {(day: string) => void} moved */
export function buildSlider(moved) {
  changed = moved;
  if (!data.about.vintages) return;
  find("time-open").hidden = false;
  find("time-open").addEventListener("click", () => (find("time").hidden ? open() : close()));
  find("time-slider").addEventListener("input", (event) => moved(vintageDays()[Number(targetOf(event).value)] || ""));
}

async function open() {
  try {
    await loadVintages();
  } catch (error) {
    toast(String(error instanceof Error ? error.message : error));
    return;
  }
  find("time").hidden = false;
  changed(current.state.asof);
  find("time-slider").focus();
}

function close() {
  find("time").hidden = true;
  changed("");
}

/** @param {string} day */
export function showSlider(day) {
  const days = vintageDays();
  const isOpen = Boolean(day) || !find("time").hidden;
  find("time").hidden = !isOpen || !days.length;
  find("time-open").setAttribute("aria-expanded", String(!find("time").hidden));
  if (find("time").hidden) return;
  const words = day ? `as of ${day}` : "today";
  Object.assign(find("time-slider"), { max: days.length, value: day ? days.indexOf(day) : days.length });
  find("time-slider").setAttribute("aria-valuetext", words);
  find("time-day").textContent = words;
  showChanges(changesOf(day));
}

/** @param {Changes | null} changes */
function showChanges(changes) {
  const counts = changes
    ? [["added", changes.added], ["removed", changes.removed], ["compute changed", changes.changed], [
      "notable or no more",
      changes.notable,
    ]]
    : [];
  const told = counts.filter(([, rows]) => rows.length).map(([words, rows]) =>
    `${rows.length.toLocaleString("en-US")} ${words}`
  ).join(", ");
  find("changes-sum").textContent = changes
    ? `since ${changes.before}: ${told || "nothing changed"}`
    : "the first vintage";
  find("changes-list").replaceChildren(...(changes ? changeLines(changes) : []).map((line) => make("li", {}, line)));
}
