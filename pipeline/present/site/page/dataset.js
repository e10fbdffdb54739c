// The dataset in memory. data/models.js calls receive() with the columns, data/models/NN.js receiveModels() with what is
// known about some models, other files of data/ receivePart(). Rows are numbers from 0; cell(column, row) gives a value as
// people and files have it.
(function (t) {
  "use strict";
  const waiting = new Map();
  const held = new Map();

  t.receive = function (made) {
    const { claim_of: claimOf, ...others } = made;
    Object.assign(t, others, { claimOf });
    t.column = Object.assign(Object.create(null), Object.fromEntries(made.columns.map((column) => [column.name, column])));
    made.columns.forEach(complete);
    t.rows = made.shards.length;
    t.rowOf = new Map(t.column.model_id.values.map((id, row) => [id, row]));
    t.receivedAt = performance.now();
  };

  // The values that the file leaves out: those that repeat another column, and the first items of a list.
  function complete(column) {
    if (column.like) column.values = column.values.map((value, row) => (value === 0 ? t.column[column.like].values[row] : value));
    if (!column.first_of) return;
    const lists = t.column[column.first_of];
    Object.assign(column, { words: lists.words.map((list) => list[0]), values: lists.values });
  }

  // The value of a cell: number, boolean, ISO date, text, array of texts, or null.
  t.cell = function (column, row) {
    const value = column.values[row];
    if (column.words) return value < 0 ? null : column.words[value];
    if (value === null) return null;
    if (column.kind === "boolean") return value === 1;
    if (column.kind === "date") return t.isoDate(value);
    return value;
  };

  t.isoDate = (days) => new Date(days * 864e5).toISOString().slice(0, 10);
  t.days = (iso) => Math.floor(Date.parse(iso) / 864e5);

  // The entries of the settings whose column the dataset has.
  t.available = (part) => t.settings[part].filter((entry) => t.column[entry.column]);

  t.receivePart = function (key, made) {
    held.set(key, made);
    if (waiting.has(key)) waiting.get(key).resolve(made);
  };
  t.receiveModels = (key, made) => t.receivePart(`models/${key}`, made);

  // What a file of data/ holds, read once: "models/1f", "vintages", "tiers".
  function load(key) {
    if (held.has(key)) return Promise.resolve(held.get(key));
    if (!waiting.has(key)) {
      const entry = {};
      entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      waiting.set(key, entry);
      const script = document.createElement("script");
      script.src = `data/${key}.js`;
      script.onerror = () => {
        waiting.delete(key);
        entry.reject(new Error(`data/${key}.js cannot be read`));
      };
      document.head.append(script);
    }
    return waiting.get(key).promise;
  }
  t.loadPart = load;

  // claims, estimates and revisions of a model as objects.
  t.loadModel = async function (row) {
    const shard = await load(`models/${t.shards[row]}`);
    const held = shard.models[t.column.model_id.values[row]];
    const unpack = (cell) => {
      if (typeof cell === "number") return shard.words[cell];
      if (Array.isArray(cell)) return cell[0];
      return cell && cell.list ? cell.list.map(unpack) : cell;
    };
    return Object.fromEntries(
      Object.entries(held).map(([name, rows]) => [
        name,
        rows.map((cells) => Object.fromEntries(shard.columns[name].map((c, i) => [c, unpack(cells[i])]))),
      ]),
    );
  };
})(window.traincompute);
