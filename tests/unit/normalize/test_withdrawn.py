"""Values that a publisher withdraws in its newer file do not come back from its older one."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.normalize.withdrawn import mark_withdrawn
from pipeline.registry.sources import Source

MARCH, JULY, AUGUST = "2026-03-30", "2026-07-25", "2026-08-19"
# (source, record, field, since, until): what Epoch AI's files say of Mistral Large, and of a neighbour
FACTS = [
    ("epoch_all", "Mistral Large", "training_compute_flop", MARCH, None),
    ("epoch_all", "Mistral Large", "parameters", MARCH, None),
    ("epoch_notable", "Mistral Large", "training_compute_flop", MARCH, JULY),
    ("epoch_notable", "Mistral Large", "parameters", MARCH, None),
    ("epoch_notable", "GPT-3 175B", "training_compute_flop", MARCH, None),
]


def source(name: str, publisher: str) -> Source:
    about = {"title": name, "licence": "L", "redistribute": True, "attribution": "A", "adapter": "plain_table"}
    return Source(id=name, publisher=publisher, subject="models", priority=1, **about)  # type: ignore[arg-type]


def judged(
    facts: list[tuple[str, str, str, str, str | None]], publisher: str = "Epoch AI"
) -> dict[tuple[str, str], str]:
    """The reason code by source and field for Mistral Large on the day of the newest file."""
    sources = {"epoch_all": source("epoch_all", publisher), "epoch_notable": source("epoch_notable", "Epoch AI")}
    ledger = pd.DataFrame(facts, columns=["source_id", "record", "field", "since", "until"])
    days: dict[str, Any] = {name: pd.to_datetime(ledger[name]) for name in ("since", "until")}
    ledger = ledger.assign(locator="", model_id=ledger["record"], **days)
    newest = ledger["source_id"].map({"epoch_all": MARCH, "epoch_notable": AUGUST})
    typed = ledger.assign(snapshot=pd.to_datetime(newest), reason_code="", reason="")
    typed = typed[typed["until"].isna() | (typed["until"] > typed["snapshot"])].reset_index(drop=True)
    made = mark_withdrawn(typed, ledger, sources)
    made = made[made["record"] == "Mistral Large"]
    return dict(zip(zip(made["source_id"], made["field"], strict=True), made["reason_code"], strict=True))


def test_what_the_newer_file_has_emptied_is_withdrawn() -> None:
    made = judged(FACTS)
    assert made.pop(("epoch_all", "training_compute_flop")) == "withdrawn"
    assert set(made.values()) == {""}


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param([fact for fact in FACTS if fact[1] != "GPT-3 175B"], id="the whole column is gone"),
        pytest.param([f for f in FACTS if (f[0], f[2]) != ("epoch_notable", "parameters")], id="the record is gone"),
        pytest.param([*FACTS, ("epoch_notable", "Mistral Large", FACTS[0][2], JULY, None)], id="another value instead"),
        pytest.param([(*fact[:4], fact[4] and MARCH) for fact in FACTS], id="emptied before the older file"),
    ],
)
def test_nothing_else_is(facts: list[tuple[str, str, str, str, str | None]]) -> None:
    assert set(judged(facts).values()) == {""}


def test_one_publisher_does_not_withdraw_for_another() -> None:
    assert set(judged(FACTS, publisher="LLMStats").values()) == {""}
