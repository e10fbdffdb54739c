"""winkler_90_alike_dex worked out again from published estimates and claims: the mean of the width of intervals that
the errors of the same kind of estimate alone would give, and of twenty times what the printed value lies outside.
Without the folds, which keep a model's owner apart, and without the audits, the number is near the published one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.frames import Tables

FLOP = "training_compute_flop"
NO_MATTER = "usual number format of the chip"
ENOUGH = 20  # errors for a kind of its own


@pytest.fixture(scope="module")
def errors(tables: Tables) -> pd.DataFrame:
    """Of each estimate of a model with a printed value: method, kind, distance in dex, and how much it counts."""
    said = tables["claims"].query("publisher == 'Epoch AI' and reason_code != 'withdrawn' and field == @FLOP")
    printed = said.dropna(subset="value").groupby("model_id")["value"].min()
    made = tables["estimates"].query(
        "field == @FLOP and method in ['operation_counting', 'hardware'] and value.notna()"
    )
    made = made[made["model_id"].isin(printed.index)].fillna({"assumptions": ""})
    models = tables["models"].set_index("model_id").reindex(made["model_id"])
    target, base = printed[made["model_id"]].to_numpy(), models["base_model_id"].map(printed).to_numpy()
    ratio = (made["value"] / target).to_numpy("float64")
    notable, whole = models["is_notable"].to_numpy("bool"), ~(target < 0.95 * base)
    given_back = made["model_id"].isin(made.loc[abs(ratio - 1) < 0.05, "model_id"]).to_numpy()
    kind = [";".join(word for word in text.split(";") if word != NO_MATTER) for text in made["assumptions"]]
    weight = np.where(whole & ~given_back, 1, 0.4) * np.where(notable, 1, 0.25)
    found = {"method": made["method"], "kind": kind, "dex": abs(np.log10(ratio)), "notable": notable, "whole": whole}
    return pd.DataFrame({**found, "weight": weight})


def half_width(group: pd.DataFrame) -> float:
    """The smallest distance with nine tenths of the weight, and of one more, at or below it; two digits are never
    surer."""
    ranked = group.sort_values("dex")
    below, weight = ranked["weight"].cumsum(), ranked["weight"]
    wanted = min(0.9 * (weight.sum() + weight.max()), weight.sum())
    return max(float(ranked.loc[below >= wanted - 1e-9, "dex"].iloc[0]), 0.02)


@pytest.mark.parametrize(("method", "near"), [("operation_counting", 0.07), ("hardware", 0.15)])
def test_the_score_of_intervals_by_errors_alike(tables: Tables, errors: pd.DataFrame, method: str, near: float) -> None:
    """That of the intervals which are used differs by a tenth for counts."""
    of = errors[(errors["method"] == method) & errors["whole"]]
    alike = {str(kind): half_width(group) for kind, group in of.groupby("kind") if len(group) >= ENOUGH}
    half = of["kind"].map(alike).fillna(half_width(of))
    score = (2 * half + 20 * (of["dex"] - half).clip(lower=0))[of["notable"]].mean()
    line = tables["calibration"].query(
        "evaluation == 'folds' and inputs == 'curated' and method == @method and subset == 'whole' and tier == 'all' "
        "and domain == 'all' and period == 'all' and confidence == 'all'"
    )
    (published,) = line["winkler_90_alike_dex"]
    assert published == pytest.approx(score, rel=near)


def test_nothing_is_said_where_no_errors_were_kept(tables: Tables) -> None:
    lines = tables["calibration"]
    assert (lines["winkler_90_alike_dex"].isna() == (lines["evaluation"] == "filled")).all()


def test_a_score_of_several_tiers_is_the_mean_of_their_scores(tables: Tables) -> None:
    """Weighted by the number of models; in `missing` they count otherwise."""
    lines = tables["calibration"].query(
        "method == 'cascade' and evaluation not in ['filled', 'missing', 'masked', 'sized']"
    )
    over_all = lines[["domain", "period", "confidence"]].eq("all").all(axis=1)
    of = lines[over_all].groupby(["evaluation", "inputs", "subset"])
    for _, group in of:
        tiers, (whole,) = group[group["tier"] != "all"], group.loc[group["tier"] == "all", "winkler_90_alike_dex"]
        assert np.average(tiers["winkler_90_alike_dex"], weights=tiers["n"]) == pytest.approx(whole, abs=1e-4)
