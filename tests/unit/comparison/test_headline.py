"""The figures that people quote, of two small models tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from traincompute.comparison.headline import GROWTH, growth, headlines
from traincompute.comparison.side import Side


def models(flop: dict[str, float | None], others: str) -> pd.DataFrame:
    """Models by their FLOP; `others` are not notable."""
    notable = [model not in others for model in flop]
    return pd.DataFrame({"model_id": list(flop), "is_notable": notable, "training_compute_flop": list(flop.values())})


def test_the_figures_count_notable_models_and_tell_revisions_from_models_that_came_or_went() -> None:
    # in both are a, b and c; g is no longer notable, f, h and i have come
    old = models({"a": 1e23, "b": 2e25, "c": 1e26, "d": None, "e": 1e27, "g": 1e24}, others="e")
    new = models({"a": 9e22, "b": 1e25, "c": 1e26, "e": 1e27, "f": 2e24, "g": 1e24, "h": None, "i": 1e26}, others="eg")
    assert [(entry["figure"], entry["old"], entry["new"]) for entry in headlines(old, new)] == [
        ("models", 6, 8),
        ("notable models", 5, 6),
        ("notable models with training compute", 4, 5),
        ("notable models, at least 1e23 FLOP", 4, 4),
        ("notable models in both, at least 1e23 FLOP", 3, 2),
        ("notable models, at least 1e24 FLOP", 3, 4),
        ("notable models in both, at least 1e24 FLOP", 2, 2),
        ("notable models, at least 1e25 FLOP", 2, 3),
        ("notable models in both, at least 1e25 FLOP", 2, 2),
        ("notable models, at least 1e26 FLOP", 1, 2),
        ("notable models in both, at least 1e26 FLOP", 1, 1),
    ]


def test_growth_is_that_of_the_table_of_trends(tmp_path: Path) -> None:
    old = Side(tmp_path, "old", {"tables": {}})  # made before there was such a table
    new = Side(tmp_path, "new", {"tables": {"trends": {"content_sha256": ""}}})
    found = []
    for trends in (["training_compute_flop:all", GROWTH], ["training_compute_flop:all"]):
        rows = pa.table({"trend_id": trends, "growth_per_year": [2.0, 4.5][: len(trends)]})
        parquet.write_table(rows, tmp_path / "trends.parquet")
        found.append(growth(old, new))
    named = {"figure": "growth of FLOP per year, notable since 2010", "old": None}
    assert found == [named | {"new": 4.5}, named | {"new": None}]
