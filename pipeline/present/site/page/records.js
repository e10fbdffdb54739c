// The tables of data/records.js: organisations, chips, which chips models were trained on, snapshots, claims by source.
(function (t) {
  "use strict";
  t.receiveRecords = (tables) => {
    t.records = tables;
  };

  // The rows of a table as objects.
  t.rowsOf = function (name) {
    const table = t.records[name];
    table.objects ||= table.rows.map((row) => Object.fromEntries(table.columns.map(([column], number) => [column, row[number]])));
    return table.objects;
  };

  const cell = (name, row) => (t.column[name] ? t.cell(t.column[name], row) : null);
  t.cellOf = cell;

  // The numbers of all models with that entry in a column of lists.
  t.modelsWith = function (name, entry) {
    return Array.from({ length: t.rows }, (_, row) => row).filter((row) => (cell(name, row) || []).includes(entry));
  };

  t.modelsOn = function (chip) {
    const ids = t.rowsOf("model_hardware").filter((row) => row.hardware_id === chip).map((row) => row.model_id);
    return [...new Set(ids)].map((id) => t.rowOf.get(id)).filter((row) => row !== undefined);
  };

  t.chipsOf = function (model) {
    const ids = new Set(t.rowsOf("model_hardware").filter((row) => row.model_id === model).map((row) => row.hardware_id));
    return t.rowsOf("hardware").filter((row) => ids.has(row.hardware_id));
  };

  t.countryNames = () => [...new Set(Array.from({ length: t.rows }, (_, row) => cell("countries", row) || []).flat())].sort();
  t.organizationNames = () => [...new Set([...t.rowsOf("organizations").map((row) => row.organization), ...Array.from({ length: t.rows }, (_, row) => cell("organizations", row) || []).flat()])];
})(window.traincompute);
