"""The training compute told from a capability index."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop.conformal import COLUMNS as WIDTHS
from pipeline.impute.flop.methods.capability_index import (
    ANY_OTHER,
    LEAST_ROWS,
    NAMES,
    _columns,
    _fit_robust,
    fit,
    predict,
)
from pipeline.impute.flop.rows import FIELD

TRUE = (24.0, 0.4, -0.2, 1.0)  # at 120 in 2024.4, per 10 points, per year, closed


def planted(index: float, day: pd.Timestamp, *, closed: bool) -> float:
    year = 2024 + (day - pd.Timestamp("2024-01-01")).days / 365.25
    return float(10 ** (TRUE[0] + TRUE[1] * (index - 120) / 10 + TRUE[2] * (year - 2024.4) + TRUE[3] * closed))


def models(n: int = 120, **more: object) -> pd.DataFrame:
    random = np.random.default_rng(0)
    made = pd.DataFrame(
        {
            "name": [f"Model {place}" for place in range(n)],
            "owner": [f"Maker {place % 17}" for place in range(n)],
            "publication_date": pd.Timestamp("2023-01-01") + pd.to_timedelta(random.integers(0, 1200, n), "D"),
            "capability_index": random.uniform(80, 160, n),
            "open_weights": pd.array(random.random(n) < 0.5, dtype="boolean"),
        }
    )
    flop = [
        planted(index, day, closed=not is_open)
        for index, day, is_open in zip(
            made["capability_index"], made["publication_date"], made["open_weights"], strict=True
        )
    ]
    ends = {"capability_index_low": made["capability_index"] - 2, "capability_index_high": made["capability_index"] + 2}
    return made.assign(**ends, **{FIELD: flop}).assign(**more)


def learned(rows: pd.DataFrame) -> pd.DataFrame:
    return fit(rows, pd.Series(data=True, index=rows.index))


def test_the_fit_finds_a_planted_line_also_with_wild_values() -> None:
    rows = models()
    rows.loc[::15, FIELD] *= 1e6
    found = learned(rows)
    assert list(found.index) == [ANY_OTHER, *sorted(f"Maker {place}" for place in range(17))]
    assert found[NAMES].to_numpy() == pytest.approx(np.tile(TRUE, (18, 1)), abs=0.05)


def test_a_prediction_is_its_formula() -> None:
    rows = models()
    made = predict(rows, learned(rows))
    assert np.log10(made["value"] / rows[FIELD]).abs().max() < 0.02
    text = made["formula"].iloc[0].removesuffix(" FLOP").replace(" for closed weights", "").replace("×", "*")
    assert eval(text.replace("10^", "10 **")) == pytest.approx(made["value"].iloc[0], rel=0.01)
    assert " - " in text
    assert "+ -" not in text


def test_no_model_is_predicted_from_its_own_organisation() -> None:
    rows = models()
    odd = rows["owner"] == "Maker 3"
    other = rows.assign(**{FIELD: rows[FIELD].where(~odd, rows[FIELD] * 30)})
    usual, changed = (predict(rows, learned(some))["value"] for some in (rows, other))
    assert (usual[odd] == changed[odd]).all()
    assert (usual != changed).any()


@pytest.mark.parametrize("name", ["DeepSeek-R1-Distill-Qwen-7B", "Qwen2.5-Coder (32B)", "Text Embedding 3"])
def test_it_abstains_where_the_line_does_not_hold(name: str) -> None:
    rows = models()
    rows.loc[0, "name"] = name
    made = predict(rows, learned(rows))
    assert made["reason"].iloc[0] == "needs a model that is not distilled, nor for code or embeddings alone"
    assert np.isnan(made["value"].iloc[0])
    assert made["value"].iloc[1:].notna().all()


def test_without_an_index_or_enough_of_them_there_is_no_value() -> None:
    rows = models()
    assert predict(rows.assign(capability_index=np.nan), learned(rows)).empty
    needs = "needs more models with an index and a published value"
    few = learned(rows.iloc[: LEAST_ROWS - 1])
    assert few.isna().all(axis=None)
    assert predict(rows, few)["reason"].unique() == needs
    narrow = learned(rows.iloc[:LEAST_ROWS])
    assert narrow.loc[ANY_OTHER].notna().tolist() == [*[True] * 4, False, False], "a line, but no errors to go by"
    assert predict(rows, narrow)["reason"].unique() == needs
    assert learned(rows.iloc[:0]).isna().all(axis=None)
    undated = rows.assign(publication_date=pd.NaT)
    assert predict(undated, learned(rows))["reason"].unique() == "needs a date of publication"


def test_the_coefficients_are_the_least_of_what_is_minimised() -> None:
    """Σ 5 / width · log(1 + r²) + 0.5 · |b|² without the intercept has no slope there; a width below 3 counts as 3."""
    rows, random = models(), np.random.default_rng(1)
    rows[FIELD] *= 10 ** random.normal(0, 0.6, len(rows))
    rows["capability_index_high"] = rows["capability_index_low"] + random.uniform(1, 12, len(rows))
    found = learned(rows)
    width = np.maximum(rows["capability_index_high"] - rows["capability_index_low"], 3)
    for owner, line in found[NAMES].iterrows():
        used, b = rows["owner"].ne(owner).to_numpy(), line.to_numpy()
        made = _columns(rows)[used]
        r = np.log10(rows[FIELD].to_numpy())[used] - made @ b
        slope = -made.T @ (5 / width.to_numpy()[used] * 2 * r / (1 + r**2)) + 2 * 0.5 * b * [0, 1, 1, 1]
        assert slope == pytest.approx(np.zeros(4), abs=0.06)
        assert b.tolist() == [round(part, 4) for part in b]


def test_half_widths_hold_the_errors_of_others_each_without_its_own_owner_and_are_a_quarter_wider() -> None:
    rows, random = models(), np.random.default_rng(2)
    rows[FIELD] *= 10 ** random.normal(0, 0.6, len(rows))
    found = learned(rows)
    for name in (ANY_OTHER, "Maker 3"):
        others = rows[rows["owner"] != name]
        far = []
        for owner, own in others.groupby("owner"):
            line = learned(others[others["owner"] != owner]).loc[ANY_OTHER, NAMES].to_numpy(dtype="float64")
            far += np.abs(np.log10(own[FIELD]) - _columns(own) @ line).tolist()
        far.sort()
        half, most = (far[int(np.ceil(share * (len(far) + 1) - 1e-9)) - 1] for share in (0.5, 0.9))
        assert found.loc[name, WIDTHS].tolist() == pytest.approx([1.25 * half, 1.25 * most], abs=3e-4)


def test_a_model_has_the_line_and_the_width_of_its_owner() -> None:
    rows = models(3).assign(owner=["A", None, "C"])
    table = [[24.0, 0, 0, 0, 0.3, 1.0], [25.0, 0, 0, 0, 0.6, 2.0]]
    lines = pd.DataFrame(table, index=[ANY_OTHER, "A"], columns=[*NAMES, *WIDTHS])
    made = predict(rows, lines)
    assert np.log10(made["value"]).round(3).tolist() == [25, 24, 24]
    ends = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
    dex = [np.log10(made[name] / made["value"]).round(3).tolist() for name in ends]
    assert dex == [[-2, -1, -1], [-0.6, -0.3, -0.3], [0, 0, 0], [0.6, 0.3, 0.3], [2, 1, 1]]


def test_what_the_line_is_in() -> None:
    """Tens of the index from 120, years from 2024.4, and weights that are known to be closed."""
    rows = models(
        3, capability_index=[120.0, 130.0, 100.0], open_weights=pd.array([True, False, None], dtype="boolean")
    )
    rows["publication_date"] = pd.to_datetime(["2024-05-26", "2025-01-01", "2024-01-01"])
    assert _columns(rows)[:, [1, 3]].tolist() == [[0, 0], [1, 1], [-2, 0]]
    assert _columns(rows)[:, 2] == pytest.approx([2024 + 146 / 365.25 - 2024.4, 2024 + 366 / 365.25 - 2024.4, -0.4])


def test_nothing_is_learned_from_what_lacks_a_value_an_index_or_a_day_or_is_unlike() -> None:
    rows, more = models(), models()[:5].assign(**{FIELD: 1e10})
    more.loc[0, FIELD] = np.nan
    more.loc[1, "capability_index"] = np.nan
    more.loc[2, "publication_date"] = pd.NaT
    more.loc[3, "name"] = "Some Coder"
    both = pd.concat([rows, more], ignore_index=True)
    pd.testing.assert_frame_equal(fit(both, (both.index < len(rows) + 4).astype(bool)), learned(rows))


def test_a_line_needs_twenty_models() -> None:
    rows = models()
    made, dex = _columns(rows), np.log10(rows[FIELD].to_numpy())
    assert np.isfinite(_fit_robust(made[:20], dex[:20], np.ones(20))).all()
    assert np.isnan(_fit_robust(made[:19], dex[:19], np.ones(19))).all()
