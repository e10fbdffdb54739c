"""Published numbers have at most twelve digits."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.frames import AS_PRINTED, Tables
from pipeline.paths import Paths
from pipeline.schema import load_schemas


def test_no_published_number_has_more_than_twelve_digits(tables: Tables, real: Paths) -> None:
    schemas = load_schemas(real)
    numbers = [
        (name, column.name)
        for name, frame in tables.items()
        for column in schemas[name].columns
        if column.type == "number" and name not in AS_PRINTED and len(frame)
    ]
    assert len(numbers) > 100
    longer = {}
    for name, column in numbers:
        values: pd.Series = tables[name][column].dropna().drop_duplicates()
        if len(bad := values[values != values.map(lambda value: float(f"{value:.12g}"))]):
            longer[f"{name}.{column}"] = bad.iloc[0]
    assert longer == {}


@pytest.mark.parametrize(("model_id", "flop"), [("grok-4", 5e26)])
def test_a_number_is_found_by_what_it_is(tables: Tables, model_id: str, flop: float) -> None:
    models, claims = tables["models"].set_index("model_id"), tables["claims"]
    assert models.loc[model_id, "training_compute_flop"] == flop
    printed = claims[(claims["model_id"] == model_id) & (claims["field"] == "training_compute_flop")]
    assert "5.0000000000001e+26" in set(printed["value_text"])
