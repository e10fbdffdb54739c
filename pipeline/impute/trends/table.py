"""The published table `trends`: a row per quantity and group of models, with line and intervals."""

import math
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import conform
from pipeline.impute.trends import completed, fit, series
from pipeline.impute.trends.prepare import QUANTITIES
from pipeline.schema import TableSchema

DIGITS = 6  # well above the last bits, which may differ between machines
COMPLETED = "training_compute_flop"  # the quantity of which there are distributions
YEAR_DAYS = 365.2425


def make_trends(prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table for prepared models."""
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
    rows = []
    for i, (key, places) in enumerate(groups.items()):
        some, valued = points.iloc[places], series.shares(prepared, plain, quantity, key)
        line = _line(lines, i, both[:, i], sampled[:, i])
        row = {
            "trend_id": trend_id(quantity, key),
            "quantity": quantity,
            "unit": QUANTITIES[quantity],
            "group": key.group,
            "member": key.member or None,
            "since": pd.Timestamp(key.since) if key.since else pd.NaT,
            "first_date": some["publication_date"].min(),
            "last_date": some["publication_date"].max(),
            **line,
            **valued,
        }
        if drawn and key.group not in completed.FOUND_BY_VALUE:
            row |= completed.growth(drawn, key)
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
