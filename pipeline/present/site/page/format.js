// Values for people, as `traincompute explain` prints them: 3.14e+23 FLOP, 174.6B parameters, 5.101 MW, 21.3 %.
(function (t) {
  "use strict";
  const prefixes = { W: ["W", "kW", "MW", "GW"], kWh: ["kWh", "MWh", "GWh", "TWh"], byte: ["bytes", "kB", "MB", "GB"] };
  const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  // The value, or where it lies exactly between two of that many digits the one that ends even, as Python rounds.
  function evenly(value, most) {
    const [, sign, kept, power] = value.toExponential(60).match(new RegExp(`^(-?)(\\d\\.?\\d{${most - 1}})50*e(.*)$`)) || [];
    return kept && Number(kept.at(-1)) % 2 === 0 ? Number(`${sign}${kept}e${power}`) : value;
  }

  // So many significant digits without trailing zeros, as %.4g has them.
  t.digits = function (value, most = 4) {
    const near = evenly(value, most);
    const text = near && Math.abs(near) < 1e-4 ? near.toExponential(most - 1) : near.toPrecision(most);
    const [number, power] = text.split("e");
    const short = number.includes(".") ? number.replace(/\.?0+$/, "") : number;
    return power ? `${short}e${power.replace("+", "").replace(/^(-?)(\d)$/, "$10$2")}` : short;
  };

  function count(value) {
    if (value && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e15)) return t.digits(value);
    for (const [size, letter] of [[1e12, "T"], [1e9, "B"], [1e6, "M"]]) {
      if (Math.abs(value) >= size) return t.digits(value / size) + letter;
    }
    if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
    return t.digits(value);
  }

  t.count = count;

  // Words in the plural, of token/parameter the first; symbols such as USD and kg unchanged.
  function plural(unit, value) {
    const sign = unit.includes("/") && !unit.endsWith("-day") ? "/" : "_of_";
    const [thing, ...what] = unit.split(sign);
    const many = value === 1 || !/^[a-z/_-]{3,}$/.test(thing) ? "" : "s";
    return [thing + many, ...what].join(sign).replaceAll("_", " ");
  }

  t.human = function (value, unit = "") {
    if (value === null || value === undefined) return "";
    if (Array.isArray(value)) return value.map(t.word).join(", ");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value !== "number") return t.word(value);
    if (unit.startsWith("FLOP") || unit === "OP/s") return `${t.digits(value)} ${unit}`;
    if (unit === "1") return value >= 0 && value <= 1 ? `${t.digits(100 * value)} %` : t.digits(value);
    if (prefixes[unit]) {
      const step = Math.min(3, Math.max(0, Math.floor((value.toFixed(0).length - 1) / 3)));
      return `${t.digits(value / 1000 ** step)} ${prefixes[unit][step]}`;
    }
    return `${count(value)} ${plural(unit, value)}`.trim();
  };

  // Without the unit, for cells of the table and ends of intervals.
  t.short = function (value, unit = "") {
    if (unit.startsWith("FLOP")) return t.digits(value);
    return prefixes[unit] || unit === "1" ? t.human(value, unit) : count(value);
  };

  // A code in plain words; words that are none stay as they are.
  t.word = function (code) {
    const text = String(code);
    return t.settings.words[text] || (/^[a-z0-9]+(_[a-z0-9]+)+$/.test(text) ? text.replaceAll("_", " ") : text);
  };

  // 4.0, 12, 310: one decimal below ten.
  t.tenths = (value) => (Math.abs(value) >= 0.095 && Math.abs(value) < 9.95 ? value.toFixed(1) : t.digits(value, 2));

  // "1 model", "1,049 models"
  t.many = (number, thing) => `${number.toLocaleString("en-US")} ${thing}${number === 1 ? "" : "s"}`;

  t.title = function (name) {
    const text = name.replaceAll("_", " ").replace(/\b(flop|usd|kwh|w|url|id)\b/g, (unit) => ({ flop: "FLOP", usd: "USD", kwh: "kWh", w: "W", url: "URL", id: "id" })[unit]);
    return text[0].toUpperCase() + text.slice(1);
  };

  t.power = (exponent) => "10" + (exponent < 0 ? "⁻" : "") + [...String(Math.abs(exponent))].map((d) => raised[d]).join("");

  // A date with no more of it than the source states.
  t.date = function (row) {
    const column = t.column.publication_date;
    const iso = column && t.cell(column, row);
    if (!iso) return "";
    const precision = t.column.publication_date_precision && t.cell(t.column.publication_date_precision, row);
    return iso.slice(0, { year: 4, month: 7 }[precision] || 10);
  };

  t.axisLabel = (name) => (t.settings.axes.find((axis) => axis.column === name) || { label: t.title(name) }).label;
})(window.traincompute);
