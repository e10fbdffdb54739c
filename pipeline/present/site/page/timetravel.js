// The dataset as it stood on the day of an older snapshot: data/vintages.js, read when it is first asked for, says which
// models there were, whether they were notable, their dates and their published compute. Those columns change their values;
// what stands elsewhere is of today.
(function (t) {
  "use strict";
  const FLOP = "training_compute_flop";
  const [NAME, DATE, SIZE, NOTABLE] = [0, 1, 2, 3]; // of what a span says of a model
  const CHANGED = { name: NAME, publication_date: DATE, [FLOP]: SIZE, is_notable: NOTABLE };
  const UNKNOWN = ["training_compute_low", "training_compute_high", "training_compute_source"];
  const LISTED = 100;
  const SAME = 0.001; // 3.3500e25 for 3.35e25 is no change
  let vintages = null;
  let today = null;
  let todayRows = 0;
  let shown = "";

  t.vintageDays = () => (vintages ? vintages.days : []);

  // Reads the vintages and appends the models that are gone today; they are absent unless a day has them.
  t.loadVintages = async function () {
    if (vintages) return;
    const part = await t.loadPart("vintages");
    if (vintages) return;
    vintages = { days: part.days, states: part.days.map(() => new Map()) };
    for (const [row, first, last, ...model] of part.spans) for (let day = first; day <= last; day += 1) vintages.states[day].set(row, model);
    todayRows = t.rows;
    append(part.gone);
    today = Object.fromEntries([...Object.keys(CHANGED), ...UNKNOWN].filter((name) => t.column[name]).map((name) => [name, t.column[name].values]));
    t.isAbsent = (row) => row >= todayRows;
  };

  function append(gone) {
    const number = gone.model_id.length;
    for (const column of t.columns) {
      const cells = gone[column.name];
      column.values = [...column.values, ...Array.from({ length: number }, (_, i) => (column.words ? place(column, cells && cells[i]) : cells ? cells[i] : null))];
      for (const made of ["choices", "groups", "ranks", "ends"]) delete column[made];
    }
    for (const said of Object.values(t.said)) said.values = [...said.values, ...Array(number).fill(-1)];
    t.aliases = [...t.aliases, ...Array(number).fill("")];
    gone.model_id.forEach((id, i) => t.rowOf.set(id, todayRows + i));
    t.column.training_run_id?.values.splice(todayRows, number, ...gone.model_id);
    t.rows += number;
    t.forgetSearch();
  }

  // The number of a word of a column, which gets it where it is new.
  function place(column, cell) {
    if (!cell) return -1;
    const text = JSON.stringify(cell);
    column.numbers ||= new Map(column.words.map((word, number) => [JSON.stringify(word), number]));
    if (!column.numbers.has(text)) column.numbers.set(text, column.words.push(cell) - 1);
    return column.numbers.get(text);
  }

  // Puts the values of a day ("" = today) into the columns.
  t.setDay = function (day) {
    if (!vintages || day === shown) return;
    shown = day;
    const state = vintages.states[vintages.days.indexOf(day)];
    t.isAbsent = state ? (row) => !state.has(row) : (row) => row >= todayRows;
    for (const [name, values] of Object.entries(today)) {
      const column = t.column[name];
      column.values = state ? valuesOf(name, state) : values;
      for (const made of ["ranks", "ends", "groups", "choices"]) delete column[made];
    }
    t.forgetSearch();
  };

  function valuesOf(name, state) {
    const column = t.column[name];
    const none = column.words ? -1 : null;
    if (!(name in CHANGED)) return Array(t.rows).fill(none);
    const at = CHANGED[name];
    return Array.from({ length: t.rows }, (_, row) => {
      const model = state.get(row);
      if (!model) return name === "name" ? today.name[row] : none;
      return column.kind === "boolean" ? Number(model[at]) : model[at];
    });
  }

  // {before, added, removed, changed, notable}: what the day ("" = today) has otherwise than the vintage before it; null for the first.
  t.changesOf = function (day) {
    const here = day ? vintages.days.indexOf(day) : vintages.days.length;
    if (here < 1) return null;
    const [old, now] = [vintages.states[here - 1], vintages.states[here] || stateOfToday()];
    const name = (row) => (now.get(row) || old.get(row))[NAME];
    const both = [...now.keys()].filter((row) => old.has(row));
    const size = (row) => (now.get(row) || old.get(row))[SIZE] ?? -1;
    const largestFirst = (rows) => rows.sort((a, b) => size(b) - size(a) || a - b);
    return { before: vintages.days[here - 1], name,
      added: largestFirst([...now.keys()].filter((row) => !old.has(row))),
      removed: largestFirst([...old.keys()].filter((row) => !now.has(row))),
      changed: largestFirst(both.filter((row) => differ(old.get(row)[SIZE], now.get(row)[SIZE]))).map((row) => ({ row, from: old.get(row)[SIZE], to: now.get(row)[SIZE] })),
      notable: largestFirst(both.filter((row) => old.get(row)[NOTABLE] !== now.get(row)[NOTABLE])).map((row) => ({ row, to: now.get(row)[NOTABLE] })) };
  };

  // Whether two values differ by more than their last digits.
  function differ(from, to) {
    return from === null || to === null ? from !== to : Math.abs(to / from - 1) > SAME;
  }

  // Today as the vintages are told: published values only.
  function stateOfToday() {
    const source = t.column.training_compute_source;
    const ours = source.words.indexOf("imputed");
    const cells = (name, row) => today[name][row];
    return new Map(Array.from({ length: todayRows }, (_, row) => [row, [cells("name", row), cells("publication_date", row),
      cells("training_compute_source", row) === ours ? null : cells(FLOP, row), cells("is_notable", row) === 1]]));
  }

  // The changes as a list of lines for people.
  t.changeLines = function ({ name, added, removed, changed, notable }) {
    const flop = (value) => (value === null ? "no value" : t.digits(value));
    const times = ({ from, to }) => (from && to ? ` (×${t.digits(to / from, 3)})` : "");
    const lines = [...changed.map((one) => `${name(one.row)}: ${flop(one.from)} → ${flop(one.to)} FLOP${times(one)}`),
      ...removed.map((row) => `${name(row)}: removed`),
      ...notable.map(({ row, to }) => `${name(row)}: ${to ? "notable now" : "notable no more"}`),
      ...added.map((row) => `${name(row)}: added`)];
    return lines.length > LISTED ? [...lines.slice(0, LISTED), `and ${(lines.length - LISTED).toLocaleString("en-US")} more`] : lines;
  };
})(window.traincompute);
