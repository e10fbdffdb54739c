"""How many models exceed a threshold."""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.paths import CHECKOUT
from traincompute import thresholds
from traincompute.base.distributions import QUANTILES

Z_90 = 1.6448536269514722


def norm_cdf(z: float) -> float:
    return 0.5 * (1 + erf(z / sqrt(2)))


def model(flop: float, low: float, high: float, **more: object) -> dict[str, object]:
    """A model with a published value and its band."""
    about = {
        "model_id": "m",
        "publication_date": pd.Timestamp("2024-05-01"),
        "is_notable": True,
        "organization": "Org",
        "tier": 0,
    }
    quarters = (10 ** (np.log10(flop) + np.log10(end / flop) * 0.6744897501960817 / Z_90) for end in (low, high))
    first, third = quarters
    size = dict(zip(QUANTILES, (low, first, flop, third, high), strict=True))
    made = about | size | {"training_compute_flop": flop, "training_compute_source": "third_party"} | more
    return {"training_run_id": made["model_id"]} | made


def exceedance(models: pd.DataFrame, threshold: float) -> list[float]:
    """The probability that each model's compute is at least the threshold."""
    return [1 - norm_cdf(z) for z in thresholds.distance(models, threshold)]


def years(models: pd.DataFrame, threshold: float) -> list[dict[str, Any]]:
    return thresholds.by_year(models, [threshold], thresholds.year_ends(models["publication_date"]))


def runs_of_owner(names: list[str], days: list[str], **more: object) -> pd.DataFrame:
    """Models with a median of 1e25, each of a run of its own."""
    given = zip(names, pd.to_datetime(days), strict=True)
    return pd.DataFrame([model(1e25, 1e24, 1e26, model_id=name, publication_date=day, **more) for name, day in given])


def test_errors_are_standard_normal_and_correlate_within_an_owner_and_half_year() -> None:
    days = ["2024-02-01", "2024-06-30", "2024-07-01", "2025-02-01"]
    theirs, others = runs_of_owner(list("abcd"), days), runs_of_owner(list("ef"), days[:2], organization="Other")
    made = thresholds.errors(pd.concat([theirs, others]).set_index("training_run_id"))
    assert made.mean(axis=1) == pytest.approx(np.zeros(6), abs=0.1)
    assert made.std(axis=1) == pytest.approx(np.ones(6), abs=0.1)
    found = np.corrcoef(made)
    assert found[0, 1] == pytest.approx(0.5, abs=0.1), "one owner, one half-year"
    assert [found[0, 2], found[0, 3], found[0, 4], found[2, 5]] == pytest.approx([0.1] * 4, abs=0.1)


