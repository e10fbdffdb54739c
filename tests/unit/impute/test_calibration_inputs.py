"""What the calibration is measured from: no model that came later than its day, and inputs that stay as they are."""

from __future__ import annotations

from datetime import date

import pandas as pd

from pipeline.impute.calibration import storage
from pipeline.impute.calibration.calibrate import _to_come
from pipeline.paths import Paths


def test_what_was_entered_about_a_later_model_is_left_out() -> None:
    """GPT-6 Astra is of 2026-09-03; the capability index is judged as of 2026-08-23."""
    ledger = pd.DataFrame(
        [
            ("GPT-6 Astra", "publication_date", "2026-09-03"),
            ("GPT-6 Astra", "training_compute_flop", "1.0001e27 FLOP"),
            ("GPT-3 175B", "publication_date", "2020-05-28"),
            ("GPT-3 175B", "parameters", "175B"),
        ],
        columns=["record", "field", "value_text"],
    )
    by_hand = pd.Series(True, index=ledger.index)
    assert _to_come(ledger, by_hand, date(2026, 8, 23)).tolist() == [True, True, False, False]
    assert not _to_come(ledger, by_hand, date(2026, 9, 3)).any()
    assert not _to_come(ledger, ~by_hand, date(2026, 8, 23)).any()  # a source's own facts have their snapshots


def test_inputs_that_change_while_it_measures_leave_it_stale(small: Paths) -> None:
    begun = storage.inputs_digest(small)
    storage.write_files(small, {}, begun)
    assert not storage.is_stale(small)
    with (small.curated / "corrections.yml").open("a", encoding="utf-8") as file:
        file.write("# a line more\n")
    storage.write_files(small, {}, begun)
    assert storage.is_stale(small)
