// The table: only the rows in sight are in the page, whatever their number; assistive technology is told of all of
// them.
import { data, readCell } from "./dataset.js";
import { find, findAll, make, targetOf } from "./dom.js";
import { axisLabel, date, human, shortText } from "./format.js";
import { marked } from "./words.js";

const ROW = 27; // pixels, as in explorer.css
const PHONE = 600; // pixels of width, as in explorer.css
const SPARE = 8; // rows beyond the edges
/** @type {Row[]} */
let rows = [];
/** @type {Shown[]} */
let columns = [];
let query = "";
let sort = "";
let current = 0;
let first = -1;
let last = -1;
/** @type {(row: Row) => void} */
let opened;
/** @type {(row: Row) => string} */
let address;

/** Builds the head; `sorted(sort)` is called for a new order, `open(row)` for a model, `linkTo(row)` gives its address.
 * @param {(sort: string) => void} sorted @param {(row: Row) => void} open @param {(row: Row) => string} linkTo */
export function buildTable(sorted, open, linkTo) {
  [opened, address] = [open, linkTo];
  const box = find("table-box");
  let asked = 0;
  box.addEventListener("scroll", () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(() => render(false));
  });
  box.addEventListener("keydown", key);
  new ResizeObserver(() => render(false)).observe(box);
  body().addEventListener("click", (event) => {
    const line = /** @type {HTMLElement | null} */ (targetOf(event).closest("tr[data-row]"));
    if (!line || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    current = Number(line.getAttribute("aria-rowindex")) - 2;
    opened(Number(line.dataset.row));
  });
  head().addEventListener("click", (event) => {
    const name = targetOf(event).closest("button[data-column]")?.getAttribute("data-column");
    if (name) sorted(next(name));
  });
}

/** A second click turns the order; numbers and dates begin with the largest. @param {string} name */
function next(name) {
  const usual = ["number", "date"].includes(data.column[name].kind) ? "-" : "";
  if (sort.replace(/^-/, "") !== name) return usual + name;
  return sort.startsWith("-") ? name : `-${name}`;
}

/** The columns of the settings, and that of the axis where it is not among them; on a phone it comes right after the
 * name.
 * @param {string} axis */
function columnsFor(axis) {
  const shown = data.settings.table.filter((entry) => data.column[entry.column]);
  const extra = shown.some((entry) => entry.column === axis) || !data.column[axis]
    ? []
    : [{ column: axis, label: axisLabel(axis), width: 120 }];
  const all = [...shown.slice(0, 3), ...extra, ...shown.slice(3)];
  if (window.innerWidth > PHONE) return all;
  const isFirst = (/** @type {Shown} */ entry) => entry.column === "name" || entry.column === axis;
  return [...all.filter(isFirst), ...all.filter((entry) => !isFirst(entry))];
}

/** @param {Row[]} sortedRows @param {State} state */
export function showTable(sortedRows, state) {
  [rows, query] = [sortedRows, state.q];
  sort = state.sort;
  const wanted = columnsFor(state.y);
  if (wanted.map((entry) => entry.column).join() !== columns.map((entry) => entry.column).join()) {
    columns = wanted;
    buildHead();
  }
  for (const cell of head().querySelectorAll("th")) {
    const mine = cell.dataset.column === state.sort.replace(/^-/, "");
    cell.setAttribute("aria-sort", mine ? (state.sort.startsWith("-") ? "descending" : "ascending") : "none");
  }
  find("table").setAttribute("aria-rowcount", String(rows.length + 1));
  current = 0;
  find("table-box").scrollTop = 0;
  render(true);
}

const head = () => /** @type {HTMLTableSectionElement} */ (find("table").tHead);
const body = () => find("table").tBodies[0];

const isNumber = (/** @type {Shown} */ entry) => data.column[entry.column].kind === "number";

/** The unit behind the name, where the name does not say it. @param {Shown} entry */
function unitOf(entry) {
  const { unit } = data.column[entry.column];
  return ["FLOP", "USD"].includes(unit) ? make("span", { className: "unit" }, ` ${unit}`) : null;
}

