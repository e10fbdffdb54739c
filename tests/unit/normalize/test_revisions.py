"""What counts as a change between snapshots and what does not; since when a cell has its value, and which of two files
of a publisher last changed it."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from pipeline.normalize.revisions import make_revisions, with_history

DAYS = {"s": [date(2025, 5, 6), date(2025, 11, 1), date(2026, 5, 3), date(2026, 7, 19)]}
READ = ["value", "code", "unit"]
FIRST, SECOND, THIRD, FOURTH = (day.isoformat() for day in DAYS["s"])


Span = tuple[str, str, str, float | None, str, str]


def ledger(*rows: Span) -> pd.DataFrame:
    """Facts of the source s as normalize gives them."""
    frame = pd.DataFrame(rows, columns=["record", "field", "value_text", "value", "since", "until"])
    days = {name: pd.to_datetime(frame[name], errors="coerce").astype("datetime64[s]") for name in ("since", "until")}
    ids = frame["record"].str.lower().str.replace(" new", "")
    code = frame["value_text"].where(frame["value"].isna(), "")
    return frame.assign(**days, source_id="s", locator="", unit="FLOP", code=code, model_id=ids, text=range(len(frame)))


def table(facts: pd.DataFrame, as_of: date | None = None) -> pd.DataFrame:
    return make_revisions(facts.drop(columns=READ), facts[READ], DAYS, {"E"}, as_of)


def changes(facts: pd.DataFrame, as_of: date | None = None) -> list[tuple[str, str, str, str]]:
    rows = table(facts, as_of).itertuples()
    return [(row.model_id, row.field, row.kind, row.to_snapshot.date().isoformat()) for row in rows]


BASE = [("A", "name", "A", None, FIRST, ""), ("B", "flop", "1", 1.0, FIRST, ""), ("B", "name", "B", None, FIRST, "")]


B_TOKENS = ("B", "tokens", "5", 5.0, FIRST, "")
CHANGES: list[tuple[list[Span], list[tuple[str, str, str, str]]]] = [
    # GPT-4o 3.81e25 was blanked on 2025-11-01; Megatron-LM (1.2B) went from 1.13e22 to 1.13e21 on 2026-07-19
    ([("A", "flop", "1.13e+22", 1.13e22, FIRST, FOURTH), ("A", "flop", "1.13e+21", 1.13e21, FOURTH, "")],
     [("a", "flop", "value_changed", FOURTH)]),
    ([("A", "tokens", "5", 5.0, FIRST, SECOND), B_TOKENS], [("a", "tokens", "blanked", SECOND)]),
    ([("A", "tokens", "5", 5.0, SECOND, ""), B_TOKENS], [("a", "tokens", "filled", SECOND)]),
    # another spelling, and a column that goes or comes as a whole
    ([("A", "flop", "1e3", 1e3, FIRST, SECOND), ("A", "flop", "1000.0", 1e3, SECOND, "")], []),
    ([("A", "old column", "7", 7.0, FIRST, SECOND), ("A", "new column", "7", 7.0, SECOND, "")], []),
    # records that come, go and are renamed have one row each, and a part of an older one is a split
    ([("C", "name", "C", None, SECOND, THIRD), ("C", "flop", "2", 2.0, SECOND, THIRD)],
     [("c", "name", "record_added", SECOND), ("c", "name", "record_removed", THIRD)]),
    ([("D", "name", "D", None, FIRST, SECOND), ("D new", "name", "D new", None, SECOND, "")],
     [("d", "name", "renamed", SECOND)]),
    ([("E", "name", "E", None, SECOND, "")], [("e", "name", "split", SECOND)]),
]  # fmt: skip


@pytest.mark.parametrize(("spans", "expected"), CHANGES)
def test_what_counts_as_a_change(spans: list[Span], expected: list[tuple[str, str, str, str]]) -> None:
    assert changes(ledger(*BASE, *spans)) == expected


def test_of_duplicate_records_the_first_by_name_says_what_changed() -> None:
    before = [("A new", "1", 1.0), ("A", "3", 3.0), ("A", "2", 2.0)]
    after = [("A new", "4", 4.0), ("A", "6", 6.0), ("A", "5", 5.0)]
    facts = ledger(
        *BASE,
        *((record, "flop", text, value, FIRST, SECOND) for record, text, value in before),
        *((record, "flop", text, value, SECOND, "") for record, text, value in after),
    )
    (row,) = table(facts).to_dict("records")
    assert (row["record"], row["old_text"], row["new_text"], row["ratio"]) == ("A", "2", "5", 2.5)


def test_an_earlier_vintage_knows_nothing_of_later_changes() -> None:
    facts = ledger(*BASE, ("A", "flop", "5", 5.0, FIRST, FOURTH))
    assert changes(facts, as_of=date(2026, 5, 3)) == []
    assert changes(facts, as_of=DAYS["s"][3]) == [("a", "flop", "blanked", FOURTH)]
    assert changes(facts) == [("a", "flop", "blanked", FOURTH)]


def test_what_a_note_says_and_what_is_about_no_model_is_no_revision() -> None:
    gone = [(record, "flop", "5", 5.0, FIRST, SECOND) for record in ("A", "C")]
    facts = ledger(*BASE, *gone, ("C", "name", "C", None, FIRST, ""))
    both = [("a", "flop", "blanked", SECOND), ("c", "flop", "blanked", SECOND)]
    assert changes(facts) == both
    of_a_note = facts["until"].notna() & (facts["model_id"] == "a")
    assert changes(facts.assign(locator=of_a_note.map({True: "note", False: ""}))) == both[1:]
    assert changes(facts.assign(model_id=facts["model_id"].where(facts["record"] != "C"))) == both[:1]


# the snapshots of two files of one publisher: one is often drawn, the other seldom
OFTEN = [date(2025, 1, 1), date(2026, 3, 30), date(2026, 8, 18), date(2026, 8, 19)]
SELDOM = [date(2023, 12, 14), date(2026, 3, 30), date(2026, 11, 28)]
State = tuple[str, float, str, str | None]  # text, value, since, until


def cell(source: str, spans: list[State], appeared: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The spans of one cell of a record that appeared on a day."""
    rows = [(source, "M", "parameters", "", since, until) for _, _, since, until in spans]
    rows.append((source, "M", "name", "", appeared, None))
    table = pd.DataFrame(rows, columns=["source_id", "record", "field", "locator", "since", "until"])
    days = {name: pd.to_datetime(table[name]).astype("datetime64[s]") for name in ("since", "until")}
    values = pd.DataFrame({"value": [*(value for _, value, _, _ in spans), np.nan], "low": np.nan, "high": np.nan})
    return table.assign(**days, text=range(len(table))), values.assign(code=[""] * len(spans) + ["M"])


