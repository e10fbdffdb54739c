"""The distribution around an estimate, on forests of single leaves and errors whose quantiles can be counted by
hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimation_rows import rows

from pipeline.impute.flop.conformal import LEAST_DEX, POINTS
from pipeline.impute.flop.methods import base_model, forward_pass, hardware, operation_count
from pipeline.impute.flop.methods.features import FOLDS, STARTS
from pipeline.impute.flop.residual_forest import (
    LEAF,
    METHODS,
    OWN,
    PREDICTORS,
    QUANTILES,
    above_base,
    columns,
    ends,
    in_order,
    quantiles,
    shares_of,
    uncertainty_features,
)


def test_a_share_of_numbers_is_the_smallest_with_as_many_at_or_below_it() -> None:
    values = np.array([np.arange(20.0, 0.0, -1.0), [5.0] * 20])
    assert shares_of(values).tolist() == [[1, 5, 10, 15, 19], [5] * 5]
    assert shares_of(np.arange(1.0, 22.0)[None]).tolist() == [[2, 6, 11, 16, 20]]  # ⌈0.05 · 21⌉ = 2


def test_an_interval_is_no_narrower_than_that_of_the_inputs() -> None:
    found = pd.DataFrame({name: [dex] for name, dex in zip(QUANTILES, (-0.4, -0.1, 0.0, 0.1, 0.4), strict=True)})
    assert ends(found, pd.Series([np.nan])).to_numpy().tolist() == [[-0.4, 0.4]]
    assert ends(found, pd.Series([1.0])).to_numpy().tolist() == [[-1.0, 1.0]]
    assert ends(found + 0.5, pd.Series([0.3])).to_numpy().tolist() == [[-0.3, 0.9]], "it holds its value"
    assert ends(found / 100, pd.Series([np.nan])).to_numpy().tolist() == [[-LEAST_DEX, LEAST_DEX]]
    assert ends(found * np.nan, pd.Series([1.0])).isna().all(axis=None)


def test_the_quarters_stand_between_the_ends_under_the_names_of_quantiles() -> None:
    found = pd.DataFrame({name: [dex] for name, dex in zip(QUANTILES, (-0.4, -0.1, 0.0, 0.1, 0.4), strict=True)})
    made = {"low": [-0.7], "high": [0.7], "quantile_25": [-0.1], "quantile_50": [0.0], "quantile_75": [0.1]}
    assert in_order(found, pd.Series([0.7])).to_dict("list") == made


def test_what_lies_above_a_base_are_quantiles_of_the_twenty_errors_of_such_models() -> None:
    other = {"assumptions": "none", "half_width_90": 9.0, **dict.fromkeys(POINTS, 9.0)}
    alone = {"assumptions": base_model.ALONE, "half_width_90": 0.7} | {name: i / 100 for i, name in enumerate(POINTS)}
    found = above_base(pd.DataFrame([other, alone]))
    # 25 % lies between the fifth (22.5 %) and the sixth (27.5 %) error
    assert found == pytest.approx(
        {"low": 0, "quantile_25": 0.045, "quantile_50": 0.095, "quantile_75": 0.145, "high": 0.7}
    )
    assert list(found) == ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
    assert above_base(pd.DataFrame([other])) == {}


def leaves(values: list[float], trees: int = 1) -> pd.DataFrame:
    """So many trees for each fold, all of a single leaf with these values."""
    table = pd.DataFrame({"tree": range(FOLDS * trees), "feature": "", "at": np.nan, "right": np.nan})
    return table.assign(**dict(zip(LEAF, values, strict=True)))


def errors(method: str, dex: float, scale: float = 1.0) -> pd.DataFrame:
    """A line of the table of intervals: all twenty errors of a method are `dex`, on either side."""
    return pd.DataFrame({"method": [method], "assumptions": [""], **dict.fromkeys(POINTS, dex), "scale": scale})


def distribution(
    methods: list[str], forest: pd.DataFrame, alike: pd.DataFrame, assumptions: str = "some"
) -> list[list[float]]:
    """The QUANTILES of an estimate by each method."""
    made = pd.DataFrame({"method": methods, "assumptions": assumptions})
    seen = {"feature": np.zeros(len(made))}
    found = quantiles(made, seen, np.arange(len(made)) % FOLDS, forest, alike)
    assert found.columns.tolist() == ["dex_05", "dex_25", "dex_50", "dex_75", "dex_95"]
    return found.to_numpy().tolist()


def test_few_leaves_count_beside_forty_errors() -> None:
    # in order: -9 three times, -1 twenty times, 0 twice, 1 twenty times; 5 % of 45 is the third, 50 % the 23rd
    found = distribution([hardware.METHOD], leaves([-9, -9, -9, 0, 0]), errors(hardware.METHOD, 1.0))
    assert found == [[-9, -1, -1, 1, 1]]


def test_errors_are_repeated_until_they_are_as_many_as_the_leaves() -> None:
    # 20 trees have 100 numbers, the errors are 40, and 80 twice: -2 a hundred times, -1 and 1 forty times
    found = distribution([hardware.METHOD] * 2, leaves([-2] * 5, trees=20), errors(hardware.METHOD, 1.0))
    assert found == [[-2, -2, -2, -1, 1]] * 2, "75 % of 180 is the 135th, 95 % the 171st"


def test_what_was_counted_from_a_forward_pass_has_the_errors_of_such_counts_alone() -> None:
    alike = errors(operation_count.METHOD, 0.3)
    for assumptions, found in ((forward_pass.READ, [-0.3, -0.3, -0.3, 0.3, 0.3]), ("", [-9, -9, -9, -0.3, 0.3])):
        made = distribution([operation_count.METHOD], leaves([-9] * 5, trees=20), alike, assumptions)
        assert made == [found], assumptions


def test_each_method_has_its_own_errors_and_an_unknown_one_none() -> None:
    alike = pd.concat([errors(hardware.METHOD, 1.0), errors(operation_count.METHOD, 3.0)], ignore_index=True)
    methods = [operation_count.METHOD, "unknown", hardware.METHOD]
    found = distribution(methods, leaves([0.0] * 5), alike)
    assert np.isnan(found[1]).all()
    assert (found[0], found[2]) == ([-3, -3, 0, 3, 3], [-1, -1, 0, 1, 1])
    read = distribution(methods, leaves([0.0] * 5), alike, forward_pass.READ)
    assert np.isnan(read[1]).all()


def test_the_distances_from_the_median_are_multiplied_and_rounded_to_thousandths() -> None:
    # in order: -0.1234 twenty times, 0.01 five times, 0.1234 twenty times; 0.01 - 2 · 0.1334, and 0.01 + 2 · 0.1134
    found = distribution([hardware.METHOD], leaves([0.01] * 5), errors(hardware.METHOD, 0.1234, scale=2.0))
    assert found == [[-0.257, -0.257, 0.01, 0.237, 0.237]]


def test_a_thousand_and_one_rows_are_as_any() -> None:
    found = distribution([hardware.METHOD] * 1001, leaves([-9, -9, -9, 0, 0]), errors(hardware.METHOD, 1.0))
    assert found == [[-9, -1, -1, 1, 1]] * 1001


def test_the_leaves_have_the_middles_of_fifths() -> None:
    assert LEAF == ["dex_10", "dex_30", "dex_50", "dex_70", "dex_90"]


def seen_of(**cell: object) -> dict[str, float]:
    """What the forest sees of an estimate by hardware of 1e22 FLOP, of a model about which all is 1 unless given."""
    usual = {"model_id": "m", "method": hardware.METHOD, "assumptions": None, "value": 1e22, "inputs_dex": np.nan}
    made = pd.DataFrame([usual | {name: value for name, value in cell.items() if name in usual}])
    others = ["regression", operation_count.METHOD, hardware.METHOD]
    about = dict.fromkeys([*others, *OWN], 1.0) | {name: value for name, value in cell.items() if name not in usual}
    made = made.astype({"assumptions": "str", "inputs_dex": "float64"})
    return {name: values[0] for name, values in columns(made, pd.DataFrame(about, index=["m"])).items()}


def test_the_forest_sees_how_far_the_other_predictors_lie_from_the_estimate() -> None:
    seen = seen_of(regression=21.0, operation_counting=24.0, hardware=22.0)
    assert seen["value"] == 22
    distances = ["to regression", "to operation_counting", "to hardware"]
    assert [seen[name] for name in distances] == [-1, 2, 0]
    assert [seen_of(method=method)["method"] for method in METHODS] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("assumptions", "number", "words"),
    [
        (None, 0, []),
        ("", 0, []),
        ("one epoch", 1, ["one epoch"]),
        ("utilisation 0.30;usual number format of the chip", 2, ["utilisation 0.30"]),
        ("4/3 tokens per word;one epoch;utilisation 0.40", 3, ["one epoch", "utilisation 0.40"]),
    ],
)
def test_the_forest_sees_the_assumptions_and_their_number(
    assumptions: str | None, number: int, words: list[str]
) -> None:
    seen = seen_of(assumptions=assumptions)
    assert seen["assumptions"] == number
    some = ("one epoch", "utilisation 0.30", "utilisation 0.40", operation_count.GUESSED_UNIT, forward_pass.READ)
    assert [name for name in some if seen[name]] == words


def test_the_forest_sees_how_sure_the_inputs_are_and_what_is_known_of_the_model() -> None:
    assert [seen_of()["inputs"], seen_of(inputs_dex=0.4)["inputs"]] == [0, 0.4]
    seen = seen_of(parameters=9.5, language=0.0)
    assert [seen["parameters"], seen["language"], seen["vision"]] == [9.5, 0, 1]


def test_what_is_known_of_a_model_are_logarithms_and_kinds() -> None:
    language = {"parameters": 1e9, "training_tokens": 1e11, "organization_category": "industry;academia"}
    picture = {"domains": "Vision", "publication_date": "2018-01-01", "dataset_size": 1e6, "epochs": 10.0}
    made = rows({"model_id": "l", **language}, {"model_id": "v", **picture}).assign(batch_size=np.nan)
    made = made.assign(
        open_weights=pd.Series([False, None], dtype="boolean"), organization_category=["industry;academia", None]
    )
    values = {method: pd.Series([1e22, np.nan]) for method in PREDICTORS.values()}
    found = uncertainty_features(made, pd.Series([np.nan, 1e20]), values)
    assert found.columns.tolist() == ["fold", *PREDICTORS, *OWN]
    said, known = found.loc["l", list(PREDICTORS)], found.loc["l", OWN].dropna()
    assert said.tolist() == [22, 22, 22]
    assert found.loc["v", list(PREDICTORS)].isna().all()
    numbers = {"parameters": 9, "dataset": 11, "count": pytest.approx(20.778, abs=1e-3), "numbers known": 3}
    kinds = {"language": 1, "industry": 1, "closed": 1, "start": STARTS.index("from parameters, tokens and epochs")}
    zeros = dict.fromkeys(("multimodal", "vision", "image generation", "games", "biology"), 0)
    assert known.to_dict() == numbers | kinds | zeros | {"year": pytest.approx(5.413, abs=1e-3)}
    other = found.loc["v", OWN].dropna().to_dict()
    assert other == zeros | {"vision": 1, "language": 0, "industry": 0, "closed": 0, "start": 0, "year": 0} | {
        "base": 20, "dataset": 6, "epochs": 1, "numbers known": 3
    }  # fmt: skip
