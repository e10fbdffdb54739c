"""Of how many training runs of a group a value is published: a trend is one of those who publish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.trends import series
from pipeline.impute.trends.prepare import notable_or_all

MEMBERS_IN = {"country": "countries", "organization": "organizations"}
LATELY = "2024-01-01"  # since when most developers of large models publish no value
HALF = 0.5  # of the runs since then, below which a trend carries a warning
DIGITS = 4


def shares(prepared: pd.DataFrame, plain: Mapping[str, pd.Series], quantity: str, key: series.Key) -> dict[str, Any]:
    """valued_share and valued_share_since_2024, and `selection_warning`: whether the latter is below HALF. `plain` are the plain
    groups of `prepared`."""
    rows = series.select(prepared, population(prepared, plain, key), key.since)
    run, valued = prepared["training_run_id"], prepared[quantity].notna().to_numpy()
    whole, recent = (_share(run, some, valued) for some in (rows, series.select(prepared, rows, LATELY)))
    return {"valued_share": whole, "valued_share_since_2024": recent, "selection_warning": bool(recent < HALF)}


def population(prepared: pd.DataFrame, plain: Mapping[str, pd.Series], key: series.Key) -> np.ndarray:
    """Which models may be of a group, with a value or without: for groups that are found by their values (the running top
    ten, eras) the notable ones."""
    if key.group in MEMBERS_IN:
        return series.has_item(prepared[MEMBERS_IN[key.group]], key.member).to_numpy(dtype="bool")
    by_value = key.group not in plain or key.group == "running_top_ten"
    return (notable_or_all(prepared) if by_value else plain[key.group]).to_numpy(dtype="bool")


def _share(run: pd.Series, rows: np.ndarray, valued: np.ndarray) -> float:
    runs = run[rows].nunique()
    return round(run[rows & valued].nunique() / runs, DIGITS) if runs else float("nan")
