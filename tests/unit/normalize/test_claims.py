"""The selection among claims: which status each gets, and the kind of reason beside the words."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.normalize.claims import select

USUAL = {
    "model_id": "m",
    "field": "parameters",
    "value": 1e9,
    "low": float("nan"),
    "high": float("nan"),
    "code": "",
    "publisher": "Epoch AI",
    "voice": "Epoch AI",
    "evidence": "",
    "source_id": "epoch_all",
    "snapshot": pd.Timestamp("2026-07-19"),
    "record": "M",
    "rank": 1,
    "locator": "",
    "reason_code": "",
    "reason": "",
}
OLDER = pd.Timestamp("2026-05-03")


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        ({"value": float("nan"), "low": 1e8}, ("superseded", "bound", "a bound, not a value")),
        ({"rank": 2}, ("superseded", "lower_priority", "lower priority than epoch_all")),
        ({"snapshot": OLDER}, ("superseded", "older_snapshot", "older snapshot than epoch_all of 2026-07-19")),
        ({"locator": "note"}, ("superseded", "later_locator", "later in the order of locators than c0")),
        ({"rank": 2, "value": 9e9, "publisher": "MLCO2", "voice": "MLCO2"}, ("conflicting", "lower_priority", "lower priority than epoch_all")),
        ({"reason_code": "states_nothing", "reason": "…"}, ("superseded", "states_nothing", "…")),
        ({"reason_code": "zero", "reason": "states nothing"}, ("quarantined", "zero", "states nothing")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_a_claim_that_lost_says_why(other: dict[str, Any], verdict: tuple[str, str, str]) -> None:
    rows = [USUAL | {"claim_id": "c0", "hash": 0}, USUAL | {"claim_id": "c1", "hash": 1} | other]
    made = select(pd.DataFrame(rows)).set_index("claim_id")[["status", "reason_code", "reason"]]
    assert tuple(made.loc["c0"]) == ("selected", "first", "first in the order of selection")
    assert tuple(made.loc["c1"]) == verdict
