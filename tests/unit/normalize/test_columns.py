"""Joins over columns of texts."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.normalize import columns


def test_a_join_refuses_a_null_in_its_key_on_either_side() -> None:
    whole = pd.DataFrame({"model_id": ["a", "b"], "field": ["x", "y"]}).astype("str")
    assert len(columns.joined(whole, whole, ["model_id", "field"])) == 2
    for left, right in ((whole, whole.replace("b", None)), (whole.replace("y", None), whole)):
        with pytest.raises(ValueError, match=r"null in the key (model_id|field): leave out"):
            columns.joined(left, right, ["model_id", "field"])
