"""What names tell of the training: other names of one model, and the order of a line."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.flop.families import heads, ordered, smaller
from traincompute.base.quantiles import QUANTILES

WIDE = [1e24, 1e25, 1e26, 1e27, 1e28]


def models(*names: str, **columns: list) -> pd.DataFrame:
    """Models with these names as their model_id, a month apart, of one organisation."""
    days = pd.date_range("2025-01-01", periods=len(names), freq="30D")
    about = {
        "model_id": names,
        "name": names,
        "organization": "OpenAI",
        "publication_date": days,
        "base_model_id": None,
    }
    about |= columns
    return pd.DataFrame(about).astype(dict.fromkeys(["model_id", "name", "organization", "base_model_id"], "str"))


def heads_of(*names: str, **columns: list) -> dict[str, str]:
    known = models(*names, **columns)
    return dict(zip(known["model_id"], heads(known).fillna(""), strict=True))


def test_another_date_or_way_of_use_is_the_same_model() -> None:
    found = heads_of(
        "GPT-5.1-Codex", "GPT-5.1", "GPT-5.1 Instant", "GPT-5.1-Codex-Max", "GPT-5.2 Pro", "GPT-5.2", "o1 Pro"
    )
    assert found == {
        "GPT-5.1-Codex": "GPT-5.1", "GPT-5.1": "", "GPT-5.1 Instant": "GPT-5.1", "GPT-5.1-Codex-Max": "GPT-5.1",
        "GPT-5.2 Pro": "GPT-5.2", "GPT-5.2": "", "o1 Pro": "",
    }  # fmt: skip
    dated = [f"Gemini 2.5 Pro ({month} 2025)" for month in ("Mar", "May", "Jun")]
    assert heads_of(*dated) == dict(zip(dated, ["", dated[0], dated[0]], strict=True)), "the first stands for them"


def test_other_models_are_not() -> None:
    assert set(heads_of("Claude", "Claude Instant", "Gemini 2.5", "Gemini 2.5 Pro", "Qwen3-Coder").values()) == {""}
    assert set(heads_of("GPT-4o", "GPT-4o (Aug 2024)", base_model_id=[None, "GPT-4o"]).values()) == {""}, (
        "it has a base"
    )
    assert set(heads_of("o1", "o1 Pro", organization=["OpenAI", "Others"]).values()) == {""}
    assert set(heads_of("o1 Pro", "o1", base_model_id=[None, "o1 Pro"]).values()) == {""}, "no two of each other"


def test_a_name_without_a_size_stands_beside_pro_whatever_is_in_brackets() -> None:
    known = models("Gemini 2.0 Flash (Jan 2025)", "Gemini 2", "Gemini 2 Pro (experimental)", "Gemini 2.0 Ultra")
    pairs = smaller(known)
    small = {large: set(group["small"]) for large, group in pairs.groupby("large")}
    flash, plain, pro, ultra = known["model_id"]
    assert small == {plain: {flash}, pro: {flash}, ultra: {flash, plain, pro}}


def test_words_for_size_order_a_version_of_a_line() -> None:
    known = models("Claude Haiku 4.5", "Claude Sonnet 4.5", "Claude Opus 4.5", "Claude Opus 4", "GPT-5", "GPT-5 nano")
    pairs = smaller(known)
    found = set(zip(pairs["small"], pairs["large"], strict=True))
    assert found == {
        ("Claude Haiku 4.5", "Claude Sonnet 4.5"), ("Claude Haiku 4.5", "Claude Opus 4.5"),
        ("Claude Sonnet 4.5", "Claude Opus 4.5"), ("GPT-5 nano", "GPT-5"),
    }  # fmt: skip


def test_a_smaller_one_lies_a_step_below_the_larger_and_none_below_what_is_known_of_a_smaller() -> None:
    known = models("o3-mini", "o3", "o3-nano", "o3 Ultra")
    made = pd.DataFrame([WIDE] * 4, index=known["model_id"].tolist(), columns=QUANTILES)
    made.loc["o3-nano"] = [3e29] * 5
    found = np.log10(ordered(made, known, made.index.to_series() != "o3-nano"))
    assert (found["flop_50"] >= found.loc["o3-nano", "flop_50"] - 0.6).all(), "what is known of a small one holds"
    assert ((found["flop_95"] - found["flop_05"])[["o3", "o3 Ultra"]] - 4).abs().max() < 0.001, "as wide as before"
    free = np.log10(ordered(made, known, pd.Series(data=True, index=made.index)))
    assert free["flop_50"].round(2).to_dict() == {"o3-nano": 24.2, "o3-mini": 24.8, "o3": 25.4, "o3 Ultra": 26.0}
