// The field of the query with its completions: a list below it, chosen by keyboard or mouse.
import { find, make } from "./dom.js";
import { completions } from "./sql-completion.js";

/** @type {Completion[]} */
let offered = [];
let active = -1; // -1: none chosen yet, so that Enter still begins a line

/** @param {() => void} run */
export function buildEditor(run) {
  const field = find("query");
  field.addEventListener("input", () => offer());
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") run();
    else if (event.ctrlKey && event.key === " ") offer(true);
    else if (!offered.length || !pressed(event.key)) return;
    event.preventDefault();
  });
}

/** Whether a key did something with the list. @param {string} key */
function pressed(key) {
  if (key === "ArrowDown" || key === "ArrowUp") {
    mark((active + (key === "ArrowDown" ? 1 : -1) + offered.length) % offered.length);
  } else if (key === "Tab" || (key === "Enter" && active >= 0)) take(Math.max(active, 0));
  else if (key === "Escape") close();
  else return false;
  return true;
}

/** @param {boolean} [asked] */
function offer(asked = false) {
  const field = find("query");
  offered = completions(field.value, field.selectionStart, asked).options;
  active = -1;
  field.removeAttribute("aria-activedescendant");
  find("completions").replaceChildren(...offered.map(option));
  find("completions").hidden = !offered.length;
}

/** @param {Completion} completion @param {number} number */
function option({ text, kind, unit, about }, number) {
  return make("li", { id: `completion-${number}`, role: "option", "aria-selected": "false", onmousedown: (event) => {
    event.preventDefault(); // the field keeps the focus
    take(number);
  } }, make("strong", {}, text), make("span", { className: "tag" }, unit || kind),
    make("span", { className: "muted" }, about));
}

/** @param {number} number */
function mark(number) {
  active = number;
  [...find("completions").children].forEach((element, at) =>
    element.setAttribute("aria-selected", String(at === active))
  );
  find("completions").children[active].scrollIntoView({ block: "nearest" });
  find("query").setAttribute("aria-activedescendant", `completion-${active}`);
}

/** @param {number} number */
function take(number) {
  const field = find("query");
  const { word } = completions(field.value, field.selectionStart, true);
  const at = field.selectionStart;
  field.setRangeText(offered[number].text, at - word.length, at, "end");
  close();
}

function close() {
  offered = [];
  find("completions").hidden = true;
  find("query").removeAttribute("aria-activedescendant");
}

/** Puts a text at the cursor. @param {string} text */
export function insert(text) {
  const field = find("query");
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.focus();
}