@pytest.mark.parametrize(
    ("spans", "since"),
    [
        ([("7e9", 7e9, "2025-01-01", None)], "2025-01-01"),
        ([("7e9", 7e9, "2025-01-01", "2026-08-18"), ("7E+9", 7e9, "2026-08-18", None)], "2025-01-01"),
        ([("7e9", 7e9, "2025-01-01", "2026-08-18"), ("7.1e9", 7.1e9, "2026-08-18", None)], "2026-08-18"),
        ([("7e9", 7e9, "2025-01-01", "2026-03-30"), ("7e9", 7e9, "2026-08-18", None)], "2026-08-18"),  # blank between
        (
            [("7e9", 7e9, "2025-01-01", "2026-03-30"), ("8e9", 8e9, "2026-03-30", "2026-08-18"),
             ("7E9", 7e9, "2026-08-18", "2026-08-19"), ("7e09", 7e9, "2026-08-19", None)], "2026-08-18",
        ),
    ],
)  # fmt: skip
def test_another_spelling_begins_no_value(spans: list[State], since: str) -> None:
    cells, values = cell("often", spans, "2025-01-01")
    standing = cells["until"].isna() & (cells["field"] == "parameters")
    assert with_history(cells, values, {})["begun"][standing].tolist() == [pd.Timestamp(since)]


def changed(source: str, *days: str, appeared: str) -> int:
    """When a cell last changed."""
    spans = [
        (f"{n}e9", n * 1e9, day, until) for n, (day, until) in enumerate(zip(days, [*days[1:], None], strict=True), 1)
    ]
    cells, values = cell(source, spans, appeared)
    found = with_history(cells, values, {"often": OFTEN, "seldom": SELDOM})
    return int(found["changed"][len(spans) - 1])


def test_a_cell_that_is_as_it_was_when_its_record_appeared_never_changed() -> None:
    assert changed("often", "2025-01-01", appeared="2025-01-01") == 0
    assert changed("seldom", "2026-11-28", appeared="2026-11-28") == 0
    assert changed("seldom", "2026-11-28", appeared="2026-03-30") > 0


def test_the_later_change_is_that_which_came_after_the_later_snapshot() -> None:
    often, seldom = "2025-01-01", "2023-12-14"
    before = changed("often", often, "2026-03-30", appeared=often)  # after 2025-01-01
    assert changed("seldom", seldom, "2026-03-30", appeared=seldom) < before, "some day after 2023-12-14"
    assert changed("seldom", seldom, "2026-11-28", appeared=seldom) > before, "after 2026-03-30"
    assert changed("seldom", seldom, "2026-11-28", appeared=seldom) < changed(
        "often", often, "2026-08-19", appeared=often
    )
    assert changed("often", often, "2026-08-18", appeared=often) < changed("often", often, "2026-08-19", appeared=often)
