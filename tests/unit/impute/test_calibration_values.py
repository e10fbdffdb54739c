"""What calibration compares estimates with."""

from __future__ import annotations

import pandas as pd

from pipeline.impute.calibration.material import is_whole


def test_a_total_below_that_of_its_own_base_models_is_not_the_whole() -> None:
    # UnifiedQA upstream: 1.65e19 for a fine-tune of T5-11B (3.3e22); Llama 3.2 11B: 5.79e23 from 1.224e24
    flop = {"t5-11b": 3.3e22, "unifiedqa": 1.65e19, "goat-7b": 4.0002e22, "llama-7b": 4e22, "alone": 1e18, "open": None}
    rows = pd.DataFrame({"model_id": list(flop), "training_compute_flop": list(flop.values())})
    pairs = [("unifiedqa", "t5-11b"), ("goat-7b", "llama-7b"), ("alone", "unknown"), ("open", "t5-11b")]
    edges = pd.DataFrame(pairs, columns=["model_id", "base_id"]).astype("str")
    whole = is_whole(rows, edges)
    assert rows.loc[~whole, "model_id"].tolist() == ["unifiedqa"]


def test_a_total_that_is_rounded_is_the_whole_and_one_that_lacks_a_tenth_of_the_base_is_not() -> None:
    flop = {"base": 1e22, "rounded": 0.96e22, "less": 0.9e22}
    rows = pd.DataFrame({"model_id": list(flop), "training_compute_flop": list(flop.values())})
    edges = pd.DataFrame({"model_id": ["rounded", "less"], "base_id": ["base", "base"]}).astype("str")
    assert is_whole(rows, edges).tolist() == [True, True, False]
