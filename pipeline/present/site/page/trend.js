// The straight line through a selection and its 90 % interval, as the table `trends` defines them: of each training run
// the first model with a published value; least squares on log10 over decimal years; a Poisson bootstrap of 1,000 draws
// in which every value is also shifted by its own uncertainty.
import { columnNamed, data, dayNumber, readCell } from "./dataset.js";
import { DATE } from "./scales.js";

const EPOCH = 2020; // years are counted from here
const COUNTS = poissonCounts();

// How often a model counts in a resample, for each of 65,536 equally likely numbers: a Poisson distribution with mean
// 1.
function poissonCounts() {
  const counts = new Uint8Array(65536);
  let [k, chance, upTo] = [0, Math.exp(-1), Math.exp(-1)];
  for (let i = 0; i < counts.length; i += 1) {
    while ((i + 0.5) / counts.length > upTo && k < 12) {
      k += 1;
      chance /= k;
      upTo += chance;
    }
    counts[i] = k;
  }
  return counts;
}

/** Years since 2020 of a day since 1970. @param {number} day */
const yearOf = (day) => 1970 + day / data.settings.trend.days_per_year - EPOCH;

/** The day since 1970 of a place on the line, in years since 2020. @param {number} year */
export const dayOfYear = (year) => (year + EPOCH - 1970) * data.settings.trend.days_per_year;

/** @param {State} state */
export const trendSince = (state) => (state.x === DATE ? state.from || data.settings.trend.since : state.from);

/** Whether a filter on training compute picks the very values that the line would go through: its slope is then
 * that of the filter. @param {State} state @param {string} quantity */
export const selectsOnOutcome = ({ least, most }, quantity) =>
  Boolean(least || most) && quantity.startsWith("training_compute_");

/** [{row, x, y, sd}] of the runs that the line goes through; x of a date is years since 2020.
 * @param {Row[]} rows @param {Scales} scales @param {string} since */
export function trendPoints(rows, { x, y }, since) {
  const first = since ? dayNumber(since) : -Infinity;
  const dates = data.column[DATE].values;
  const runs = data.column.training_run_id ? data.column.training_run_id.values : data.column.model_id.values;
  const published = [x, y].map(isPublished);
  const found = new Map();
  for (const row of rows) {
    const day = dates[row];
    if (day === null || day < first || x.of(row) === null || y.of(row) === null
      || !published.every((known) => known(row))) continue;
    const held = found.get(runs[row]);
    if (held === undefined || day < dates[held] || (day === dates[held] && row < held)) found.set(runs[row], row);
  }
  return [...found.values()].sort((a, b) => a - b).map((row) => ({ row, x: across(x, row), y: Number(y.of(row)),
    sd: uncertainty(y, row) })
  );
}

/** @param {Scale} x @param {Row} row */
const across = (x, row) => (x.kind === "date" ? yearOf(Number(x.of(row))) : Number(x.of(row)));

/** Whether the value of a row is a source's, not our estimate. @param {Scale} scale */
export function isPublished(scale) {
  const source = columnNamed(scale.axis.source);
  const ours = source ? source.words.indexOf("imputed") : -1;
  return (/** @type {Row} */ row) => !source || ours < 0 || source.values[row] !== ours;
}

/** Standard deviation of log10 of a value: from its interval, else for compute from the word for its confidence.
 * @param {Scale} scale @param {Row} row */
function uncertainty(scale, row) {
  if (scale.kind !== "log") return 0;
  const [low, high] = [scale.axis.low, scale.axis.high].map((end) => columnNamed(end)?.values[row]);
  if (low > 0 && high > 0) return (Math.log10(high) - Math.log10(low)) / (2 * data.settings.trend.z90);
  const words = scale.axis.column === "training_compute_flop" && data.column.training_compute_confidence;
  const band = words && data.settings.trend.bands[readCell(words, row)];
  return band ? Math.log10(band) / data.settings.trend.z90 : 0;
}

/** {n, slope, level, slopes, levels, first, last}, or null for fewer than eight runs or three years.
 * @param {Sample[]} points @param {boolean} [isDate] */
function fitLine(points, isDate = true) {
  const xs = points.map((point) => point.x);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  if (points.length < data.settings.trend.fewest_runs || (isDate && last - first < data.settings.trend.min_years)) {
    return null;
  }
  /** @type {[number, number, number, number, number]} */
  const sums = [0, 0, 0, 0, 0];
  for (const { x, y } of points) {
    [1, x, x * x, y, x * y].forEach((term, i) => {
      sums[i] += term;
    });
  }
  const [slope, level] = solve(...sums);
  return Number.isFinite(slope) ? { n: points.length, slope, level, first, last, ...draws(points) } : null;
}

