"""The temporal ledger: one line per fact and span of snapshots, whatever the order of pulls; and third-party checksums:
who else holds the files that our facts came from, by the md5 and sizes that they wrote down."""

from __future__ import annotations

import csv
import io
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

from pipeline.config import Source
from pipeline.normalize.text import DateError, parse_date
from pipeline.paths import Paths

HEADER = ("record", "field", "value_text", "locator", "since", "until")
LINK_FIELD = "reference_url"
WITNESSES = "witnesses"  # the table of third-party checksums
WITNESSED = "https://raw.githubusercontent.com/owid/etl/{commit}/{file}"  # as it was on that day
# The cells that a note explains. People read notes; the text of a note is not kept.
EXPLAINED = {
    "Parameters notes": ("parameters",),
    "Training compute notes": ("training_compute_flop",),
    "Training time notes": ("training_hours",),
    "Finetune compute notes": ("finetune_compute_flop",),
    "Dataset size notes": ("dataset_size", "dataset_size_gradients", "dataset_size_datapoints"),
}


class Fact(NamedTuple):
    """What one source prints once: a record's field as text. `locator` is blank for a plain column, else the note that
    a person read it in."""

    record: str
    field: str
    value_text: str
    locator: str = ""


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


def keep_names(facts: list[Fact], before: Iterable[Fact]) -> list[Fact]:
    """The facts of a snapshot under the names of the one before. `name @ link` is still `name` if that had one record
    of the name, with that link. Of records `name @ #n`, each keeps the number of the one that it is most like."""
    before = list(before)
    now = {fact.record for fact in facts}
    linked = (fact for fact in before if fact.field == LINK_FIELD and not fact.locator and " @ " not in fact.record)
    known = {f"{fact.record} @ {fact.value_text.split()[0]}": fact.record for fact in linked}
    kept = {record: name for record in now if (name := known.get(record)) and name not in now}
    kept |= _keep_numbers(facts, before)
    return [fact._replace(record=kept.get(fact.record, fact.record)) for fact in facts]


def _keep_numbers(facts: list[Fact], before: list[Fact]) -> dict[str, str]:
    """{record: its name in the snapshot before}, pair by pair, those with the most cells in common first."""
    shared = {fact.field for fact in facts} & {fact.field for fact in before}
    known, kept = _numbered(before, shared), dict[str, str]()
    for name, records in _numbered(facts, shared).items():
        alike = [
            (-len(cells & others), number, record, other)
            for record, cells in records.items()
            for number, (other, others) in enumerate(known.get(name, {}).items())
        ]
        for _, _, record, other in sorted(alike):
            if record not in kept and other not in kept.values():
                kept[record] = other
        free = iter([record for record in records if record not in kept.values()])
        kept |= {record: next(free) for record in records if record not in kept}
    return kept


def _numbered(facts: Iterable[Fact], fields: set[str]) -> dict[str, dict[str, set[tuple[str, object]]]]:
    """{name: {`name @ #n`: its cells}}, without the last digits of numbers, which are noise."""
    names: dict[str, dict[str, set[tuple[str, object]]]] = {}
    for record, field, text, locator in facts:
        name, at, _ = record.rpartition(" @ #")
        if at and field in fields and not locator:
            value = _value(text)
            cell = field, f"{value:.9g}" if isinstance(value, float) else value
            names.setdefault(name, {}).setdefault(record, set()).add(cell)
    return names


def keep_noted(facts: Iterable[Fact], before: Iterable[Fact]) -> list[Fact]:
    """The facts that were read in notes and hold in the new snapshot, too: their record is still there, and the cells
    that their note explains have the values that they had."""
    old, new = plain_cells(before), plain_cells(facts)
    records = {record for record, _ in new}

    def holds(fact: Fact) -> bool:
        keys = [(fact.record, field) for field in EXPLAINED.get(fact.locator, ())]
        return fact.record in records and all(same_value(old.get(key, ""), new.get(key, "")) for key in keys)

    return [fact for fact in before if fact.locator and holds(fact)]


def unread_notes(spans: Iterable[Span], newest: date) -> list[Span]:
    """The facts from notes that the newest snapshot closed although their record lives on, with nothing read in their
    place: a person should read the note again."""
    spans = list(spans)
    living = {span.record for span in spans if not span.until}
    noted = {span[:2] for span in spans if span.locator and not span.until}
    closed = [span for span in spans if span.locator and span.until == newest.isoformat()]
    return [span for span in closed if span.record in living and span[:2] not in noted]


def same_value(one: str, other: str) -> bool:
    """Whether two cells state the same number, date or words, however they spell it."""
    return one == other or _value(one) == _value(other)


def _value(text: str) -> object:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        pass
    try:
        return parse_date(text, day_first=True)
    except DateError:
        return " ".join(text.split()).casefold()


def plain_cells(facts: Iterable[Fact]) -> Mapping[tuple[str, str], str]:
    """{(record, field): text} of the facts from plain columns."""
    return {(fact.record, fact.field): fact.value_text for fact in facts if not fact.locator}


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


class Witness(NamedTuple):
    """Who wrote a file down, and where."""

    publisher: str
    reference: str


def load_witnesses(paths: Paths, sources: Iterable[Source]) -> dict[tuple[str, int], Witness]:
    """The witness of every file that one ever wrote down, by md5 and size in bytes."""
    witnesses = {}
    for source in sources:
        file = paths.raw / source.id / "facts.csv"
        if source.subject == WITNESSES and file.exists():
            records: dict[str, dict[str, str]] = {}
            for span in read_ledger(file.read_text(encoding="utf-8")):
                records.setdefault(span.record, {})[span.field] = span.value_text
            for cells in records.values():
                witnesses[cells["md5"], int(cells["bytes"])] = Witness(source.publisher, WITNESSED.format(**cells))
    return witnesses


def witness_of(snapshot: Mapping[str, Any], witnesses: Mapping[tuple[str, int], Witness]) -> Witness | None:
    """The witness of a snapshot of the lock: of one file, whose md5 and size stand in its record."""
    match list(snapshot["files"].values()):
        case [only]:
            return witnesses.get((only.get("md5", ""), only["size"]))
    return None
