"""What calibrations have in common, how they are judged, and their files: a few rows by hand."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimation_rows import A100, rows

from pipeline.errors import DataError
from pipeline.impute.calibration import evaluate, material, measured_runs, past_estimates, storage
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.methods import base_model
from pipeline.impute.flop.rows import FIELD
from pipeline.paths import Paths

EDGES = pd.DataFrame({"model_id": ["of base", "alone"], "base_id": "base"}, dtype="str")
SIX = {"parameters": 1e9, "training_tokens": 1e11}  # 6e20
CLOCKED = {
    "hardware_quantity": 10.0,
    "training_hours": 100.0,
    "numerical_format": "FP16",
    **A100,
}  # full rate: 1.1232e21
FULL = 10 * 100 * 3600 * 3.12e14


def estimated(cells: dict[str, dict[str, Any]], **more: Any) -> pd.DataFrame:
    """Rows by model_id, notable unless told otherwise."""
    made = rows(*({"model_id": name} | cell for name, cell in cells.items()))
    about = {"at_most": np.nan, "published_dex": 0.3, "training_compute_confidence": "likely", "batch_size": np.nan}
    made = made.assign(**{"is_notable": True} | about | more)
    return made.assign(**{FIELD: made.get(FIELD, pd.Series(np.nan, made.index)).astype("float64")})


def test_a_value_within_a_twentieth_of_a_product_is_not_independent() -> None:
    dataset = {"parameters": 1e9, "dataset_size": 1e11, "epochs": 4.0}
    dependent = [
        (SIX, 6e20),
        (SIX, 6e20 / 1.049),
        (SIX, 6e20 / 0.951),
        (SIX, np.nan),
        (dataset, 2.4e21),
        (dataset, 6e20),
    ]
    dependent += [(CLOCKED, share * FULL) for share in (0.30, 0.35, 0.40, 0.50)]
    dependent += [(CLOCKED | {"domains": "Games"}, 0.30 * FULL)]  # 0.40 is usual there
    used = CLOCKED | {"hardware_utilization": 0.6}
    dependent += [
        (used, 0.6 * FULL),
        (used | {"training_hours": 3e4}, 0.6 * FULL * 300),
    ]  # of so long a run none is made
    independent = [(SIX, 6e20 / 1.051), (SIX, 6e20 / 0.949), (CLOCKED, 0.6 * FULL), (CLOCKED, FULL), ({}, 1e21)]
    independent += [({"parameters": 9e9, "parameters_active": 1e9, "training_tokens": 1e11}, 54e20)]
    for cells, said in ((dependent, False), (independent, True)):
        made = estimated({str(place): cell | {FIELD: value} for place, (cell, value) in enumerate(cells)})
        assert material.is_independent(made).tolist() == [said] * len(cells)


def test_a_utilisation_that_gives_the_value_back_within_two_percent_is_withheld() -> None:
    used = CLOCKED | {"hardware_utilization": 0.5}
    values = {str(off): used | {FIELD: 0.5 * FULL / off} for off in (0.979, 0.981, 1.019, 1.021)}
    hidden = material.hide(estimated(values))
    assert hidden["hardware_utilization"].notna().tolist() == [True, False, False, True]


def test_what_is_known_of_the_published_models() -> None:
    cells = {
        "base": {FIELD: 1e22},
        "of base": {FIELD: 1e20},  # leaves its base out
        "six": SIX | {FIELD: 6e20, "publication_date": "2019-06-01"},
        "plain": {FIELD: 1e21},
        "six and plain": SIX | {FIELD: 6e20},
        "open": {},
    }
    made = estimated(cells, is_notable=[True, True, True, False, False, True])
    about = material.describe(made, EDGES[:1], pd.Series({"six": 5e20})).set_index("model_id")
    assert list(about.index) == ["base", "of base", "six", "plain", "six and plain"]
    assert about["weight"].tolist() == [1, 0.4, 0.4, 0.25, 0.1]
    assert about["whole"].tolist() == [True, False, True, True, True]
    assert about["independent"].tolist() == [True, False, False, True, False]
    assert about["year"].tolist() == [2023, 2023, 2019, 2023, 2023]
    assert about["settled"].tolist() == pytest.approx([np.nan, np.nan, 5e20, np.nan, np.nan], nan_ok=True)
    assert material.describe(made, EDGES[:1])["settled"].tolist() == about["published"].tolist()
    others = pd.DataFrame({"model_id": ["of base", "none here"], "base_id": ["open", "base"]}, dtype="str")
    more = material.describe(made, pd.concat([EDGES[:1], others])).set_index("model_id")["whole"]
    assert more.to_dict() == about["whole"].to_dict(), (
        "a base without a value and a model that is not judged change nothing"
    )


def test_what_all_calibrations_have_in_common_and_their_copies() -> None:
    cells = {
        "base": {FIELD: 1e22},
        "of base": {FIELD: 2e22, "base_model": "base"},
        "six": SIX | {FIELD: 6e20},
        "size": {"parameters": 1e9},
        "counted": SIX,
        "chips": CLOCKED,
        "kind": {},
        "alone": {"base_model": "base"},
        "plain": SIX,
    }
    made = estimated(cells, is_notable=[name != "plain" for name in cells])
    shared = material.prepare(made, EDGES, material.describe(made, EDGES))
    assert shared.rows["model_id"].tolist() == list(shared.about.index) == ["base", "of base", "six"]
    assert shared.physical[["model_id", "method", "value", "taken"]].to_numpy().tolist() == [
        ["six", "operation_counting", 6e20, True]
    ]
    assert shared.alone.to_dict() == {"of base": 1e22}
    assert shared.bases.tolist() == pytest.approx([np.nan, 1e22, np.nan], nan_ok=True)
    starts = ["from parameters", "operation_counting", "hardware", "from date and kind", base_model.ALONE]
    assert shared.missing.to_dict() == dict.fromkeys(starts, 0.2)
    thrice = material.with_copies(shared)
    names = [f"{name}{ending}" for ending in ("", " (masked)", " (sized)") for name in shared.about.index]
    assert thrice.rows["model_id"].tolist() == list(thrice.about.index) == names
    assert thrice.about["share"].tolist() == [1, 1, 1, *[0.5] * 3, 0, 0, 0.5], "without a size there is one copy"
    assert thrice.about["weight"].tolist() == [1, 1, 0.4, 0.5, 0.5, 0.2, 0, 0, 0.2]
    assert thrice.about["published"].fillna(0).tolist() == [*[1e22, 2e22, 6e20] * 2, 0, 0, 6e20]
    known = thrice.rows[["parameters", "training_tokens"]].fillna(0).to_numpy()
    assert known[:, 0].tolist() == [0, 0, 1e9, 0, 0, 0, 0, 0, 1e9]
    assert known[:, 1].tolist() == [0, 0, 1e11, *[0] * 6], "of one copy the size is known, and no more"
    assert thrice.bases.tolist() == pytest.approx([np.nan, 1e22, *[np.nan] * 7], nan_ok=True)
    assert list(thrice.rows.index) == list(thrice.bases.index) == [*range(9)]
    two = {name: pd.concat([getattr(shared, name)] * 2) for name in ("physical", "alone")}
    blind = material.masked(shared._replace(**two))
    assert (len(blind.physical), len(blind.alone), len(blind.rows)) == (0, 0, 3)


def test_what_would_be_taken_rests_on_its_method_its_base_or_its_start() -> None:
    made = pd.DataFrame({"tier": [1, 2, 3, 4], "assumptions": list("abcd"), "made_by": list("wxyz")})
    assert material.rests_on(made).tolist() == ["w", base_model.ALONE, "c", "d"]


# --- how they are judged


def test_folds_and_pairs_of_years_are_judged_by_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    about = pd.DataFrame({"fold": [0, 1, 2, 3, 4, 4], "year": [2017, 2018, 2019, 2020, 2026, 2027]})
    seen: list[tuple[list[bool], list[bool]]] = []
    made = pd.DataFrame({"method": ["hardware"], "tier": [1]})

    def judged(_: object, splits: Any, *_lines: object) -> Any:
        for train, test in splits:
            seen.append((train.tolist(), test.tolist()))
            yield [made, made.assign(method="blind"), made.assign(method="sized")]

    monkeypatch.setattr(evaluate, "_judged", judged)
    said: list[str] = []
    learned: list[list[bool]] = []
    monkeypatch.setattr(evaluate.capability_index, "fit", lambda _, whole: learned.append(whole.tolist()))
    about["whole"] = [True, True, False, True, True, True]
    known, blind, sized = evaluate.by_folds(Some(about=about, rows=pd.DataFrame(index=range(6))), said.append)
    assert learned == [about["whole"].tolist()], "of the index each owner has a line of its own"
    assert [[not part for part in train] for train, _ in seen] == [test for _, test in seen]
    assert [test for _, test in seen] == [[fold == number for fold in about["fold"]] for number in range(5)]
    assert [set(part["made_by"]) for part in (known, blind, sized)] == [{"hardware"}, {"blind"}, {"sized"}]
    assert (said[0], said[-1]) == ("fold 1 of 5", "fold 5 of 5")
    seen.clear()
    evaluate.forward(Some(about=about), said.append)
    assert [(sum(train), sum(test)) for train, test in seen] == [(1, 2), (3, 1), (4, 0), (4, 0), (4, 2)]
    assert said[-1] == "years 5 of 5"


def test_errors_alike_are_those_of_models_that_are_learned_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    about = pd.DataFrame(index=list("abcd"))
    given = Some(about=about)
    made = pd.DataFrame({"model_id": list("abcd"), "error_dex": [0.1, 0.1, np.nan, 0.1]})
    used: list[list[str]] = []
    monkeypatch.setattr(evaluate, "masked", lambda _, kept=(): " ".join(["blind", *kept]))
    monkeypatch.setattr(evaluate, "fit", lambda *_: Calibrated("coefficients", "lines", "intervals", "trees"))
    monkeypatch.setattr(evaluate, "samples", lambda *_: (made, None))

    def judge(shown: object, calibrated: Calibrated, *_: object) -> pd.DataFrame:
        methods = ["hardware", "capability_index"]
        return pd.DataFrame({"method": methods, "high": [0.4, 0.6], "by": [[shown, calibrated.capability_index]] * 2})

    monkeypatch.setattr(evaluate, "judge", judge)
    monkeypatch.setattr(evaluate.conformal, "make_intervals", lambda rows: used.append(rows["model_id"].tolist()))
    monkeypatch.setattr(evaluate.conformal, "half_width", lambda *_: pd.Series([0.25, np.nan]))
    train = np.array([True, True, True, False])
    ((seen, hidden, sized),) = evaluate._judged(given, [(train, ~train)])
    assert used == [["a", "b"]]
    assert (seen["by"][0], hidden["by"][0]) == ([given, "lines"], ["blind", "lines"])
    assert sized["by"][0] == ["blind parameters parameters_active", "lines"]
    assert seen["alike_dex"].tolist() == hidden["alike_dex"].tolist() == [0.25, 0.6], "an index has no others"
    ((seen, *_),) = evaluate._judged(given, [(train, ~train)], "own lines")
    assert seen["by"][0] == [given, "own lines"]


def test_a_row_counts_by_itself_and_as_what_would_be_taken() -> None:
    made = pd.DataFrame({"method": list("abcd"), "tier": [1, 3, 2, np.nan]})
    found = evaluate.labelled(made)
    assert [*zip(found["method"], found["made_by"], strict=True)] == [
        *zip("abcd", "abcd", strict=True),
        ("physical", "a"),
        ("cascade", "a"),
        ("cascade", "b"),
        ("cascade", "c"),
    ]


def test_a_period_begins_with_its_year() -> None:
    group = pd.DataFrame({"year": [2009, 2010, 2017, 2018, 2021, 2022]})
    found = {str(key.get("period")): part["year"].tolist() for key, part in evaluate.parts(group, ["period"])}
    assert found.pop("None") == group["year"].tolist()
    assert found == {"before 2010": [2009], "2010-2017": [2010, 2017], "2018 on": [2018, 2021, 2022], "2022 on": [2022]}


def test_a_weighted_median_is_the_middle_of_two_where_half_of_the_weight_lies_on_either_side() -> None:
    values = np.array([3.0, 1.0, 2.0, 10.0])
    assert evaluate._median(values, np.ones(4)) == 2.5
    assert evaluate._median(values, np.array([1.0, 1, 2, 1])) == 2
    assert evaluate._median(values, np.array([0.0, 1, 1, 2])) == 6
    assert evaluate._median(np.array([4.0]), np.ones(1)) == 4
    assert evaluate._median(np.arange(8.0), np.full(8, 0.7)) == 3.5, "the sum of four is 2.8, and the half a bit more"


# --- measured runs


def test_a_measured_run_is_described() -> None:
    chips = pd.DataFrame(
        {"hardware_id": ["h"], **dict.fromkeys(measured_runs.CHIP, 1e15), "type": "GPU", "tdp_w": 700.0}
    )
    texts = {"hardware_id": "h", "chip": "NVIDIA H100", "source_id": "s", "system": "x", "benchmark": "b", "model": "m"}
    numbers = {"chip_quantity": [63, 64, 1023, 1024], "training_hours": [0.24, 0.25, 1.0, np.nan]}
    some = pd.DataFrame(numbers).assign(**texts, achieved_flops_per_chip=4e14, is_mixture_of_experts=[True, False] * 2)
    some = some.assign(
        power_per_chip_w=[np.nan, 600.0, np.nan, np.nan],
        submitter=["one", "one", None, "one"],
        numerical_format=["BF16", "FP8", None, "NVFP4"],
    )
    constants: Any = {"measured": {"scales": [1, 64, 1024], "generations": {"H100": "Hopper", "default": "other"}}}
    found = measured_runs.describe(some, chips, constants)
    assert found["share"].tolist() == pytest.approx([0.4] * 4)
    assert found["scale"].tolist() == ["1 to 63 chips", *["64 to 1023 chips"] * 2, "1024 chips and more"]
    assert found["steady"].tolist() == ["shorter", "15 minutes or more", "15 minutes or more", "shorter"]
    assert found["format"].tolist() == ["16 bits", "8 bits", "not stated", "4 bits"]
    assert found["fold"].tolist() == ["s one", "s x b", "s m", "s one"]
    assert found["architecture"].tolist() == ["mixture of experts", "dense"] * 2
    assert set(found["generation"]) == {"Hopper"}


def test_the_summary_and_the_spread_by_class() -> None:
    factors = np.linspace(0.5, 1.5, 21)  # 5, 50 and 95 %: 0.55, 1 and 1.45
    part = pd.DataFrame({"factor": factors, "prior_factor": factors * 2, "half_width": 0.1, "scale": ["a", *"b" * 20]})
    part = part.assign(method="hardware", **dict.fromkeys(set(measured_runs.SHOWN["hardware"]) - {"scale"}, "one"))
    lines = measured_runs.summarize(part).set_index(["by", "class"])
    whole = lines.loc[("all", "all")]
    assert [whole["factor_05"], whole["factor_50"], whole["factor_95"]] == [0.55, 1, 1.45]
    assert whole["inside"] == round(10 / 21, 3), "0.8 to 1.25 are within 0.1 dex"
    assert whole["prior_half_width_90"] == 0.447, "2.8 times"
    assert whole["prior_inside"] == round(19 / 21, 3)
    assert lines.loc[("scale", "a"), "runs"] == 1
    assert list(lines.index)[1] == ("architecture", "one")
    runs = pd.DataFrame({"share": [*factors, np.nan], "chip": "c", "source_id": [*"ba", *"a" * 20]})
    (line,) = measured_runs.spread(runs, "share", ["chip"], 2).to_dict("records")
    assert line == {"chip": "c", "runs": 21, "share_05": 0.55, "share_50": 1.0, "share_95": 1.45, "sources": "a;b"}


def test_the_tables_of_measured_runs_have_shares_to_four_decimals_and_watts_to_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kind = {"generation": "Hopper", "format": "16 bits", "architecture": "dense", "scale": "1 to 63 chips"}
    where = {"hardware_id": "h", "benchmark": "b", "nodes": 2}
    described = pd.DataFrame([kind | where | {"source_id": "s", "share": 0.123456, "power_per_chip_w": 612.3456}])
    fakes: dict[str, Any] = {
        "read_records": lambda _, name: name,
        "derive_measured": lambda *_: "runs",
        "describe": lambda *_: described,
        "compare": lambda *_: "compared",
        "summarize": lambda compared: compared,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(measured_runs, name, fake)
    context: Any = Some(
        sources={"m": Some(subject="models")},
        schemas={"measured_runs": 0},
        constants=0,
        vocabularies={"numerical_formats": 0},
    )
    assert measured_runs.measure_runs(context, described) == {}
    context.sources["r"] = Some(subject="measured_runs")
    found: Any = measured_runs.measure_runs(context, described)
    ends = {"05", "50", "95"}
    assert found["measured"] == "compared"
    assert found["utilization"].to_dict("records") == [
        kind | {"runs": 1, "sources": "s"} | dict.fromkeys((f"share_{end}" for end in ends), 0.1235)
    ]
    assert found["power"].drop(columns="sources").to_dict("records") == [
        where | {"runs": 1} | dict.fromkeys((f"power_per_chip_w_{end}" for end in ends), 612.3)
    ]


def test_four_runs_of_others_are_too_few_for_a_prior() -> None:
    runs = pd.DataFrame({"fold": ["a", *["other"] * 9], "k": [*"xxxxxyyyyy"], "share": [9.0, *[1.0] * 4, *[3.0] * 5]})
    of_others = measured_runs.of_others(runs.assign(method="m"), "share", [["k"], ["method"]])
    assert of_others[0] == 3, "four of its kind, nine of all"
    runs.loc[9, "k"] = "x"
    assert measured_runs.of_others(runs, "share", [["k"]])[0] == 1, "five are enough"


# --- past estimates


def test_past_estimates_are_held_against_what_was_printed_later(monkeypatch: pytest.MonkeyPatch) -> None:
    quantiles = dict(zip(past_estimates.QUANTILES, (1e20, 2e20, 4e20, 8e20, 1e21), strict=True))
    said = pd.DataFrame({"model_id": ["c", "b", "a", "d"], "tier": [3, 3, 0, 3], "method": "m", **quantiles})
    value = [np.nan, np.nan, 1e20, np.nan, *[1e20] * 99]
    given = pd.DataFrame({"model_id": ["c", "b", "a", "d", *map(str, range(99))], FIELD: value})
    later = pd.DataFrame({"filled": pd.Timestamp("2025-01-01"), "later_flop": [2e21, 1e21, 1e20]}, index=list("cba"))
    told: list[Any] = []
    fakes: dict[str, Any] = {
        "gather": lambda *_, curated: (given[:0] if curated else given, None),
        "printed_since": lambda *_: later,
        "methods_of": lambda *_: (Some(intervals=0), said),
        "choose": lambda *_: said,
        "load_declared": lambda _: Some(bands={}),
        "read_records": lambda *_: None,
        "distributions": lambda *_: None,
        "count_day": lambda *given: told.append(given),
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(past_estimates, name, fake)
    scores, _ = past_estimates.judge_day(None, None, date(2024, 7, 1), given)
    assert scores["model_id"].tolist() == ["b", "c"], "a had a value, and nothing is known of d"
    assert scores["error_dex"].tolist() == [round(np.log10(0.4), 4), round(np.log10(0.2), 4)]
    assert scores["is_inside"].tolist() == [True, False]
    assert set(scores["vintage"]) == {pd.Timestamp("2024-07-01")}
    assert list(told[0][2]) == ["c", "b", "a"]
    given.loc[2, FIELD] = np.nan  # 99 published values: with fewer than 100 nothing is judged
    few, counts = past_estimates.judge_day(None, None, date(2024, 7, 1), given)
    assert len(few) == len(counts) == 0
    assert (list(few), list(counts)) == (past_estimates.COLUMNS, past_estimates.COUNTS)


def test_each_snapshot_is_judged_by_the_notable_models_of_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    days, said = [date(2024, 7, 1), date(2025, 7, 1)], list[str]()
    rows = pd.DataFrame({"model_id": ["a", "b"], "is_notable": [True, False], "publication_date": days, FIELD: 1.0})

    def gather(_context: object, _read: object, day: date, *, curated: bool) -> tuple[pd.DataFrame, str]:
        assert not curated
        return rows.assign(name=str(day)), "edges"

    fakes: dict[str, Any] = {
        "load_ledger": lambda _: "ledger",
        "read_ledger": lambda _, ledger: f"read {ledger}",
        "gather": gather,
        "locked_snapshots": lambda _, source: days * (source == "epoch_notable"),
        "training_run_id": lambda rows: rows["name"],
        "judge_day": lambda _, read, day, now: (now.assign(day=day), pd.DataFrame({"read": [read], "day": [day]})),
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(past_estimates, name, fake)
    found = past_estimates.judge_vintages(Some(lock=None), said.append)
    newest = {"model_id": ["a"] * 2, "training_run_id": ["2025-07-01"] * 2, "publication_date": days[:1] * 2}
    assert found["scores"].to_dict("list") == newest | {"day": days}
    assert found["counts"].to_dict("list") == {"read": ["read ledger"] * 2, "day": days}
    assert [list(table.index) for table in found.values()] == [[0, 1], [0, 1]]
    assert said == ["estimates of 2024-07-01", "estimates of 2025-07-01"]
    assert past_estimates.THRESHOLDS_FLOP == (1e24, 1e25, 1e26)


def test_what_a_publisher_printed_after_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        ("a", FIELD, "epoch_notable", "2024-07-01", 1.0),  # on the day itself
        ("a", FIELD, "epoch_all", "2024-08-01", 2.0),
        ("a", FIELD, "epoch_notable", "2024-09-01", 3.0),
        ("a", "parameters", "epoch_notable", "2024-10-01", 4.0),
        ("a", FIELD, "other", "2024-10-01", 5.0),
        ("b", FIELD, "epoch_all", "2024-08-01", np.nan),  # unread
    ]
    facts = pd.DataFrame(lines, columns=["model_id", "field", "source_id", "since", "value"])
    facts["since"] = pd.to_datetime(facts["since"])
    monkeypatch.setattr(past_estimates, "with_values", lambda cells, _: cells)
    owners = {"epoch_notable": "Epoch AI", "epoch_all": "Epoch AI", "other": "Other"}
    context = Some(sources={name: Some(publisher=owner) for name, owner in owners.items()})
    found = past_estimates.printed_since(context, Some(ledger=facts, readings=None), date(2024, 7, 1))
    assert found.to_dict("index") == {"a": {"filled": pd.Timestamp("2024-08-01"), "later_flop": 3.0}}


def test_of_a_filled_model_the_last_estimate_counts() -> None:
    quantiles = dict(zip(past_estimates.QUANTILES, (1e20, 2e20, 4e20, 8e20, 1.6e21), strict=True))
    days = pd.to_datetime(["2024-08-01", "2024-07-01", "2024-07-01"])
    scores = pd.DataFrame({"model_id": ["a", "a", "b"], "vintage": days, "tier": 3, "year": 2024, **quantiles})
    scores = scores.assign(flop_50=[4e20, 1e25, 4e20], later_flop=[4e20, 4e20, 4e21])
    whole = next(iter(past_estimates.measure_filled(scores).to_dict("records")))
    assert (whole["evaluation"], whole["inputs"], whole["method"], whole["subset"], whole["n"]) == (
        "filled",
        "upstream",
        "cascade",
        "all",
        2,
    )
    assert (whole["coverage_90"], whole["median_error_dex"]) == (0.5, -0.5), "b is a factor of ten below"


# --- the files


def test_files_are_as_they_were_written_or_named(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.calibration.parent.mkdir()
    tables = {"scores": pd.DataFrame({"a": [1, 2], "b": ["x", None]}), "intervals": pd.DataFrame({"c": [0.5]})}
    names = ["scores.csv", "intervals.csv", "SHA256SUMS", "inputs.sha256"]
    for _ in range(2):  # the folder may be there already
        assert storage.write_files(paths, tables, "digest") == [f"data/calibration/{name}" for name in names]
    assert (paths.calibration / "inputs.sha256").read_text() == "digest\n"
    digest = {
        name: hashlib.sha256(text).hexdigest()
        for name, text in (("intervals", b"c\n0.5\n"), ("scores", b"a,b\n1,x\n2,\n"))
    }
    sums = "".join(f"{digest[name]}  {name}.csv\n" for name in ("intervals", "scores"))
    assert (paths.calibration / "SHA256SUMS").read_text() == sums
    assert storage.read_rows(paths, "scores") == [{"a": "1", "b": "x"}, {"a": "2", "b": ""}]
    storage.check_whole(paths, ["scores", "intervals"])
    assert storage.stale_files(paths, tables) == []
    with pytest.raises(DataError, match=r"spreads\.csv.: has no line"):
        storage.check_whole(paths, ["scores", "spreads"])
    (paths.calibration / "scores.csv").write_text("a,b\n1,x\n")
    other = {**tables, "spreads": tables["scores"]}
    assert storage.stale_files(paths, other) == ["data/calibration/scores.csv", "data/calibration/spreads.csv"]
    with pytest.raises(DataError, match=r"data/calibration/scores\.csv: is not as it was written") as refused:
        storage.read_rows(paths, "scores")
    assert len(refused.value.problems) == 1


def test_what_the_files_are_measured_from_is_seen_in_their_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, shares = Paths(tmp_path), {"default": 0.3}
    monkeypatch.setattr(storage, "load_constants", lambda _: {"utilization": shares, "other": 1})
    monkeypatch.setattr(storage, "METHODS", ("base",))  # a small room
    assert storage.is_stale(paths), "nothing was written"
    paths.calibration.mkdir(parents=True)

    def stale_after(file: Path, text: str = "x") -> bool:
        (paths.calibration / storage.DIGEST).write_text(storage.inputs_digest(paths) + "\n")
        assert not storage.is_stale(paths)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return storage.is_stale(paths)

    inputs = [paths.lock, paths.raw / "selection.yml", paths.curated / "facts.csv", paths.vocab / "architectures.yml"]
    assert [stale_after(file) for file in inputs] == [True] * 4
    assert not stale_after(paths.declined)
    assert not stale_after(paths.vocab / "countries.yml")
    shares["default"] = 0.4
    assert storage.is_stale(paths)
