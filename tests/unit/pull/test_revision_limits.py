"""How much a column was revised, and what is let through of the next revision: twice the largest honest one."""

from __future__ import annotations

from datetime import date

import pytest

from pipeline.pull.ledger import Span
from pipeline.pull.revisions import Revision, history, learn, revisions, write_limits
from pipeline.pull.tabular import Fact
from pipeline.registry.limits import Limit

FIRST, SECOND = date(2024, 1, 1), date(2024, 6, 1)
HUNDRED = [f"model {number}" for number in range(100)]


def column(field: str, **cells: str) -> list[Fact]:
    return [Fact(record, field, text) for record, text in cells.items()]


def names(records: str) -> list[Fact]:
    return [Fact(record, "name", record) for record in records]


def test_a_revision_counts_the_cells_of_records_that_are_still_there() -> None:
    before = [*names("abcdefg"), *column("country", a="A", b="B", c="C", d="C", e="C")]
    after = [*names("abcdfghi"), *column("country", a="A", b="X", h="X")]
    found = revisions(before, after)["country"]
    assert found[:3] == (4, 2, 1)  # of a to d, c and d were emptied, b was changed
    assert found.filled == pytest.approx((3 / 8) / (5 / 7))
    assert found.distinct == pytest.approx((2 / 3) / (3 / 5))


def test_a_column_that_went_has_nothing_left_and_one_that_came_no_revision() -> None:
    found = revisions([*names("ab"), *column("country", a="A")], [*names("ab"), *column("domain", a="Vision")])
    assert found["country"] == Revision(1, 1, 0, 0.0, 0.0)
    assert found.keys() == {"name", "country"}


def test_a_snapshot_without_a_row_leaves_nothing() -> None:
    assert revisions(names("ab"), []) == {"name": Revision(0, 0, 0, 0.0, 0.0)}


def test_notes_are_no_column() -> None:
    noted = [Fact("a", "tokens", "1e12", "Dataset size notes")]
    assert revisions([*names("a"), *noted], names("a")).keys() == {"name"}
    assert revisions([*names("a"), *column("tokens", a="1e12")], [*names("a"), *noted])["tokens"].emptied == 1


@pytest.mark.parametrize(("old", "new", "changed"), [("1000", "1e3", 0), ("1000", "1001", 1), ("A", "a", 1)])
def test_a_number_that_is_written_otherwise_is_not_changed(old: str, new: str, changed: int) -> None:
    assert revisions(column("tokens", a=old), column("tokens", a=new))["tokens"].changed == changed


def ledger(*lines: tuple[str, str, str, date, date | None]) -> list[Span]:
    """Spans of record, field, text, first day, and first day without."""
    return [
        Span(record, field, text, "", since.isoformat(), until.isoformat() if until else "")
        for record, field, text, since, until in lines
    ]


@pytest.mark.parametrize(("day", "seen"), [(date(2025, 1, 1), True), (date(2025, 1, 2), False)])
def test_a_change_over_more_than_a_year_says_nothing(day: date, seen: bool) -> None:
    spans = ledger(("a", "name", "a", FIRST, None))
    assert [when for when, _ in history(spans, [day, FIRST])] == ([day] if seen else [])


def test_each_snapshot_is_held_against_the_one_before() -> None:
    spans = ledger(("a", "tokens", "1", FIRST, SECOND), ("a", "tokens", "2", SECOND, None))
    last = date(2024, 7, 1)
    assert [(day, made["tokens"].changed) for day, made in history(spans, [last, FIRST, SECOND])] == [
        (SECOND, 1),
        (last, 0),
    ]


def revised(emptied: int, changed: int) -> Limit:
    """What is learned of a column of a hundred cells, of which so many were emptied, and changed to one word."""
    spans = ledger(*((name, "name", name, FIRST, None) for name in HUNDRED))
    for number, name in enumerate(HUNDRED):
        until = SECOND if number < emptied + changed else None
        spans += ledger((name, "country", f"country {number}", FIRST, until))
        if emptied <= number < emptied + changed:
            spans += ledger((name, "country", "Acme", SECOND, None))
    return learn(spans, [FIRST, SECOND])["country"]


