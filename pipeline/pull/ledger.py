"""The temporal ledger: one line per fact and span of snapshots. Pure functions on rows; order of pulls is
irrelevant."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Iterable
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from pipeline.pull.tabular import Fact

HEADER = ("record", "field", "value_text", "locator", "since", "until")


class Span(NamedTuple):
    """A fact from the first snapshot that has it to the first later one that does not (blank = current)."""

    record: str
    field: str
    value_text: str
    locator: str
    since: str
    until: str


def insert_snapshot(spans: Iterable[Span], snapshots: Iterable[date], day: date, facts: Iterable[Fact]) -> list[Span]:
    """The ledger with the snapshot of `day` put in its place (replacing one of the same day), sorted."""
    days = sorted({*(d.isoformat() for d in snapshots), day.isoformat()})
    presence = _presence(spans, days)
    for present in presence.values():
        present.discard(day.isoformat())
    for fact in facts:
        presence.setdefault(fact, set()).add(day.isoformat())
    return sorted(span for fact, present in presence.items() for span in _spans(fact, present, days))


def at(spans: Iterable[Span], day: date) -> list[Fact]:
    """The facts that stood in the snapshot of `day`."""
    iso = day.isoformat()
    return [Fact(*span[:4]) for span in spans if span.since <= iso and (not span.until or iso < span.until)]


def write_ledger(spans: Iterable[Span]) -> str:
    """The text of a facts.csv."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows(spans)
    return buffer.getvalue()


def read_ledger(text: str) -> list[Span]:
    """The spans of a facts.csv (see `facts.load_facts` for the checked reading of a build)."""
    rows = csv.reader(io.StringIO(text), strict=True)
    next(rows, None)
    return [Span(*row) for row in rows]


def _presence(spans: Iterable[Span], days: list[str]) -> dict[Fact, set[str]]:
    presence: dict[Fact, set[str]] = {}
    for span in spans:
        first = bisect_left(days, span.since)
        last = bisect_left(days, span.until) if span.until else len(days)
        presence.setdefault(Fact(*span[:4]), set()).update(days[first:last])
    return presence


def _spans(fact: Fact, present: set[str], days: list[str]) -> list[Span]:
    """Runs of consecutive snapshots, each closed by the first snapshot that lacks the fact."""
    has = [False, *(day in present for day in days), False]
    edges = [(i, now) for i, (before, now) in enumerate(pairwise(has)) if before != now]
    starts = [i for i, opens in edges if opens]
    ends = [i for i, opens in edges if not opens]
    return [Span(*fact, days[s], days[e] if e < len(days) else "") for s, e in zip(starts, ends, strict=True)]
