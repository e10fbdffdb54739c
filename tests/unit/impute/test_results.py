"""What every method gives, and how masks and texts become reasons, assumptions and fields."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.flop.formulas import HAS_BASE
from pipeline.impute.flop.result import (
    abstain_with_base,
    first_reason,
    has_word,
    join_texts,
    join_words,
    make_result,
    rounded,
    written,
)

INDEX = pd.Index([7, 3, 5])


def texts(*values: str | None) -> pd.Series:
    return pd.Series(values, index=INDEX[: len(values)], dtype="str")


def masks(**values: list[bool]) -> dict[str, pd.Series]:
    return {name: pd.Series(mask, index=INDEX) for name, mask in values.items()}


def test_a_row_with_a_reason_has_nothing_else() -> None:
    value = pd.Series([1e22, 2e22, np.nan], index=INDEX)
    made = make_result(
        value, pd.Series([1.0, 2.0, 1.0], index=INDEX), texts("", "needs more", "needs more"), fields="f"
    )
    assert made.index.tolist() == [7, 3, 5]
    assert made.loc[7].to_dict() == {"value": 1e22, "low": 1e21, "high": 1e23, "fields": "f", "reason": ""}
    assert made.loc[[3, 5]].drop(columns="reason").isna().all(axis=None)
    assert made.loc[3, "reason"] == "needs more"


def test_of_a_model_with_a_base_the_increment_is_no_estimate_of_the_whole() -> None:
    made = make_result(pd.Series(1e22, index=INDEX), 1.0, texts("", "", "needs more"))
    whole = abstain_with_base(made, pd.DataFrame({"base_model": texts("Base", None, "Base")}))
    assert whole["reason"].tolist() == [HAS_BASE, "", HAS_BASE]
    assert whole["value"].notna().tolist() == [False, True, False]


def test_the_first_reason_and_all_words_that_apply_are_given() -> None:
    said = masks(first=[True, False, False], second=[True, True, False], third=[True, False, False])
    assert first_reason(said, INDEX).to_dict() == {7: "first", 3: "second", 5: ""}
    assert join_words(said, INDEX).to_dict() == {7: "first;second;third", 3: "second", 5: ""}
    assert join_words(masks(first=[False, True, True], second=[True, False, True]), INDEX).tolist() == [
        "second", "first", "first;second",
    ]  # fmt: skip


def test_texts_of_a_key_are_joined_in_their_order() -> None:
    keys = pd.Series(["b", "a", None, "b", "a", "c"], dtype="str")
    given = pd.Series(["2", "9", "lost", "1", None, None], dtype="str")
    assert list(join_texts(given, keys, " | ").items()) == [("a", "9"), ("b", "2 | 1")]
    assert join_texts(given[:0], keys[:0], ";").empty


def test_a_word_is_an_item_of_a_list_and_no_part_of_one() -> None:
    found = has_word(texts("Vision;Language", None, "Languages"), "Language")
    assert found.to_dict() == {7: True, 3: False, 5: False}
    assert not has_word(texts("Games", None), "Language").any()


def test_numbers_have_four_significant_digits() -> None:
    numbers = pd.Series([123456.0, 0.00012344, np.nan], index=INDEX)
    assert rounded(numbers).fillna(-1).to_dict() == {7: 123500.0, 3: 0.0001234, 5: -1}
    assert written(numbers).tolist() == ["1.235e+05", "0.0001234", "nan"]
