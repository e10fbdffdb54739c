"""The selection among claims: which status each gets, and the kind of reason beside the words."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.normalize.claims import make_claims, select
from pipeline.registry.selection import load_selection
from pipeline.registry.sources import load_sources

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


@pytest.mark.parametrize(
    ("value", "status", "support"), [(1.04e9, "superseded", 2), (0.96e9, "superseded", 2), (1.06e9, "conflicting", 1)]
)
def test_numbers_within_five_percent_support_each_other(value: float, status: str, support: int) -> None:
    other = {"value": value, "publisher": "MLCO2", "voice": "MLCO2", "rank": 2}
    rows = [USUAL | {"claim_id": "c0", "hash": 0}, USUAL | {"claim_id": "c1", "hash": 1} | other]
    made = select(pd.DataFrame(rows)).set_index("claim_id")
    assert (made.loc["c1", "status"], made.loc["c0", "supporting_publishers"]) == (status, support)


@pytest.mark.parametrize(
    ("field", "first"), [("parameters", "curated"), ("publication_date", "epoch_all"), ("name", "curated")]
)
def test_dates_of_databases_come_before_those_of_papers_and_all_else_the_other_way_round(
    field: str, first: str
) -> None:
    sources = load_sources(Paths(CHECKOUT))
    facts = pd.DataFrame(
        [USUAL | {"source_id": "curated", "evidence": "seen", "hash": 1}, USUAL | {"source_id": "epoch_all", "hash": 2}]
    ).assign(field=field, value=float("nan"), code=["2024-05-13", "2024-05-20"])
    made = select(make_claims(facts, sources, load_selection(Paths(CHECKOUT), sources.values()))).set_index("source_id")
    assert made["status"].eq("selected").to_dict() == {name: name == first for name in ("curated", "epoch_all")}
    assert made["reason"].drop(first).tolist() == [f"lower priority than {first}"]
