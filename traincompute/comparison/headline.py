"""The figures that people quote from the dataset, so that a comparison can show how they changed. Notable models are
held against notable models: not every release has others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from pyarrow import parquet

from traincompute.comparison.side import Side

# reporting thresholds in law (EU AI Act, article 51: 1e25; US order 14110 of 2023: 1e26, 1e23), and the power between
# them
THRESHOLDS_FLOP = ("1e23", "1e24", "1e25", "1e26")
GROWTH = "training_compute_flop:notable:2010"  # the row of `trends` that says how fast compute grows


def headlines(old: pd.DataFrame, new: pd.DataFrame) -> list[dict[str, Any]]:
    """One entry per figure: figure, old, new. The frames are models tables with model_id, is_notable and
    training_compute_flop; "in both" counts the models that are notable in both, so that only revisions show."""
    before, after = old[old["is_notable"]], new[new["is_notable"]]
    both = set(before["model_id"]) & set(after["model_id"])
    figures: dict[str, Callable[[pd.DataFrame], int]] = {
        "notable models": len,
        "notable models with training compute": lambda m: int(m["training_compute_flop"].notna().sum()),
    }
    for flop in THRESHOLDS_FLOP:
        figures[f"notable models, at least {flop} FLOP"] = partial(_above, flop=float(flop))
        figures[f"notable models in both, at least {flop} FLOP"] = partial(_above, flop=float(flop), only=both)
    made = [{"figure": name, "old": make(before), "new": make(after)} for name, make in figures.items()]
    return [{"figure": "models", "old": len(old), "new": len(new)}, *made]


def growth(old: Side, new: Side) -> dict[str, Any]:
    """The growth of training compute, as the table `trends` of each side has it; null where it has none."""
    return {"figure": "growth of FLOP per year, notable since 2010", "old": _growth(old), "new": _growth(new)}


def _growth(side: Side) -> float | None:
    if "trends" not in side.tables:
        return None
    rows = parquet.read_table(side.file("trends"), columns=["growth_per_year"], filters=[("trend_id", "=", GROWTH)])
    found: list[float] = rows["growth_per_year"].to_pylist()
    return next(iter(found), None)


def _above(models: pd.DataFrame, flop: float, only: set[str] | None = None) -> int:
    chosen = models["training_compute_flop"] >= flop
    return int((chosen if only is None else chosen & models["model_id"].isin(only)).sum())
