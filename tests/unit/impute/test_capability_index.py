"""The training compute told from a capability index."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop.methods.capability_index import LEAST_ROWS, NAMES, fit, predict
from pipeline.impute.flop.rows import FIELD

TRUE = (24.0, 0.4, -0.2, 1.0)  # at 120 in 2024.4, per 10 points, per year, closed


def models(n: int = 120) -> pd.DataFrame:
    """Models on the line TRUE."""
    random = np.random.default_rng(0)
    index, days = random.uniform(80, 160, n), random.integers(0, 1200, n)
    year, closed = 2023 + days / 365.25 - 2024.4, random.random(n) < 0.5
    made = {
        "name": [f"Model {place}" for place in range(n)],
        "owner": [f"Maker {place % 17}" for place in range(n)],
        "publication_date": pd.Timestamp("2023-01-01") + pd.to_timedelta(days, "D"),
        "capability_index": index,
        "capability_index_low": index - 2,
        "capability_index_high": index + 2,
        "open_weights": pd.array(~closed, dtype="boolean"),
        FIELD: 10 ** (TRUE[0] + TRUE[1] * (index - 120) / 10 + TRUE[2] * year + TRUE[3] * closed),
    }
    return pd.DataFrame(made)


def learned(rows: pd.DataFrame) -> pd.DataFrame:
    return fit(rows, pd.Series(data=True, index=rows.index))


def test_the_fit_finds_a_planted_line_also_with_wild_values() -> None:
    rows = models()
    rows.loc[::15, FIELD] *= 1e6
    assert learned(rows)[NAMES].to_numpy()[0] == pytest.approx(TRUE, abs=0.05)


def test_a_prediction_is_its_formula() -> None:
    rows = models()
    made = predict(rows, learned(rows))
    assert np.log10(made["value"] / rows[FIELD]).abs().max() < 0.02
    text = made["formula"].iloc[0].removesuffix(" FLOP").replace(" for closed weights", "").replace("×", "*")
    assert eval(text.replace("10^", "10 **")) == pytest.approx(made["value"].iloc[0], rel=0.01)
    assert "+ -" not in text


@pytest.mark.parametrize("name", ["DeepSeek-R1-Distill-Qwen-7B", "Qwen2.5-Coder (32B)", "Text Embedding 3"])
def test_it_abstains_where_the_line_does_not_hold(name: str) -> None:
    rows = models()
    rows.loc[0, "name"] = name
    made = predict(rows, learned(rows))
    assert made["value"].notna().tolist() == [False, *[True] * 119]
    assert made["reason"].iloc[0].startswith("needs a model that is not distilled")


def test_it_abstains_without_a_day_an_index_or_enough_models() -> None:
    rows = models()
    assert predict(rows.assign(capability_index=np.nan), learned(rows)).empty
    undated = predict(rows.assign(publication_date=pd.NaT), learned(rows))
    assert undated["reason"].unique() == "needs a date of publication"
    few = learned(rows.iloc[: LEAST_ROWS - 1])
    assert few.empty
    assert predict(rows, few)["reason"].unique() == "needs more models with an index and a published value"


def test_half_widths_hold_the_errors_of_models_predicted_without_their_own_owner() -> None:
    rows = models()
    off = np.where(rows["owner"] == "Maker 3", 2.0, 0.0)
    found = learned(rows.assign(**{FIELD: rows[FIELD] * 10**off}))
    half, most = found[["half_width_50", "half_width_90"]].to_numpy()[0]
    assert half < 0.2, "of most owners the errors are small"
    assert most < 2, "and of one in seventeen large"
    all_wrong = learned(rows.assign(**{FIELD: rows[FIELD] * 10 ** (rows.index.to_numpy() % 17 / 4.0)}))
    assert all_wrong["half_width_90"].item() > 1.5
