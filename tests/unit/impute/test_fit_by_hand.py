"""One calibration, step by step, with stand-ins for what is learned: which models and errors each step is given."""

from __future__ import annotations

from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.calibration import fit as fitting
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.methods import (
    base_model,
    capability_index,
    forward_pass,
    hardware,
    operation_count,
    statistical,
)
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.residual_forest import QUANTILES

ENDS = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
UP = {"low": 0.0, "quantile_25": 0.1, "quantile_50": 0.2, "quantile_75": 0.3, "high": 0.4}


def test_a_fit_learns_from_the_models_that_are_told_and_from_their_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = ["a", "b", "a (masked)", "b (masked)"]
    about = pd.DataFrame({"share": [1, 1, 0.5, 0.5], "whole": [True, True, False, True]}, index=ids)
    both = Some(rows=pd.DataFrame(index=range(4)), bases="bases", about=about)
    methods = [hardware.METHOD, hardware.METHOD, operation_count.METHOD, statistical.METHOD, statistical.METHOD]
    made = pd.DataFrame({"model_id": ["a", "b", "a", "a (masked)", "a"], "method": methods, "weight": 1.0, "fold": 2})
    made = made.assign(error_dex=[0.1, 0.2, 0.3, 0.4, np.nan])
    kinds = pd.DataFrame({"method": [hardware.METHOD, hardware.METHOD, statistical.METHOD, base_model.METHOD]}).assign(
        assumptions=["", forward_pass.READ, "", base_model.ALONE]
    )
    told: dict[str, Any] = {}

    def noted(name: str, answer: Any) -> Any:
        def stand_in(*given: Any) -> Any:
            told[name] = given
            return answer

        return stand_in

    monkeypatch.setattr(fitting, "with_copies", noted("copies", both))
    monkeypatch.setattr(statistical, "fit", noted("regression", pd.DataFrame({"c": [1]})))
    monkeypatch.setattr(capability_index, "fit", noted("index", "lines"))
    monkeypatch.setattr(fitting, "samples", noted("samples", (made, "seen")))
    monkeypatch.setattr(fitting, "grow", noted("grow", "forest"))
    monkeypatch.setattr(fitting, "make_table", noted("table", kinds))
    monkeypatch.setattr(fitting, "scales", noted("scales", {hardware.METHOD: 1.5, base_model.METHOD: 1.4}))
    found = fitting.fit(Some(), np.array([True, False]))
    assert told["regression"][2].tolist() == [1, 0, 0.5, 0]
    assert told["index"][1].tolist() == [True, False, False, False], (
        "the line is learned from values that are the whole"
    )
    (rows,) = told["grow"]
    assert rows.target.tolist() == pytest.approx([-0.1, -0.2, -0.3, -0.4, np.nan], nan_ok=True), "published ÷ estimate"
    assert rows.train.tolist() == [True, False, True, True, False]
    assert told["table"][2].tolist() == told["scales"][2].tolist() == [True, False, True, True, False]
    assert (found.coefficients["c"].tolist(), found.capability_index) == ([1], "lines")
    assert found.intervals["scale"].tolist() == [1.5, 1, 1, 1], "errors that stand alone need none"


