"""Revisions: what counts as a change between snapshots and what does not."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from pipeline.curated import Decision
from pipeline.normalize.revisions import known_on, make_revisions
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas

TABLE = load_schemas(Paths(CHECKOUT))["revisions"]
DAYS = {"s": [date(2025, 5, 6), date(2025, 11, 1), date(2026, 5, 3), date(2026, 7, 19)]}
READ = ["value", "code", "unit"]
FIRST, SECOND, THIRD, FOURTH = (day.isoformat() for day in DAYS["s"])


def ledger(*rows: tuple[str, str, str, float | None, str, str]) -> pd.DataFrame:
    """Facts (record, field, text, value, since, until) of the source s as normalize gives them."""
    frame = pd.DataFrame(rows, columns=["record", "field", "value_text", "value", "since", "until"])
    days = {name: pd.to_datetime(frame[name], errors="coerce").astype("datetime64[s]") for name in ("since", "until")}
    ids = frame["record"].str.lower().str.replace(" new", "")
    code = frame["value_text"].where(frame["value"].isna(), "")
    return frame.assign(**days, source_id="s", locator="", unit="FLOP", code=code, model_id=ids, text=range(len(frame)))


def changes(facts: pd.DataFrame, as_of: date | None = None, decisions: tuple[Decision, ...] = ()) -> list[tuple]:
    table = known_on(make_revisions(facts.drop(columns=READ), facts[READ], DAYS, decisions, TABLE), as_of)
    return [(r.model_id, r.field, r.kind, r.to_snapshot.date().isoformat()) for r in table.itertuples()]


BASE = [("A", "name", "A", None, FIRST, ""), ("B", "flop", "1", 1.0, FIRST, ""), ("B", "name", "B", None, FIRST, "")]


def test_a_blanked_and_a_changed_value() -> None:
    # GPT-4o 3.81e25 was blanked on 2025-11-01; Megatron-LM (1.2B) went from 1.13e22 to 1.13e21 on 2026-07-19
    facts = ledger(
        *BASE,
        ("A", "flop", "1.13e+22", 1.13e22, FIRST, FOURTH),
        ("A", "flop", "1.13e+21", 1.13e21, FOURTH, ""),
        ("A", "tokens", "5", 5.0, FIRST, SECOND),
        ("B", "tokens", "5", 5.0, FIRST, ""),
    )
    assert changes(facts) == [("a", "flop", "value_changed", FOURTH), ("a", "tokens", "blanked", SECOND)]
    assert make_revisions(facts.drop(columns=READ), facts[READ], DAYS, (), TABLE)["ratio"].dropna().tolist() == [
        pytest.approx(0.1)
    ]


def test_another_spelling_of_the_same_value_is_no_revision() -> None:
    assert (
        changes(ledger(*BASE, ("A", "flop", "1e3", 1e3, FIRST, SECOND), ("A", "flop", "1000.0", 1e3, SECOND, ""))) == []
    )


def test_a_column_that_goes_or_comes_as_a_whole_is_no_revision() -> None:
    facts = ledger(*BASE, ("A", "old column", "7", 7.0, FIRST, SECOND), ("A", "new column", "7", 7.0, SECOND, ""))
    assert changes(facts) == []


def test_records_that_come_go_and_are_renamed_have_one_row_each() -> None:
    facts = ledger(
        *BASE,
        ("C", "name", "C", None, SECOND, THIRD),
        ("C", "flop", "2", 2.0, SECOND, THIRD),
        ("D", "name", "D", None, FIRST, SECOND),
        ("D new", "name", "D new", None, SECOND, ""),
    )
    assert changes(facts) == [
        ("c", "name", "record_added", SECOND),
        ("c", "name", "record_removed", THIRD),
        ("d", "name", "renamed", SECOND),
    ]


def test_of_duplicate_records_the_first_by_name_says_what_changed() -> None:
    before = [("A new", "1", 1.0), ("A", "3", 3.0), ("A", "2", 2.0)]
    after = [("A new", "4", 4.0), ("A", "6", 6.0), ("A", "5", 5.0)]
    facts = ledger(
        *BASE,
        *((record, "flop", text, value, FIRST, SECOND) for record, text, value in before),
        *((record, "flop", text, value, SECOND, "") for record, text, value in after),
    )
    (row,) = make_revisions(facts.drop(columns=READ), facts[READ], DAYS, (), TABLE).to_dict("records")
    assert (row["record"], row["old_text"], row["new_text"], row["ratio"]) == ("A", "2", "5", 2.5)


def test_a_part_of_an_older_record_is_a_split() -> None:
    facts = ledger(*BASE, ("C", "name", "C", None, SECOND, ""))
    part = Decision("C", "", "split", "c", SECOND, "part of A", 2)
    assert changes(facts, decisions=(part,)) == [("c", "name", "split", SECOND)]


def test_an_earlier_vintage_knows_nothing_of_later_changes() -> None:
    facts = ledger(*BASE, ("A", "flop", "5", 5.0, FIRST, FOURTH))
    assert changes(facts, as_of=date(2026, 5, 3)) == []
    assert changes(facts) == [("a", "flop", "blanked", FOURTH)]


def test_a_change_counts_on_its_day_and_the_table_is_numbered_anew() -> None:
    gone = [("A", "flop", "5", 5.0, FIRST, SECOND), ("A", "tokens", "5", 5.0, FIRST, FOURTH)]
    facts = ledger(*gone, *BASE, ("B", "tokens", "5", 5.0, FIRST, ""))
    assert changes(facts, as_of=DAYS["s"][1]) == [("a", "flop", "blanked", SECOND)]
    all_of_them = make_revisions(facts.drop(columns=READ), facts[READ], DAYS, (), TABLE)
    known = known_on(all_of_them.iloc[::-1], DAYS["s"][1])
    assert (known.columns.tolist(), known.index.tolist()) == (all_of_them.columns.tolist(), [0])


def test_what_a_note_says_and_what_is_about_no_model_is_no_revision() -> None:
    gone = [(record, "flop", "5", 5.0, FIRST, SECOND) for record in ("A", "C")]
    facts = ledger(*BASE, *gone, ("C", "name", "C", None, FIRST, ""))
    both = [("a", "flop", "blanked", SECOND), ("c", "flop", "blanked", SECOND)]
    assert changes(facts) == both
    of_a_note = facts["until"].notna() & (facts["model_id"] == "a")
    assert changes(facts.assign(locator=of_a_note.map({True: "note", False: ""}))) == both[1:]
    assert changes(facts.assign(model_id=facts["model_id"].where(facts["record"] != "C"))) == both[:1]
