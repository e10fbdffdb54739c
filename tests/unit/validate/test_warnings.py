"""Unusual cells: named once, and left alone when somebody has looked at them."""

from __future__ import annotations

import pandas as pd

from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.validate.cells import warnings_of

TABLE = load_schemas(Paths(CHECKOUT))["models"]


def test_an_unusual_cell_is_a_warning_until_somebody_has_looked() -> None:
    # Persia, arXiv:2111.05897: 1e14 parameters, most of them in embedding tables
    rows = pd.DataFrame({"model_id": ["persia", "gpt-3-175b"], "parameters": [1e14, 1.746e11]})
    frame = rows.reindex(columns=TABLE.names)
    (warning,) = warnings_of(frame, TABLE)
    assert (warning.record, warning.field) == ("persia", "parameters")
    assert warnings_of(frame, TABLE, {("persia", "parameters")}) == []
    assert warnings_of(frame, TABLE, {("persia", "training_tokens")}) == [warning]
