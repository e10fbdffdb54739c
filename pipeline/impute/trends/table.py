"""The published table `trends`: a row per quantity and group of models, with line, shape and intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from pipeline.base.paths import Paths
from pipeline.impute.trends import completed, fit, series, shape, shares
from pipeline.impute.trends.cached import cached
from pipeline.impute.trends.prepare import QUANTITIES
from pipeline.registry.frames import conform
from pipeline.registry.schema import TableSchema

DIGITS = 6  # well above the last bits, which may differ between machines
CODE = [
    "pipeline.impute.trends",
    "pipeline.impute.derive.run_ids",
    "pipeline.impute.derive.frontier",
    "traincompute.thresholds",
    "traincompute.frontier",
]
SIGNIFICANT = 0.05
COMPLETED = "training_compute_flop"  # the quantity of which there are distributions
SHAPED = {"all", "notable", "frontier_flag", "running_top_ten", "language", "notable_language"}  # not cut at a kink
YEAR_DAYS = 365.2425


def trends(paths: Paths, prepared: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The table for prepared models, from the cache if neither they nor the code have changed."""
    return cached(paths, table, {"prepared": prepared}, CODE, lambda: make_trends(prepared, table))


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
    year, log10, dates = (points[name].to_numpy() for name in ("year", "log10", "publication_date"))
    # some groups have the same models, such as all and those since 2010 for a quantity that has no older values
    distinct = {rows.tobytes(): (key, rows) for key, rows in groups.items() if key.group in SHAPED}
    drawn = everything if quantity == COMPLETED else None
    valued = {key: shares.shares(prepared, plain, quantity, key) for key in groups}
    shapes = {
        name: _shape(key, year[rows], log10[rows], drawn, valued[key]["selection_warning"])
        for name, (key, rows) in distinct.items()
    }
    lines_low, lines_high = fit.interval(lines.slopes)
    sampled_low, sampled_high = fit.interval(lines.sampled)
    return [
        {
            **_about(dates[rows], key, quantity),
            **_line(lines, i),
            "models": len(models[key].models),
            **_rates("", lines.slope[i], lines_low[i], lines_high[i]),
            "sampling_low": _round(10 ** sampled_low[i]),
            "sampling_high": _round(10 ** sampled_high[i]),
            **(shapes[rows.tobytes()] if key.group in SHAPED else {}),
            **valued[key],
            **_of_all_runs(drawn, key),
        }
        for i, (key, rows) in enumerate(groups.items())
    ]


def lines_of(points: pd.DataFrame, groups: dict[series.Key, np.ndarray]) -> fit.Lines:
    """The straight lines through groups of points, of which `groups` has the places."""
    year, log10, sd = (points[name].to_numpy("float64") for name in ("year", "log10", "sd_dex"))
    return fit.fit_lines(year, log10, sd, list(groups.values()))


def trend_id(quantity: str, key: series.Key) -> str:
    """quantity:group:member:from, without empty parts."""
    return ":".join(part for part in (quantity, key.group, key.member, key.since[:4]) if part)


def _about(dates: np.ndarray, key: series.Key, quantity: str) -> dict[str, Any]:
    return {
        "trend_id": trend_id(quantity, key),
        "quantity": quantity,
        "unit": QUANTITIES[quantity],
        "group": key.group,
        "member": key.member or None,
        "since": pd.Timestamp(key.since) if key.since else pd.NaT,
        "first_date": pd.Timestamp(dates.min()),
        "last_date": pd.Timestamp(dates.max()),
    }


def _line(lines: fit.Lines, i: int) -> dict[str, Any]:
    return {
        "n": int(lines.n[i]),
        "r_squared": _round(lines.r_squared[i]),
        "residual_dex": _round(lines.residual[i]),
        "level_2020": _round(10 ** lines.level[i]),
    }


def _rates(prefix: str, slope: float, low: float, high: float) -> dict[str, Any]:
    """Growth per year and doubling time in months with their intervals; an infinite time is null."""
    return {
        "growth_per_year": _round(10**slope),
        "growth_low": _round(10**low),
        "growth_high": _round(10**high),
        "doubling_months": _round(doubling_months(slope)),
        "doubling_low": _round(doubling_months(high)),
        "doubling_high": _round(doubling_months(low)),
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
    return {f"growth_all_runs{end}": _round(10**value) for end, value in growth.items()}


def _shape(
    key: series.Key, year: np.ndarray, log10: np.ndarray, drawn: completed.Completed | None, few: bool
) -> dict[str, Any]:
    """The comparison. A change is not called one where selection alone makes it, nor since LATELY where `few` runs have a
    value: what the others took is estimated by those."""
    found = shape.compare_shapes(year, log10)
    if found is None:
        return {}
    selected = (math.nan, math.nan)
    if drawn and found.preferred != "line":
        selected = completed.by_selection_alone(drawn, key, found)
    place = found.kink_at if found.preferred == "kink" else found.break_at
    untold = few and _day(place) >= pd.Timestamp(shares.LATELY)
    by_selection = dict(zip(("kink", "break"), selected, strict=True)).get(found.preferred, 0) > SIGNIFICANT
    return {
        "shape": "line" if untold or by_selection else found.preferred,
        "p_kink_selection": _round(selected[0]),
        "p_break_selection": _round(selected[1]),
        "bic_kink": _round(found.bic_kink),
        "bic_break": _round(found.bic_break),
        "p_kink": _round(found.p_kink),
        "p_break": _round(found.p_break),
        "break_date": _day(found.break_at),
        "kink_date": _day(found.kink_at),
        "kink_date_low": _day(found.kink_range[0]),
        "kink_date_high": _day(found.kink_range[1]),
        "growth_before": _round(10**found.before),
        "growth_after": _round(10**found.after),
        "growth_after_low": _round(10 ** found.after_range[0]),
        "growth_after_high": _round(10 ** found.after_range[1]),
    }


def _day(year: float) -> pd.Timestamp:
    return pd.Timestamp("1970-01-01") + pd.Timedelta(days=round((year - 1970) * YEAR_DAYS))


def _round(value: float) -> float:
    """Six significant digits; nan stays nan."""
    return float(f"{value:.{DIGITS}g}")
