"""The published table `trends`: a row per quantity and group of models, with line, shape and intervals."""

import math
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import conform
from pipeline.impute.trends import completed, fit, series, shape
from pipeline.impute.trends.cached import cached
from pipeline.impute.trends.prepare import QUANTITIES
from pipeline.paths import Paths
from pipeline.schema import TableSchema

DIGITS = 6  # well above the last bits, which may differ between machines
SIGNIFICANT = 0.05
COMPLETED = "training_compute_flop"  # the quantity of which there are distributions
SHAPED = {"all", "notable", "frontier_flag", "running_top_ten", "language", "notable_language"}  # not cut at a kink
YEAR_DAYS = 365.2425


def trends(paths: Paths, prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table for prepared models, from the cache if neither they nor the code have changed."""
    return cached(paths, table, prepared, lambda: make_trends(prepared, table))


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
    low, high = fit.interval(resampled)
    growth = {"": slope.mean(), "_low": min(low, slope.mean()), "_high": max(high, slope.mean())}
    return {f"growth_all_runs{end}": 10**value for end, value in growth.items()}


def _shape(some: pd.DataFrame, key: series.Key, drawn: completed.Completed | None, few: bool) -> dict[str, Any]:
    """The comparison. A change is not called one where selection alone makes it, nor since LATELY where `few` runs have
    a value: what the others took is estimated by those."""
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
