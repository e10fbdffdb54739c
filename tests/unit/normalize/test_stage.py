"""All steps together, on the small checkout."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pipeline.config import Config, load_config
from pipeline.errors import DataError
from pipeline.normalize.stage import normalize_tables
from pipeline.paths import Paths

SOURCE, RECORD, FIRST, THEN = "epoch_notable", "GPT-3 175B (davinci)", "2026-03-30", "2026-04-15"
CELL = f"{RECORD},epochs,0.6,,{FIRST},"


@pytest.fixture
def context(small: Paths) -> Config:
    """The checkout, with a changed value and two new cells."""
    file, lock = small.raw / SOURCE / "facts.csv", small.raw / "lock.json"
    text = file.read_text(encoding="utf-8")
    assert f"\n{CELL}\n" in text
    new = [f"{RECORD},epochs,60,,{THEN},", f"{RECORD},batch_size,32,,{THEN},"]
    new += [f"Newcomer,{field},{value},,{THEN}," for field, value in (("name", "Newcomer"), ("parameters", "9e99"))]
    file.write_text(text.replace(CELL, f"{CELL}{THEN}") + "\n".join([*new, ""]), encoding="utf-8")
    locked = json.loads(lock.read_text(encoding="utf-8"))
    locked[SOURCE]["snapshots"][THEN] = locked[SOURCE]["snapshots"][FIRST]
    lock.write_text(json.dumps(locked), encoding="utf-8")
    return load_config(small)


def test_a_held_record_has_its_earlier_values_and_what_came_since_does_not_count(context: Config) -> None:
    free = normalize_tables(context, None)["models"].set_index("name")
    assert free.loc[RECORD, ["epochs", "batch_size"]].tolist() == [60, 32]
    assert "Newcomer" in free.index
    day = date.fromisoformat(FIRST)
    held = {(SOURCE, RECORD): day, (SOURCE, "Newcomer"): day}
    tables = normalize_tables(context, None, held=held)
    models, quarantine = tables["models"].set_index("name"), tables["quarantine"]
    assert models.at[RECORD, "epochs"] == 0.6
    assert models["batch_size"].isna()[RECORD]
    assert "Newcomer" not in models.index
    late = quarantine[quarantine["record"].isin([RECORD, "Newcomer"])]
    assert sorted(late["value_text"]) == ["32", "60", "9e99", "Newcomer"]
    assert set(late["reason_code"]) == {"held"}
    assert FIRST in late["reason"].iloc[0]
    assert tables["sources"].set_index("source_id").at[SOURCE, "snapshot"].isoformat()[:10] == THEN


def test_a_correction_of_a_source_that_is_not_there_is_refused(small: Paths) -> None:
    entry = "{id: slip, source: epoch_notabel, record: M, field: epochs, value_text: 1, since: 2026-03-30, "
    entry += "entered: 2026-11-21, action: drop, upstream: not reported, reason: a test}\n"
    small.corrections.write_text(f"- {entry}", encoding="utf-8")
    with pytest.raises(
        DataError, match=r'corrections\.yml \(slip\) \[M\]: epochs .*: no source "epoch_notabel"; one of '
    ):
        normalize_tables(load_config(small), None)