def test_twice_the_largest_revision_is_let_through() -> None:
    # 90 of 100 cells are left, with 71 texts: 0.9 of the filled ones, 71/90 = 0.789 of the distinct ones
    assert revised(emptied=10, changed=20) == Limit(0.2, 0.4, 0.8, 0.577)


def test_a_little_is_let_through_of_a_column_that_was_never_revised() -> None:
    assert revised(emptied=0, changed=0) == Limit(0.05, 0.1, 0.9, 0.9)


def test_no_limit_is_learned_that_lets_everything_through() -> None:
    assert revised(emptied=0, changed=60) == Limit(0.05, 0.9, 0.9, 0.1)
    assert revised(emptied=60, changed=0) == Limit(0.9, 0.1, 0.1, 0.9)


def test_what_was_honest_once_is_let_through_however_much_it_was() -> None:
    assert revised(emptied=95, changed=0)[::2] == (0.95, 0.05)
    assert revised(emptied=0, changed=95)[1::2] == (0.95, 0.06)


@pytest.mark.parametrize(
    ("records", "limit"),
    [("abcdefg", Limit(0.286, 0.1, 0.714, 0.9)), ("abc", Limit(0.667, 0.1, 0.333, 0.9))],  # 2/7 and 5/7, 2/3 and 1/3
)
def test_a_limit_is_rounded_in_favour_of_what_was_seen(records: str, limit: Limit) -> None:
    cells = ledger(*((name, "name", name, FIRST, None) for name in records))
    spans = cells + ledger(*((name, "tokens", name, FIRST, SECOND if name == "a" else None) for name in records))
    assert learn(spans, [FIRST, SECOND])["tokens"] == limit


def test_a_column_that_was_emptied_altogether_and_came_back_teaches_nothing() -> None:
    last = date(2024, 7, 1)
    spans = ledger(*((name, "name", name, FIRST, None) for name in "ab"))
    spans += ledger(("a", "country", "A", FIRST, SECOND), ("a", "country", "A", last, None))
    assert learn(spans, [FIRST, SECOND, last]).keys() == {"name"}


def test_a_column_that_is_gone_has_no_limit_and_the_largest_of_all_revisions_counts() -> None:
    last = date(2024, 7, 1)
    spans = ledger(*((name, "name", name, FIRST, None) for name in HUNDRED))
    spans += ledger(*((name, "country", "A", FIRST, last) for name in HUNDRED))
    spans += ledger(*((name, "tokens", "1", FIRST, None) for name in HUNDRED[:70]))
    spans += ledger(*((name, "tokens", "1", FIRST, SECOND) for name in HUNDRED[70:]))
    learned = learn(spans, [FIRST, SECOND, last])
    assert learned.keys() == {"name", "tokens"}
    assert learned["tokens"].max_emptied == 0.6


def test_without_a_snapshot_there_is_nothing_to_learn() -> None:
    assert learn([], []) == {}


def test_a_line_that_a_person_explained_stays_and_all_others_are_what_was_learned() -> None:
    learned = {"tokens": Limit(0.05, 0.1, 0.9, 0.9), "domain": Limit(0.05, 0.1, 0.9, 0.9)}
    known = {
        "domain": (Limit(0.2, 0.3, 0.4, 0.5), "the domains were named anew"),
        "tokens": (Limit(0.6, 0.6, 0.6, 0.6), ""),
        "country": (Limit(0.6, 0.6, 0.6, 0.6), ""),
    }
    assert write_limits(learned, known).splitlines()[1:] == [
        "domain,0.2,0.3,0.4,0.5,the domains were named anew",
        "tokens,0.05,0.1,0.9,0.9,",
    ]
