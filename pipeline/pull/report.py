"""What a pull says of a snapshot that it entered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date

from pipeline.base.dates import exchanged
from pipeline.base.errors import Problem, render
from pipeline.pull.tabular import Fact, Reading
from pipeline.registry.sources import Source

Say = Callable[[str], None]


def report(source: Source, reading: Reading, day: date, before: list[Fact], say: Say) -> None:
    """Says what a snapshot has, and what was left out of it."""
    old, new = set(before), set(reading.facts)
    count = f"{reading.rows - reading.unnamed} records, {len(reading.facts)} facts"
    say(f"{source.id}: snapshot {day}: {count} ({len(new - old)} new, {len(old - new)} gone since the latest)")
    if reading.unnamed:
        say(f"{source.id}: rows left out because they have no usable name: {reading.unnamed}")
    if reading.unknown_columns:
        columns = ", ".join(reading.unknown_columns)
        say(f"{source.id}: columns not known: {columns}; add them to data/raw/{source.id}/source.yml")


def warn(source: Source, reading: Reading, before: list[Fact], unread: Iterable[Problem], say: Say) -> None:
    """Warns of what no gate stops: cells that the build will set aside, a column that its limits allow to be lost, and
    dates whose day and month changed places."""
    known = {fact[:3] for fact in before}
    if new := [cell for cell in unread if (cell.record, cell.field, cell.value) not in known]:
        say(f"warning: {source.id}: {len(new)} new cells that the build will set aside:\n{render(new)}")
    stated = Counter(fact.field for fact in before if not fact.locator)
    for field in sorted(stated.keys() - {fact.field for fact in reading.facts}):
        say(f"warning: {source.id}: nothing states {field} any more ({stated[field]} facts in the latest snapshot)")
    old = {(fact.record, fact.field): fact.value_text for fact in before if not fact.locator}
    names = sorted({fact.record for fact in reading.facts if not fact.locator and _is_exchanged(fact, old)})
    if names:
        say(
            f"warning: {source.id}: day and month changed places in the dates of {len(names)} records:"
            f" {', '.join(names)}"
        )


def _is_exchanged(fact: Fact, old: Mapping[tuple[str, str], str]) -> bool:
    before = exchanged(fact.value_text)
    return before is not None and before == old.get((fact.record, fact.field))
