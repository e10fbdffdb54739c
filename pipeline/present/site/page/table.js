// The table: only the rows in sight are in the page, whatever their number; assistive technology is told of all of them.
(function (t) {
  "use strict";
  const { make, find } = t;
  const ROW = 27; // pixels, as in explorer.css
  const PHONE = 600; // pixels of width, as in explorer.css
  const SPARE = 8; // rows beyond the edges
  let rows = [];
  let columns = [];
  let query = "";
  let current = 0;
  let first = -1;
  let last = -1;
  let opened, address;

  // Builds the head; `sorted(sort)` is called for a new order, `open(row)` for a model, `linkTo(row)` gives its address.
  t.buildTable = function (sorted, open, linkTo) {
    [opened, address] = [open, linkTo];
    const box = find("table-box");
    let asked = 0;
    box.addEventListener("scroll", () => {
      cancelAnimationFrame(asked);
      asked = requestAnimationFrame(() => render(false));
    });
    box.addEventListener("keydown", key);
    new ResizeObserver(() => render(false)).observe(box);
    find("table").tBodies[0].addEventListener("click", (event) => {
      const line = event.target.closest("tr[data-row]");
      if (!line || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      current = Number(line.getAttribute("aria-rowindex")) - 2;
      opened(Number(line.dataset.row));
    });
    find("table").tHead.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-column]");
      if (button) sorted(next(button.dataset.column));
    });
  };

  // A second click turns the order; numbers and dates begin with the largest.
  function next(name) {
    const usual = ["number", "date"].includes(t.column[name].kind) ? "-" : "";
    const now = t.tableSort;
    if (now.replace(/^-/, "") !== name) return usual + name;
    return now.startsWith("-") ? name : `-${name}`;
  }

  // The columns of the settings, and that of the axis where it is not among them; on a phone it comes right after the name.
  function columnsFor(axis) {
    const shown = t.available("table");
    const extra = shown.some((entry) => entry.column === axis) || !t.column[axis] ? [] : [{ column: axis, label: t.axisLabel(axis), width: 120 }];
    const all = [...shown.slice(0, 3), ...extra, ...shown.slice(3)];
    if (window.innerWidth > PHONE) return all;
    const isFirst = (entry) => entry.column === "name" || entry.column === axis;
    return [...all.filter(isFirst), ...all.filter((entry) => !isFirst(entry))];
  }

  t.showTable = function (sortedRows, state) {
    [rows, query] = [sortedRows, state.q];
    t.tableSort = state.sort;
    const wanted = columnsFor(state.y);
    if (wanted.map((entry) => entry.column).join() !== columns.map((entry) => entry.column).join()) {
      columns = wanted;
      head();
    }
    for (const cell of find("table").tHead.querySelectorAll("th")) {
      const mine = cell.dataset.column === state.sort.replace(/^-/, "");
      cell.setAttribute("aria-sort", mine ? (state.sort.startsWith("-") ? "descending" : "ascending") : "none");
    }
    find("table").setAttribute("aria-rowcount", rows.length + 1);
    current = 0;
    find("table-box").scrollTop = 0;
    render(true);
  };

  const isNumber = (entry) => t.column[entry.column].kind === "number";

  // The unit behind the name, where the name does not say it.
  function unitOf(entry) {
    const { unit } = t.column[entry.column];
    return ["FLOP", "USD"].includes(unit) ? make("span", { className: "unit" }, ` ${unit}`) : null;
  }

  function head() {
    const table = find("table");
    const cells = columns.map((entry, i) => {
      const cell = make("th", { scope: "col", "aria-colindex": i + 1, "data-column": entry.column, className: isNumber(entry) ? "number" : "", title: t.column[entry.column].about },
        make("button", { type: "button", "data-column": entry.column }, entry.label, unitOf(entry), make("span", { className: "arrow", "aria-hidden": "true" })));
      cell.style.width = `${entry.width}px`;
      return cell;
    });
    table.tHead.replaceChildren(make("tr", { "aria-rowindex": 1 }, ...cells));
    table.style.width = `${columns.reduce((sum, entry) => sum + entry.width, 0)}px`;
    table.setAttribute("aria-colcount", columns.length);
  }

  function render(fresh) {
    const box = find("table-box");
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
    const to = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE);
    if (!fresh && from === first && to === last) return;
    [first, last] = [from, to];
    const body = find("table").tBodies[0];
    const hadFocus = body.contains(document.activeElement);
    const shown = rows.slice(from, to).map((row, i) => line(row, from + i));
    body.replaceChildren(...[space(from), ...shown, space(rows.length - to)].filter(Boolean));
    if (!rows.length) body.append(make("tr", {}, make("td", { colSpan: columns.length, colspan: columns.length, className: "nothing" }, "No model fits these filters.")));
    if (hadFocus) (body.querySelector("a[tabindex='0']") || box).focus({ preventScroll: true });
  }

  function space(count) {
    if (!count) return null;
    const cell = make("td", { colspan: columns.length });
    cell.style.height = `${count * ROW}px`;
    return make("tr", { className: "space", "aria-hidden": "true" }, cell);
  }

  function line(row, place) {
    const cells = columns.map((entry, i) => {
      const column = t.column[entry.column];
      const value = t.cell(column, row);
      const text = entry.column === "publication_date" ? t.date(row) : isNumber(entry) && value !== null ? t.short(value, column.unit) : t.human(value);
      if (entry.column === "name") {
        return make("th", { scope: "row", "aria-colindex": i + 1 }, make("a", { href: address(row), tabIndex: place === inSight() ? 0 : -1, title: text }, ...t.marked(text, query)), ...alsoCalled(text, row));
      }
      const words = entry.column === "organizations" ? t.marked(text, query) : [text];
      return make("td", { className: isNumber(entry) ? "number" : "", "aria-colindex": i + 1, title: text.length > 18 ? text : undefined }, ...words);
    });
    return make("tr", { "data-row": row, "aria-rowindex": place + 2, className: place % 2 ? "odd" : "" }, ...cells);
  }

  // The further names of a model that the search found by one of them.
  function alsoCalled(name, row) {
    const also = query.trim() && t.aliases[row] ? t.marked(t.aliases[row], query) : [];
    return also.length > 1 && t.marked(name, query).length < 2 ? [make("span", { className: "muted" }, " ", ...also)] : [];
  }

  // The row that the Tab key reaches: the current one, or the first in the page where that is out of sight.
  const inSight = () => (current >= first && current < last ? current : Math.min(first + (first ? SPARE : 0), last - 1));

  const page = () => Math.max(1, Math.floor(find("table-box").clientHeight / ROW) - 2);
  const moves = { ArrowDown: () => 1, ArrowUp: () => -1, PageDown: page, PageUp: () => -page(), Home: () => -Infinity, End: () => Infinity };

  function key(event) {
    if (!moves[event.key] || event.target.closest("thead") || event.ctrlKey || event.metaKey || event.altKey || !rows.length) return;
    event.preventDefault();
    const box = find("table-box");
    current = Math.max(0, Math.min(rows.length - 1, inSight() + moves[event.key]()));
    const headHigh = find("table").tHead.offsetHeight;
    const top = current * ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW + headHigh > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW + headHigh - box.clientHeight;
    render(true);
    find("table").tBodies[0].querySelector("a[tabindex='0']")?.focus({ preventScroll: true });
  }
})(window.traincompute);
