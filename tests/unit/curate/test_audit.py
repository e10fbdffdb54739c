"""The audit: which contradictions it finds, how it ranks them, and what it leaves alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from audit_view import CHIPS, only, view
from estimation_rows import DECLARED, rows

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.curate.audit import (
    _only_chips,
    check_bases,
    check_dates,
    check_experts,
    check_words,
    distinct_models,
    find,
    find_all,
)
from pipeline.curate.checks import (
    apart,
    check_arithmetic,
    check_bounds,
    check_hardware,
    check_operations,
    check_stated,
    printed,
    read_sums,
)
from pipeline.curate.runs import check_peak
from pipeline.impute.flop.methods.hardware import peak_rate
from pipeline.registry.frames import Tables, conform
from pipeline.registry.reasons import CORRECTED
from pipeline.registry.schema import load_schemas

NOTE = "Training compute notes"


def note(*sums: str) -> list[dict[str, Any]]:
    return [{"field": "arithmetic", "value_text": text, "locator": NOTE} for text in sums]


def test_a_value_that_repeats_the_slip_of_its_note_ranks_first() -> None:
    # Megatron-LM 1.2B: 1.57 × 10e11 in the note of 2026-05-03; upstream corrected it to 1.1304e21 in July 2026
    made = view(note("6 * 1.57e11 * 1.2e9 = 1.13e22"), training_compute_flop=1.13e22)
    found = only(check_arithmetic(made))
    assert (found.rank, found.field, found.stated) == (1, "training_compute_flop", 1.13e22)
    assert found.expected == pytest.approx(1.1304e21)
    assert found.claim_ids == ["c1", "c2"]
    mended = view(note("6 * 1.57e11 * 1.2e9 = 1.13e22"), training_compute_flop=1.1304e21)
    assert only(check_arithmetic(mended)).rank == 5  # only the note is wrong


def test_a_value_away_from_every_calculation_of_its_note_is_found() -> None:
    # RQ-Transformer (LSUN-cat): the exponent slipped by two between note and column
    found = only(
        check_arithmetic(view(note("4 * 3.12e14 * (9 * 24 * 3600) * 0.3"), training_compute_flop=2.9113344e18))
    )
    assert (found.rank, round(found.ratio or 0, 4)) == (1, 0.01)


@pytest.mark.parametrize(
    ("sums", "value"),
    [
        (["3.25 * 500e9 * 6 = 9.75e21"], 9.75e21),  # Gemini Nano 2: billions are left out on the left
        (["6 * 174e9 * 300e9", "1e20 * 3 * 5"], 3.14e23),  # one of two calculations agrees
        (["1e22 * 4", "6 * 2e9 * 5e12"], 1e23),  # the value is their sum
        # CNN Committee (NIST): the geometric mean of 2.65e17 by time and 2.6e15 by counting
        (["5224840 * 3 * 800000 * 30 * 7", "42 * 3600 * 5.85e12 * 0.3"], 2.6e16),
        (["300 * 512"], 1e22),  # a step, no total
    ],
)
def test_notes_that_explain_the_value_are_left_alone(sums: list[str], value: float) -> None:
    found = check_arithmetic(view(note(*sums), training_compute_flop=value))
    assert [f for f in found if f.rank < 5] == []


def test_a_sum_with_the_right_result_is_no_finding() -> None:
    assert list(check_arithmetic(view(note("6 * 1.57e11 * 1.2e9 = 1.13e21"), training_compute_flop=1.13e21))) == []


def test_only_sums_of_positive_numbers_are_held_against_anything() -> None:
    made = view(note("2 * 3", "2 * 3 = 6", "2 * 3 = 0", "2 - 3 = 6", "0 * 3", "2 * x"), training_compute_flop=1.0)
    read = [(total.left, total.right) for total in read_sums(made.claims[made.claims["field"] == "arithmetic"])]
    assert read == [(6.0, None), (6.0, 6.0)]


def test_a_factor_of_three_is_apart_and_less_is_not() -> None:
    assert apart(3.0, 1.0)
    assert apart(1.0, 3.0)
    assert not apart(2.99, 1.0)


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ([("selected", "first"), ("quarantined", CORRECTED)], 0),
        ([("conflicting", "lower_priority"), ("quarantined", CORRECTED)], 1),  # every value dropped: what they were
        ([("selected", "first"), ("selected", "first")], 0),  # two of one day, in order of their ids
    ],
)
def test_a_source_prints_what_is_selected_or_else_what_was_dropped(claims: list[tuple[str, str]], taken: int) -> None:
    about = {"field": "training_compute_flop", "value": 1e20}
    made = view([about | {"status": status, "reason_code": code} for status, code in claims]).claims
    assert printed(made[made["claim_id"] > "c1"], "training_compute_flop").loc["m", "claim_id"] == f"c{2 + taken}"


def test_a_fine_tune_may_hold_more_than_its_note_counts() -> None:
    # LLaVA 1.5: 7e19 of its own on top of a base model of 7.8e22
    base = [{"field": "base_model", "code": "Vicuna-13B"}]
    assert (
        list(check_arithmetic(view(note("26 * 3600 * 8 * 3.12e14 * 0.3") + base, training_compute_flop=7.8e22))) == []
    )
    assert list(check_arithmetic(view(note("26 * 3600 * 8 * 3.12e14 * 0.3"), training_compute_flop=7.8e22))) != []


def test_figures_and_bounds_of_a_note() -> None:
    stated = [{"field": "training_compute_stated", "value": 1.61e16, "locator": NOTE}]
    assert only(check_stated(view(stated, training_compute_flop=1.6e15))).rank == 1  # Pointer Sentinel-LSTM (WT2)
    assert list(check_stated(view(stated, training_compute_flop=1.6e16))) == []
    assert only(check_stated(view(stated, training_compute_flop=1e18))).rank == 2
    base = [{"field": "base_model", "code": "X"}]  # its compute may be in the value, and not in the note
    assert list(check_stated(view(stated + base, training_compute_flop=1e18))) == []
    assert only(check_stated(view(stated + base, training_compute_flop=1e15))).expected == 1.61e16
    # GANs (arXiv:1406.2661): "less than 0.006 pfs-days" is 5.18e17 FLOP
    bound = [{"field": "training_compute_bound", "high": 5.184e17, "locator": NOTE}]
    assert only(check_bounds(view(bound, training_compute_flop=1e18))).expected == 5.184e17
    assert list(check_bounds(view(bound, training_compute_flop=5.18e17))) == []
    assert only(check_bounds(view(training_compute_flop=1e24, training_compute_low=2e24))).expected == 2e24


def test_operations_of_language_models() -> None:
    # GPT-3 (arXiv:2005.14165, table D.1): 174.6e9 parameters, 300e9 tokens, 3.14e23 FLOP
    right = {"parameters": 1.746e11, "training_tokens": 3e11, "training_compute_flop": 3.14e23}
    assert list(check_operations(view(**right))) == []
    slip = only(check_operations(view(**(right | {"training_compute_flop": 3.14e21, "parameters_active": 1.746e11}))))
    assert slip.rank == 1
    # Inkling: 41e9 active parameters × 45e12 tokens without the factor 6
    inkling = {"parameters": 9.75e11, "parameters_active": 4.1e10, "training_tokens": 4.5e13}
    found = only(check_operations(view(**inkling, training_compute_flop=1.845e24)))
    assert (found.rank, found.expected) == (2, pytest.approx(1.107e25))
    # GLM-4.6: 357e9 parameters of which the 32e9 active ones are not stated
    assert list(check_operations(view(parameters=3.57e11, training_tokens=2.3e13, training_compute_flop=4.42e24))) == []
    assert list(check_operations(view(**inkling, domains="Vision", training_compute_flop=1.8e20))) == []
    times = {"slip": 10, "far": 11.7, "near": 9.5}
    models = rows(*({**inkling, "training_compute_flop": 1.107e25 * by} for by in times.values())).set_axis(list(times))
    several = view()._replace(models=models)
    assert {f.model_id: f.rank for f in check_operations(several)} == {"slip": 1, "far": 3}


def test_hardware_products() -> None:
    # DD-PPO: 64 V100 for 66 hours at 125e12 FLOP/s are at most 1.9e21; in FP32 the 7.8e20 need more than there was
    run = {"hardware_quantity": 64.0, "training_hours": 66.0, "training_compute_flop": 7.8e20, "domains": "Robotics"}
    assert (
        list(check_hardware(view(chip="nvidia-v100", **run))) == list(check_peak(view(chip="nvidia-v100", **run))) == []
    )
    fp32 = view(chip="nvidia-v100", **run, numerical_format="FP32")
    found = only(check_peak(fp32))
    assert (found.check, found.ratio) == ("utilisation", pytest.approx(7.8e20 / (64 * 66 * 3600 * 1.567e13)))
    more = view(chip="nvidia-v100", **(run | {"training_compute_flop": 7.8e21}), numerical_format="FP32")
    assert list(check_hardware(more)) == []  # check_peak has it; one finding is enough
    # StyleGAN (arXiv:1812.04948): a week on 8 V100 cannot be 3.93e16
    stylegan = {
        "hardware_quantity": 8.0,
        "training_hours": 168.0,
        "training_compute_flop": 3.93e16,
        "domains": "Vision",
    }
    assert only(check_hardware(view(chip="nvidia-v100", **stylegan))).check == "hardware"
    several = CHIPS["nvidia-v100"] | stylegan  # the mean rate of the chips that it names
    assert list(check_hardware(view(**several))) == []


def test_chip_hours_that_are_days() -> None:
    # BASIC-L: (6.9e3 + 1e3 + 0.8e3) / 2 TPU v4 days entered as hours; 4.12e22 FLOP at 0.4
    found = only(
        check_hardware(view(chip="google-tpu-v4", chip_hours=4350.0, training_compute_flop=4.12e22, domains="Vision"))
    )
    assert (found.field, found.expected) == ("chip_hours", 4350.0 * 24)


def test_peak_rates_by_number_format() -> None:
    v100, tpu = CHIPS["nvidia-v100"], CHIPS["google-tpu-v4"]
    formats = rows(*({**v100, "numerical_format": x} for x in (None, "BF16", "FP32", "FP8")))
    assert peak_rate(formats).tolist() == [1.25e14, 1.25e14, 1.567e13, 1.25e14]
    assert peak_rate(rows(tpu)).tolist() == [2.75e14]


def test_dates_words_and_missing_bases() -> None:
    # DeepSeek Coder 33B: dated 2024-01-25, in the snapshot of 2023-12-14
    late = view([{"field": "name", "since": "2023-12-14"}], publication_date=pd.Timestamp("2024-01-25"))
    assert only(check_dates(late)).expected == "2023-12-14"
    assert list(check_dates(view(publication_date=pd.Timestamp("2024-01-25")))) == []
    assert list(check_dates(view(publication_date=pd.Timestamp("2026-03-30")))) == []  # the day of the snapshot
    words = {"dataset_size": 3e11, "training_tokens": 4e11}
    found = only(check_words(view(**words)))
    assert (found.field, found.ratio) == ("dataset_size", 0.75)
    assert found.evidence == "3e+11 × 4/3 = 4e+11, the 4e+11 tokens stated: the dataset is in words"
    assert list(check_words(view(dataset_size=3.1e11, training_tokens=4e11))) == []  # 3 % more
    assert list(check_words(view(**words, dataset_unit="word"))) == []
    assert only(check_bases(view(finetune_compute_flop=3.69e21))).check == "base"  # RDT-1B
    assert list(check_bases(view())) == []
    assert list(check_bases(view([{"field": "base_model", "code": "X"}], finetune_compute_flop=3.69e21))) == []


@pytest.mark.parametrize("name", ["Qwen3-235B-A22B", "Mixtral 8x7B", "Pangu Ultra MoE", "Nemotron 3-Nano-30B-A3.5B"])
def test_a_name_that_says_a_mixture_of_experts_wants_the_word(name: str) -> None:
    assert only(check_experts(view(name=name, architecture=None))).expected == "MoE"
    assert list(check_experts(view(name=name, architecture="MoE;dense"))) == []
    assert list(check_experts(view(name="Llama 2-70B", architecture=None))) == []


def test_what_two_checks_find_alike_stands_once() -> None:
    stated = [{"field": "training_compute_stated", "value": 2.9113344e20, "locator": NOTE}]
    made = view(note("4 * 3.12e14 * (9 * 24 * 3600) * 0.3") + stated, training_compute_flop=2.9113344e18)
    assert [f.check for f in find_all(made)] == ["arithmetic"]


@pytest.mark.parametrize(
    ("counted", "stated", "bound", "first"),
    [
        (1.01e21, 1.002e22, None, "stated"),  # 0.004 and 0.001 from a power of ten
        (1.002e21, 1.05e22, None, "arithmetic"),  # 0.001 and 0.021
        (1e20, 3.3e19, 1e19, "bound"),  # no slips: 10 and 3 times
    ],
)
def test_the_slip_that_keeps_its_digits_best_comes_first_or_what_is_farthest_off(
    counted: float, stated: float, bound: float | None, first: str
) -> None:
    figures = {"training_compute_stated": {"value": stated}, "training_compute_bound": {"high": bound or float("nan")}}
    claims = [{"field": field, "locator": NOTE, **cells} for field, cells in figures.items()]
    found = find_all(view([*note(f"{counted} * 1"), *claims], training_compute_flop=1e20))
    assert (found[0].check, len(found)) == (first, 2)


def test_notable_models_come_first() -> None:
    made = view(finetune_compute_flop=3.69e21, training_compute_flop=1e22)
    other = made.models.rename(index={"m": "a"}).assign(is_notable=False)
    both = made._replace(models=pd.concat([other, made.models]))
    assert [(f.model_id, f.check) for f in find_all(both)] == [("m", "base"), ("a", "base")]


def test_the_chip_of_a_model_is_the_only_one_that_it_names() -> None:
    mentions = [("one", "nvidia-v100"), ("two", "nvidia-v100"), ("two", "google-tpu-v4")]
    assert _only_chips(pd.DataFrame(mentions, columns=["model_id", "hardware_id"])).to_dict() == {"one": "nvidia-v100"}


def test_pairs_that_identities_call_distinct_go_by_what_a_name_stands_for(tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    paths.curated.mkdir(parents=True)
    paths.identities.write_text(
        "alias,source_id,relation,model_id,since,reason\n"
        "BERT base,,distinct,bert-large,,two sizes\nGPT 2,,distinct,gpt-3,,two models\nOPT,,same,opt-175b,,one\n"
    )
    claims = pd.DataFrame({"record": ["BERT base"], "model_id": ["bert-110m"]})
    pairs = distinct_models(SimpleNamespace(paths=paths), claims)  # type: ignore[arg-type]
    assert pairs == {frozenset(["bert-110m", "bert-large"]), frozenset(["gpt-2", "gpt-3"])}


def test_findings_are_told_with_the_correction_that_deals_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(tmp_path)
    paths.curated.mkdir(parents=True)
    paths.identities.write_text("alias,source_id,relation,model_id,since,reason\n")
    entry = "- {id: seen, source: epoch_all, record: StyleGAN, field: training_compute_flop, value_text: '3.93e+16',"
    rest = " since: 2026-03-30, entered: 2026-11-21, action: acknowledge, upstream: not reported, reason: seen}\n"
    (paths.curated / "corrections.yml").write_text(entry + rest)
    monkeypatch.setattr("pipeline.curate.audit.load_declared", lambda _: DECLARED)
    monkeypatch.setattr("pipeline.curate.audit.CHECKS", (check_operations, check_hardware, check_bases))
    found = find(SimpleNamespace(paths=paths), vintage())  # type: ignore[arg-type]
    told = {f["name"]: (f["check"], f["stated"], f["correction"]) for f in found}
    assert told == {
        "GPT-3": ("6ND", 3.14e21, "gpt-3-tenth"),  # the claim says who dropped it
        "StyleGAN": ("hardware", 3.93e16, "seen"),  # an entry that changes no claim
        "RDT-1B": ("base", "", ""),
    }


def vintage() -> Tables:
    """Three models as the tables of a release have them, of which a correction has dropped the compute of the first."""
    models = [
        {"name": "GPT-3", "domains": "Language", "parameters_active": 1.746e11, "training_tokens": 3e11},
        {"name": "StyleGAN", "domains": "Vision", "training_compute_flop": 3.93e16, "chip_hours": 1344.0},
        {"name": "RDT-1B", "domains": "Robotics", "finetune_compute_flop": 3.69e21},
    ]
    dropped = {"value": 3.14e21, "status": "quarantined", "reason_code": CORRECTED, "correction": "gpt-3-tenth"}
    claims = [
        {"record": "GPT-3", "field": "training_compute_flop", "value_text": "3.14e+21", **dropped},
        {"record": "StyleGAN", "field": "training_compute_flop", "value_text": "3.93e+16", "value": 3.93e16},
        {"record": "StyleGAN", "field": "chip_hours", "value_text": "1344", "value": 1344.0},
        {"record": "RDT-1B", "field": "finetune_compute_flop", "value_text": "3.69e+21", "value": 3.69e21},
    ]
    rest = {"status": "selected", "source_id": "epoch_all"}
    stated = pd.DataFrame([rest | claim for claim in claims])
    tables = {
        "models": pd.DataFrame(models).assign(model_id=lambda f: f["name"], publication_date="2026-01-01"),
        "claims": stated.assign(model_id=stated["record"], claim_id=[f"c{i}" for i in range(len(stated))]),
        "model_hardware": pd.DataFrame([{"model_id": "StyleGAN", "hardware_id": "nvidia-v100"}]),
        "hardware": pd.DataFrame([{"hardware_id": "nvidia-v100", "type": "GPU", **CHIPS["nvidia-v100"]}]),
    }
    schemas = load_schemas(Paths(CHECKOUT))
    return {name: conform(table, schemas[name]) for name, table in tables.items()}