function buildHead() {
  const table = find("table");
  const cells = columns.map((entry, i) => {
    const cell = make("th", { scope: "col", "aria-colindex": i + 1, "data-column": entry.column,
      className: isNumber(entry) ? "number" : "", title: data.column[entry.column].about },
      make("button", { type: "button", "data-column": entry.column }, entry.label, unitOf(entry),
        make("span", { className: "arrow", "aria-hidden": "true" })));
    cell.style.width = `${entry.width}px`;
    return cell;
  });
  head().replaceChildren(make("tr", { "aria-rowindex": 1 }, ...cells));
  table.style.width = `${columns.reduce((sum, entry) => sum + entry.width, 0)}px`;
  table.setAttribute("aria-colcount", String(columns.length));
}

/** @param {boolean} fresh */
function render(fresh) {
  const box = find("table-box");
  const from = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
  const to = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE);
  if (!fresh && from === first && to === last) return;
  [first, last] = [from, to];
  const lines = body();
  const hadFocus = lines.contains(document.activeElement);
  const shown = rows.slice(from, to).map((row, i) => line(row, from + i));
  lines.replaceChildren(...[space(from), ...shown, space(rows.length - to)].filter((part) => part !== null));
  if (!rows.length) {
    lines.append(
      make("tr", {},
        make("td", { colSpan: columns.length, colspan: columns.length, className: "nothing" },
          "No model fits these filters.")),
    );
  }
  if (hadFocus) (findAll("a[tabindex='0']", lines)[0] || box).focus({ preventScroll: true });
}

/** @param {number} count */
function space(count) {
  if (!count) return null;
  const cell = make("td", { colspan: columns.length });
  cell.style.height = `${count * ROW}px`;
  return make("tr", { className: "space", "aria-hidden": "true" }, cell);
}

/** @param {Row} row @param {number} place */
function line(row, place) {
  const cells = columns.map((entry, i) => {
    const column = data.column[entry.column];
    const value = readCell(column, row);
    const text = entry.column === "publication_date"
      ? date(row)
      : isNumber(entry) && value !== null
      ? shortText(value, column.unit)
      : human(value);
    if (entry.column === "name") {
      return make("th", { scope: "row", "aria-colindex": i + 1 },
        make("a", { href: address(row), tabIndex: place === inSight() ? 0 : -1, title: text }, ...marked(text, query)),
        ...alsoCalled(text, row));
    }
    const words = entry.column === "organizations" ? marked(text, query) : [text];
    return make("td", { className: isNumber(entry) ? "number" : "", "aria-colindex": i + 1,
      title: text.length > 18 ? text : undefined }, ...words);
  });
  return make("tr", { "data-row": row, "aria-rowindex": place + 2, className: place % 2 ? "odd" : "" }, ...cells);
}

/** The further names of a model that the search found by one of them. @param {string} name @param {Row} row */
function alsoCalled(name, row) {
  const also = query.trim() && data.aliases[row] ? marked(data.aliases[row], query) : [];
  return also.length > 1 && marked(name, query).length < 2 ? [make("span", { className: "muted" }, " ", ...also)] : [];
}

// The row that the Tab key reaches: the current one, or the first in the page where that is out of sight.
const inSight = () => (current >= first && current < last ? current : Math.min(first + (first ? SPARE : 0), last - 1));

const page = () => Math.max(1, Math.floor(find("table-box").clientHeight / ROW) - 2);
/** @type {Record<string, () => number>} */
const moves = { ArrowDown: () => 1, ArrowUp: () => -1, PageDown: page, PageUp: () => -page(), Home: () => -Infinity,
  End: () => Infinity };

/** @param {KeyboardEvent} event */
function key(event) {
  const move = moves[event.key];
  if (!move || targetOf(event).closest("thead") || event.ctrlKey || event.metaKey || event.altKey
    || !rows.length) return;
  event.preventDefault();
  const box = find("table-box");
  current = Math.max(0, Math.min(rows.length - 1, inSight() + move()));
  const headHigh = head().offsetHeight;
  const top = current * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW + headHigh > box.scrollTop + box.clientHeight) {
    box.scrollTop = top + ROW + headHigh - box.clientHeight;
  }
  render(true);
  findAll("a[tabindex='0']", body())[0]?.focus({ preventScroll: true });
}
