// What is listed, as CSV and JSON with every column of `models`, made in the browser.
(function (t) {
  "use strict";

  // As the published CSV: null empty, lists joined by ;, a text that a spreadsheet would run begins with '.
  t.csvCell = function (value) {
    if (value === null) return "";
    const text = Array.isArray(value) ? value.join(";") : String(value);
    const safe = typeof value !== "number" && /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  // Below lines with version, licence and query.
  t.csv = function (rows, columns = t.columns, sql = t.sqlOf(t.state(), rows)) {
    const lines = [t.fileHead(sql), columns.map((column) => t.csvCell(column.name)).join(",")];
    for (const row of rows) lines.push(columns.map((column) => t.csvCell(t.cell(column, row))).join(","));
    return `${lines.join("\n")}\n`;
  };

  t.json = function (rows) {
    const lines = rows.map((row) => JSON.stringify(Object.fromEntries(t.columns.map((column) => [column.name, t.cell(column, row)]))));
    return `[\n${lines.join(",\n")}\n]\n`;
  };

  t.save = function (name, content, type) {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    const link = t.make("a", { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
})(window.traincompute);
