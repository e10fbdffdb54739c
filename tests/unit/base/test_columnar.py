"""Operations on columns of texts, and the names that model records go by."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.base.columnar import (
    extracted,
    has_empty,
    hex_digits,
    is_in,
    is_increasing,
    iso_days,
    items_of,
    joined,
    mapped,
    row_codes,
    text_hash,
)
from pipeline.normalize.claims import ids_by_name


def test_each_text_gets_its_value_and_an_unknown_one_none() -> None:
    texts = pd.Series(["a", "b", None, "a", "c"], index=[3, 1, 4, 0, 9], dtype="str")
    found = mapped(texts, {"a": "one", "b": "two"}, "str")
    assert found.index.tolist() == texts.index.tolist()
    assert found.fillna("-").tolist() == ["one", "two", "-", "one", "-"]
    numbers = mapped(pd.Series(["b", "a", "b"], dtype="str"), {"a": 1, "b": 2}, "int64")
    assert (numbers.tolist(), numbers.dtype) == ([2, 1, 2], "int64")
    assert mapped(pd.Series(["a", None], dtype="str"), {"a": "one"}, "str").isna().tolist() == [False, True]
    days = mapped(pd.Series(["a", "b"], dtype="str"), {"a": pd.Timestamp("2026-05-03")}, "datetime64[s]")
    assert days.isna().tolist() == [False, True]


def test_rows_are_numbered_in_the_order_of_their_columns() -> None:
    rows = [("b", None), ("a", "y"), ("a", "x"), ("a", None), ("b", "x"), (None, "y"), ("c", "x"), ("a", "y")]
    codes = row_codes(pd.DataFrame(rows, columns=["first", "second"], dtype="str"), ["first", "second"])
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
    assert text_hash(frame, ["record", "field"]).tolist() == expected
    assert text_hash(frame.iloc[:1], ["record", "field"]).tolist() == expected[:1]


def test_a_day_is_written_as_year_month_and_day() -> None:
    days = pd.Series(pd.to_datetime(["2026-03-30", None, "2026-12-01"]), index=[4, 5, 6])
    assert iso_days(days).fillna("-").to_dict() == {4: "2026-03-30", 5: "-", 6: "2026-12-01"}


def test_the_first_match_in_a_text_is_taken_out() -> None:
    texts = pd.Series(["see arXiv:1 and arXiv:2", "none", None], index=[3, 2, 1], dtype="str")
    assert extracted(texts, r"arXiv:(?P<found>[0-9])").fillna("-").to_dict() == {3: "1", 2: "-", 1: "-"}


def test_texts_are_found_among_others() -> None:
    for dtype in ("str", "object"):
        assert is_in(pd.Series(["a", np.nan, "b"], dtype=dtype), ["b", "c"]).tolist() == [False, False, True]


def test_each_item_of_a_list_has_the_place_of_its_list() -> None:
    items, places = items_of(pd.Series(["a;b", None, "b"], index=[7, 8, 9], dtype="str"))
    assert items.tolist() == ["a", "b", "b"]
    assert places.tolist() == [0, 0, 2]


def test_hashes_are_written_as_sixteen_digits() -> None:
    found = hex_digits(np.array([1, 2**64 - 1, 0xABC << 52], dtype="uint64"), pd.Index([7, 3, 5]))
    assert found.to_dict() == {7: "0000000000000001", 3: "ffffffffffffffff", 5: "abc0000000000000"}
    assert hex_digits(np.array([], dtype="uint64"), pd.Index([])).dtype == "str"


def test_an_empty_text_is_told_from_none() -> None:
    assert has_empty(pd.Series(["a", None, ""], dtype="str"))
    assert not has_empty(pd.Series(["a", None], dtype="str"))
    assert not has_empty(pd.Series([None], dtype="str"))


def test_texts_increase_where_none_recurs_or_is_null() -> None:
    for texts, expected in (
        (["a", "b"], True),
        (["a", "a"], False),
        (["b", "a"], False),
        (["a", "c", "b"], False),
        ([], True),
    ):
        assert is_increasing(pd.Series(texts, dtype="str")) is expected, texts
    assert not is_increasing(pd.Series(["a", None, "b"], dtype="str"))


def test_a_doubled_record_goes_by_its_name_where_that_is_free_and_means_one_model() -> None:
    records = {
        "Qwen2.5-VL-7B @ https://arxiv.org/abs/2502.13923": "qwen2.5-vl-7b",
        "CALM": "calm",
        "CALM @ https://example.org/1": "calm-1",
        "Ada @ https://example.org/2": "ada-2",
        "Ada @ https://example.org/3": "ada-3",
    }
    claims = pd.DataFrame({"record": list(records) * 2, "model_id": list(records.values()) * 2}).astype("str")
    found = ids_by_name(claims)
    assert found["Qwen2.5-VL-7B"] == "qwen2.5-vl-7b"
    assert found["CALM"] == "calm"
    assert "Ada" not in found


def test_a_join_refuses_a_null_in_its_key_on_either_side() -> None:
    whole = pd.DataFrame({"model_id": ["a", "b"], "field": ["x", "y"]}).astype("str")
    assert len(joined(whole, whole, ["model_id", "field"])) == 2
    for left, right in ((whole, whole.replace("b", None)), (whole.replace("y", None), whole)):
        with pytest.raises(ValueError, match=r"null in the key (model_id|field): leave out"):
            joined(left, right, ["model_id", "field"])