def test_a_judged_model_has_the_tier_of_what_it_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a, b, c, d and e there is a regression, which starts from kind, size, a base and chips; e has an index, too, f
    a physical method that is taken and g one that is not."""
    ids, starts = ["other", *"abcdefg"], [STARTS[-1], STARTS[-2], STARTS[0], STARTS[1], STARTS[0]]
    made = pd.DataFrame({"model_id": ids, "fold": range(8), "inputs_dex": np.nan, "value": 1e20, "taken": False})
    made["method"] = [hardware.METHOD, *[statistical.METHOD] * 5, *[hardware.METHOD] * 2]
    made = made.assign(assumptions=["", *starts, "", ""], taken=made["model_id"].isin(["other", "f"]))
    monkeypatch.setattr(fitting, "samples", lambda *_: (made, {"x": np.arange(8)}))
    asked: list[Any] = []

    def quantiles(part: pd.DataFrame, *given: Any) -> pd.DataFrame:
        asked.extend(given)
        return pd.DataFrame([(-0.4, -0.2, 0.1, 0.2, 0.4)] * len(part), part.index, QUANTILES)

    def indexed(rows: pd.DataFrame, lines: str) -> pd.DataFrame:
        assert (rows["model_id"].tolist(), lines) == ([*"abcdefg"], "lines")
        told = dict(zip(ENDS, (1e19, 5e19, 1e20, 2e20, 1e21), strict=True))
        return pd.DataFrame({"value": [1e20, np.nan], "assumptions": "", **told}, index=rows.index[4:6])

    monkeypatch.setattr(fitting.residual_forest, "quantiles", quantiles)
    monkeypatch.setattr(capability_index, "predict", indexed)
    about = pd.DataFrame({"year": range(8)}, index=ids)
    material: Any = Some(about=about, alone=pd.Series({"a": 1e21}), rows=pd.DataFrame({"model_id": ids}))
    calibrated = Calibrated("coefficients", "lines", pd.DataFrame({"assumptions": [""]}), "forest")
    judged = fitting.judge(material, calibrated, np.arange(8) > 0)
    assert judged["model_id"].tolist() == [*"abcdefg", "e"]
    assert judged["tier"].fillna(-1).tolist() == [4, 3, 3, 3, -1, 1, -1, 3]
    assert judged[ENDS].to_numpy().tolist()[:7] == [[-0.4, -0.2, 0.1, 0.2, 0.4]] * 7, (
        "nothing is known of what bases are"
    )
    assert judged.loc[7, ENDS].tolist() == [-1, -0.301, 0, 0.301, 1]
    assert judged.loc[7, ["method", "taken", "year"]].tolist() == [capability_index.METHOD, False, 5]
    assert (asked[0]["x"].tolist(), asked[1].tolist()) == ([*range(1, 8)], [*range(1, 8)])
    monkeypatch.setattr(fitting.residual_forest, "above_base", lambda _: UP)
    judged = fitting.judge(material, calibrated, np.arange(8) > 0)
    assert judged["tier"].fillna(-1).tolist() == [2, 3, 3, 3, -1, 1, -1, 3]
    assert judged.loc[0, ENDS].tolist() == pytest.approx([1, 1.1, 1.2, 1.3, 1.4]), "ten times the estimate, and up"
    assert judged.loc[1, ENDS].tolist() == [-0.4, -0.2, 0.1, 0.2, 0.4]
    sure = Some(about=about, alone=pd.Series({"f": 1e21}), rows=material.rows)
    assert fitting.judge(sure, calibrated, np.arange(8) > 0)["tier"].fillna(-1).tolist() == [4, 3, 3, 3, -1, 1, -1, 3]
    monkeypatch.setattr(capability_index, "predict", lambda rows, _: indexed(rows, "lines")[:0])
    without = fitting.judge(sure, calibrated, np.arange(8) > 0)
    assert without["tier"].fillna(-1).tolist() == [4, 3, 3, 3, 3, 1, -1], "without an index the regression is needed"


def test_the_distance_of_a_value_is_counted_in_ends_of_its_side() -> None:
    found = pd.DataFrame([(-0.4, 9, 0.1, 9, 0.3)] * 4 + [(0.1, 9, 0.1, 9, 0.11)], columns=QUANTILES)
    errors = pd.Series([-0.3, 0.4, -0.1, -1.1, -0.11])
    assert fitting._distance(errors, found).tolist() == pytest.approx([1, 1, 0, 5, 0.5]), "no end is nearer than 0.02"


def test_a_scale_is_what_nine_in_ten_need_drawn_towards_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thirty, the twenty-eighth: 0.9 · 31. Thirty models more that have the scale 1 leave the root of it."""
    off = [*[8.0] * 1, *[9.0] * 27, *[20.0] * 2]
    taken = pd.DataFrame({"method": [hardware.METHOD] * 30 + [operation_count.METHOD] * 30})
    taken = taken.assign(error_dex=[*off, *[0.01] * 30], fold=[*range(3)] * 20, taken=True, notable=True, some=True)
    others = taken[:3].assign(error_dex=99.0, taken=[False, True, True], notable=[True, False, True])
    made = pd.concat([taken, others.assign(some=[True, True, False]), taken[:1].assign(method="m", taken=False)])
    made = made.assign(assumptions="").reset_index(drop=True)
    asked: list[Any] = []

    def quantiles(part: pd.DataFrame, columns: Any, fold: np.ndarray, spreads: object, table: pd.DataFrame) -> Any:
        asked.extend([part.index.tolist(), columns["x"].tolist(), fold.tolist(), spreads, table["scale"].tolist()])
        return pd.DataFrame([(-1.0, 0, 0, 0, 1)] * len(part), part.index, QUANTILES)

    monkeypatch.setattr(fitting.residual_forest, "quantiles", quantiles)
    some, seen, table = made["some"].to_numpy(), {"x": np.arange(64)}, pd.DataFrame({"method": ["m"]})
    scales = fitting.scales(made, seen, some, "trees", table)
    assert scales == {hardware.METHOD: 3, operation_count.METHOD: 0.316}, "√9, and √0.1 for want of more"
    assert asked == [[*range(60)], [*range(60)], [*range(3)] * 20, "trees", [1]]
    assert fitting.scales(made, seen, some & (made.index > 60), "trees", table) == {}


