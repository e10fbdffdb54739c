"""The wide table: what a model says about itself that its claims do not say outright."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from checkouts import normalized

from pipeline.base.paths import Paths

Edit = Callable[[Path, str, str], None]
CORRECTION = """- id: allam-{source}
  source: {source}
  record: ALLaM adapted 70B
  field: training_compute_flop
  value_text: 1.062e+24
  since: 2026-03-30
  entered: 2026-03-30
  action: set
  new_value: 1.1e24
  reference: arXiv:2407.15390
  upstream: not reported
  reason: a test
"""


def models(paths: Paths) -> pd.DataFrame:
    return normalized(paths)["models"].set_index("model_id")


def test_a_corrected_value_says_so_although_its_reference_is_the_models_own_paper(small: Paths) -> None:
    entries = [CORRECTION.format(source=source) for source in ("epoch_all", "epoch_notable")]
    (small.curated / "corrections.yml").write_text("".join(entries))
    row = models(small).loc["allam-adapted-70b"]
    assert row["arxiv_id"] == "2407.15390"
    assert (row["training_compute_flop"], row["training_compute_source"]) == (1.1e24, "corrected")


def test_a_model_is_not_its_own_base(small: Paths, edit: Edit) -> None:
    assert models(small).loc["goat-7b", "base_model_id"] == "llama-7b"
    for source in ("epoch_all", "epoch_notable"):
        edit(small.raw / source / "facts.csv", "Goat-7B,base_model,LLaMA-7B", "Goat-7B,base_model,Goat-7B")
    row = models(small).loc["goat-7b"]
    assert pd.isna(row["base_model_id"])
