// The straight line through a selection and its 90 % interval, as the table `trends` defines them: of each training run the
// first model with a published value; least squares on log10 over decimal years; a Poisson bootstrap of 1,000 draws in which
// every value is also shifted by its own uncertainty.
(function (t) {
  "use strict";
  const DRAWS = 1000;
  const SEED = 20220503;
  const Z90 = 1.6448536269514722;
  const BANDS = { confident: 3, likely: 10, speculative: 31 }; // a factor either way, 90 %
  const FEWEST = 8;
  const MIN_YEARS = 3;
  const MODERN = "2010-01-01";
  const YEAR = 365.2425;
  const COUNTS = poissonCounts();

  // How often a model counts in a resample, for each of 65,536 equally likely numbers: a Poisson distribution with mean 1.
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

  t.trendSince = (state) => (state.x === t.DATE ? state.from || MODERN : state.from);

  // [{row, x, y, sd}] of the runs that the line goes through; x of a date is years since 2020.
  t.trendPoints = function (rows, { x, y }, since) {
    const first = since ? t.days(since) : -Infinity;
    const dates = t.column[t.DATE].values;
    const runs = t.column.training_run_id ? t.column.training_run_id.values : t.column.model_id.values;
    const published = [x, y].map(isPublished);
    const found = new Map();
    for (const row of rows) {
      const day = dates[row];
      if (day === null || day < first || x.of(row) === null || y.of(row) === null || !published.every((known) => known(row))) continue;
      const held = found.get(runs[row]);
      if (held === undefined || day < dates[held] || (day === dates[held] && row < held)) found.set(runs[row], row);
    }
    return [...found.values()].sort((a, b) => a - b).map((row) => ({ row, x: across(x, row), y: y.of(row), sd: uncertainty(y, row) }));
  };

  const across = (x, row) => (x.kind === "date" ? 1970 + x.of(row) / YEAR - 2020 : x.of(row));
  t.acrossOf = (x, coordinate) => (x.kind === "date" ? 1970 + coordinate / YEAR - 2020 : coordinate);

  // Whether the value of a row is a source's, not our estimate.
  function isPublished(scale) {
    const source = t.column[scale.axis.source];
    const ours = source ? source.words.indexOf("imputed") : -1;
    return (row) => ours < 0 || source.values[row] !== ours;
  }
  t.isPublished = isPublished;

  // Standard deviation of log10 of a value: from its interval, else for compute from the word for its confidence.
  function uncertainty(scale, row) {
    if (scale.kind !== "log") return 0;
    const [low, high] = [scale.axis.low, scale.axis.high].map((name) => (t.column[name] ? t.column[name].values[row] : null));
    if (low > 0 && high > 0) return (Math.log10(high) - Math.log10(low)) / (2 * Z90);
    const words = scale.axis.column === "training_compute_flop" && t.column.training_compute_confidence;
    const band = words && BANDS[t.cell(words, row)];
    return band ? Math.log10(band) / Z90 : 0;
  }

  // {n, slope, level, slopes, levels, first, last}, or null for fewer than eight runs or three years.
  t.fitLine = function (points, isDate = true) {
    const xs = points.map((point) => point.x);
    const [first, last] = [Math.min(...xs), Math.max(...xs)];
    if (points.length < FEWEST || (isDate && last - first < MIN_YEARS)) return null;
    const sums = [0, 0, 0, 0, 0];
    for (const { x, y } of points) [1, x, x * x, y, x * y].forEach((term, i) => { sums[i] += term; });
    const [slope, level] = solve(...sums);
    return Number.isFinite(slope) ? { n: points.length, slope, level, first, last, ...draws(points) } : null;
  };

  // The line through rows, kept for the selection at hand: headline and chart often ask for the same.
  let kept = [];
  t.lineOf = function (rows, scales, since) {
    const key = [scales.x.axis.column, scales.x.kind, scales.y.axis.column, scales.y.kind, since].join();
    const held = kept.find((one) => one.rows === rows && one.key === key);
    if (held) return held.line;
    const line = t.fitLine(t.trendPoints(rows, scales, since), scales.x.kind === "date");
    kept = [...kept.filter((one) => one.rows === rows), { rows, key, line }];
    return line;
  };

  function solve(n, sx, sxx, sy, sxy) {
    const spread = n * sxx - sx * sx;
    const slope = spread > 1e-9 ? (n * sxy - sx * sy) / spread : NaN;
    return [slope, (sy - slope * sx) / n];
  }

  // Slopes and levels of the resamples. The shifts of all values enter through their two sums, which are normal.
  function draws(points) {
    const normal = normals(SEED + 1);
    const [slopes, levels] = [[], []];
    const [xs, ys, vs] = [(p) => p.x, (p) => p.y, (p) => p.sd ** 2].map((value) => Float64Array.from(points, value));
    const n = xs.length;
    let state = SEED;
    for (let draw = 0; draw < DRAWS; draw += 1) {
      let [w, wx, wxx, wy, wxy, v0, v1, v2] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let i = 0; i < n; i += 1) {
        state = next(state);
        const k = COUNTS[state & 65535];
        const x = xs[i];
        const kx = k * x;
        const ky = k * ys[i];
        const kv = k * vs[i];
        w += k; wx += kx; wxx += kx * x; wy += ky; wxy += ky * x; v0 += kv; v1 += kv * x; v2 += kv * x * x;
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

  // The number after this one: xorshift32 (Marsaglia 2003, doi:10.18637/jss.v008.i14), the same on every machine.
  function next(state) {
    let number = state;
    number ^= number << 13;
    number ^= number >>> 17;
    return number ^ (number << 5);
  }

  // Gives two standard normal numbers each time (Box and Muller 1958, doi:10.1214/aoms/1177706645).
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

  // The 5 % and 95 % points.
  t.interval90 = function (numbers) {
    const sorted = Float64Array.from(numbers).sort();
    return [0.05, 0.95].map((share) => {
      const at = share * (sorted.length - 1);
      const below = Math.floor(at);
      return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
    });
  };

  // Growth per year and months of doubling with their intervals, of a line through logarithms over years; null = never.
  t.rates = function (line) {
    const [low, high] = t.interval90(line.slopes);
    const months = (slope) => (slope > 0 ? (12 * Math.log10(2)) / slope : null);
    return { n: line.n, growth_per_year: 10 ** line.slope, growth_low: 10 ** low, growth_high: 10 ** high,
      doubling_months: months(line.slope), doubling_low: months(high), doubling_high: months(low) };
  };

  // The row of the table `trends` for a selection that is all or all notable models, or null.
  t.publishedTrend = function (quantity, scope, since) {
    return t.trends.find((row) => row.quantity === quantity && row.group === scope && row.since === (since || null)) || null;
  };
})(window.traincompute);
