"""How much upstream changed each column from one snapshot to the next, and the limits that follow from it.

What is honest was seen: twice the largest revision of a column in its history is let through, more than that is not. A
column that went altogether says nothing about one that stays, nor does a change over more than a year."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from pipeline.pull.ledger import Span, at
from pipeline.pull.tabular import Fact
from pipeline.registry.limits import HEADER, Limit

LONGEST = timedelta(days=366)
TWICE = 2
# the least and the most that is let through of what was emptied, and of what was changed
LEAST, MOST = Limit(0.05, 0.1, 0.9, 0.9), Limit(0.9, 0.9, 0.1, 0.1)


class Revision(NamedTuple):
    """Of the cells that a column had in records that are still there, how many were emptied and changed; and which part
    of its share of filled cells, and of distinct values, is left."""

    cells: int
    emptied: int
    changed: int
    filled: float
    distinct: float


def revisions(before: Iterable[Fact], after: Iterable[Fact]) -> dict[str, Revision]:
    """{column of the earlier snapshot: its revision}."""
    old, new = _by_column(before), _by_column(after)
    records = {record for cells in new.values() for record in cells}
    sizes = len({record for cells in old.values() for record in cells}), len(records)
    return {field: _revision(cells, new.get(field, {}), records, sizes) for field, cells in old.items()}


def _revision(old: dict[str, str], new: dict[str, str], records: set[str], sizes: tuple[int, int]) -> Revision:
    kept = {record: text for record, text in old.items() if record in records}
    emptied = sum(record not in new for record in kept)
    changed = sum(record in new and not _is_same(text, new[record]) for record, text in kept.items())
    filled = (len(new) / sizes[1]) / (len(old) / sizes[0]) if sizes[1] else 0.0
    distinct = (len({*new.values()}) / len(new)) / (len({*old.values()}) / len(old)) if new else 0.0
    return Revision(len(kept), emptied, changed, filled, distinct)


def _by_column(facts: Iterable[Fact]) -> dict[str, dict[str, str]]:
    """{field: {record: text}} of the plain columns."""
    found: dict[str, dict[str, str]] = {}
    for fact in facts:
        if not fact.locator:
            found.setdefault(fact.field, {})[fact.record] = fact.value_text
    return found


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are the same, or write the same number."""
    if one == other:
        return True
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def history(spans: list[Span], days: Iterable[date]) -> Iterator[tuple[date, dict[str, Revision]]]:
    """Each snapshot with its revisions of the one before, where that is not more than a year older."""
    plain = [span for span in spans if not span.locator]
    states = ((day, at(plain, day)) for day in sorted(days))
    for (earlier, before), (day, after) in pairwise(states):
        if day - earlier <= LONGEST:
            yield day, revisions(before, after)


def learn(spans: list[Span], days: list[date]) -> dict[str, Limit]:
    """The limit of each column of the last snapshot that has a history."""
    seen: dict[str, list[Revision]] = {}
    for _, made in history(spans, days):
        for field, revision in made.items():
            if revision.cells and revision.emptied < revision.cells:
                seen.setdefault(field, []).append(revision)
    present = {fact.field for fact in at(spans, max(days))} if days else set()
    return {field: _limit(each) for field, each in sorted(seen.items()) if field in present}


def _limit(seen: list[Revision]) -> Limit:
    emptied, changed = (max(getattr(each, name) / each.cells for each in seen) for name in ("emptied", "changed"))
    filled, distinct = (min(1.0, *(getattr(each, name) for each in seen)) for name in ("filled", "distinct"))
    twice = Limit(TWICE * emptied, TWICE * changed, 1 - TWICE * (1 - filled), 1 - TWICE * (1 - distinct))
    bounded = [sorted(ends)[1] for ends in zip(LEAST, twice, MOST, strict=True)]
    # what was honest once is let through however much it was
    most = [math.ceil(1000 * max(pair)) / 1000 for pair in zip(bounded[:2], (emptied, changed), strict=True)]
    least = [math.floor(1000 * min(pair)) / 1000 for pair in zip(bounded[2:], (filled, distinct), strict=True)]
    return Limit(*most, *least)


def write_limits(learned: Mapping[str, Limit], known: Mapping[str, tuple[Limit, str]]) -> str:
    """The text of a limits.csv: what was learned, but the lines for which a person gave a reason as they are."""
    kept = {field: line for field, line in known.items() if line[1]}
    lines = {field: (limit, "") for field, limit in learned.items()} | kept
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(
        [field, *(f"{share:g}" for share in limit), reason] for field, (limit, reason) in sorted(lines.items())
    )
    return buffer.getvalue()
