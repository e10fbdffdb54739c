"""The ledger: spans of snapshots, whatever the order in which the snapshots are entered."""

from datetime import date
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.pull.ledger import at, insert_snapshot, read_ledger, write_ledger
from pipeline.pull.tabular import Fact

DAYS = [date(2022, 9, 1), date(2024, 7, 16), date(2025, 5, 6), date(2025, 11, 1)]
# GPT-4o's FLOP value stood in the notable file of 2025-05-06 and was gone in that of 2025-11-01
GPT4O = Fact("GPT-4o", "training_compute_flop", "3.8100010000000003e+25")
NAME = Fact("GPT-4o", "name", "GPT-4o")
BACK = Fact("GPT-2", "parameters", "1500000000.0")


def enter(order: list[date], states: dict[date, set[Fact]]) -> str:
    spans, days = [], []
    for day in order:
        spans, days = insert_snapshot(spans, days, day, states[day]), [*days, day]
    return write_ledger(spans)


def test_a_fact_that_goes_is_closed_by_the_first_snapshot_without_it() -> None:
    states = {DAYS[0]: set(), DAYS[1]: set(), DAYS[2]: {NAME, GPT4O}, DAYS[3]: {NAME}}
    text = enter(DAYS, states)
    assert "GPT-4o,training_compute_flop,3.8100010000000003e+25,,2025-05-06,2025-11-01\n" in text
    assert "GPT-4o,name,GPT-4o,,2025-05-06,\n" in text


def test_a_fact_that_comes_back_has_two_spans() -> None:
    states = {DAYS[0]: {BACK}, DAYS[1]: set(), DAYS[2]: {BACK}, DAYS[3]: {BACK}}
    lines = [line for line in enter(DAYS, states).splitlines() if line.startswith("GPT-2")]
    assert lines == [
        "GPT-2,parameters,1500000000.0,,2022-09-01,2024-07-16",
        "GPT-2,parameters,1500000000.0,,2025-05-06,",
    ]


@given(st.lists(st.sets(st.sampled_from([GPT4O, NAME, BACK])), min_size=4, max_size=4))
def test_the_order_of_pulls_is_irrelevant(sets: list[set[Fact]]) -> None:
    states = dict(zip(DAYS, sets, strict=True))
    ledgers = {enter(list(order), states) for order in permutations(DAYS)}
    assert len(ledgers) == 1
    for day in DAYS:
        assert set(at(read_ledger(next(iter(ledgers))), day)) == states[day]


def test_entering_a_snapshot_twice_changes_nothing() -> None:
    states = {day: {NAME} for day in DAYS}
    assert enter([*DAYS, DAYS[1]], states) == enter(DAYS, states)