// The lines through the last selections: headline and chart often ask for the same, and who filters often goes back.
const KEPT = 8;
/** @type {{ chosen: Uint8Array, key: string, line: Line | null }[]} */
let kept = [];
/** For a day that has other values. */
export function forgetLines() {
  kept = [];
}

/** @param {Row[]} rows @param {Scales} scales @param {string} since */
export function lineOf(rows, scales, since) {
  const key = [scales.x.axis.column, scales.x.kind, scales.y.axis.column, scales.y.kind, since].join();
  const chosen = new Uint8Array(data.rows);
  for (const row of rows) chosen[row] = 1;
  const held = kept.find((one) => one.key === key && one.chosen.every((value, row) => value === chosen[row]));
  if (held) return held.line;
  const line = fitLine(trendPoints(rows, scales, since), scales.x.kind === "date");
  kept = [{ chosen, key, line }, ...kept.slice(0, KEPT - 1)];
  return line;
}

/** @param {number} n @param {number} sx @param {number} sxx @param {number} sy @param {number} sxy */
function solve(n, sx, sxx, sy, sxy) {
  const spread = n * sxx - sx * sx;
  const slope = spread > 1e-9 ? (n * sxy - sx * sy) / spread : NaN;
  return [slope, (sy - slope * sx) / n];
}

/** Slopes and levels of the resamples. The shifts of all values enter through their two sums, which are normal.
 * @param {Sample[]} points */
function draws(points) {
  const normal = normals(data.settings.trend.seed + 1);
  /** @type {number[]} */
  const slopes = [];
  /** @type {number[]} */
  const levels = [];
  const xs = Float64Array.from(points, (point) => point.x);
  const ys = Float64Array.from(points, (point) => point.y);
  const vs = Float64Array.from(points, (point) => point.sd ** 2);
  const n = xs.length;
  let state = data.settings.trend.seed;
  for (let draw = 0; draw < data.settings.trend.draws; draw += 1) {
    let w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0, v0 = 0, v1 = 0, v2 = 0; // taken apart from a list they cost much more
    for (let i = 0; i < n; i += 1) {
      state = next(state);
      const k = COUNTS[state & 65535];
      const x = xs[i];
      const kx = k * x;
      const ky = k * ys[i];
      const kv = k * vs[i];
      w += k;
      wx += kx;
      wxx += kx * x;
      wy += ky;
      wxy += ky * x;
      v0 += kv;
      v1 += kv * x;
      v2 += kv * x * x;
    }
    const [a, b] = normal();
    const shift = Math.sqrt(v0) * a;
    const moved = v0 > 0 ? (v1 / Math.sqrt(v0)) * a + Math.sqrt(Math.max(0, v2 - (v1 * v1) / v0)) * b : 0;
    const [slope, level] = solve(w, wx, wxx, wy + shift, wxy + moved);
    if (Number.isFinite(slope)) {
      slopes.push(slope);
      levels.push(level);
    }
  }
  return { slopes, levels };
}

/** The number after this one: xorshift32 (Marsaglia 2003, doi:10.18637/jss.v008.i14), the same on every machine.
 * @param {number} state */
function next(state) {
  let number = state;
  number ^= number << 13;
  number ^= number >>> 17;
  return number ^ (number << 5);
}

/** Gives two standard normal numbers each time (Box and Muller 1958, doi:10.1214/aoms/1177706645).
 * @param {number} seed */
function normals(seed) {
  let state = seed;
  const share = () => {
    state = next(state);
    return ((state >>> 0) + 0.5) / 2 ** 32;
  };
  return () => {
    const [radius, angle] = [Math.sqrt(-2 * Math.log(share())), 2 * Math.PI * share()];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  };
}

/** The 5 % and 95 % points. @param {Iterable<number>} numbers */
export function interval90(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return [0.05, 0.95].map((share) => {
    const at = share * (sorted.length - 1);
    const below = Math.floor(at);
    return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
  });
}

/** Growth per year and months of doubling with their intervals, of a line through logarithms over years; null = never.
 * @param {Line} line */
export function growthRates(line) {
  const [low, high] = interval90(line.slopes);
  const months = (/** @type {number} */ slope) => (slope > 0 ? (12 * Math.log10(2)) / slope : null);
  return { n: line.n, growth_per_year: 10 ** line.slope, growth_low: 10 ** low, growth_high: 10 ** high,
    doubling_months: months(line.slope), doubling_low: months(high), doubling_high: months(low) };
}

/** The row of the table `trends` for a selection that is all or all notable models, or null.
 * @param {string} quantity @param {string | null} scope @param {string} since */
export function publishedTrend(quantity, scope, since) {
  return data.trends.find((row) => row.quantity === quantity && row.group === scope && row.since === (since || null))
    || null;
}
