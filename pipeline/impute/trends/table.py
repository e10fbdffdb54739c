"""The published tables `trends`, a row per quantity and group of models, with line and intervals, and `thresholds`, the
numbers of training runs above round thresholds, by year."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import conform
from pipeline.impute.trends import completed, fit, series
from pipeline.impute.trends.series import QUANTITIES
from pipeline.schema import TableSchema
from traincompute import thresholds

DIGITS = 6  # well above the last bits, which may differ between machines
COMPLETED = "training_compute_flop"  # the quantity of which there are distributions
THRESHOLDS_FLOP = (1e23, 1e24, 1e25, 1e26)


def make_trends(prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table for prepared models."""
    runs = completed.complete(prepared)
    rows = [row for quantity in QUANTITIES for row in quantity_rows(prepared, quantity, runs)]
    return conform(pd.DataFrame(rows, columns=table.names), table)


def quantity_rows(
    prepared: pd.DataFrame, quantity: str, everything: completed.Completed | None = None
) -> list[dict[str, Any]]:
    """A row for each group that has enough values of a quantity; `everything` are the runs with their distributions."""
    points, valued = series.make_points(prepared, quantity), prepared[quantity].notna().to_numpy()
    points, prepared = points.drop(columns=quantity), prepared.drop(columns=list(QUANTITIES))
    groups = series.make_groups(points, quantity in series.MEMBER_QUANTITIES)
    if not groups:
        return []
    lines = lines_of(points, {key: group.runs for key, group in groups.items()})
    both, sampled = fit.interval(lines.slopes), fit.interval(lines.sampled)
    rows = []
    for i, (key, group) in enumerate(groups.items()):
        days = points["publication_date"].iloc[group.runs]
        row = {
            "trend_id": ":".join(part for part in (quantity, key.group, key.member, key.since[:4]) if part),
            "quantity": quantity,
            "unit": QUANTITIES[quantity],
            "group": key.group,
            "member": key.member or None,
            "since": pd.Timestamp(key.since) if key.since else pd.NaT,
            "first_date": days.min(),
            "last_date": days.max(),
            "n": int(lines.n[i]),
            "r_squared": lines.r_squared[i],
            "residual_dex": lines.residual[i],
            "level_2020": 10 ** lines.level[i],
            "growth_per_year": 10 ** lines.slope[i],
            "growth_low": 10 ** both[0, i],
            "growth_high": 10 ** both[1, i],
            "doubling_months": doubling_months(lines.slope[i]),
            "doubling_low": doubling_months(both[1, i]),
            "doubling_high": doubling_months(both[0, i]),
            "sampling_low": 10 ** sampled[0, i],
            "sampling_high": 10 ** sampled[1, i],
            **series.shares(prepared, valued, key),
        }
        if everything and quantity == COMPLETED and key.group not in series.ERAS:
            row |= completed.growth(everything, key)
        row = {name: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for name, value in row.items()}
        rows.append(row | {"models": len(group.models)})
    return rows


def lines_of(points: pd.DataFrame, groups: Mapping[series.Key, np.ndarray]) -> fit.Lines:
    """The straight lines through groups of points, of which `groups` has the places."""
    year, log10, sd = (points[name].to_numpy("float64") for name in ("year", "log10", "sd_dex"))
    return fit.fit_lines(year, log10, sd, list(groups.values()))


def doubling_months(slope: float) -> float:
    """Months in which a quantity that grows by a factor of 10^slope per year doubles; nan where it does not grow, so
    that an infinite doubling time is null."""
    return 12 * math.log10(2) / slope if slope > 0 else math.nan


def make_thresholds(models: pd.DataFrame, predictions: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table, from the columns of `models` and `predictions` that `traincompute.thresholds` counts."""
    known, ends = models.merge(predictions, on="model_id")[thresholds.COLUMNS], thresholds.year_ends(models)
    scopes = {"all": known, "notable": known[known["is_notable"].astype("bool")]}
    lines = [
        {"scope": scope, **line}
        for scope, some in scopes.items()
        for line in thresholds.by_year(some, THRESHOLDS_FLOP, ends)
    ]
    rows = pd.DataFrame(lines, columns=table.names)
    power = rows["threshold_flop"].map(lambda flop: f"{flop:.0e}".replace("+", ""))
    return conform(rows.assign(threshold_id=power + ":" + rows["scope"] + ":" + rows["published_until"]), table)