def test_what_the_methods_say_of_the_models_and_how_far_off_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors are those of values that are the whole, or were settled for a count that was read."""
    ids = list("abcd")
    physical = [
        ("a", hardware.METHOD, "", 0.1, 2e20, True),
        ("a", operation_count.METHOD, forward_pass.READ, 0.1, 4e20, False),
        ("b", operation_count.METHOD, "", 0.1, 1e20, False),
        ("d", operation_count.METHOD, forward_pass.READ, 0.1, 4e20, True),
    ]
    about = {"published": 1e20, "settled": [2e20, np.nan, np.nan, 1e20], "whole": [True, True, True, False]}
    material: Any = Some(
        rows=pd.DataFrame({"model_id": ids}, index=[10, 11, 12, 13]),
        bases=None,
        physical=pd.DataFrame(physical, columns=[*fitting.PREDICTED, "taken"]),
        about=pd.DataFrame(about, index=ids),
    )
    said = pd.DataFrame({"assumptions": "s", "inputs_dex": np.nan, "value": 1e21}, index=material.rows.index)
    monkeypatch.setattr(statistical, "predict", lambda *_: said)
    values: dict[str, Any] = {}
    monkeypatch.setattr(fitting, "uncertainty_features", lambda _rows, _bases, found: values.update(found))
    monkeypatch.setattr(fitting.residual_forest, "columns", lambda made, _: {"value": made["value"].to_numpy()})
    made, seen = fitting.samples(material, pd.DataFrame())
    assert made["model_id"].tolist() == ["a", "a", "b", "d", "a", "b", "c", "d"]
    assert list(made.index) == [*range(8)]
    assert made["taken"].tolist() == [True, False, False, True, *[False] * 4]
    errors = [0.301, 0.301, 0, 0.602, 1, 1, 1, np.nan]
    assert made["error_dex"].round(3).tolist() == pytest.approx(errors, nan_ok=True), "the count that was read: 4 to 2"
    assert seen["value"].tolist() == made["value"].tolist()
    assert list(values) == [base_model.METHOD, operation_count.METHOD, hardware.METHOD, statistical.METHOD]
    assert values[operation_count.METHOD].fillna(0).to_dict() == {"a": 4e20, "b": 1e20, "c": 0, "d": 4e20}


def test_how_far_models_lie_above_bases_counts_where_there_are_twenty_and_no_base_is_left_out() -> None:
    ids = [f"m{number:02d}" for number in range(24)]
    dex = np.array(
        [-0.02, -0.01, *[0.1] * 19, 0.5, 2.0, 3.0]
    )  # the first leaves its base out, the last is not learned from
    about = pd.DataFrame({"published": 1e20 * 10**dex}, index=ids)
    material: Any = Some(about=about, alone=pd.Series(1e20, index=ids))
    made = pd.DataFrame({"model_id": ids, "method": "m", "assumptions": "", "error_dex": 0.3, "weight": 1.0})
    found = fitting.make_table(material, made, np.arange(24) < 23).set_index(["method", "assumptions"])
    assert found.loc[("m", ""), ["rows", "half_width_50"]].tolist() == [23, 0.3]
    line = found.loc[(base_model.METHOD, base_model.ALONE)]
    assert len(found) == 3, "all of m, m without assumptions, and what is above bases"
    assert line[["rows", "half_width_50", "half_width_90", "error_025", "error_975"]].tolist() == [22, 0.1, 0.5, 0, 2]
    few, enough = (fitting.make_table(material, made, np.arange(24) < count) for count in (20, 21))
    assert [set(few["method"]), set(enough["method"])] == [{"m"}, {"m", base_model.METHOD}]
