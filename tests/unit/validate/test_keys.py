"""The key of a published table names one row."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.frames import conform
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.validate.cells import check_table

SCHEMAS = load_schemas(Paths(CHECKOUT))


@pytest.mark.parametrize(
    ("name", "rows", "found"),
    [
        ("organizations", [{"organization": "A"}, {"organization": "A"}], {"A"}),
        ("organizations", [{"organization": "A"}, {"organization": "B"}], set()),
        ("model_hardware", [{"model_id": "a", "ordinal": 1}, {"model_id": "a", "ordinal": 2}], set()),
        ("model_hardware", [{"model_id": "a", "ordinal": 1}, {"model_id": "a", "ordinal": 1}], {"a 1"}),
    ],
)
def test_a_key_that_two_rows_have_is_refused(name: str, rows: list[dict[str, object]], found: set[str]) -> None:
    needed = {"models": 1, "mention": "A100"}
    frame = conform(pd.DataFrame([needed | row for row in rows]), SCHEMAS[name])
    problems = check_table(frame, SCHEMAS[name], {})
    assert {problem.record for problem in problems if "more than one row" in problem.reason} == found
