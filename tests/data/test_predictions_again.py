"""Columns of predictions, scores and calibration worked out again from other published columns, without the
pipeline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from scipy.stats import t as student

from pipeline.frames import Tables

QUANTILES = ["flop_05", "flop_25", "flop_50", "flop_75", "flop_95"]
OF_AN_ESTIMATE = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
QUARTILE = 0.6744897501960817 / 1.6448536269514722  # of a normal distribution, as a part of its 95th percentile
SINGLE = [
    "n",
    "median_error_dex",
    "within_3",
    "coverage_50",
    "coverage_90",
    "coverage_90_low",
    "coverage_90_high",
    "mean_half_width_90_dex",
    "winkler_90_dex",
]


def with_models(tables: Tables, tier: int) -> pd.DataFrame:
    about = tables["predictions"].query("tier == @tier")
    return about.merge(tables["models"], on="model_id", suffixes=("", "_of_model")).set_index("model_id", drop=False)


def test_the_tier_says_whether_a_value_is_published_or_imputed_physically(tables: Tables) -> None:
    source = tables["predictions"].merge(tables["models"][["model_id", "training_compute_source"]], on="model_id")
    tier = source["training_compute_source"].map(lambda word: 2 if pd.isna(word) else int(word == "imputed"))
    assert (source["tier"].clip(upper=2) == tier).all()
    trained = tables["models"].dropna(subset="training_run_id")
    assert sorted(source["model_id"]) == sorted(trained["model_id"])


def test_a_published_value_has_a_log_normal_half_on_each_side(tables: Tables) -> None:
    """The median is the value, the ends are those of its interval, and the quartiles lie between as normal ones of
    log10."""
    of = with_models(tables, 0)
    value, low, high = (of[f"training_compute_{name}"] for name in ("flop", "low", "high"))
    quarters = [value * (low / value) ** QUARTILE, value, value * (high / value) ** QUARTILE]
    assert np.allclose(of[QUANTILES], np.column_stack([low, *quarters, high]), rtol=1e-3)
    assert of[["method", "estimate_id"]].isna().all(axis=None)


def test_an_imputed_value_has_the_quantiles_of_its_estimate(tables: Tables) -> None:
    """But where they cross a bound."""
    of = with_models(tables, 1).merge(tables["estimates"], on="estimate_id", suffixes=("", "_made"))
    least = of[["least_flop", "training_compute_low"]].max(axis=1).fillna(0)
    most = of[["most_flop", "training_compute_high"]].min(axis=1).fillna(np.inf)
    free = (of["low"] >= 0.999 * least) & (of["high"] <= 1.001 * most)
    assert free.mean() > 0.95
    assert np.allclose(of.loc[free, QUANTILES], of.loc[free, OF_AN_ESTIMATE].astype("float64"), rtol=1e-3)
    assert of["estimate_id"].eq(of["model_id"] + ":training_compute_flop:" + of["method"]).all()


def test_an_estimate_without_a_name_is_that_of_a_published_value(tables: Tables) -> None:
    """In tier 2 of the base's, or of the base's base; without a base of the version before, which is not published
    here."""
    tier = tables["predictions"].set_index("model_id")["tier"]
    base = tables["models"].set_index("model_id")["base_model_id"].dropna()
    unnamed = tables["predictions"].query("estimate_id.isna() and tier > 0")
    assert set(unnamed["tier"]) == {2}
    led = base.reindex(unnamed["model_id"]).dropna()
    while (further := led.map(tier).ne(0) & led.isin(base.index)).any():
        led = led.mask(further, led.map(base))
    assert (led.map(tier).eq(0) | led.isin(unnamed["model_id"])).all()


def test_quantiles_are_in_order_and_between_what_is_known(tables: Tables) -> None:
    said = tables["predictions"].query("tier > 0")
    assert (np.diff(said[QUANTILES].to_numpy("float64"), axis=1) >= 0).all()
    assert (said["flop_05"] >= 0.999 * said["least_flop"].fillna(0)).all()
    assert (said["flop_95"] <= 1.001 * said["most_flop"].fillna(np.inf)).all()


def of_its_run(known: pd.DataFrame, column: str) -> pd.Series:
    """The column of the run where both rest on a regression."""
    root = known.set_index("model_id").reindex(known["training_run_id"]).set_index(known.index)
    shared = (known["tier"] >= 3) & (root["tier"] >= 3) & root["publication_date"].notna()
    return known[column].mask(shared, root[column])


@pytest.fixture(scope="module")
def known(tables: Tables) -> pd.DataFrame:
    return tables["predictions"].merge(tables["models"], on="model_id", suffixes=("", "_of_model"))


def test_the_least_is_the_bound_of_a_model_without_a_value(known: pd.DataFrame) -> None:
    without = known["training_compute_flop"].isna()
    assert known.loc[~without, "least_flop"].isna().all()
    least = known["least_flop"].astype("float64")[without]
    of_run = known["training_run_id"].map(known.set_index("model_id")["training_compute_low"])
    bounds = [bound.astype("float64")[without] for bound in (known["training_compute_low"], of_run)]
    assert np.any([np.isclose(least, bound, rtol=1e-3, equal_nan=True) for bound in bounds], axis=0).all()


def records(clusters: pd.DataFrame) -> pd.DataFrame:
    """Of the clusters that exist those with more 16-bit peak than any before: day and log10 of 180 days at 40 % of
    it."""
    told = clusters["single_cluster"].ne("no").fillna(True) & ~clusters["possible_duplicate"].fillna(False).astype(
        "bool"
    )
    known = clusters[told & clusters["status"].eq("existing")]
    known = known.dropna(subset=["peak_16bit_ops", "first_operational_date"])
    known = known.sort_values(["first_operational_date", "peak_16bit_ops"], ascending=[True, False])
    peak = known["peak_16bit_ops"].astype("float64")
    best = known[peak > peak.cummax().shift(fill_value=0)]
    return pd.DataFrame(
        {
            "day": best["first_operational_date"],
            "dex": np.log10(best["peak_16bit_ops"].astype(float) * 0.4 * 86400 * 180),
        }
    )


def years(days: pd.Series) -> np.ndarray:
    return ((days - pd.Timestamp("1970-01-01")).dt.days / 365.25).to_numpy("float64")


def line_above(best: pd.DataFrame, days: pd.Series) -> np.ndarray:
    """The upper end of the 90 % prediction interval of the line through the records since 2019, for 90 days: worked out
    for the first of January of the five years after the last record, and straight in between and beyond."""
    base = best[best["day"] >= "2019-01-01"]
    x, y = years(base["day"]), base["dex"].to_numpy() - np.log10(2)
    slope, level = np.polyfit(x, y, 1)
    n, left = len(x), ((y - level - slope * x) ** 2).sum()
    ends = pd.Series(pd.to_datetime([f"{base['day'].max().year + k}-01-01" for k in range(1, 6)]))
    at = years(ends)
    half = student.ppf(0.95, n - 2) * np.sqrt(
        left / (n - 2) * (1 + 1 / n + (at - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    )
    upper, on = level + slope * at + half, years(days)
    part = np.clip(np.searchsorted(at, on) - 1, 0, 3)
    return upper[part] + (upper[part + 1] - upper[part]) / (at[part + 1] - at[part]) * (on - at[part])


def test_the_most_is_what_the_largest_cluster_could_give(known: pd.DataFrame, tables: Tables) -> None:
    best, days = records(tables["clusters"]), of_its_run(known, "publication_date")
    place = np.searchsorted(best["day"].to_numpy(), days.to_numpy(), side="right") - 1
    most = np.where(place < 0, np.nan, best["dex"].to_numpy()[place])
    later = (days > best["day"].max()).to_numpy()
    most[later] = np.maximum(most[later], line_above(best, days[later]))
    most[days.isna()] = np.nan
    assert later.sum() > 50
    assert np.allclose(known["most_flop"].astype("float64"), 10 ** (most + 0.15), rtol=2e-3, equal_nan=True)


def test_how_far_an_estimate_was_from_the_later_value(tables: Tables) -> None:
    """error_dex is the log10 of estimate over value, and is_inside whether the value lies between the outer
    quantiles."""
    scores = tables["scores"]
    assert np.allclose(np.log10(scores["flop_50"] / scores["later_flop"]), scores["error_dex"], atol=6e-5)
    assert (scores["later_flop"].between(scores["flop_05"], scores["flop_95"]) == scores["is_inside"]).all()
    assert (scores["vintage"] < scores["filled"]).all()


@pytest.mark.parametrize("tier", ["all", "1", "2", "3", "4"])
def test_the_scores_of_past_estimates_give_their_lines_of_calibration(tables: Tables, tier: str) -> None:
    """Of each model the last snapshot in which it was blank: shares, Clopper-Pearson ends, Winkler score at 90 % (width
    plus 20 times what a value lies outside), all in dex."""
    last = tables["scores"].sort_values("vintage").drop_duplicates("model_id", keep="last")
    said = last if tier == "all" else last[last["tier"].astype(str) == tier]
    line = tables["calibration"].query("evaluation == 'filled' and tier == @tier").iloc[0]
    found = judged(np.log10(said[QUANTILES].to_numpy("float64")), np.log10(said["later_flop"].to_numpy("float64")))
    assert line[SINGLE].astype("float64").to_numpy() == pytest.approx(found, abs=1e-4)


def judged(quantiles: np.ndarray, value: np.ndarray) -> list[float]:
    """The columns of SINGLE."""
    low, quarter, median, three, high = quantiles.T
    n, error, width = len(value), median - value, high - low
    outside = np.maximum(low - value, 0) + np.maximum(value - high, 0)
    inside = int((outside == 0).sum())
    ends = (
        beta.ppf(0.025, inside, n - inside + 1) if inside else 0,
        beta.ppf(0.975, inside + 1, n - inside) if inside < n else 1,
    )
    half = float(((quarter <= value) & (value <= three)).mean())
    return [
        n,
        float(np.median(error)),
        float((abs(error) <= np.log10(3)).mean()),
        half,
        inside / n,
        *ends,
        width.mean() / 2,
        float((width + 20 * outside).mean()),
    ]
