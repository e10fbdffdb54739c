"""What names tell of the training: other names of one model, the same size, and the order of a line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop.families import earlier_version, families, heads, ordered, same_size, smaller
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
    about |= {"parameters": np.nan, "parameters_active": np.nan} | columns
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


def test_a_later_model_of_the_same_size_and_line_was_trained_further() -> None:
    sizes = [7.44e11, 7.54e11, 7.44e11, 3.55e11, 7.44e11]
    known = models("GLM-5", "GLM-5.1", "GLM-5.3", "GLM-5.3-Air", "Qwen5", parameters=sizes)
    assert same_size(known).fillna("").tolist() == ["", "", "GLM-5", "", ""]
    active = models("GLM-5", "GLM-5.3", parameters=[7.44e11] * 2, parameters_active=[4e10, 2e10])
    assert same_size(active).isna().all()
    assert same_size(models("Yi-9B", "Yi-9B-200K", parameters=[9e9] * 2)).isna().all(), (
        "small ones often have other data"
    )


def test_a_version_follows_the_one_before_with_the_same_first_number() -> None:
    names = ["Grok 4", "Grok 4.1 Fast", "Grok 4.1", "Grok 4.20", "Grok 5", "Qwen4-7B", "Qwen4-72B", "Qwen4.5 7B"]
    names += ["o3", "o3-mini", "Muse", "Muse 1.2"]
    found = dict(zip(names, earlier_version(models(*names)).fillna(""), strict=True))
    assert {name: before for name, before in found.items() if before} == {
        "Grok 4.1": "Grok 4", "Grok 4.20": "Grok 4.1", "Qwen4.5 7B": "Qwen4-7B", "Muse 1.2": "Muse",
    }  # fmt: skip
    late = [pd.Timestamp("2025-01-01"), pd.Timestamp("2026-06-01")]
    assert earlier_version(models("Grok 4", "Grok 4.1", publication_date=late)).isna().all()


@pytest.mark.parametrize(("days", "follows"), [(0, False), (1, True), (400, True), (401, False)])
def test_a_line_goes_on_from_the_next_day_for_400_days(days: int, follows: bool) -> None:
    start = pd.Timestamp("2025-01-01")
    dates = {"publication_date": [start, start + pd.Timedelta(days=days)]}
    sized = models("Yi-34B", "Yi-34B-200K", parameters=[3.4e10] * 2, **dates)
    assert same_size(sized).notna().tolist() == [False, follows]
    assert earlier_version(models("Grok 4", "Grok 4.1", **dates)).notna().tolist() == [False, follows]
    pairs = smaller(models("Claude Haiku 4.5", "Claude Opus 4.5", **dates))
    assert len(pairs) == (days <= 400), "and sizes of a version may be of one day"


def test_labs_of_one_owner_and_sizes_from_20e9_parameters_on_make_one_line() -> None:
    labs = {"organization": ["Google DeepMind", "Google Research,Google"], "parameters": [2e10] * 2}
    known = models("Gemma 3 20B", "Gemma 3.5 20B", **labs)
    assert same_size(known).fillna("").tolist() == ["", "Gemma 3 20B"]
    assert earlier_version(known).fillna("").tolist() == ["", "Gemma 3 20B"]
    assert same_size(known.assign(parameters=1.9e10)).isna().all()


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


def test_a_family_is_the_name_up_to_its_first_number() -> None:
    names = ["Claude 3.5 Haiku", "Claude Opus 3", "Gemini 2.5 Flash Image (Nano Banana)", "GPT-5.1-Codex-Max", "T-lite"]
    assert families(pd.Series(names)).tolist() == ["claude 3", "claude 3", "gemini 2", "gpt 5", "t 1"]
