"""The published intervals of the real dataset."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest

from pipeline.impute.intervals import load_measured
from pipeline.impute.predictions import Tier
from pipeline.impute.runs import smaller
from pipeline.paths import CHECKOUT, Paths
from traincompute import thresholds
from traincompute.base.distributions import QUANTILES, normal_cdf

PATHS = Paths(CHECKOUT)
Tables = dict[str, pd.DataFrame]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return load_measured(PATHS, "calibration")


def lines(table: pd.DataFrame, **wanted: str) -> pd.DataFrame:
    """The rows of `calibration` on values that are the whole by folds of what would be taken, except for what `wanted`
    says."""
    key = {"evaluation": "folds", "method": "cascade", "subset": "whole", "tier": "all"} | wanted
    return table[(table[list(key)] == pd.Series(key)).all(axis=1)]


def test_all_notable_models_with_a_value_are_judged(table: pd.DataFrame) -> None:
    for method in ("cascade", "statistical"):
        assert lines(table, method=method)["n"].tolist() == [518, 518], method


def test_intervals_hold_90_percent_overall_by_method_and_by_tier(table: pd.DataFrame) -> None:
    assert lines(table)["coverage_90"].between(0.87, 0.93).all()
    methods = ("base_plus_finetune", "operation_counting", "hardware", "statistical")
    parts = [lines(table, method=method) for method in methods]
    parts += [lines(table, tier=tier) for tier in ("1", "3", "4")]
    parts.append(lines(table, evaluation="forward"))
    parts += [lines(table, evaluation=name, subset="all") for name in ("filled", "audited")]
    misses = pd.concat([part[(part["coverage_90_low"] > 0.93) | (part["coverage_90_high"] < 0.87)] for part in parts])
    assert misses.empty, misses[["evaluation", "inputs", "method", "tier", "n", "coverage_90"]].to_string()


def test_every_training_compute_has_an_interval_that_contains_it(tables: Tables) -> None:
    known = tables["models"].dropna(subset="training_compute_flop")
    assert known[["training_compute_low", "training_compute_high"]].notna().all(axis=None)
    assert (known["training_compute_low"] <= known["training_compute_flop"]).all()
    assert (known["training_compute_flop"] <= known["training_compute_high"]).all()


def test_a_statistical_estimate_never_enters_models(tables: Tables) -> None:
    made = tables["estimates"].query("method == 'statistical'")
    assert len(made) == len(tables["predictions"])
    assert not made["is_selected"].any()
    assert (np.isfinite(made["value"]) & (made["low"] < made["value"]) & (made["value"] < made["high"])).all()
    methods = tables["models"]["training_compute_method"].dropna()
    assert not methods.str.contains("statistical").any()


def test_what_was_counted_exactly_has_the_interval_of_such_counts(tables: Tables) -> None:
    row = tables["models"].set_index("model_id").loc["resnet-50"]
    assert row["training_compute_flop"] == pytest.approx(3.5e18, rel=0.01)
    assert row["training_compute_high"] / row["training_compute_flop"] < 10


def test_every_model_has_a_distribution_and_only_two_tiers_a_value(
    database: duckdb.DuckDBPyConnection, tables: Tables
) -> None:
    query = """select tier, count(*), count(training_compute_flop), count(tier_coverage_90) from models_completed
      group by all order by all"""
    rows = {tier: counts for tier, *counts in database.execute(query).fetchall()}
    assert sum(counts[0] for counts in rows.values()) == len(tables["predictions"]) > 3000
    assert set(rows) == {0, 1, 2, 3, 4}
    assert all((values == models) == (tier < 2) for tier, (models, values, _) in rows.items())
    assert all(covered == (models if tier else 0) for tier, (models, _, covered) in rows.items())


def test_no_distribution_contradicts_its_value_or_bounds(tables: Tables) -> None:
    known = tables["models"].merge(tables["predictions"], on="model_id")
    low, high = known["training_compute_low"], known["training_compute_high"]
    assert not (known["flop_05"] < low * 0.999).any()
    assert not (known["flop_95"] > high * 1.001).any()
    value = known["training_compute_flop"]
    assert not ((value < known["flop_05"] * 0.999) | (value > known["flop_95"] * 1.001)).any()


def test_no_distribution_reaches_above_what_could_be_had(tables: Tables) -> None:
    known = tables["models"].merge(tables["predictions"], on="model_id").dropna(subset="most_flop")
    limit = known["most_flop"] * 1.001
    above = set(known.loc[known["flop_95"] > limit, "model_id"])
    assert len(known) > 2000
    assert above == {"exaone-1.0", "grok-3"}, "their upper ends are those that a source states"
    assert not (known["training_compute_flop"] > limit).any(), "nor does a published value"


def test_models_of_one_run_that_rest_on_a_regression_have_one_distribution(tables: Tables) -> None:
    known = tables["models"].merge(tables["predictions"], on="model_id")
    runs = known[known["tier"] >= Tier.SIZE].groupby("training_run_id")[QUANTILES]
    assert (runs.size() > 1).sum() > 40, "GPT-4o and its versions, Mistral 7B and what was made from it"
    assert (runs.nunique() == 1).all(axis=None)


def test_no_low_end_of_a_total_lies_below_its_base(tables: Tables) -> None:
    known = tables["models"].set_index("model_id")
    base = known.reindex(known["base_model_id"]).set_axis(known.index)
    whole = known["training_compute_flop"] >= 0.95 * base["training_compute_flop"]
    assert whole.sum() > 400
    assert not (known["training_compute_low"] < base["training_compute_low"] * 0.999)[whole].any()


def test_no_model_is_less_likely_to_exceed_a_threshold_than_its_base(tables: Tables) -> None:
    known = tables["predictions"].set_index("model_id")
    base = tables["models"].set_index("model_id")["base_model_id"].reindex(known.index).dropna()
    base = base[base.isin(known.index) & (known["tier"] >= 2)[base.index]]
    assert len(base) > 300
    for threshold in (1e23, 1e24, 1e25, 1e26):
        chance = pd.Series(1 - normal_cdf(thresholds.distance(known, threshold)), known.index)
        assert not (chance[base.index].to_numpy() < chance[base].to_numpy() - 1e-3).any(), threshold


def test_the_numbers_of_large_runs_are_within_what_is_known_of_them(tables: Tables) -> None:
    found = tables["thresholds"].assign(year=pd.to_datetime(tables["thresholds"]["published_until"]).dt.year)
    expected = found.set_index(["threshold_flop", "scope", "year"])["expected_runs"]
    ranges = {(1e25, 2023): (3, 8), (1e25, 2024): (15, 30), (1e25, 2025): (35, 65)}
    ranges |= {(1e26, 2023): (0, 0.8), (1e26, 2024): (0, 5), (1e26, 2025): (4, 17)}
    for (threshold, year), (least, most) in ranges.items():
        assert least <= expected[threshold, "notable", year] <= most, (threshold, year)
    for year in (2024, 2025):
        assert expected[1e25, "all", year] <= 1.85 * expected[1e25, "notable", year]


def test_a_smaller_model_of_a_version_is_not_above_a_larger_one(tables: Tables) -> None:
    known = tables["models"].merge(tables["predictions"][["model_id", "tier", "flop_50"]], on="model_id")
    found = known.set_index("model_id")
    pairs = smaller(known)
    pairs = pairs[pairs["small"].map(found["tier"]) >= Tier.SIZE]
    pairs = pairs[pairs["small"].map(found["base_model_id"]).isna()]  # Gemini 3.0 Flash-lite was made from the Pro
    assert len(pairs) > 70, "Haiku, Sonnet and Opus, nano, mini and GPT-5, Flash and Pro"
    above = pairs["small"].map(found["flop_50"]) > pairs["large"].map(found["flop_50"]) * 1.001
    assert not above.any(), pairs[above]


def test_a_model_with_an_index_gets_its_distribution_from_that(tables: Tables) -> None:
    known = tables["models"].merge(tables["predictions"], on="model_id", suffixes=("", "_of_prediction"))
    some = known[known["method"] == "capability_index"]
    assert len(some) > 50
    assert (some["tier"] == 3).all()
    half_width = np.log10(some["flop_95"] / some["flop_05"]) / 2
    assert half_width.mean() < 1.2
    gpt = some.set_index("model_id").loc["gpt-5.2"]
    assert gpt["flop_05"] > 1e24, "the regression on date and kind had its median at 7.7e20"


@pytest.mark.parametrize("scope", ["notable", "all"])
def test_the_table_and_the_command_agree(tables: Tables, scope: str) -> None:
    models = tables["models"].merge(tables["predictions"], on="model_id")
    chosen = models if scope == "all" else models[models["is_notable"]]
    published = tables["thresholds"][tables["thresholds"]["scope"] == scope]
    for threshold in (1e23, 1e25):
        said = pd.DataFrame(thresholds.by_year(chosen, [threshold], thresholds.year_ends(models["publication_date"])))
        rows = published[published["threshold_flop"] == threshold]
        for name in said.columns.drop("published_until"):
            assert rows[name].to_list() == said[name].to_list(), name


def test_the_expected_number_is_the_sum_of_the_probabilities(database: duckdb.DuckDBPyConnection) -> None:
    query = """
    with best as (
      select threshold_flop, training_run_id, arg_max(probability, (-tier, probability)) as probability
      from threshold_probabilities where is_notable group by all)
    select threshold_flop, sum(probability) from best group by all order by 1"""
    last = """select threshold_flop, max(expected_runs) from thresholds
        where scope = 'notable' group by 1 order by 1"""
    sums, published = database.sql(query).fetchall(), database.sql(last).fetchall()
    assert [row[0] for row in sums] == [row[0] for row in published]
    assert [row[1] for row in sums] == pytest.approx([row[1] for row in published], abs=1e-3)