@given(st.lists(st.tuples(st.floats(22, 27), st.floats(0, 2), st.integers(0, 2000)), min_size=1, max_size=9))
def test_a_number_never_falls_with_time_and_never_rises_with_the_threshold(
    about: list[tuple[float, float, int]],
) -> None:
    first = pd.Timestamp("2020-01-01")
    rows = [
        model(10**dex, 10 ** (dex - width), 10 ** (dex + width), model_id=str(i), training_run_id=str(i // 2))
        | {"publication_date": first + pd.Timedelta(days=days), "tier": i // 2 % 5 if i % 4 < 2 else i % 5}
        for i, (dex, width, days) in enumerate(about)
    ]
    models = pd.DataFrame(rows)
    lines = pd.DataFrame(
        thresholds.by_year(models, [1e23, 1e24, 1e25], thresholds.year_ends(models["publication_date"]))
    )
    for name in ("runs", "expected_runs", "low_90", "high_90"):
        table = lines.pivot(index="published_until", columns="threshold_flop", values=name)
        assert (table.diff().dropna() >= -1e-6).all(axis=None), name
        assert (table.diff(axis=1).dropna(axis=1) <= 1e-6).all(axis=None), name


def test_five_percent_lie_beyond_either_end_and_a_median_half_above() -> None:
    models = pd.DataFrame([model(1e24, 1e23, 3e24), model(1e24, 1e24, 1e24)])
    assert exceedance(models, 1e23)[0] == pytest.approx(0.95)
    assert exceedance(models, 3e24)[0] == pytest.approx(0.05)
    assert exceedance(models, 1e24)[0] == pytest.approx(0.5)
    assert exceedance(models, 1e22)[0] == pytest.approx(norm_cdf(2 * Z_90)), "log-normal beyond the end"
    assert exceedance(models, 9e23)[1] == 1  # no interval: certain
    assert exceedance(models, 1.1e24)[1] == 0


def test_at_the_line_is_at_least() -> None:
    line = [model(1e25, 1e25, 1e25), model(3e25, 1.1e25, 9e25, least_flop=1e25, most_flop=2e26)]
    models = pd.DataFrame(line)
    assert exceedance(models, 1e25) == [1, 1]
    assert exceedance(models, 1.05e25)[1] < 0.96
    assert exceedance(models, 2.1e26)[1] == 0, "more could be had by nobody"
    stated = pd.DataFrame([model(3e26, 1e26, 9e26, most_flop=2e26)])
    assert exceedance(stated, 3e26)[0] == pytest.approx(0.5), "what a source states may lie above"


def test_the_models_of_a_run_count_once_by_the_one_that_is_known_best() -> None:
    gpt_4, june = (
        model(2.1e25, 7e24, 6.3e25, model_id="gpt-4"),
        model(2.1e25, 2.1e24, 2.1e26, model_id="gpt-4-jun-2023"),
    )
    vision = model(4e25, 2.1e25, 9e25, model_id="gpt-4v", tier=2) | {"training_compute_flop": np.nan}
    rows = pd.DataFrame([gpt_4, june, vision]).assign(training_run_id="gpt-4")
    last = years(rows, 1e25)[-1]
    chances = dict(zip(rows["model_id"], exceedance(rows, 1e25), strict=True))
    assert (last["runs"], last["models"], last["published_values"], last["high_90"]) == (1, 2, 1, 1)
    assert chances["gpt-4v"] > chances["gpt-4"] > chances["gpt-4-jun-2023"]
    assert last["expected_runs"] == pytest.approx(chances["gpt-4"], abs=1e-6)


def test_what_is_trained_further_counts_from_its_own_day_on() -> None:
    base = model(1e24, 3e23, 3e24, model_id="base")
    further = model(9e25, 3e25, 2e26, model_id="further", publication_date=pd.Timestamp("2025-02-01"))
    rows = pd.DataFrame([base, further]).assign(training_run_id="base")
    found = {line["published_until"]: line for line in years(rows, 1e25)}
    assert (found["2024-12-31"]["expected_runs"], found["2025-02-01"]["expected_runs"]) == pytest.approx(
        (0, 1), abs=0.01
    )
    assert [line["high_90"] for line in found.values()][-2:] == [0, 1]


def test_the_index_is_told_from_the_other_regressions() -> None:
    rows = [
        model(2e25, 1e25, 4e25, model_id="a", tier=3, method="capability_index"),
        model(2e25, 1e25, 4e25, model_id="b", tier=3, method="statistical"),
        model(2e25, 1e25, 4e25, model_id="c", tier=4, method="statistical"),
    ]
    last = years(pd.DataFrame(rows), 1e25)[-1]
    assert (last["expected_tier_3"], last["expected_index"]) == pytest.approx((1.9, 0.95))
    assert sum(last[f"expected_tier_{tier}"] for tier in range(5)) == pytest.approx(last["expected_runs"], abs=1e-5)


def test_the_macro_in_sql_gives_the_same_probabilities() -> None:
    macros = CHECKOUT / "pipeline" / "publish" / "sql" / "macros"
    skew = dict(zip(QUANTILES, (1e24, 1e24, 1.04e24, 3e24, 4.6e24), strict=True))
    models = pd.DataFrame(
        [model(1e24, 1e23, 3e24), model(1e24, 1e24, 1e24), model(5e25, 2e24, 8e26), model(1e24, 1e24, 5e24) | skew]
    )
    with duckdb.connect() as connection:
        for name in ("normal_cdf", "probability_above"):
            text = (macros / f"{name}.sql").read_text(encoding="utf-8").split("\n", 1)[1]
            connection.execute(f"CREATE MACRO {name}{text}")
        for threshold in (1e22, 1e23, 9e23, 1e24, 1.01e24, 3e24, 2e24, 1e25, 1e26):
            query = f"select probability_above({', '.join(QUANTILES)}, ?::double) from models"
            found = [row[0] for row in connection.execute(query, [threshold]).fetchall()]
            assert found == pytest.approx(exceedance(models, threshold), abs=2e-7)


def test_by_value_a_run_counts_from_its_first_model_on() -> None:
    days = ["2023-05-01", "2024-12-31", "2024-06-01", "2025-02-01", "2024-03-01"]
    rows = runs_of_owner(list("abcde"), days)  # each has exactly 1e25
    rows.loc[1, "training_run_id"] = "a"
    rows.loc[2, "training_compute_source"] = "imputed"
    rows.loc[4, "training_compute_flop"] = 9.99e24
    ends = [pd.Timestamp(year, 12, 31) for year in (2022, 2023, 2024, 2025)]
    lines = thresholds.by_year(rows, [1e25], ends)
    found = [[line[name] for name in ("runs", "models", "published_values")] for line in lines]
    assert found == [[0, 0, 0], [1, 1, 1], [2, 3, 1], [3, 4, 2]]
