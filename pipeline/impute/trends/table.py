"""The published table `trends`: a row per quantity and group of models, with line, shape and intervals."""

import contextlib
import hashlib
import io
import math
import sys
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
from pyarrow import ArrowException, parquet

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.impute.trends import completed, fit, series, shape
from pipeline.impute.trends.prepare import QUANTITIES
from pipeline.registry.frames import arrow_schema, conform, from_arrow, to_arrow
from pipeline.registry.schema import TableSchema
from traincompute.base.disk import write_whole
from traincompute.base.locks import sole_writer
from traincompute.thresholds import COLUMNS, by_year, year_ends

DIGITS = 6  # well above the last bits, which may differ between machines
CODE = ["pipeline/impute/**/*.py", "traincompute/*.py"]
SIGNIFICANT = 0.05
COMPLETED = "training_compute_flop"  # the quantity of which there are distributions
SHAPED = {"all", "notable", "frontier_flag", "running_top_ten", "language", "notable_language"}  # not cut at a kink
YEAR_DAYS = 365.2425
THRESHOLDS_FLOP = (1e23, 1e24, 1e25, 1e26)
ASSUMPTIONS = (
    "growth continues at the rate of the line: nothing is said about money, power, chips or data running out",
    "models are added and noticed as those of the past were; the newest are often entered late or without a value",
    "values scatter around the line as before, and independently of each other",
)
KEEP = 12  # one for each committed vintage, and some


def trends(paths: Paths, prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table for prepared models, from the cache if neither they nor the code have changed."""
    return cached(paths, table, prepared, lambda: make_trends(prepared, table))


def cached(paths: Paths, table: TableSchema, seen: pd.DataFrame, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """The result of `make` (a frame conformed to `table`, from `seen`) from data/cache/, under a hash of all that it is made
    from: `seen`, the code and the versions of the numerical libraries. A cache that is missing, damaged or cannot be
    written only costs time."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__} {pd.__version__} {arrow_schema(table)}".encode())
    digest.update(f"{list(seen.columns)}".encode() + pd.util.hash_pandas_object(seen, index=False).to_numpy().tobytes())
    for source in sorted(source for pattern in CODE for source in CHECKOUT.glob(pattern)):
        digest.update(source.name.encode() + source.read_bytes())
    file = paths.cache / "tables" / f"{table.name}-{digest.hexdigest()[:32]}.parquet"
    with contextlib.suppress(OSError, ArrowException):
        return from_arrow(parquet.read_table(file, page_checksum_verification=True), table)
    made, written = make(), io.BytesIO()
    parquet.write_table(to_arrow(made, table), written, write_page_checksum=True)
    with contextlib.suppress(OSError):  # a read-only checkout can still build
        file.parent.mkdir(parents=True, exist_ok=True)
        with sole_writer(file.parent):
            write_whole(file, written.getvalue())
            for old in sorted(file.parent.glob("*.parquet"), key=lambda file: file.stat().st_mtime)[:-KEEP]:
                old.unlink()
    return made


