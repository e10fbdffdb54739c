"""Columns of texts as numbers: their order, their hashes, and joins over them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.normalize import columns


def test_rows_are_numbered_in_the_order_of_their_columns() -> None:
    rows = [("b", None), ("a", "y"), ("a", "x"), ("a", None), ("b", "x"), (None, "y"), ("c", "x"), ("a", "y")]
    codes = columns.row_codes(pd.DataFrame(rows, columns=["first", "second"], dtype="str"), ["first", "second"])
    # nulls come first, in each column
    assert [rows[place] for place in np.argsort(codes, kind="stable")] == [
        *[(None, "y"), ("a", None), ("a", "x"), ("a", "y"), ("a", "y"), ("b", None), ("b", "x"), ("c", "x")]
    ]
    assert len(set(codes)) == 7


def test_a_hash_is_mixed_of_those_of_the_texts_in_the_order_of_the_columns() -> None:
    """Every claim_id that was ever published depends on it; here with whole numbers of Python."""
    frame = pd.DataFrame({"record": ["AlexNet", "Gopher"], "field": ["parameters", "parameters"]}, dtype="str")
    expected = []
    for row in frame.to_numpy():
        mixed = 0
        for said in pd.util.hash_array(row.astype(object)):
            mixed = (mixed ^ int(said)) * 11400714819323198485 % 2**64
            mixed ^= mixed >> 32
        expected.append(mixed)
    assert columns.text_hash(frame, ["record", "field"]).tolist() == expected
    assert columns.text_hash(frame.iloc[:1], ["record", "field"]).tolist() == expected[:1]


def test_a_join_refuses_a_null_in_its_key_on_either_side() -> None:
    whole = pd.DataFrame({"model_id": ["a", "b"], "field": ["x", "y"]}).astype("str")
    assert len(columns.joined(whole, whole, ["model_id", "field"])) == 2
    for left, right in ((whole, whole.replace("b", None)), (whole.replace("y", None), whole)):
        with pytest.raises(ValueError, match=r"null in the key (model_id|field): leave out"):
            columns.joined(left, right, ["model_id", "field"])
