"""Models that came out of one training run, what names tell of it, and that a run counts once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from trend_models import models

from pipeline.impute.runs import first_of_run, heads, smaller, training_run_id
from pipeline.impute.trends import prepare, quantity_rows

COLUMNS = ["model_id", "base_model_id", "training_run_id", "training_compute_flop", "training_compute_low"]


def run_of(*rows: tuple[Any, ...]) -> dict[str, str]:
    """model_id → run of models given as the COLUMNS."""
    made = pd.DataFrame(list(rows), columns=COLUMNS).astype(dict.fromkeys(COLUMNS[:3], "str"))
    made = made.assign(name=made["model_id"], organization="one", publication_date=pd.Timestamp("2025-01-01"))
    return dict(zip(made["model_id"], training_run_id(made), strict=True))


NOTHING, LLAMA = (None, np.nan, np.nan), ("llama-3.1-405b", None, None, 3.8e25, 3.4e25)
GPT4, GPT4O, V3 = ("gpt-4", None, None, 2.1e25, 7e24), ("gpt-4o", None, *NOTHING), ("v3", None, None, 3.3e24, 3e24)
RUNS: list[tuple[str, list[tuple[Any, ...]], str]] = [
    ("Hermes 3 405B", [LLAMA, ("m", LLAMA[0], None, 3.80029e25, 1e25)], "llama-3.1-405b"),
    ("nine tenths", [LLAMA, ("m", LLAMA[0], None, 3.8e25 / 0.9, 1e25)], "llama-3.1-405b"),
    ("more than a tenth is its own", [LLAMA, ("m", LLAMA[0], None, 3.8e25 / 0.89, 1e25)], "m"),
    ("nothing is known of either", [GPT4O, ("m", "gpt-4o", *NOTHING)], "gpt-4o"),
    ("nothing is known of the base", [GPT4O, ("m", "gpt-4o", None, 1e25, np.nan)], "m"),
    ("the least stands in for a value", [GPT4, ("m", "gpt-4", None, None, 2.1e25)], "gpt-4"),
    ("a chain", [LLAMA, ("r1", LLAMA[0], None, 3.81e25, 1e25), ("m", "r1", None, 3.82e25, 1e25)], "llama-3.1-405b"),
    ("a stated run comes first", [V3, LLAMA, ("m", LLAMA[0], "v3", 3.9e25, 1e24)], "v3"),
]


@pytest.mark.parametrize(("why", "rows", "run"), RUNS)
def test_a_model_is_of_the_run_that_took_nine_tenths_of_its_compute(
    why: str, rows: list[tuple[Any, ...]], run: str
) -> None:
    assert run_of(*rows)["m"] == run, why


@pytest.mark.parametrize(
    ("of_head", "own", "run"),
    [(np.nan, np.nan, "GPT-5"), (1e25, np.nan, "GPT-5"), (np.nan, 1e25, "GPT-5"), (9.01e24, 1e25, "GPT-5"),
     (8.9e24, 1e25, "GPT-5 (Aug 2025)"), (1e25, 1e24, "GPT-5")],
)  # fmt: skip
def test_another_date_of_a_model_is_of_its_run_unless_it_took_more(of_head: float, own: float, run: str) -> None:
    rows = [("GPT-5", None, None, of_head, np.nan), ("GPT-5 (Aug 2025)", None, None, own, np.nan)]
    assert run_of(*rows)["GPT-5 (Aug 2025)"] == run


def test_the_first_of_a_run_is_the_earliest() -> None:
    run = np.array(["a", "b", "a", "a"], dtype=object)
    day = np.array(["2024-03-01", "2024-01-01", "2024-02-01", "2024-02-01"], dtype="datetime64[D]")
    assert first_of_run(run, day).tolist() == [False, True, True, False]


def test_a_trend_counts_the_models_of_a_run_once() -> None:
    made = models(40)
    twice = pd.concat([made, made.assign(model_id=made["model_id"] + "-chat")], ignore_index=True)
    alone = prepare({"models": made})
    named = prepare({"models": twice})
    shared = prepare({"models": twice.assign(training_run_id=[*made["model_id"], *made["model_id"]])})
    (one, two, run) = (quantity_rows(found, "training_compute_flop")[0] for found in (alone, named, shared))
    assert (one["n"], one["models"]) == (40, 40)
    assert (two["n"], two["models"]) == (80, 80), "without training_run_id each model is a run of its own"
    assert (run["n"], run["models"]) == (40, 80)
    for figure in ("growth_per_year", "level_2020", "first_date"):
        assert run[figure] == one[figure]


# --- Names


def named(*names: str, **columns: list) -> pd.DataFrame:
    days = pd.date_range("2025-01-01", periods=len(names), freq="30D")
    about = {"model_id": names, "name": names, "organization": "OpenAI", "publication_date": days}
    made = pd.DataFrame(about | {"base_model_id": None} | columns)
    return made.astype(dict.fromkeys(["model_id", "name", "organization", "base_model_id"], "str"))


GEMINI = [f"Gemini 2.5 Pro ({month} 2025)" for month in ("Mar", "May", "Jun")]
SAME: list[tuple[list[str], dict[str, list], dict[str, str]]] = [
    (
        ["GPT-5.1-Codex", "GPT-5.1", "GPT-5.1 Instant"],
        {},
        dict.fromkeys(("GPT-5.1-Codex", "GPT-5.1 Instant"), "GPT-5.1"),
    ),
    (["GPT-5.2 Pro", "GPT-5.2", "o1 Pro"], {}, {"GPT-5.2 Pro": "GPT-5.2"}),
    (GEMINI, {}, dict.fromkeys(GEMINI[1:], GEMINI[0])),  # the first stands for them
    (["Claude", "Claude Instant", "Gemini 2.5", "Gemini 2.5 Pro", "Qwen3-Coder"], {}, {}),
    (["GPT-4o", "GPT-4o (Aug 2024)"], {"base_model_id": [None, "GPT-4o"]}, {}),  # it has a base
    (["o1", "o1 Pro"], {"organization": ["OpenAI", "Others"]}, {}),
    (["o1 Pro", "o1"], {"base_model_id": [None, "o1 Pro"]}, {}),  # no two of each other
]


@pytest.mark.parametrize(("names", "columns", "same"), SAME)
def test_another_date_or_way_of_use_is_the_same_model(names: list[str], columns: dict, same: dict[str, str]) -> None:
    known = named(*names, **columns)
    assert heads(known).set_axis(names).dropna().to_dict() == same


def test_words_for_size_order_a_version_of_a_line_whatever_is_in_brackets() -> None:
    flash, plain, pro, ultra = names = (
        "Gemini 2.0 Flash (Jan 2025)",
        "Gemini 2",
        "Gemini 2 Pro (test)",
        "Gemini 2.0 Ultra",
    )
    known = named(*names, "Claude Haiku 4.5", "Claude Opus 4.5", "Claude Opus 4", "GPT-5", "GPT-5 nano")
    pairs = smaller(known)
    assert set(zip(pairs["small"], pairs["large"], strict=True)) == {
        (flash, plain), (flash, pro), (flash, ultra), (plain, ultra), (pro, ultra),
        ("Claude Haiku 4.5", "Claude Opus 4.5"), ("GPT-5 nano", "GPT-5"),
    }  # fmt: skip
