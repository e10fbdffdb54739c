"""The single facts that would narrow an interval: they are missing, a method waits for them, and the width is
measured."""

from __future__ import annotations

import duckdb
import pytest

from traincompute.explain import collect_each, likely

FIELDS = ["chip_hours", "hardware_quantity", "parameters", "parameters_active", "training_tokens", "epochs"]


def test_what_would_narrow_is_missing_and_narrows(database: duckdb.DuckDBPyConnection) -> None:
    rows = database.execute("""select count(*), count(distinct model_id)
        from missing_facts""").fetchone()
    assert rows is not None
    assert rows[0] > rows[1] > 500
    query = """select count(*) from missing_facts join models
        using (model_id) where training_compute_flop is not null"""
    assert database.execute(query).fetchone() == (0,)
    assert database.execute("""select count(*) from missing_facts
        where then_dex >= half_width_dex""").fetchone() == (0,)
    for field in FIELDS:
        known = (
            f"select count(*) from missing_facts join models using (model_id) where field = ? and models.{field} > 0"
        )
        assert database.execute(known, [field]).fetchone() == (0,), field


def test_the_gain_is_the_share_of_the_variance_that_goes(database: duckdb.DuckDBPyConnection) -> None:
    found = database.execute(
        "select narrows_1e25, probability, half_width_dex, then_dex from missing_facts"
        " join threshold_probabilities using (model_id) where threshold_flop = 1e25 and narrows_1e25 > 0.1"
    ).fetchall()
    assert len(found) > 5
    for gain, chance, now, then in found:
        assert gain == pytest.approx(chance * (1 - chance) * (1 - (then / now) ** 2), abs=1e-3)


def test_what_would_be_left_is_measured_on_values_that_include_the_base(database: duckdb.DuckDBPyConnection) -> None:
    """Of each method the width by folds, and with a size in place of date and kind alone the width where no more is
    known."""
    lines = database.sql("select * from calibration where inputs = 'curated' and subset = 'whole'").df()
    width = lines[lines["tier"] == "all"].set_index(["evaluation", "method"])["mean_half_width_90_dex"]
    left = dict(database.execute("select distinct method, then_dex from missing_facts").fetchall())
    assert len(left) > 2
    for method, dex in left.items():
        of = ("sized", "cascade") if method == "statistical" else ("folds", method)
        assert dex == pytest.approx(width[of], abs=1e-3), method


def test_explain_says_which_fact_would_tell_most(database: duckdb.DuckDBPyConnection) -> None:
    # open weights and size are known of Jamba 1.5 Large, tokens and chip-hours are not (arXiv:2408.12570)
    needed = dict(likely(next(collect_each(database, ["jamba-1.5-large"]))))["needed"]
    assert needed.index("training_tokens: ±") < needed.index("chip_hours: ±")
