"""One distribution for every model: which estimate it comes from, and what bounds do to it."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop.conformal import COLUMNS, POINTS, SHARES
from pipeline.impute.flop.distributions import from_low_end, truncated
from pipeline.impute.flop.methods import base_model
from pipeline.impute.flop.methods.features import STARTS
from pipeline.impute.flop.predictions import ENDS, predict_all
from pipeline.impute.flop.rows import FIELD
from traincompute.base.quantiles import QUANTILES, Z

ABOVE = pd.DataFrame(
    [{"method": base_model.METHOD, "assumptions": base_model.ALONE, **dict(zip(POINTS, SHARES, strict=True))}]
).assign(**dict(zip(COLUMNS, (0.5, 0.9), strict=True)), scale=1.0)
NARROW, WIDE = (5e21, 9e21, 1e22, 1.1e22, 2e22), (1e20, 1e21, 1e22, 1e23, 1e24)


def model(
    name: str, flop: float = np.nan, source: str | None = None, low: float = np.nan, high: float = np.nan
) -> dict:
    named = {
        "name": name,
        "organization": name,
        "training_run_id": name,
        "parameters": np.nan,
        "parameters_active": np.nan,
    }
    return {
        **named,
        "model_id": name,
        FIELD: flop,
        "training_compute_source": source,
        "training_compute_low": low,
        "training_compute_high": high,
        "publication_date": pd.Timestamp("2024-06-01"),
        "base_model_id": None,
    }


def estimate(name: str, method: str, ends: tuple[float, ...] = WIDE, *, taken: bool = False, **more: object) -> dict:
    about = {"model_id": name, "method": method, "field": FIELD, "estimate_id": f"{name}:{method}", "value": 1e22}
    return about | {"is_selected": taken, "assumptions": STARTS[5]} | dict(zip(ENDS, ends, strict=True)) | more


def cluster(day: str, peak: float) -> dict:
    return {
        "cluster_id": day,
        "name": day,
        "first_operational_date": pd.Timestamp(day),
        "peak_16bit_ops": peak,
        "status": "existing",
        "single_cluster": "yes",
        "possible_duplicate": False,
    }


NO_CLUSTERS = pd.DataFrame([cluster("2024-01-01", 1.0)])[:0]


def predict(
    models: list[dict], estimates: list[dict], above: pd.DataFrame = ABOVE, clusters: pd.DataFrame | None = None
) -> pd.DataFrame:
    return predict_all(pd.DataFrame(models), pd.DataFrame(estimates), above, clusters).set_index("model_id")


def test_each_model_has_one_distribution_from_the_best_that_is_known() -> None:
    names = ["printed", "counted", "size", "kind"]
    models = [model("printed", 1e23, "reported", 5e22, 4e23), model("counted", 1e22, "imputed", 5e21, 2e22)]
    models += [model("size"), model("kind")]
    estimates = [estimate(name, "statistical") for name in names[:3]]
    estimates += [estimate("kind", "statistical", assumptions=STARTS[-1])]
    estimates += [estimate("counted", "operation_counting", NARROW, taken=True, assumptions="")]
    estimates += [estimate("size", "hardware", NARROW, assumptions="")]  # not taken: it contradicts another
    found = predict(models, estimates)
    assert found["tier"].to_dict() == {"printed": 0, "counted": 1, "size": 3, "kind": 4}
    assert found.loc["counted", QUANTILES].tolist() == list(NARROW)
    assert found.loc["size", QUANTILES].tolist() == list(WIDE)
    assert found["method"].isna().tolist() == found["estimate_id"].isna().tolist() == [False, False, True, False]


def test_a_published_value_is_log_normal_on_either_side() -> None:
    found = predict([model("printed", 1e23, "reported", 1e22, 3e23)], [estimate("printed", "statistical")])
    low, first, middle, third, high = np.log10(found.loc["printed", QUANTILES].astype("float64"))
    assert (low, middle, high) == pytest.approx((22, 23, np.log10(3e23)))
    assert (middle - first, third - middle) == pytest.approx((0.41, 0.41 * np.log10(3)), abs=0.001)


def test_from_the_base_alone_it_goes_up() -> None:
    bound = estimate("chat", base_model.METHOD, (1e22, *[np.nan] * 4), taken=True, assumptions=base_model.ALONE)
    rows = [bound | {"value": np.nan}, estimate("chat", "statistical")]
    found = predict([model("chat", low=1e22)], rows).loc["chat"]
    assert (found["tier"], found["method"]) == (2, base_model.METHOD)
    assert np.log10(found[QUANTILES].astype("float64")).tolist() == pytest.approx(
        [22, 22.25, 22.5, 22.75, 22.9], abs=0.001
    )
    unknown = predict([model("chat", low=1e22)], rows, ABOVE[:0]).loc["chat"]
    assert unknown["tier"] == 3, "nobody knows how far above its base a model lies"
    assert unknown[QUANTILES[0]] >= 1e22, "but not below it"
    assert unknown[QUANTILES].is_monotonic_increasing
    assert unknown[QUANTILES].is_unique


def made_from(name: str, base: str, **more: float) -> dict:
    return model(name, **more) | {"base_model_id": base}


def test_what_is_made_from_a_base_without_a_value_has_its_distribution_moved_up() -> None:
    """GPT-5.5 Cyber had a median of 2e21 for its date and kind, GPT-5.5 one of 7e25 by its index."""
    models = [made_from("cyber", "chat"), made_from("chat", "gpt"), model("gpt"), made_from("index", "gpt")]
    own = {"estimate_id": "own", "assumptions": STARTS[-1]}
    rows = [estimate(name, "statistical", NARROW, **own) for name in ("cyber", "chat", "gpt")]
    rows += [estimate("gpt", "capability_index", WIDE), estimate("index", "capability_index", NARROW)]
    found = predict(models, rows)
    assert set(found["tier"]) == {3}
    assert set(found.loc[["cyber", "chat"], "estimate_id"]) == {"gpt:capability_index"}
    assert found.loc["index", QUANTILES].tolist() == list(NARROW), "it has evidence of its own"
    dex = np.log10(found[QUANTILES].astype("float64"))
    assert dex.loc["chat"].tolist() == pytest.approx(
        [20.44, 21.47, 22.5, 23.53, 24.54], abs=0.01
    )  # 22.5, and √(2² + 0.5²), √(1² + 0.25²), √(1² + 0.25²) and √(2² + 0.4²) around it
    assert dex.loc["cyber", "flop_50"] == pytest.approx(23.0, abs=0.001)
    assert (dex.loc["chat"] >= dex.loc["gpt", "flop_05"]).all()


def test_a_version_of_which_only_date_and_kind_are_known_follows_the_one_before() -> None:
    """Grok 4.1 had a median of 1e25 by its date and kind; that of Grok 4 is 5e26."""
    later = {"organization": "xAI", "publication_date": pd.Timestamp("2024-09-01")}
    models = [model("Grok 4", 1e23, "reported", 5e22, 4e23) | {"organization": "xAI"}]
    models += [model(name) | later for name in ("Grok 4.1", "Grok 4 Fast", "Grok 5")]
    models += [model("Grok 4.1.1") | later | {"publication_date": pd.Timestamp("2024-10-01")}]
    kind, size = {"assumptions": STARTS[-1]}, {"assumptions": STARTS[5]}
    rows = [estimate(name, "statistical", **kind) for name in ("Grok 4", "Grok 4.1", "Grok 4.1.1", "Grok 5")]
    found = predict(models, [*rows, estimate("Grok 4 Fast", "statistical", **size)])
    assert found["tier"].to_dict() == {"Grok 4": 0, "Grok 4.1": 2, "Grok 4.1.1": 2, "Grok 4 Fast": 3, "Grok 5": 4}
    assert found.loc["Grok 4.1", ["flop_05", "flop_50"]].tolist() == pytest.approx([8.25e22, 3.16e23], rel=0.01)
    models[0] = model("Grok 4") | {"organization": "xAI"}
    assert set(predict(models, rows)["tier"]) == {4}, "no more is known of the version before"


def test_models_that_are_made_from_each_other_keep_their_own() -> None:
    models = [made_from("a", "b"), made_from("b", "a"), made_from("c", "nobody"), made_from("d", "printed")]
    models += [
        model("printed", 1e23, "reported", 5e22, 4e23),
        made_from("e", "less"),
        model("less", 1e22, "reported", 1e21, 1e23),
    ]
    found = predict(models, [estimate(row["model_id"], "statistical") for row in models])
    assert (found.loc[list("abce"), QUANTILES].to_numpy() == np.array(WIDE)).all(), (
        "e is likely above its base as it is"
    )
    assert found.loc["d", "flop_05"] >= 5e22, "its own median lies below the base's low end"


def test_a_bound_below_what_is_likely_of_the_base_gives_way() -> None:
    bound = estimate("chat", base_model.METHOD, (1e18, *[np.nan] * 4), taken=True, assumptions=base_model.ALONE)
    rows = [bound | {"value": np.nan}, estimate("base", "operation_counting", NARROW, taken=True, assumptions="")]
    found = predict([made_from("chat", "base", low=1e18), model("base", 1e22, "imputed", 5e21, 2e22)], rows)
    assert found.loc["chat", "tier"] == 2, "it has no value"
    assert (found.loc["chat", QUANTILES].astype("float64") >= 5e21).all()


def test_a_bound_truncates_the_distribution() -> None:
    found = predict([model("few", high=3e21)], [estimate("few", "statistical")]).loc["few", QUANTILES].astype("float64")
    assert found["flop_95"] <= 3e21
    assert found.is_unique, "no mass lies on the bound"
    assert found["flop_50"] == pytest.approx(value_at(norm_below(3e21) / 2), rel=0.001)


def norm_below(flop: float) -> float:
    return NormalDist().cdf(float(np.interp(np.log10(flop), np.log10(WIDE), Z)))


def value_at(share: float) -> float:
    return float(10 ** np.interp(NormalDist().inv_cdf(share), Z, np.log10(WIDE)))


def test_no_distribution_reaches_above_what_could_be_had() -> None:
    peak = 1e23 / (180 * 86400 * 0.4 * 10**0.15)
    clusters = pd.DataFrame([cluster("2024-01-01", peak), cluster("2025-01-01", 100 * peak)])
    found = predict([model("wide")], [estimate("wide", "statistical")], clusters=clusters).loc["wide"]
    assert found["most_flop"] == pytest.approx(1e23, rel=0.001)
    assert found["flop_95"] <= found["most_flop"]
    assert pd.isna(found["least_flop"])
    assert found["flop_50"] < 1e22, "what lies above is cut off, not moved to the end"


def test_a_base_above_what_could_be_had_counts_more() -> None:
    clusters = pd.DataFrame([cluster("2024-01-01", 1e10)])
    found = predict([model("chat", low=1e23)], [estimate("chat", "statistical")], clusters=clusters).loc["chat"]
    assert found["most_flop"] < 1e23
    assert found["flop_05"] >= found["least_flop"] == 1e23
    assert found[QUANTILES].is_unique
    peak = 1e23 / (180 * 86400 * 0.4 * 10**0.15)
    clusters = pd.DataFrame([cluster("2024-01-01", peak)])
    alike = predict([model("chat", low=1e23)], [estimate("chat", "statistical")], clusters=clusters).loc["chat"]
    assert alike["most_flop"] == alike["least_flop"] == 1e23
    assert alike[QUANTILES].is_unique


def test_one_run_has_one_distribution() -> None:
    """Gemini 2.5 Pro of March, May and June had three, by the index of each."""
    march, june = model("march", low=5e20), model("june") | {"training_run_id": "march"}
    rows = [estimate("march", "capability_index", WIDE), estimate("june", "capability_index", NARROW)]
    found = predict([march, june | {"publication_date": pd.Timestamp("2025-06-05")}], rows)
    assert found.loc["june", QUANTILES].tolist() == found.loc["march", QUANTILES].tolist()
    assert found.loc["june", "estimate_id"] == "march:capability_index"
    assert found["least_flop"].tolist() == [5e20, 5e20], "a bound that is known of it holds for the run"
    peak = 1e23 / (180 * 86400 * 0.4 * 10**0.15)
    clusters = pd.DataFrame([cluster("2024-01-01", peak), cluster("2025-01-01", 10 * peak)])
    later = predict([march, june | {"publication_date": pd.Timestamp("2025-06-05")}], rows, clusters=clusters)
    assert later["most_flop"].nunique() == 1, "what could be had counts from the first day of the run"


def test_the_bounds_of_a_published_value_are_not_those_of_what_was_made_from_it() -> None:
    models = [model("palm", 1e22, "third_party", 1e21, 1e23), model("elixr", low=1e22) | {"training_run_id": "palm"}]
    found = predict(models, [estimate("palm", "statistical"), estimate("elixr", "statistical")])
    assert found.loc["elixr", "flop_05"] >= 1e22


def test_a_model_of_the_size_of_an_earlier_one_of_its_line_follows_it() -> None:
    """GLM-5.3 had 6e22 to 4e26 by its size, beside 2e24 to 2e25 of GLM-5, which has the same."""
    sized = {"parameters": 7.44e11, "organization": "Zhipu AI"}
    models = [model("GLM-5", 1e23, "reported", 5e22, 2e23) | sized | {"publication_date": pd.Timestamp("2024-02-01")}]
    models += [model("GLM-5.3") | sized]
    found = predict(models, [estimate("GLM-5", "statistical"), estimate("GLM-5.3", "statistical")]).loc["GLM-5.3"]
    assert (found["tier"], found["method"]) == (2, base_model.METHOD)
    assert np.log10(found["flop_50"]) == pytest.approx(23.5, abs=0.001)
    assert found["flop_05"] >= 5e22


def test_a_withdrawn_figure_counts_half() -> None:
    """Claude 3 Opus 1.6e25, GPT-4o 3.8e25: their source printed these once, and stands by them no longer."""
    rows = [estimate(name, "capability_index", WIDE) for name in ("inside", "beyond", "end")]
    rows += [estimate("inside", "stated_in_note", value=1e23), estimate("beyond", "stated_in_note", value=1e25)]
    rows.append(estimate("end", "stated_in_note", value=1e24))
    found = np.log10(predict([model("inside"), model("beyond"), model("end")], rows)[QUANTILES].astype("float64"))
    assert found.loc["end", "flop_50"] == pytest.approx(23, abs=0.001), "the end of the interval is in it"
    assert found.loc["beyond"].tolist() == np.log10(WIDE).tolist()
    assert found.loc["inside"].tolist() == pytest.approx([20.75, 21.69, 22.5, 23.31, 24.25], abs=0.01)
    about = {"model_id": "gone", "field": FIELD, "revision_id": "r"}
    changes = [
        about | {"kind": "blanked", "old_value": value, "to_snapshot": pd.Timestamp(day)}
        for value, day in ((1e23, "2026-07-25"), (1e21, "2025-11-01"))
    ]
    changes.append(about | {"kind": "value_changed", "old_value": 1e21, "to_snapshot": pd.Timestamp("2026-08-01")})
    rows = pd.DataFrame([estimate("gone", "capability_index", WIDE)])
    gone = predict_all(pd.DataFrame([model("gone")]), rows, ABOVE, NO_CLUSTERS, pd.DataFrame(changes))
    assert np.log10(gone["flop_50"].iloc[0]) == pytest.approx(22.5, abs=0.001), "the last value counts"


def test_a_sum_starts_at_the_low_end_of_its_base() -> None:
    """Alpaca, made from LLaMA-7B of 4.0e22 FLOP, had an interval from 1.2e18 on."""
    models = [model("llama", 4e22, "third_party", 1.3e22, 1.2e23), made_from("alpaca", "llama", flop=4e22)]
    models += [made_from("camel", "alpaca", flop=4e22), made_from("bound", "llama", flop=4e22)]
    models[1:] = [
        row | {"training_compute_source": "imputed", "training_compute_low": 1e18, "training_compute_high": 1e24}
        for row in models[1:]
    ]
    models[3]["training_compute_high"] = 9e22
    wide = (1e18, 1e21, 4e22, 1e23, 1e24)
    rows = [estimate(row["model_id"], base_model.METHOD, wide, taken=True, value=4e22) for row in models[1:]]
    others = [rows[0] | other for other in ({"is_selected": False}, {"method": "hardware"})]
    changed, estimates = from_low_end(pd.DataFrame(models), pd.DataFrame([*rows, *others]))
    found, made = changed.set_index("model_id"), estimates[: len(rows)].set_index("model_id")
    assert (estimates.loc[len(rows) :, ENDS] == list(wide)).all(axis=None), "no sum of a base and its further training"
    cut = truncated(np.log10([wide]), np.log10([1.3e22]), np.array([np.inf]))[0]
    assert made.loc["alpaca", ENDS].tolist() == pytest.approx((10**cut).tolist(), rel=1e-3)
    low = found["training_compute_low"]
    assert 1.3e22 <= low["alpaca"] <= low["camel"] <= 4e22, "the base of a base counts, too"
    assert low["llama"] == 1.3e22
    assert (made["low"] == low[made.index]).all()
    assert found.loc["bound", "training_compute_high"] == 9e22, "what a source states"
    assert found.loc["alpaca", "training_compute_high"] == made.loc["alpaca", "high"]
    assert made[ENDS].apply(lambda row: row.is_monotonic_increasing and row.is_unique, axis=1).all()