def make_trends(prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table, computed from scratch."""
    everything = completed.complete(prepared)
    rows = [row for quantity in QUANTITIES for row in quantity_rows(prepared, quantity, everything)]
    return conform(pd.DataFrame(rows, columns=table.names), table)


def quantity_rows(
    prepared: pd.DataFrame, quantity: str, everything: completed.Completed | None = None
) -> list[dict[str, Any]]:
    """A row for each group that has enough values of a quantity; `everything` are the runs with their distributions."""
    points = series.make_points(prepared, quantity)
    models = series.make_groups(points, quantity in series.MEMBER_QUANTITIES)
    groups = {key: group.runs for key, group in models.items()}
    if not groups:
        return []
    lines, plain = lines_of(points, groups), series.plain_groups(prepared)
    both, sampled = fit.interval(lines.slopes), fit.interval(lines.sampled)
    drawn = everything if quantity == COMPLETED else None
    rows, shapes = [], dict[bytes, dict[str, Any]]()
    for i, (key, places) in enumerate(groups.items()):
        some, valued = points.iloc[places], series.shares(prepared, plain, quantity, key)
        line = _line(lines, i, both[:, i], sampled[:, i])
        row = _about(some, key, quantity) | line | valued | _of_all_runs(drawn, key)
        if key.group in SHAPED:
            same = places.tobytes()  # some groups have the same models, such as all and those since 2010
            shapes[same] = shapes.get(same) or _shape(some, key, drawn, valued["selection_warning"])
            row |= shapes[same]
        rows.append(row | {"models": len(models[key].models)})
    return [
        {name: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for name, value in row.items()}
        for row in rows
    ]


def lines_of(points: pd.DataFrame, groups: dict[series.Key, np.ndarray]) -> fit.Lines:
    """The straight lines through groups of points, of which `groups` has the places."""
    year, log10, sd = (points[name].to_numpy("float64") for name in ("year", "log10", "sd_dex"))
    return fit.fit_lines(year, log10, sd, list(groups.values()))


def trend_id(quantity: str, key: series.Key) -> str:
    """quantity:group:member:from, without empty parts."""
    return ":".join(part for part in (quantity, key.group, key.member, key.since[:4]) if part)


def _about(some: pd.DataFrame, key: series.Key, quantity: str) -> dict[str, Any]:
    return {
        "trend_id": trend_id(quantity, key),
        "quantity": quantity,
        "unit": QUANTITIES[quantity],
        "group": key.group,
        "member": key.member or None,
        "since": pd.Timestamp(key.since) if key.since else pd.NaT,
        "first_date": some["publication_date"].min(),
        "last_date": some["publication_date"].max(),
    }


def _line(lines: fit.Lines, i: int, both: np.ndarray, sampled: np.ndarray) -> dict[str, Any]:
    """The line of a group with the ends of the intervals of its slope; an infinite doubling time is null."""
    return {
        "n": int(lines.n[i]),
        "r_squared": lines.r_squared[i],
        "residual_dex": lines.residual[i],
        "level_2020": 10 ** lines.level[i],
        "growth_per_year": 10 ** lines.slope[i],
        "growth_low": 10 ** both[0],
        "growth_high": 10 ** both[1],
        "doubling_months": doubling_months(lines.slope[i]),
        "doubling_low": doubling_months(both[1]),
        "doubling_high": doubling_months(both[0]),
        "sampling_low": 10 ** sampled[0],
        "sampling_high": 10 ** sampled[1],
    }


def doubling_months(slope: float) -> float:
    """Months in which a quantity that grows by a factor of 10^slope per year doubles; nan where it does not grow."""
    return 12 * math.log10(2) / slope if slope > 0 else math.nan


def _of_all_runs(drawn: completed.Completed | None, key: series.Key) -> dict[str, Any]:
    """Growth with the distributions of the runs without a published value."""
    if drawn is None or key.group in completed.FOUND_BY_VALUE:
        return {}
    slope, resampled = completed.slopes(drawn, key)
    low, high = np.quantile(resampled, fit.TAILS)
    growth = {"": slope.mean(), "_low": min(low, slope.mean()), "_high": max(high, slope.mean())}
    return {f"growth_all_runs{end}": 10**value for end, value in growth.items()}


def _shape(some: pd.DataFrame, key: series.Key, drawn: completed.Completed | None, few: bool) -> dict[str, Any]:
    """The comparison. A change is not called one where selection alone makes it, nor since LATELY where `few` runs have a
    value: what the others took is estimated by those."""
    found = shape.compare_shapes(some["year"].to_numpy(), some["log10"].to_numpy())
    if found is None:
        return {}
    chances = {"kink": math.nan, "break": math.nan}
    if drawn and found.preferred != "line":
        chances = dict(zip(chances, completed.by_selection_alone(drawn, key, found), strict=True))
    days = {name: round((year - 1970) * YEAR_DAYS) for name, year in found.years.items()}
    dates = {name: pd.Timestamp("1970-01-01") + pd.Timedelta(days=day) for name, day in days.items()}
    untold = few and dates.get(f"{found.preferred}_date", pd.Timestamp.min) >= pd.Timestamp(series.LATELY)
    by_selection = chances.get(found.preferred, 0) > SIGNIFICANT
    selected = {f"p_{name}_selection": chance for name, chance in chances.items()}
    return {"shape": "line" if untold or by_selection else found.preferred, **selected, **found.figures, **dates}


def make_thresholds(models: pd.DataFrame, predictions: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table, from the columns of `models` and `predictions` that `traincompute.thresholds` counts."""
    known = models.merge(predictions, on="model_id")[COLUMNS]
    ends = year_ends(models)
    scopes = {"all": known, "notable": known[known["is_notable"].astype("bool")]}
    lines = [{"scope": name, **line} for name, some in scopes.items() for line in by_year(some, THRESHOLDS_FLOP, ends)]
    rows = pd.DataFrame(lines, columns=table.names[1:])
    power = rows["threshold_flop"].map(lambda flop: f"{flop:.0e}".replace("+", ""))
    return conform(rows.assign(threshold_id=power + ":" + rows["scope"] + ":" + rows["published_until"]), table)


def project(points: pd.DataFrame, groups: dict[Any, Any], lines: fit.Lines, day: date) -> list[dict[str, Any]]:
    """For each group the line on a day: `value`, its 90 % interval, and that of a single model (`model_low`,
    `model_high`), which scatters around the line. Neither includes the risk that the pace of growth changes."""
    ahead = 1970 + (day - date(1970, 1, 1)).days / 365.2425 - fit.EPOCH
    drawn = lines.levels + lines.slopes * ahead
    low, high = fit.interval(drawn)
    middle = lines.level + lines.slope * ahead
    below, above = (np.hypot(end - middle, series.Z90 * lines.residual) for end in (low, high))
    return [
        {
            "value": _power(middle[i]),
            "low": _power(low[i]),
            "high": _power(high[i]),
            "model_low": _power(middle[i] - below[i]),
            "model_high": _power(middle[i] + above[i]),
            "years_beyond_data": round(ahead + fit.EPOCH - float(points.loc[rows, "year"].max()), 2),
        }
        for i, rows in enumerate(groups.values())
    ]


def _power(log10: float) -> float:
    return float(f"{10**log10:.4g}")
