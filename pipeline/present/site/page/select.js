// Which rows the filters let through, and how many models each choice of a facet would give.
(function (t) {
  "use strict";
  t.NONE = "(none)";

  // The choices of a facet: names, and for every word of the column which choices it stands for.
  function choices(column) {
    if (column.choices) return column.choices;
    const words = column.words || [];
    const owner = column.name === "organizations" ? t.parents : {}; // Google stands for its labs, too
    const lists = words.map((word) => [...new Set([word].flat().flatMap((name) => [name, owner[name]]).filter(Boolean))]);
    const names = [...new Set(lists.flat())];
    if (column.values.includes(-1)) names.push(t.NONE);
    const place = new Map(names.map((name, number) => [name, number]));
    column.choices = { names, place, ofWord: lists.map((list) => list.map((name) => place.get(name))) };
    return column.choices;
  }
  t.choices = choices;

  // One test per filter in use: {facet, isSearch, fails: row → boolean}.
  function tests(state) {
    const made = [];
    const add = (fails, facet = null) => made.push({ fails, facet });
    if (t.isAbsent) add(t.isAbsent);
    const matches = t.matcher(state.q);
    if (matches) made.push({ fails: (row) => !matches(row), facet: null, isSearch: true });
    const dates = t.column.publication_date;
    const first = t.days(state.from);
    const last = t.days(state.to);
    if (dates && Number.isFinite(first)) add((row) => dates.values[row] === null || dates.values[row] < first);
    if (dates && Number.isFinite(last)) add((row) => dates.values[row] === null || dates.values[row] > last);
    const flop = t.column[t.settings.axes[0].column];
    const [least, most] = [t.number(state.least), t.number(state.most)];
    if (flop && least !== null) add((row) => flop.values[row] === null || flop.values[row] < least);
    if (flop && most !== null) add((row) => flop.values[row] === null || flop.values[row] >= most);
    for (const [flag, value] of Object.entries(state.flags)) {
      if (value === "yes") add((row) => !t.flagged(flag, row));
      if (value === "no") add((row) => t.flagged(flag, row));
    }
    for (const [facet, chosen] of Object.entries(state.facets)) if (chosen.length) add(facetTest(facet, chosen), facet);
    return made;
  }

  // Whether a model has a flag: a column that is true, or a number that is small enough.
  t.flagged = function (name, row) {
    const { most } = t.settings.flags.find((flag) => flag.column === name);
    const value = t.column[name].values[row];
    return most === undefined ? value === 1 : value !== null && value <= most;
  };

  function facetTest(facet, chosen) {
    const column = t.column[facet];
    const { place, ofWord } = choices(column);
    const numbers = new Set(chosen.map((name) => place.get(name)));
    const passes = ofWord.map((list) => list.some((number) => numbers.has(number)));
    const none = chosen.includes(t.NONE);
    return (row) => (column.values[row] < 0 ? !none : !passes[column.values[row]]);
  }

  // A number as people type it (1e25, 10^25, 1,000), or null.
  t.number = function (text) {
    const value = Number(String(text).replaceAll(",", "").replace(/^10\^/, "1e").trim() || NaN);
    return Number.isFinite(value) ? value : null;
  };

  // {rows: rows that pass, context: rows that only the search keeps out, counts: facet → number of models per choice with
  // all other filters on}
  t.select = function (state) {
    const made = tests(state);
    const failures = new Uint8Array(t.rows);
    const failed = new Uint8Array(t.rows);
    made.forEach(({ fails }, number) => {
      for (let row = 0; row < t.rows; row += 1) {
        if (fails(row)) {
          failures[row] += 1;
          failed[row] = number;
        }
      }
    });
    const rows = [];
    const context = [];
    for (let row = 0; row < t.rows; row += 1) {
      if (!failures[row]) rows.push(row);
      else if (failures[row] === 1 && made[failed[row]].isSearch) context.push(row);
    }
    const counts = {};
    for (const { column: name } of t.available("facets")) {
      const column = t.column[name];
      const { names, place, ofWord } = choices(column);
      const found = new Uint32Array(names.length);
      for (let row = 0; row < t.rows; row += 1) {
        if (failures[row] > 1 || (failures[row] === 1 && made[failed[row]].facet !== name)) continue;
        const word = column.values[row];
        if (word < 0) found[place.get(t.NONE)] += 1;
        else for (const number of ofWord[word]) found[number] += 1;
      }
      counts[name] = found;
    }
    return { rows, context, counts };
  };

  // Rows in the order of a column, "-" before its name for the largest first; cells without a value come last.
  t.sorted = function (rows, sort) {
    const down = sort.startsWith("-");
    const column = t.column[sort.replace(/^-/, "")];
    const sign = down ? -1 : 1;
    if (["number", "date", "boolean"].includes(column.kind)) {
      const cells = column.values;
      return [...rows].sort((a, b) => (cells[a] === null) - (cells[b] === null) || sign * (cells[a] - cells[b]) || a - b);
    }
    column.ranks ||= ranks(column);
    return [...rows].sort((a, b) => (column.ranks[a] < 0) - (column.ranks[b] < 0) || sign * (column.ranks[a] - column.ranks[b]) || a - b);
  };

  // The place of every row's text in the alphabet, -1 for none.
  function ranks(column) {
    const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
    const texts = column.values.map((_, row) => [t.cell(column, row)].flat().join(", "));
    const order = new Map([...new Set(texts)].sort(collator.compare).map((text, number) => [text, number]));
    return texts.map((text) => (text ? order.get(text) : -1));
  }
})(window.traincompute);
