"""The table of corrections: an entry a row, with the model that its record is about."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd

from pipeline.normalize.tables import make_corrections
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

TABLE = load_schemas(Paths(CHECKOUT))["corrections"]
CLAIMS = pd.DataFrame({"source_id": ["epoch_all"], "record": ["StyleGAN"], "model_id": ["stylegan"]})
ENTRY: dict[str, Any] = {
    "id": "stylegan-all",
    "source": "epoch_all",
    "record": "StyleGAN",
    "field": "training_compute_flop",
    "value_text": 1.34e20,
    "since": date(2022, 9, 1),
    "entered": date(2026, 11, 21),
    "action": "drop",
    "reason": "41 days of 8 chips",
    "upstream": "not reported",
    "line": 7,
}


def test_an_entry_is_a_row_with_its_model() -> None:
    other = {**ENTRY, "id": "chip", "record": "V100", "action": "set", "new_value": 5, "rule": "low_high"}
    made = make_corrections([ENTRY, other], CLAIMS, None, TABLE).set_index("correction_id")
    assert made["model_id"].fillna("none").to_dict() == {"stylegan-all": "stylegan", "chip": "none"}
    assert made.loc["chip", ["new_value", "rule", "action"]].tolist() == ["5", "low_high", "set"]
    assert made.loc["stylegan-all", ["since", "value_text"]].tolist() == [pd.Timestamp("2022-09-01"), "1.34e+20"]
    assert made["new_value"].isna()["stylegan-all"]


def test_an_entry_that_upstream_made_needless_says_until_when_it_held() -> None:
    """The day is 2026-07-19, the first snapshot without the value; an entry without `until` still holds."""
    mended = {**ENTRY, "id": "mended", "until": date(2026, 7, 19), "upstream": "mended"}
    made = make_corrections([ENTRY, mended], CLAIMS, None, TABLE).set_index("correction_id")["until"]
    assert made["mended"] == pd.Timestamp("2026-07-19")
    assert pd.isna(made["stylegan-all"])


def test_a_vintage_knows_only_the_entries_of_its_day() -> None:
    later = {**ENTRY, "id": "later", "entered": date(2026, 11, 22)}
    made = make_corrections([ENTRY, later], CLAIMS, date(2026, 11, 21), TABLE)
    assert made["correction_id"].tolist() == ["stylegan-all"]
    assert len(make_corrections([], CLAIMS, None, TABLE)) == 0
