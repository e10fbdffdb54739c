"""The figures that people quote from the dataset, so that a comparison can show how they changed."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

# the lower ones are reporting thresholds in law (EU AI Act, article 51: 1e25; US order 14110 of 2023: 1e26, 1e23)
THRESHOLDS_FLOP = (1e23, 1e24, 1e25, 1e26)
GROWTH_SINCE = date(2010, 1, 1)  # the start of the era of deep learning in Sevilla et al. 2022, arXiv:2202.05924


def headlines(old: pd.DataFrame, new: pd.DataFrame) -> list[dict[str, Any]]:
    """One entry per figure: figure, old, new. The frames are models tables with model_id, publication_date,
    is_notable and training_compute_flop; "in both" counts the models that both have, so that only revisions show."""
    both = set(old["model_id"]) & set(new["model_id"])
    figures: dict[str, Callable[[pd.DataFrame], float | None]] = {
        "models": len,
        "notable models": lambda m: int(m["is_notable"].sum()),
        "models with training compute": lambda m: int(m["training_compute_flop"].notna().sum()),
    }
    for flop in THRESHOLDS_FLOP:
        power = f"at least 1e{round(math.log10(flop))} FLOP"
        figures[f"models, {power}"] = partial(_above, flop=flop)
        figures[f"models in both, {power}"] = partial(_above, flop=flop, only=both)
    figures["growth of FLOP per year, notable since 2010"] = growth_per_year
    return [{"figure": name, "old": make(old), "new": make(new)} for name, make in figures.items()]


def _above(models: pd.DataFrame, flop: float, only: set[str] | None = None) -> int:
    chosen = models["training_compute_flop"] >= flop
    return int((chosen if only is None else chosen & models["model_id"].isin(only)).sum())


def growth_per_year(models: pd.DataFrame) -> float | None:
    """Growth factor per year from least squares of log10 FLOP on date, to six digits; null for fewer than three models.

    Years are days ÷ 365.25; values count equally whatever their source, and no model is left out as an outlier."""
    used = models[models["is_notable"] & (models["publication_date"] >= pd.Timestamp(GROWTH_SINCE))]
    used = used.dropna(subset=["training_compute_flop"])
    if used["publication_date"].nunique() < 2 or len(used) < 3:
        return None
    years = (used["publication_date"] - pd.Timestamp(GROWTH_SINCE)).dt.days.to_numpy(dtype="float64") / 365.25
    logs = np.log10(used["training_compute_flop"].to_numpy(dtype="float64"))
    centred = years - years.mean()
    return float(f"{10 ** ((centred * (logs - logs.mean())).sum() / (centred**2).sum()):.6g}")
