// What is said of a training compute, as lines of a picture.
import { cellOf } from "./dataset.js";
import { make } from "./dom.js";
import { intervals } from "./drawing.js";
import { scrolled } from "./facts-parts.js";
import { digits } from "./format.js";
import { likelyOf } from "./likely.js";

const FLOP = "training_compute_flop";

/** What this dataset says: its value, or within what a value that it does not have lies. @param {Row} row */
export function ownSaying(row) {
  const value = cellOf(FLOP, row);
  const likely = likelyOf(row);
  if (value) {
    return [{ text: "published here", value, low: cellOf("training_compute_low", row),
      high: cellOf("training_compute_high", row), chosen: true }];
  }
  return likely
    ? [{ text: `no value; likely, tier ${likely.tier}`, value: null, low: likely.flop_05, high: likely.flop_95,
      inner: [likely.flop_25, likely.flop_50, likely.flop_75], chosen: true }]
    : [];
}

/** The lines below each other, and what they mean; null without a line. @param {Saying[]} sayings */
export function sayingsPicture(sayings) {
  if (!sayings.length) return null;
  const rows = sayings.map((one) => ({ ...one, tag: tag(one), short: middle(one) }));
  const likely = rows.some((one) => one.inner)
    ? "; of a model without a value, what it is likely to be, half of it in the thick part"
    : "";
  return make("figure", {},
    scrolled(intervals(rows, `Training compute in FLOP: ${rows.map((one) => `${one.text} ${one.tag}`).join("; ")}`)),
    make("figcaption", { className: "muted" },
      `FLOP on a logarithmic axis; dots are values, lines 90 % intervals or bounds${likely}.`));
}

/** @param {Saying} one */
const middle = ({ value, inner }) => (value ? digits(value) : inner ? `half below ${digits(inner[1])}` : "");

/** @param {Saying} one */
const tag = (one) => [middle(one), around(one)].filter(Boolean).join(" ");

/** @param {Saying} given */
function around({ low, value, high }) {
  if (low && high) return `(${digits(low, 3)} – ${digits(high, 3)})`;
  if (value) return "";
  return [low && `≥ ${digits(low, 3)}`, high && `≤ ${digits(high, 3)}`].filter(Boolean).join(" ");
}
