"""What a claim says, where, and why it lost."""

from __future__ import annotations

from typing import Any

import pytest

from traincompute.explain import claimed, heading, place, why_not

UPSTREAM = {
    "claim_id": "c1",
    "publisher": "Epoch AI",
    "source_id": "epoch_all",
    "since": "2026-03-30",
    "reference": None,
    "locator": "Training compute (FLOP)",
    "evidence": None,
    "correction": False,
    "value": None,
    "unit": "FLOP",
    "low": None,
    "high": None,
    "code": None,
    "value_text": "x",
    "reason": "lower priority than curated",
    "remedy": None,
    "status": "superseded",
}
CURATED = UPSTREAM | {
    "claim_id": "c2",
    "publisher": "traincompute",
    "source_id": "curated",
    "since": "2026-11-21",
    "reference": "https://www.example.org/gpt",
    "locator": "table D.1",
    "evidence": "seen",
}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"value": 3.14e23}, "3.14e+23 FLOP"),
        ({"value": 0.0, "unit": "token"}, "0 tokens"),
        ({"low": 1e25}, "≥ 1e+25 FLOP"),
        ({"low": 1e24, "high": 5e25}, "≥ 1e+24 FLOP, ≤ 5e+25 FLOP"),
        ({"code": "Vision;Language"}, "Vision, Language"),
        ({"value_text": "many"}, "many"),
    ],
)
def test_a_claim_says_its_number_its_bounds_its_code_or_its_text(cells: dict[str, Any], said: str) -> None:
    assert claimed(UPSTREAM | cells) == said


def test_a_place_is_a_source_with_its_column_or_the_primary_source() -> None:
    assert place(UPSTREAM) == "epoch_all since 2026-03-30, Training compute (FLOP)"
    assert place(UPSTREAM | {"locator": None}) == "epoch_all since 2026-03-30"
    assert place(CURATED) == "example.org/gpt, table D.1, seen"
    ours = CURATED | {"correction": True, "locator": None}
    assert place(ours) == "traincompute 2026-11-21, after example.org/gpt, seen"


def test_a_loser_names_the_place_of_the_claim_that_won() -> None:
    lost = UPSTREAM | {"reason": "superseded by c2"}
    assert why_not(lost, CURATED) == "superseded by example.org/gpt, table D.1, seen"
    assert why_not(lost, None) == "superseded by c2"
    unread = {"remedy": "enter it", "status": "quarantined"}
    assert why_not(UPSTREAM | unread, CURATED) == "set aside: lower priority than curated; enter it"


def test_a_heading_names_few_of_many_organisations_and_countries() -> None:
    model = {"name": "BLOOM", "organizations": [*"ABCDE"], "countries": ["France", "Japan"], "is_notable": True}
    model |= {"publication_date": "2022-11-09", "publication_date_precision": "month", "reference_url": None}
    known = {"model_id": "bloom", "model": model, "aliases": ["bloom-176b", "another"], "note": None}
    first = "BLOOM · A · B · 3 more · 2022-11 · France · Japan · notable"
    assert heading(known) == [first, "bloom · also bloom-176b"]
