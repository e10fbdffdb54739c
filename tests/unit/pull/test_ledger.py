"""The ledger, whatever the order of the snapshots."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config import read_source
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.ledger import (
    Fact,
    Span,
    Witness,
    at,
    insert_snapshot,
    keep_names,
    keep_noted,
    load_witnesses,
    read_ledger,
    unread_notes,
    witness_of,
    write_ledger,
)

DAYS = [date(2022, 9, 1), date(2024, 7, 16), date(2025, 5, 6), date(2025, 11, 1)]
BACK = Fact("GPT-2", "parameters", "1500000000.0")


def enter(order: list[date], states: dict[date, set[Fact]]) -> str:
    spans, days = [], []
    for day in order:
        spans, days = insert_snapshot(spans, days, day, states[day]), [*days, day]
    return write_ledger(spans)


@pytest.mark.parametrize(
    ("day", "stands"),
    [("2022-08-31", 0), ("2022-09-01", 1), ("2024-07-15", 1), ("2024-07-16", 0), ("2025-05-05", 0), ("2025-05-06", 1)],
)
def test_a_fact_stands_from_its_first_day_until_the_day_on_which_it_is_gone(day: str, stands: int) -> None:
    noted = BACK._replace(locator="Notes")
    spans = [Span(*noted, "2022-09-01", "2024-07-16"), Span(*noted, "2025-05-06", "")]
    assert at(spans, date.fromisoformat(day)) == [noted] * stands
    assert read_ledger(write_ledger(spans)) == spans
    assert insert_snapshot(spans, DAYS, DAYS[2], []) == [spans[0], spans[1]._replace(since="2025-11-01")]


WORDS = st.text("aZ0 ,;\"'\né北", min_size=1, max_size=4)
FACTS = st.builds(Fact, WORDS, st.sampled_from(["name", "parameters"]), WORDS, st.just("") | WORDS)
STATES = st.dictionaries(
    st.dates(date(2022, 1, 1), date(2022, 1, 31)), st.sets(FACTS, max_size=4), min_size=1, max_size=6
)


@given(STATES, st.data())
def test_the_order_in_which_snapshots_are_entered_is_irrelevant(
    states: dict[date, set[Fact]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(sorted(states)))
    assert enter(order, states) == enter(sorted(states), states)


@given(STATES, st.data())
def test_a_snapshot_that_is_entered_again_replaces_itself_alone(
    states: dict[date, set[Fact]], data: st.DataObject
) -> None:
    day, other = data.draw(st.sampled_from(sorted(states))), data.draw(st.sets(FACTS, max_size=4))
    spans = read_ledger(enter(sorted(states), states))
    again = insert_snapshot(spans, states, day, other)
    assert write_ledger(again) == enter(sorted(states), {**states, day: other})


# --- records that keep their names ---

# the links of A.X K1 in the files of Epoch AI; that of the newcomer is made up
FIRST, SECOND, OTHER = "https://arxiv.org/abs/2601.09200", "https://huggingface.co/skt/A.X-K1", "https://example.org/k1"
KNOWN = [Fact("A.X K1", "name", "A.X K1"), Fact("A.X K1", "reference_url", f"{FIRST} {SECOND}")]
APART = [Fact(f"A.X K1 @ {link}", "reference_url", link) for link in (FIRST, OTHER)]


@pytest.mark.parametrize(
    ("before", "records", "kept"),
    [
        (KNOWN, [f"A.X K1 @ {FIRST}", f"A.X K1 @ {OTHER}"], ["A.X K1", f"A.X K1 @ {OTHER}"]),
        (KNOWN, ["A.X K1", f"A.X K1 @ {FIRST}"], ["A.X K1", f"A.X K1 @ {FIRST}"]),
        (APART, [f"A.X K1 @ {FIRST}"], [f"A.X K1 @ {FIRST}"]),
    ],
)
def test_a_record_keeps_its_name_where_upstream_adds_another(
    before: list[Fact], records: list[str], kept: list[str]
) -> None:
    facts = keep_names([Fact(record, "parameters", "1e9") for record in records], before)
    assert [fact.record for fact in facts] == kept


def test_records_of_one_name_keep_their_numbers_in_another_order() -> None:
    """Epoch AI publishes 257 clusters as "Anonymized Chinese System"; between 2026-03-30 and 2026-04-24 their order and
    the last digits of their rates changed."""
    name = "Anonymized Chinese System @ #{}"
    day, field = "2018-06-15", "max_ops"
    march = {1: (day, "3e+16"), 2: (day, "1999999999999999.8"), 3: (day, "3999999999999999.5"), 4: (day, "7e+15")}
    april = {1: (day, "4e+15"), 2: ("2026-04-01", "9e+18"), 3: (day, "2e+15"), 4: (day, "8e+15"), 5: march[1]}
    before, now = (
        [Fact(name.format(n), *cell) for n, cells in rows.items() for cell in zip(("date", field), cells, strict=True)]
        for rows in (march, april)
    )
    kept = {fact.value_text: fact.record for fact in keep_names(now, before) if fact.field == field}
    numbers = {"3e+16": 1, "2e+15": 2, "4e+15": 3, "8e+15": 4, "9e+18": 5}
    assert kept == {rate: name.format(number) for rate, number in numbers.items()}


# --- facts that were read in notes ---

ACTIVE = Fact("DeepSeek-V3", "parameters_active", "37B", "Parameters notes")
UNIT = Fact("DeepSeek-V3", "dataset_unit", "tokens", "Dataset size notes")
TOTAL, SIZE = Fact("DeepSeek-V3", "parameters", "6.71e11"), Fact("DeepSeek-V3", "dataset_size", "1.48e13")
BEFORE = [TOTAL, SIZE, ACTIVE, UNIT]


@pytest.mark.parametrize(
    ("facts", "kept"),
    [
        ([TOTAL, SIZE], [ACTIVE, UNIT]),
        ([TOTAL._replace(value_text="671000000000.0"), SIZE], [ACTIVE, UNIT]),  # the same value
        ([TOTAL._replace(value_text="6.85e11"), SIZE], [UNIT]),
        ([TOTAL, SIZE._replace(field="dataset_size_gradients")], [ACTIVE]),  # the column has another meaning
        ([TOTAL._replace(record="DeepSeek-V4")], []),  # the record is gone
    ],
)
def test_what_a_note_said_stands_while_the_cell_that_it_explains_does(facts: list[Fact], kept: list[Fact]) -> None:
    assert keep_noted(facts, BEFORE) == kept


def test_notes_that_somebody_should_read_again() -> None:
    day, lasting = "2025-05-06", Span(*TOTAL, "2024-07-16", "")
    closed = Span(*ACTIVE, "2024-07-16", day)
    assert unread_notes([lasting, closed], DAYS[2]) == [closed]
    assert unread_notes([lasting, closed], DAYS[3]) == []  # of an earlier snapshot
    assert unread_notes([closed], DAYS[2]) == []  # the record is gone
    assert unread_notes([lasting, closed, Span(*ACTIVE[:2], "36B", ACTIVE[3], day, "")], DAYS[2]) == []  # read again


# --- who else holds a file ---

# what Our World in Data wrote down on 2025-04-14 of Epoch's file of notable models
MD5, SIZE = "e92dd16288c14963087815f8e954cdb4", 1043627
CELLS = {"bytes": SIZE, "commit": "f7449bc532", "file": "snapshots/epoch.csv.dvc", "md5": MD5}


def test_a_file_is_witnessed_by_the_state_of_the_day_on_which_it_was_written_down(tmp_path: Path) -> None:
    (tmp_path / "data/raw/owid_epoch").mkdir(parents=True)
    lines = [f"{MD5},{field},{text},,2026-08-19,\n" for field, text in CELLS.items()]
    (tmp_path / "data/raw/owid_epoch/facts.csv").write_text("".join([",".join(Span._fields) + "\n", *lines]))
    owid = read_source(CHECKOUT / "data/raw/owid_epoch/source.yml", "source.yml")
    witnesses = load_witnesses(Paths(tmp_path), [owid])
    place = "https://raw.githubusercontent.com/owid/etl/f7449bc532/snapshots/epoch.csv.dvc"
    assert witnesses == {(MD5, SIZE): Witness("Our World in Data", place)}
    alone: dict[str, Any] = {"a.csv": {"md5": MD5, "size": SIZE}}
    assert witness_of({"files": alone}, witnesses) == witnesses[MD5, SIZE]
    for files in ({"a.csv": {"size": SIZE}}, alone | {"b.csv": {"md5": "0", "size": 1}}, {}):
        assert witness_of({"files": files}, witnesses) is None
