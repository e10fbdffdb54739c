"""Cells that a check by hand found missing or wrong."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from pipeline.frames import Tables
from pipeline.paths import CHECKOUT

ROWS = pd.read_csv(CHECKOUT / "tests" / "data" / "checked_rows.csv", dtype=str, keep_default_na=False)


def test_every_checked_cell_is_as_its_reference_has_it(tables: Tables) -> None:
    models = tables["models"].set_index("model_id")
    found = [(row, models.at[row.model_id, row.column]) for row in ROWS.itertuples(index=False)]
    assert [(row.model_id, row.column, value) for row, value in found if not _is_right(row, value)] == []


def _is_right(row: Any, found: Any) -> bool:
    if row.value == "null" or pd.isna(found):
        return row.value == "null" and bool(pd.isna(found))
    if row.tolerance:
        return math.isclose(found, float(row.value), rel_tol=float(row.tolerance))
    return (f"{found:%Y-%m-%d}" if isinstance(found, pd.Timestamp) else str(found)) == row.value


def test_every_checked_cell_names_its_text() -> None:
    assert ROWS["reference"].str.contains(r"^(?:https://|arXiv:)", regex=True).all()


def test_the_largest_run_is_the_newest_that_a_source_gives(tables: Tables) -> None:
    models = tables["models"]
    assert models.loc[models["training_compute_flop"].idxmax(), "model_id"] == "gpt-6-astra"
